// The error model: which degree reaches which tolerance, and what each precision can reach at all.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

/// Relative L2 error, the larger of potential and gradient, that an FMM of this degree stays below for strengths of
/// mixed sign on any of the tested clouds.
double truncation_error(int degree, bool reduced, bool gradient);

/// Smallest degree whose truncation_error is at most `tolerance`.
int degree_for(double tolerance, bool reduced, bool gradient);

/// Factors that turn a Placement (placement.hpp) into errors: e(d) and g d e(d) with what measurement adds to them.
struct PairError {
  double potential, gradient;
};
/// What the factors depend on beside the degree.
struct PlacementKind {
  double dimension = 3;    ///< log2 of children per parent: 3 in volumes, 2 on surfaces
  double points = 0;       ///< targets
};
PairError pair_error(int degree, const PlacementKind& kind, bool reduced);

/// Relative error on points that stand in planes along the axes (lattices of 1e3 to 1e5 points, shaken by up to a tenth of
/// the spacing): facing corners of boxes line up there and a few pairs near the worst place carry the error, which then
/// falls by only 0.19 decades per degree.
double crystal_error(int degree, bool reduced, bool gradient);

/// Smallest tolerance that the precision can promise.
double reachable_tolerance(Precision precision);

/// What the tolerance leaves to truncation beside the precision's rounding: the two add in squares.
double truncation_share(double tolerance, Precision precision);

inline constexpr int max_degree = 60;  ///< the generators are tested to here

}  // namespace farfield
