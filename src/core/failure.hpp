// Failure: carries an exception (memory, as a rule) out of a parallel region. An exception that leaves the region by
// itself ends the process. Hardly anything is inline: stages include this header, and they are compiled for several
// instruction sets.
#pragma once
#include <atomic>
#include <exception>
#include <mutex>

namespace farfield {

class Failure {
 public:
  Failure();
  ~Failure();
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  /// Keeps the exception that is being handled, if it is the first. May be called by all threads of the region.
  void keep() noexcept;
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// To be called after the region: rethrows the exception that was kept, if any.
  void rethrow() const;

 private:
  std::exception_ptr first_;
  std::mutex one_at_a_time_;  // a named critical section would be a symbol that a shared library exports
  std::atomic<bool> any_{false};
};

}  // namespace farfield
