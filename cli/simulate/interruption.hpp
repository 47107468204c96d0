// SIGINT and SIGTERM while bodies move: noted, so that the step in hand can be finished and its state be saved.
#pragma once
#include <csignal>

namespace farfield::cli {

/// While it lives the first such signal is only noted; the second ends the process as ever. A signal that is ignored,
/// as under nohup, stays so.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool noted() const;
  /// Ends the process by the signal that was noted, so that whoever started it knows why.
  [[noreturn]] void pass_on() const;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

}  // namespace farfield::cli
