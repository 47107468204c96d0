// Points drawn from the caller's, for tree/crowding.hpp.
#pragma once
#include <vector>

#include "tree/geometry.hpp"

namespace farfield::cpu {

/// At most `most` points, scaled and interleaved.
std::vector<double> draw_points(const Points& points, const Geometry& g, std::int64_t most);

}  // namespace farfield::cpu
