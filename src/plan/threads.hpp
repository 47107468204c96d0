// Threads: with how many a call of a plan works, settled and tried out before OpenMP is asked for them. A runtime that
// cannot start a thread ends the process, and one whose threads were lost by a fork waits for them for ever.
#pragma once

namespace farfield {

inline constexpr int most_threads = 4096;  ///< OpenMP runtimes crash somewhere above

struct Team {
  int threads = 1;
  bool lost_by_fork = false;  ///< one thread, since those of the parent process are not in this one
};

/// The team for Options::threads in the calling thread. 0: as many as OpenMP offers, but no more than four for each
/// processor. Throws Error(memory) where the system does not let as many threads be started.
Team settle_team(int wanted);

}  // namespace farfield
