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
  double dimension = 3;    ///< how boxes multiply: cost_model.hpp
  double points = 0;       ///< targets
  bool in_planes = false;  ///< stand_in_planes
};
PairError pair_error(int degree, const PlacementKind& kind, bool reduced);

/// Smallest tolerance that the precision can promise.
double reachable_tolerance(Precision precision, bool gradient);

inline constexpr int max_degree = 60;  ///< the generators are tested to here

}  // namespace farfield
