// The CUDA backend's face: what the plan layer calls.
#pragma once
#include <cstdint>
#include <memory>

#include "backends/evaluator.hpp"

namespace farfield::cuda {

/// An evaluator for the decision's kernel, precision and method on the current device; `threads` of the host.
std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads);

/// Near and far field run side by side in trees of at most so many boxes, where many of the far field's launches leave
/// most of the device idle: up to a tenth of the time of 2^20 uniform points, a quarter of 2^16. Larger trees only get
/// in one another's way, up to 4 % slower.
inline constexpr std::int64_t most_boxes_beside = 1 << 19;

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
