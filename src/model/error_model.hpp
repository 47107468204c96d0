// The error model: which degree reaches which tolerance, and what each precision can reach at all.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

/// The first guess: smallest degree whose ErrorCurve::truncation is at most `tolerance`. settle_degree (degree.hpp)
/// corrects it.
int degree_for(Kernel kernel, double tolerance, bool reduced, bool gradient);

/// The degree that crystals need, the worst placement that was measured, and three more for targets that may lie away
/// from all sources: settle_degree chooses no higher one.
int highest_degree(Kernel kernel, double tolerance, bool reduced, bool apart);

/// Smallest tolerance that the precision can promise.
double reachable_tolerance(Precision precision);

/// What the tolerance leaves to truncation beside the precision's rounding: the two add in squares.
double truncation_share(double tolerance, Precision precision);

inline constexpr int max_degree = 60;  ///< the generators are tested to here

}  // namespace farfield
