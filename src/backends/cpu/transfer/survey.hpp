// Survey: one look at the caller's points before anything is chosen or allocated.
#pragma once
#include <farfield/views.hpp>

#include "tree/geometry.hpp"

namespace farfield::cpu {

/// Bounding box, power-of-two scale and how the points fill space. `targets` null: the targets are the sources.
/// Throws Error(input) for counts, pointers and strides that are no points', and for the first point that is not finite
/// or whose digits the scaling would lose.
Geometry survey(const Points& sources, const Points* targets, int threads);

}  // namespace farfield::cpu
