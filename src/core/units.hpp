// A plan computes in scaled coordinates: the caller's times a power of two. Here are the softening in scaled
// coordinates and the factors that bring results back to the caller's units.
#pragma once
#include <algorithm>
#include <cmath>
#include <farfield/options.hpp>

#include "core/hd.hpp"

namespace farfield {

struct Softening {
  double length = 0;  ///< scaled; 0: none. Of a spline or a Gaussian core its reach: from there on it is 1/r
  int excess = 0;     ///< the length meant is length * 2^excess
  SofteningKind kind = {};
};

/// The reach of GADGET's spline over the softening: at r = 0 its potential is then Plummer's.
inline constexpr double spline_reach = 2.8;
/// The distance over the softening, its standard deviation, from which on a Gaussian core is 1/r in double: up to its
/// third derivative it differs by less than 1e-18 of that.
inline constexpr double gauss_reach = 10;
/// What distances are compared with, over the softening.
inline double reach_over_length(SofteningKind kind) {
  return kind == SofteningKind::spline ? spline_reach : kind == SofteningKind::gauss ? gauss_reach : 1;
}

/// `softening` times 2^exponent. With a length of 2^14 (single) or 2^30 (double) extents or more all pairs look the
/// same: distances of at most sqrt(3) extents change the softened kernel by less than 2^-26 and 2^-58. A longer
/// length is stored as one of at most that, times 2^excess, so that neither its square nor the cube of its inverse
/// leaves the range of the precision.
inline Softening scaled_softening(double softening, SofteningKind kind, int exponent, Precision precision) {
  if (!(softening > 0)) return {};
  int own = 0;
  const double fraction = std::frexp(softening, &own);
  const int wanted = own + exponent, kept = std::min(wanted, precision == Precision::single_ ? 14 : 30);
  return {std::ldexp(fraction * reach_over_length(kind), kept), wanted - kept, kind};
}

/// Multiplies by scale 2^exponent in three steps that all enlarge or all reduce: with units of 1e-300 and a scale of
/// 1e300 no intermediate product may lose the result or become infinity times 0.
class Factor {
 public:
  Factor() = default;
  Factor(double scale, int exponent) {
    int own = 0;
    fraction_ = std::frexp(scale, &own);
    const int all = std::clamp(exponent + own, -3000, 3000);
    exponent_[0] = exponent_[1] = all / 3;
    exponent_[2] = all - 2 * (all / 3);
    for (int i = 0; i < 3; ++i) step_[i] = std::ldexp(1.0, exponent_[i]);
  }
  FARFIELD_HD double operator()(double x) const { return x * fraction_ * step_[0] * step_[1] * step_[2]; }
  double undo(double x) const {
    for (const int e : exponent_) x = std::ldexp(x, -e);
    return x / fraction_;
  }

 private:
  double fraction_ = 0.5, step_[3] = {2, 1, 1};
  int exponent_[3] = {1, 0, 0};
};

struct ResultFactors {
  Factor potential, gradient, hessian;
  FARFIELD_HD const Factor& operator[](int part) const { return part == 0 ? potential : part < 4 ? gradient : hessian; }
};

/// Undoes the power-of-two scalings of coordinates (e) and strengths (s): u = 2^(e + s) u', grad u = 2^(2 e + s) grad
/// u' for 1/r, whose homogeneity is -1. An excess x of the softening divides u by 2^x, grad u and its gradient by
/// 2^(3 x).
inline ResultFactors result_factors(int homogeneity, double scale, int exponent, int strength_exponent,
                                    const Softening& softening) {
  const int potential = strength_exponent - homogeneity * exponent - softening.excess;
  const int gradient = potential + exponent - 2 * softening.excess;
  return {Factor(scale, potential), Factor(scale, gradient), Factor(scale, gradient + exponent)};
}

}  // namespace farfield
