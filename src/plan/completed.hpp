// Completed: the caller's points with what a kernel needs and they lack.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <farfield/error.hpp>
#include <farfield/views.hpp>
#include <memory>
#include <vector>

#include "backends/cpu/transfer/lengths.hpp"
#include "kernels/traits.hpp"
#include "plan/validate.hpp"

namespace farfield {

/// Points of a kernel that needs fewer coordinates may lack the last ones: here these are 0. Where points of a plan
/// have softening lengths that vary, all sets have them here, else none.
class Completed {
 public:
  Completed(const Points& given, Kernel kernel) : points(given) {
    if (given.space != MemorySpace::host || given.count < 1 || given.stride < 1) return;
    for (int axis = traits(kernel).least_axes; axis < 3; ++axis) {
      if (points.axis[static_cast<std::size_t>(axis)]) continue;
      points.axis[static_cast<std::size_t>(axis)] = zeros(elements(given.count - 1, given.stride) + 1);
    }
  }
  Completed(const Completed&) = delete;
  Completed& operator=(const Completed&) = delete;
  void complete_lengths(bool vary, double otherwise) {
    if (vary && !points.softening) lengths_ = cpu::all_lengths(points, nullptr, otherwise);
    points.softening = !vary ? nullptr : lengths_.empty() ? points.softening : lengths_.data();
  }
  Points points;

 private:
  struct Release {
    void operator()(void* block) const { std::free(block); }
  };
  using Zeros = std::unique_ptr<void, Release>;

  /// Few are kept for later plans of the thread: made anew they take a tenth of a Gaussian sum of 1e5 points.
  const void* zeros(std::size_t count) {
    constexpr std::size_t few = std::size_t(1) << 18;
    thread_local Zeros kept;
    Zeros& block = count <= few ? kept : zeros_;
    if (!block) block = made(std::max(few, count));
    return block.get();
  }
  /// Of many the system hands out pages that are 0 already, when they are first read.
  static Zeros made(std::size_t count) {
    Zeros block(std::calloc(count, sizeof(double)));
    if (!block) throw Error(ErrorCode::memory, "not enough memory for the coordinates that the points lack; use fewer");
    return block;
  }

  Zeros zeros_;
  std::vector<double> lengths_;
};

}  // namespace farfield
