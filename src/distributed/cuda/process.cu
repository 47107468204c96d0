#include <unistd.h>

#include <cstdlib>
#include <farfield/error.hpp>
#include <string>

#include "distributed/cuda/process.hpp"

namespace farfield::distributed {

Process this_process() {
  static const char own = 0;
  Process process{getpid(), &own, {}};
  gethostname(process.host.data(), process.host.size() - 1);
  return process;
}

bool asked_through_hosts() {
  const char* const text = std::getenv("FARFIELD_TRANSPORT");
  const std::string word = text ? text : "";
  if (!word.empty() && word != "host")
    throw Error(ErrorCode::usage, "FARFIELD_TRANSPORT is '" + word + "'; host is the only way that can be asked for");
  return word == "host";
}

}  // namespace farfield::distributed
