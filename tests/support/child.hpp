// Work in a child process, and how it ended.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>

namespace farfield::testing {

constexpr int good = 0, bad_result = 20, bad_report = 21, thrown = 22;

/// Exit status of a child process that runs `work`; -1 if it has not come to an end after a minute.
inline int status_of(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    int status = thrown;
    try {
      status = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace farfield::testing
