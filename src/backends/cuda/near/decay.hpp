// The exponential of a kernel of exp(-rate r)/r (OfDecay) in the near field: powers of two, whose argument is the
// distance times one number.
#pragma once
#include <cmath>

#include "kernels/concept.hpp"

namespace farfield::cuda {

/// 2^-x for x >= 0; 0 below the smallest normal number. The instruction errs by 2 units in the last place.
__device__ inline float approximate_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(-x));
  return y;
}
/// A whole power of two times a polynomial of degree 10 (interpolation at Chebyshev's points), 3.1e-16 from 2^f on
/// [-1/2, 1/2].
__device__ inline double approximate_exp2(double x) {
  const double shifted = 0x1.8p52 - x, f = (0x1.8p52 - shifted) - x;
  double p = fma(f, 0x1.e6063f7217bc6p-28, 0x1.b675bca4eeebbp-24);
  p = fma(p, f, 0x1.62bfd47773353p-20);
  p = fma(p, f, 0x1.ffcb54062e698p-17);
  p = fma(p, f, 0x1.430913096fd9fp-13);
  p = fma(p, f, 0x1.5d87fe9d7a584p-10);
  p = fma(p, f, 0x1.3b2ab6fba1ddap-7);
  p = fma(p, f, 0x1.c6b08d703ce49p-5);
  p = fma(p, f, 0x1.ebfbdff82c598p-3);
  p = fma(p, f, 0x1.62e42fefa3a19p-1);
  p = fma(p, f, 1.0);
  constexpr int largest = 0x408fe800;  // the upper half of 1021
  const double y = __hiloint2double(__double2hiint(p) + (__double2loint(shifted) << 20), __double2loint(p));
  return __double2hiint(x) < largest ? y : 0.0;
}

/// The kernel in a frame. An argument x errs by 1.5 units in its last place at most, so that the exponential errs by
/// kappa r 9e-8 in single, 4e-8 in the root mean square, kappa r 1.7e-16 in double.
template <class Real>
struct PairDecay {
  Real rate = 0;  ///< times log2 e

  PairDecay() = default;
  /// `screening`: no larger than leaves arguments finite for all pairs that are not left to nearest_pair.
  __device__ explicit PairDecay(double screening)
      : rate(static_cast<Real>(fmin(screening, sizeof(Real) == 4 ? 1e19 : 1e110) * 0x1.71547652b82fep0)) {}

  /// One pair, 1/r given.
  template <class Kernel, int parts>
  __device__ void add(Real r2, Real root, Real q, Real dx, Real dy, Real dz, Real* out) const {
    const Real x = r2 * root * rate;
    Kernel::template of_decay<parts>(root * approximate_exp2(x), root, fma(x, Real(0x1.62e42fefa39efp-1), Real(1)), q,
                                     dx, dy, dz, out);
  }
};

/// What a sum of pairs holds for such a kernel. Of others nothing, not even a member without use: it would change the
/// registers that the compiler gives their loops.
template <class Kernel, class Real>
struct DecayInFrame {};
template <class Kernel, class Real>
requires OfDecay<Kernel>
struct DecayInFrame<Kernel, Real> {
  PairDecay<Real> decay;
};

}  // namespace farfield::cuda
