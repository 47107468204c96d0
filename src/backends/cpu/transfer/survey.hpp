// Survey: one look at the caller's points before anything is chosen or allocated.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>
#include <vector>

#include "tree/geometry.hpp"

namespace farfield::cpu {

/// What a survey found in a part of the points: the corners of their box and of that of targets that are not the
/// sources (infinities of the wrong signs for no points), and the smallest |coordinate| that is not 0 (infinite for
/// none), in the caller's units.
struct Found {
  std::int64_t sources, targets;
  PointBox all, of_targets;
  double least;
};

/// Makes what was found in a part of the points what is found in all, where they are shared by several processes.
class OtherParts {
 public:
  virtual ~OtherParts() = default;
  virtual void join(Found& found) = 0;
  virtual void join(std::vector<std::uint64_t>& occupied) = 0;  ///< bits of cells that hold a point
};

/// Bounding box, power-of-two scale and how the points fill space. `targets` null: the targets are the sources.
/// Throws Error(input) for counts, pointers and strides that are no points', and for the first point that is not finite
/// or whose digits the scaling would lose. `others` null: these are all points.
Geometry survey(const Points& sources, const Points* targets, int threads, OtherParts* others = nullptr);

}  // namespace farfield::cpu
