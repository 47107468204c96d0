// How points crowd (Geometry::crowding): what boxes that must not be narrow will hold.
#pragma once
#include "tree/geometry.hpp"

namespace farfield::cpu {

/// Fills in g.crowding, from a sample of up to `most` points (2^15: 10 ms); `g` is the survey of the same points.
/// `targets` null: the sources.
void survey_crowding(Geometry& g, const Points& sources, const Points* targets, std::int64_t most);

}  // namespace farfield::cpu
