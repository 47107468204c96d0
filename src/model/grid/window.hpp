// The window by which method grid spreads a strength over points of a grid, and what follows from it: which width and
// which spacing keep a tolerance, its values as polynomials, and the taps of the convolution
// (docs/mathematics/gauss.md).
#pragma once
#include <vector>

namespace farfield {

inline constexpr int widest_window = 16;

/// phi(z) = I_0(shape sqrt(1 - z^2)) / I_0(shape), |z| <= 1 (Kaiser & Bessel), over `width` points of the grid.
struct Window {
  int width = 0;
  double shape = 0;
  double spacings = 0;  ///< of the grid in one bandwidth
};

/// Windows that keep the tolerance along `axes` axes where far_value does, narrowest and finest grid first.
std::vector<Window> windows_for(double tolerance, bool gradient, int axes);

/// Polynomials in u = 2 f - 1 of the window's values at its points, the first of which lies f spacings, 0 < f <= 1,
/// above the window's lower end: value[k] = sum_d coefficient[d * width + k] u^d.
struct WindowPolynomials {
  int degree = 0;
  std::vector<double> value, slope;  ///< slope: of the derivative with respect to the place of the window, in spacings
};
/// Within `error` of the window, and with `gradient` of higher degree, since slopes err a thousand times as much.
WindowPolynomials polynomials_of(const Window& window, double error, bool gradient);

/// tap[|m|] for |m| up to the size of the result: what a unit on one point of the grid adds m points on, such that
/// window, taps and window together are the kernel whose Fourier transform along an axis, at bandwidth 1, is
/// `transform`. Taps that leave less than `error` in all are left out.
std::vector<double> taps_of(const Window& window, double (*transform)(double), double error);

/// The largest value that these taps give pairs more than eight bandwidths apart, where the Gaussian is 1e-14: where a
/// window is wider than its grid needs, taps fall slowly, and those that are left out would have taken this away.
double far_value(const Window& window, const std::vector<double>& taps);

}  // namespace farfield
