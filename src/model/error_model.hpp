// The error model: which degree reaches which tolerance, and what each precision can reach at all.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

/// Before a tree is known: relative L2 error, the larger of potential and gradient, that an FMM of this degree stays
/// below for strengths of mixed sign on uniform and clustered volumes.
double truncation_error(int degree, bool reduced, bool gradient);

/// The first guess: smallest degree whose truncation_error is at most `tolerance`. settle_degree (degree.hpp) corrects
/// it.
int degree_for(double tolerance, bool reduced, bool gradient);

/// Errors of one pair of unit charges in boxes with one box between them, in units of 1/edge: root mean square over
/// random places, and in facing corners (placement.hpp).
double typical_pair_error(int degree);
double facing_pair_error(int degree);

struct TargetKind {
  double count = 0;
  bool remote = false;  ///< away from all sources: their results have no near field
  bool heaped = false;  ///< many points coincide
};

/// Relative error to expect: the model's two parts, `typical` and `facing`, with the factors that measurements add.
double expected_error(double typical, double facing, int degree, const TargetKind& kind, bool reduced);

/// Relative error on points that stand in planes along the axes (lattices of 1e3 to 1e5 points, shaken by up to a tenth
/// of the spacing): facing corners of boxes line up there and a few pairs near the worst place carry the error, which
/// then falls by only 0.19 decades per degree.
double crystal_error(int degree, bool reduced, bool gradient);

/// The degree that crystals need, the worst placement that was measured, and three more for targets that may lie away
/// from all sources: settle_degree chooses no higher one.
int highest_degree(double tolerance, bool reduced, bool apart);

/// By how much more facing corners may err than typical pairs, since their errors have one sign.
double one_sign_safety(int degree);

/// Smallest tolerance that the precision can promise.
double reachable_tolerance(Precision precision);

/// What the tolerance leaves to truncation beside the precision's rounding: the two add in squares.
double truncation_share(double tolerance, Precision precision);

inline constexpr int max_degree = 60;  ///< the generators are tested to here

}  // namespace farfield
