// Threads: settles how many threads a call of a plan uses, and tests that the system can start them before OpenMP does.
// An OpenMP runtime that cannot start a thread ends the process, and one whose threads were lost by a fork waits for
// them for ever.
#pragma once

namespace farfield {

inline constexpr int most_threads = 4096;  ///< OpenMP runtimes crash somewhere above

struct Team {
  int threads = 1;
  bool lost_by_fork = false;  ///< one thread, since a fork does not copy the threads of the parent process
};

/// How many threads Options::threads means in the calling thread. 0: as many as OpenMP offers, but no more than four
/// for each processor. Starts none.
int team_size(int wanted);

/// The team of that size. Throws Error(memory) if the system cannot start so many threads.
Team settle_team(int wanted);

}  // namespace farfield
