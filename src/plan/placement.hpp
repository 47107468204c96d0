// Placement: how the points of a tree lie in its boxes, as far as the truncation error depends on it.
//
// A pair of charges translated by m2l at degree d errs most when the two sit in facing corners of boxes that have one
// box between them, by e(d) = 0.21 (3/4)^d / d over the edge, and that error dies away as exp(-0.75 d delta) with the
// distance delta (sum over axes, in edges) of either charge from its corner. The mean square over all pairs is
// carried by those corners: with random points hardly any corner is occupied, in a crystal aligned with the axes many
// are, on a plane none. So the error for random strengths of mixed sign follows from
//   err_potential^2 = e^2 sum over boxes, facing corners of B_source B_target / a^2  over  sum of 1 / r^2,
//   err_gradient^2  = (g d e)^2 sum of B_source B_target / a^4                       over  sum of 1 / r^4,
// where B, the occupation of a corner, is the sum over the box's points of exp(-1.5 d delta).
// The model was measured against direct sums on volumes, surfaces, clusters and crystals (tests/accuracy): right within a
// factor that error_model.cpp carries.
#pragma once
#include "tree/tree.hpp"

namespace farfield {

/// The sums above for one tree and one degree, host arrays.
struct Placement {
  double potential = 0;  ///< sqrt of the first ratio without e
  double gradient = 0;   ///< sqrt of the second ratio without g d e
};

struct PlacedPoints {
  const double* axis[3];
  const std::int64_t *begin, *end;  ///< [boxes]
};

/// Norms of the result for random strengths of unit variance: means over targets of sum 1/r^2 and sum 1/r^4.
struct ResultNorms {
  double potential = 0, gradient = 0;
};
/// Do the points stand in planes along all three axes, as in a crystal? Their facing corners then line up, and errors
/// that cancel among random points do not.
bool stand_in_planes(const TreeView& tree, const PlacedPoints& points);

ResultNorms result_norms(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads);

Placement placement(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
                    const ResultNorms& norms, int degree, int threads);

}  // namespace farfield
