// Cores of vortex particles (docs/biot-savart.md), 1/r smoothed over a length sigma: the algebraic one of Winckelmans &
// Leonard 1993 and the Gaussian one. Each is a function of r alone, of which pairs need K and its derivatives by
// D = (1/r) d/dr: K = n[0] s, D K = -n[1] s^3, D^2 K = n[2] s^5, D^3 K = -n[3] s^7 with some inverse length s.
#pragma once
#include "core/math.hpp"
#include "kernels/softened.hpp"

namespace farfield {

FARFIELD_HD constexpr bool is_core(Softened s) { return s == Softened::algebraic || s == Softened::gauss; }
/// Is a softened kernel 1/r itself from the length on that backends keep, as the spline's from its reach?
FARFIELD_HD constexpr bool has_reach(Softened s) { return is_spline(s) || s == Softened::gauss; }

/// Calls f(std::integral_constant<Softened, ...>) as with_softening, cores included.
template <class Kernel, class F>
decltype(auto) with_softening_or_core(const Softening& softening, F&& f) {
  if constexpr (Kernel::softens) {
    if (softening.length > 0 && softening.kind == SofteningKind::algebraic)
      return f(std::integral_constant<Softened, Softened::algebraic>{});
    if (softening.length > 0 && softening.kind == SofteningKind::gauss)
      return f(std::integral_constant<Softened, Softened::gauss>{});
  }
  return with_softening<Kernel>(softening, f);
}

template <class V>
struct CoreOrders {
  V n[4], s;
};

/// K = (r^2 + 3/2 sigma^2) / (r^2 + sigma^2)^(3/2) = s + sigma^2 s^3 / 2 with s = 1/sqrt(r^2 + sigma^2). All terms are
/// positive.
template <class V>
FARFIELD_HD CoreOrders<V> algebraic_core(V s, V sigma2) {
  const auto number = [](double x) { return Math<V>::constant(x); };
  const V t = sigma2 * (s * s);
  return {{number(1) + number(0.5) * t, number(1) + number(1.5) * t, number(3) + number(7.5) * t,
           number(15) + number(52.5) * t},
          s};
}

/// Coefficients, as members of an object, since a device has no arrays of a namespace.
struct GaussianCoreFits {
  /// (2/pi)^(1/2) F_3(z) for z = 1 + x in [0, 2], F_m(z) the integral of t^2m exp(-z t^2) from 0 to 1. Chebyshev's
  /// interpolation in 15 nodes, in 40 digits; it errs by 2e-17 of the value.
  double fourth_boys[15] = {0.053244651751680956135,    -0.039593617957143452503,   0.0157043088167028052,
                            -0.0043307889683316043427,  0.00092242110796670766568,  -0.0001606094688379707373,
                            0.000023693048664798970418, -3.0352757212719917512e-6,  3.4385239510514277475e-7,
                            -3.4928422012333935467e-8,  3.21663884230913509e-9,     -2.7094064571798964711e-10,
                            2.1035509619073056357e-11,  -1.5388328531352528781e-12, 1.0310632719179247465e-13};
  /// exp(rho^2/2) erfc(rho/sqrt 2) for rho in [2, 10], of x = (rho - c) / (rho + c) over its largest, (3 - sqrt 5) / 2,
  /// with c = sqrt 20. In the same way; times exp(-rho^2/2) it errs by 5e-18.
  double scaled_erfc[14] = {0.17057771832597264662,     -0.11970346180334360595,  0.035302417620081600382,
                            -0.0086358671899425371686,  0.0017040470078990259151, -0.00025555734111660386786,
                            0.000024785977891983174389, -4.529191736839356067e-7, -2.7558080032972718971e-7,
                            3.2814102459703649526e-8,   1.9808688681115663314e-9, -6.9551217594679569337e-10,
                            -7.3571764235106590312e-12, 1.320157869363615798e-11};
};

/// K = erf(rho / sqrt 2) / r, rho = r/sigma; `inverse_r` is 0 where r = 0, `inverse_reach` 1 / (gauss_reach sigma).
/// D^m K is (2/pi)^(1/2) F_m(rho^2/2) / (-sigma^2)^m / sigma. Up to rho = 2 these follow from F_3 downwards, by sums of
/// positive terms; from there on from the error function upwards, where no more than a digit cancels. From the reach on
/// they are those of 1/r, to the last bit.
template <class V>
FARFIELD_HD CoreOrders<V> gaussian_core(V inverse_r, V r2, V inverse_reach) {
  const auto number = [](double x) { return Math<V>::constant(x); };
  constexpr GaussianCoreFits fits;
  constexpr double c = 4.472135954999579393, root = 0.79788456080286535588;  // sqrt 20 and (2/pi)^(1/2)
  const V one = number(1), ratio = r2 * inverse_r * inverse_reach, u = ratio < one ? ratio : one;
  const V rho = number(gauss_reach) * u, square = rho * rho, half = number(0.5) * square;
  const V fall = Math<V>::exp(-half), scaled = number(root) * fall;
  const V third = polynomial(fits.fourth_boys, V(half - one)), second = (square * third + scaled) * number(0.2),
          first = (square * second + scaled) * number(1.0 / 3), zeroth = square * first + scaled;
  const V x = (rho - number(c)) * Math<V>::inverse(rho + number(c)) * number(2.618033988749894848);
  const V slope = scaled * rho, n0 = one - fall * polynomial(fits.scaled_erfc, x), n1 = n0 - slope,
          n2 = number(3) * n1 - slope * square, n3 = number(5) * n2 - slope * (square * square);
  const auto inside = rho < number(2);
  return {{inside ? zeroth : n0, inside ? first : n1, inside ? second : n2, inside ? third : n3},
          inside ? number(gauss_reach) * inverse_reach : inverse_r};
}

/// `softening`: of the algebraic core sigma^2, of the Gaussian one the inverse of its reach. `inverse`: 1/r or 0 at
/// r = 0, of the algebraic core 1/sqrt(r^2 + sigma^2).
template <Softened softened, class V>
FARFIELD_HD CoreOrders<V> core_orders(V inverse, V r2, V softening) {
  if constexpr (softened == Softened::algebraic)
    return algebraic_core(inverse, softening);
  else
    return gaussian_core(inverse, r2, softening);
}

/// K at r = 0, over the inverse of sigma, or of the reach, by the name of what backends keep.
FARFIELD_HD constexpr double core_at_no_distance(Softened s) {
  return s == Softened::algebraic ? 1.5 : 0.79788456080286535588 * gauss_reach;
}

}  // namespace farfield
