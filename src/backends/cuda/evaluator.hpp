// The CUDA backend's face: what the plan layer calls.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/evaluator.hpp"

namespace farfield::cuda {

/// An evaluator for the decision's kernel, precision and method on the current device; `threads` of the host.
std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads);

/// Vectors of strengths of a call that are summed together, where sources carry so many moments. Each keeps the bits
/// that it has alone.
int densities_of(const Decision& decision, int moments);

/// For measurements, `apart`: from now on, evaluations of all plans sum the near field first, not beside the far field.
void keep_stages_apart(bool apart);

/// Is a graph being captured from the stream?
bool is_captured(void* stream);

/// Upper bound of the bytes of device memory that an evaluator holds at one time for these counts of points.
std::int64_t memory_bound(const Decision& decision, std::int64_t sources, std::int64_t targets, bool alike);

/// Survey of points in host or device memory, on the stream of those in device memory. The first call makes `kept`, the
/// memory that later calls use again, so that they need not ask the device for any.
Geometry survey(const Points& sources, const Points* targets, std::shared_ptr<void>& kept);

/// At most `most` of the points, which lie in device memory, scaled and interleaved (tree/crowding.hpp). In memory that
/// `kept` holds, as for the survey.
std::vector<double> draw_points(const Points& points, const Geometry& g, std::int64_t most,
                                std::shared_ptr<void>& kept);

/// Interleaved copy in double, in device memory, of `a` followed by `b`; it lives as long as `owner`.
struct JoinedPoints {
  Points points;
  std::shared_ptr<void> owner;
};
JoinedPoints join(const Points& a, const Points& b);

}  // namespace farfield::cuda
