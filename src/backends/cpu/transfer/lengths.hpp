// Softening lengths that points bring along (Points::softening).
#pragma once
#include <farfield/options.hpp>
#include <farfield/views.hpp>
#include <vector>

#include "core/array.hpp"
#include "tree/geometry.hpp"

namespace farfield::cpu {

/// The range of the lengths of all points; those of a set without lengths are `otherwise`. Throws Error(input) naming
/// the first length that is none.
LengthRange survey_lengths(const Points& sources, const Points* targets, double otherwise);

/// Adds those of points that have them; `what`: "source" or "target". Throws as survey_lengths.
void add_lengths(LengthRange& range, const Points& points, const char* what);

/// The lengths of `a` followed by those of `b`, which may be null.
std::vector<double> all_lengths(const Points& a, const Points* b, double otherwise);

/// sorted[i] = length of sorted point i times `factor` 2^exponent, the last repeated as in SortedPoints.
void gather_lengths(const Points& points, const Array<std::uint32_t>& order, double factor, int exponent,
                    Array<double>& sorted);

}  // namespace farfield::cpu
