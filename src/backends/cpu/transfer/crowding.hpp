// How points crowd (Geometry::crowding): what boxes that must not be narrow will hold.
#pragma once
#include "tree/geometry.hpp"

namespace farfield::cpu {

/// Fills in g.crowding, from a sample; `g` is the survey of the same points. `targets` null: the sources.
void survey_crowding(Geometry& g, const Points& sources, const Points* targets);

}  // namespace farfield::cpu
