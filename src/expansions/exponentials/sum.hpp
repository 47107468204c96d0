// The Gaussian on a line as a sum of decaying waves: the trapezoidal rule on a vertical line of
//   e^(-t^2/2) = 1/sqrt(2 pi) int e^(z^2/2 - z t) dy,  z = decay + i y
// with step h (docs/mathematics/gauss.md): for t >= 0
//   e^(-t^2/2) = Re sum_k w_k e^(-(decay + i h (k + 1/2)) t) + error.
// What it errs by is known: Poisson's sum has the images of the Gaussian at multiples of L = 2 pi/h, times
// e^(decay m L), and the waves beyond the last one are left out. Exponents at equal distances cost one exponential, one
// sine and one cosine for a gap, the others a complex product each.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace farfield::exponentials {

inline constexpr int most_terms = 24;

struct Sum {
  int terms = 0;
  double decay = 0, step = 0;
  double real[most_terms] = {}, imag[most_terms] = {};              ///< weights
  double slope_real[most_terms] = {}, slope_imag[most_terms] = {};  ///< times -(decay + i step (k + 1/2))
  double error = 0;                                                 ///< bound, of the derivative too if asked for
};

/// Bound of the error for any t >= 0, relative to 1; with `slopes` that of the derivative, too.
inline double error_bound(int terms, double period, double decay, bool slopes) {
  const double step = 2 * std::numbers::pi / period;
  double error = 0;
  for (int m = 1; m <= 3; ++m) {  // t e^(-t^2/2) is 0.61 at most; further images are below any rounding
    const double shift = m * period;
    error += std::exp(-decay * shift) + (slopes ? std::max(1.0, shift) : 1) * std::exp(shift * (decay - shift / 2));
  }
  for (int k = terms; k < terms + 8; ++k) {
    const double y = step * (k + 0.5), size = std::hypot(decay, y);
    error += (slopes ? std::max(1.0, size) : 1) * std::exp((decay * decay - y * y) / 2) * 2 * step /
             std::sqrt(2 * std::numbers::pi);
  }
  return error;
}

/// The fewest waves that err by no more than this.
inline Sum make_sum(double tolerance, bool slopes) {
  Sum best;
  for (best.terms = 2; best.terms < most_terms; ++best.terms) {
    best.error = INFINITY;
    const double middle = std::sqrt(8 * std::numbers::pi / 3 * best.terms);  // where the three parts are alike
    for (double period = 0.8 * middle; period < 1.3 * middle; period += 0.02 * middle)
      for (const double part : {0.22, 0.24, 0.25, 0.26, 0.28}) {
        const double error = error_bound(best.terms, period, part * period, slopes);
        if (error < best.error) best.error = error, best.decay = part * period, best.step = period;
      }
    if (best.error <= tolerance) break;
  }
  best.terms = std::min(best.terms, most_terms);
  best.step = 2 * std::numbers::pi / best.step;
  for (int k = 0; k < best.terms; ++k) {
    const std::complex<double> s(best.decay, best.step * (k + 0.5));
    const std::complex<double> w = 2 * best.step / std::sqrt(2 * std::numbers::pi) * std::exp(s * s / 2.0);
    best.real[k] = w.real(), best.imag[k] = w.imag();
    best.slope_real[k] = (-s * w).real(), best.slope_imag[k] = (-s * w).imag();
  }
  return best;
}

}  // namespace farfield::exponentials
