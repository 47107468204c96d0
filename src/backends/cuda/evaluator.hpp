// The CUDA backend's face: what the plan layer calls.
#pragma once
#include <memory>

#include "plan/evaluator.hpp"

namespace farfield::cuda {

/// An evaluator for the decision's kernel, precision and method on the current device.
std::unique_ptr<Evaluator> make_evaluator(const Decision& decision);

/// For measurements: evaluations of all plans from now on sum the near field before the far field, never beside it.
void keep_stages_apart(bool apart);

/// Upper bound of the bytes of device memory that such an evaluator holds at one time for these counts.
std::int64_t memory_bound(const Decision& decision, std::int64_t sources, std::int64_t targets, bool alike);

/// Survey of points in either memory, on the stream of those in device memory. `kept` is made by the first call and
/// spares the next ones to ask for memory.
Geometry survey(const Points& sources, const Points* targets, std::shared_ptr<void>& kept);

/// Interleaved copy in double, in device memory, of `a` followed by `b`; it lives as long as `owner`.
struct JoinedPoints {
  Points points;
  std::shared_ptr<void> owner;
};
JoinedPoints join(const Points& a, const Points& b);

}  // namespace farfield::cuda
