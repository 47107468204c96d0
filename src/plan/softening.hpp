// Softening in a plan's own coordinates, which are the caller's times a power of two, and the factors that take results
// back to the caller's units.
#pragma once
#include <algorithm>
#include <cmath>
#include <farfield/options.hpp>

namespace farfield {

struct Softening {
  double length = 0;  ///< scaled; 0: none
  int excess = 0;     ///< the length meant is length * 2^excess
};

/// `softening` times 2^exponent. From 2^14 (single) or 2^30 (double) times the extent on all pairs look alike:
/// distances of at most sqrt(3) extents change 1/sqrt(r^2 + softening^2) by less than 2^-27 and 2^-59. A longer one is
/// replaced by that times a power of two, so that neither its square nor the cube of its inverse leaves the range of
/// the precision.
inline Softening scaled_softening(double softening, int exponent, Precision precision) {
  if (!(softening > 0)) return {};
  int own = 0;
  const double fraction = std::frexp(softening, &own);
  const int wanted = own + exponent, kept = std::min(wanted, precision == Precision::single_ ? 14 : 30);
  return {std::ldexp(fraction, kept), wanted - kept};
}

struct ResultFactors {
  double potential, gradient;
};

/// Undoes the power-of-two scalings of coordinates (e) and strengths (s): u = 2^(e + s) u', grad u = 2^(2 e + s) grad
/// u'; a softening 2^x times as long divides them by 2^x and 2^(3 x). A kernel without length leaves u = 2^s u'.
inline ResultFactors result_factors(Kernel kernel, double scale, int exponent, int strength_exponent,
                                    const Softening& softening) {
  const int potential = kernel == Kernel::count ? strength_exponent : exponent + strength_exponent - softening.excess;
  return {std::ldexp(scale, potential), std::ldexp(scale, potential + exponent - 2 * softening.excess)};
}

}  // namespace farfield
