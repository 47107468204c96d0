// One thread at a time per plan.
#pragma once
#include <atomic>
#include <farfield/error.hpp>

namespace farfield::python {

/// Holds a plan for one call. Waiting would hide the mistake, and with the lock of the interpreter could stop both.
class Use {
 public:
  explicit Use(std::atomic_flag& busy) : busy_(busy) {
    if (busy_.test_and_set())
      throw Error(ErrorCode::usage,
                  "this plan is in use by another thread; give each thread a plan of its own, as copy.copy(plan)");
  }
  ~Use() { busy_.clear(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic_flag& busy_;
};

}  // namespace farfield::python
