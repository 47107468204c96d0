// How many degrees of a multipole a fitted operator needs, and of a local: fewer, the farther its boxes are apart.
//
// What a multipole lacks behind degree d falls as rho^d, rho being half the diagonal of its box over the distance of
// the nearest point of the target's: 0.58 two edges away, 0.35 three, 0.2 in the farthest corner of the list. With one
// degree for all offsets the 54 nearest of 189 carry the error: at degree 12 the gradient errs by 5e-6 from two edges
// away, by 7e-9 from three. So each offset has the degree at which its rho^d is e^-margin of the nearest one's, the
// margin being for how many they are: errors of a whole list grow by 2 or 3 % at degree 12 (test_fitted prints them).
// A local lacks of a source what the source's multipole lacks of the local's targets, and its gradient more. Where
// gradients alone are asked for, all offsets from three edges on have one lower degree of locals: errors grow by less
// than half a per cent. Not in the papers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "expansions/offsets.hpp"

namespace farfield {

/// What dense m2l is fitted for. Potentials leave less room to farther offsets than gradients, whose errors are more
/// the nearest ones'. of_one_degree: for anything, with all degrees of all multipoles.
enum class Fit : std::uint8_t { none, of_one_degree, for_all, for_gradient };

namespace laplace {

/// log(1/rho) of a multipole at offset t, in box edges.
inline double decay_of_sources(const double t[3]) {
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double apart = std::max(std::abs(t[axis]) - 0.5, 0.0);
    square += apart * apart;
  }
  return std::log(std::sqrt(square / 0.75));
}

/// The degree at which rho^d is at offset t what it is at the nearest one for `degree`, times e^-margin.
inline int degree_at(int degree, double margin, const double t[3]) {
  constexpr double nearest[3] = {2, 0, 0};
  const double needed = (degree * decay_of_sources(nearest) + margin) / decay_of_sources(t);
  return std::min(degree, static_cast<int>(std::ceil(needed)));
}

/// The degree up to which multipoles of `degree` count at offset t between boxes of one level.
inline int source_degree(int degree, Fit fit, const double t[3]) {
  if (fit == Fit::none || fit == Fit::of_one_degree) return degree;
  return degree_at(degree, fit == Fit::for_gradient ? 1.0 : 2.4, t);
}

/// The degree up to which locals of `degree` take in what comes over t: one and the same for all offsets of three
/// edges, and any as far.
inline int target_degree(int degree, Fit fit, const double t[3]) {
  constexpr double three[3] = {3, 0, 0};
  if (fit != Fit::for_gradient || decay_of_sources(t) < decay_of_sources(three)) return degree;
  return degree_at(degree, 2.6, three);
}

}  // namespace laplace
}  // namespace farfield
