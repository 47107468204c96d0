// The error model: which degree reaches which tolerance, and what each precision can reach at all.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

struct Decision;

/// The first guess: smallest degree whose ErrorCurve::truncation is at most `tolerance`. settle_degree (degree.hpp)
/// corrects it.
int degree_for(Kernel kernel, double tolerance, bool reduced, int derivatives, bool fitted = false);
/// The same for what the options ask for, where `tolerance` remains of theirs.
int first_degree(const Options& options, double tolerance, bool reduced, bool fitted = false);

/// ErrorCurve::fitted_gain where operators are fitted, else 1.
double fitted_gain(Kernel kernel, bool fitted, int degree);
/// The lowest order of results that the tolerance is for: 1 for the gradient alone.
int judged_from(const Options& options);

/// The degree that crystals need, the worst placement that was measured, and three more for targets that may lie away
/// from all sources: settle_degree chooses no higher one.
int highest_degree(const Decision& decision);

/// Smallest tolerance that the precision can promise.
double reachable_tolerance(Precision precision);

/// What the tolerance leaves to truncation beside the precision's rounding: the two add in squares.
double truncation_share(double tolerance, Precision precision);

/// By how much screening, `screening` in the points' extent, makes errors grow beside a potential that is fainter by
/// it. For strengths of mixed sign, whose squares add, the potential falls by the root of the mean of exp(-2 kappa r)
/// over the distances r, evenly, up to half the extent of about 1; from a factor of 4 on the far field falls as much.
double screened_growth(double screening);

inline constexpr int max_degree = 60;  ///< the generators are tested to here

// Expansions carry 1/r itself, so a pair may be far only where its softened kernel is 1/r: exactly from the spline's
// reach on; of others with a relative error, which for a derivative of order k is largest along r: of Plummer's kernel
// (k+2 over 2) eps^2 / 2 r^2, of the algebraic core (k+4 over 4) 3 eps^4 / 8 r^4, of the Gaussian one about
// exp(-r^2 / 2 eps^2). These are the first terms of 1/r less the kernel, 1/r^3 and 1/r^5, differentiated. Far pairs of
// boxes are at least an edge of the finer one apart, so a least edge of all boxes keeps that distance.

/// Part of the tolerance that Plummer's kernel or a core may lack beyond the near field, or a planar vortex with a
/// Gaussian core:
/// reached by pairs alone that are only one edge apart.
inline constexpr double plummer_share = 0.5;
/// Is K changed at short distance, by a softening or a core, so that boxes have a least edge?
bool changes_near_pairs(const Options& options);
/// Does this reach beyond the near field?
bool reaches_far(const Options& options);
/// Part of it that is left to expansions, whose error has random signs, so that squares add.
double expansion_share(const Options& options);

/// Least edge of a box, scaled, where changes_near_pairs. `tolerance`: what rounding leaves of it.
double least_box_edge(const Options& options, double tolerance, int exponent);

}  // namespace farfield
