// The cosine transform by a complex one of the same length (Makhoul 1980). A library for 16,384 numbers a time, a
// millisecond, would be the heaviest part of a small command, and FFTW's licence is not ours.
#include <cmath>
#include <complex>
#include <numbers>

#include "density/rules/fourier.hpp"
#include "density/rules/isj.hpp"

namespace farfield::density {

using Complex = std::complex<double>;

/// Halves by even and odd j (Cooley & Tukey 1965).
void fourier_transform(const Complex* in, Complex* out, std::size_t n, std::size_t stride) {
  if (n == 1) {
    *out = *in;
    return;
  }
  const std::size_t half = n / 2;
  fourier_transform(in, out, half, 2 * stride);
  fourier_transform(in + stride, out + half, half, 2 * stride);
  for (std::size_t k = 0; k < half; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    const Complex even = out[k], odd = std::polar(1.0, angle) * out[k + half];
    out[k] = even + odd, out[k + half] = even - odd;
  }
}

std::vector<double> cosine_transform(const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<Complex> sorted(n), out(n);
  for (std::size_t j = 0; j < n / 2; ++j) sorted[j] = x[2 * j], sorted[n - 1 - j] = x[2 * j + 1];
  if (n == 1) sorted[0] = x[0];
  fourier_transform(sorted.data(), out.data(), n);
  std::vector<double> c(n);
  for (std::size_t k = 0; k < n; ++k)
    c[k] = (std::polar(1.0, -std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * n)) * out[k]).real();
  return c;
}

}  // namespace farfield::density
