// E1(x) + log min(x, 1), E1 the exponential integral: what a Gaussian core adds to the logarithm of max(x, 1). Regular:
// -gamma at x = 0, where it is Ein(x) - gamma, Ein(x) = x - x^2/4 + x^3/18 - ...
#pragma once
#include "core/math.hpp"

namespace farfield {

/// Errors of the fits, absolute: `small`, Ein(x)/x on [0, 1], interpolated at Chebyshev's points; `above` over `below`,
/// e^x E1(x) from 1 on, a least-squares fit weighted with e^-x. Members of an object, since a device has no arrays of a
/// class.
template <bool single>
struct ExponentialIntegral {            // 7e-17, rounding of Ein's terms included
  static constexpr double beyond = 40;  ///< E1 is below 1e-19
  double small[14] = {1.0,
                      -0.2499999999999999999,
                      0.055555555555555549103,
                      -0.010416666666666501241,
                      0.0016666666666644523018,
                      -0.00023148148146371319753,
                      2.8344671109365176774e-05,
                      -3.1001980858098018467e-06,
                      3.0619162893956479179e-07,
                      -2.7555912439554461943e-08,
                      2.275735767096586612e-09,
                      -1.7250282879760575439e-10,
                      1.1522526883896703323e-11,
                      -5.3217334998951468842e-13};
  double above[8] = {1.4990314114806296047, 35.726395433553680404, 191.82763218539387446, 368.29561502849672575,
                     300.86406694697848173, 111.01284807171062294, 17.871054948537546284, 0.99999997649950000992};
  double below[9] = {0.33522761265071519751, 14.920487618384102765, 134.76467971292682279,
                     430.41615236006761696,  598.79388973262021214, 397.0041274126468206,
                     127.88397131130982892,  18.871053121767180666, 1.0};
};
template <>
struct ExponentialIntegral<true> {  // 6e-9
  static constexpr double beyond = 18;
  double small[7] = {0.99999999973047207795,   -0.24999997355883230824,  0.05555513024497164804,
                     -0.010414087687327229257, 0.0016591596914629483514, -0.00022009410330505752198,
                     1.9465224041117694098e-05};
  double above[3] = {0.79296801415303654735, 2.5469978726526291038, 0.99912496778003932107};
  double below[4] = {0.25948558927222574211, 2.486438846739520309, 3.5301888328129564358, 1.0};
};

/// E1(x) + log min(x, 1) for x >= 0, x infinite included.
template <class V>
FARFIELD_HD V exponential_integral(V x) {
  constexpr ExponentialIntegral<Math<V>::single> fit;
  if (!Math<V>::any_below(x, fit.beyond)) return V{};  // as most pairs with cores are
  const V one = Math<V>::constant(1), most = Math<V>::constant(fit.beyond);
  const V inside = x < one ? x : one, outside = x < one ? one : x < most ? x : most;
  const V near = inside * polynomial(fit.small, inside) - Math<V>::constant(0.57721566490153286061);
  const V far =
      Math<V>::exp(-outside) * polynomial(fit.above, outside) * Math<V>::inverse(polynomial(fit.below, outside));
  return x < one ? near : x < most ? far : V{};
}

}  // namespace farfield
