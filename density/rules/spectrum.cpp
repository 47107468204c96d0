#include "density/rules/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "density/rules/fourier.hpp"

namespace farfield::density {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

/// Bins on rings at polar angles (r + 1/2) pi / rings, at longitudes 2 pi j / around. A ring of the north and its like
/// of the south are one of complex numbers.
struct Rings {
  std::size_t rings, around;
  std::vector<Complex> bin;  ///< [rings / 2][around]

  explicit Rings(int degree)
      : rings(2 * std::bit_ceil(static_cast<std::size_t>(degree))), around(2 * rings), bin(rings / 2 * around) {}

  void add(std::size_t ring, std::size_t place, double share) {
    if (ring < rings / 2)
      bin[ring * around + place] += share;
    else
      bin[(rings - 1 - ring) * around + place] += Complex(0, share);
  }

  /// Divides a point among the four bins around it.
  void add_point(const double* x, double share) {
    const double from_pole = std::atan2(std::hypot(x[0], x[1]), x[2]) / pi * static_cast<double>(rings) - 0.5;
    const double row = std::clamp(from_pole, 0.0, static_cast<double>(rings - 1));
    const auto ring = std::min(static_cast<std::size_t>(row), rings - 2);
    const double turn = std::atan2(x[1], x[0]) / (2 * pi),
                 along = (turn - std::floor(turn)) * static_cast<double>(around);
    const auto left = static_cast<std::size_t>(along) % around;
    const double down = row - static_cast<double>(ring), right = along - std::floor(along);
    for (const std::size_t r : {0U, 1U}) {
      const double own = share * (r ? down : 1 - down);
      add(ring + r, left, own * (1 - right)), add(ring + r, (left + 1) % around, own * right);
    }
  }
};

/// Sums over the bins of each pair of rings of the even and the odd parts of exp(-i m phi): [m][even, odd][ring].
std::vector<Complex> along_rings(const Rings& all, int degree) {
  const std::size_t half = all.rings / 2;
  std::vector<Complex> parts(static_cast<std::size_t>(degree + 1) * 2 * half), turned(all.bin.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t ring = 0; ring < half; ++ring) {
    const Complex* const bins = &all.bin[ring * all.around];
    Complex* const z = &turned[ring * all.around];
    if (std::all_of(bins, bins + all.around, [](Complex value) { return value == 0.0; })) continue;
    fourier_transform(bins, z, all.around);
    for (std::size_t m = 0; m <= static_cast<std::size_t>(degree); ++m) {
      const Complex other = std::conj(z[(all.around - m) % all.around]);
      const Complex north = 0.5 * (z[m] + other), south = Complex(0, -0.5) * (z[m] - other);
      parts[2 * m * half + ring] = north + south, parts[(2 * m + 1) * half + ring] = north - south;
    }
  }
  return parts;
}

/// Legendre's functions of order m, orthonormal, at the rings of the north: each degree from the two before it.
class Legendre {
 public:
  Legendre(const Rings& all, double* scratch) : half_(all.rings / 2), cosine_(scratch) {
    for (std::size_t r = 0; r < half_; ++r)
      cosine_[r] = std::cos(pi * (static_cast<double>(r) + 0.5) / static_cast<double>(all.rings));
    now_ = cosine_ + half_, before_ = now_ + half_;
  }
  static std::size_t scratch(const Rings& all) { return 3 * (all.rings / 2); }

  /// Degree m. What is below 1e-280 stays nothing up to degree 1024: it grows by e^(1024/e) at most where it counts.
  void begin(int m) {
    double factor = 1 / (4 * pi);
    for (int k = 1; k <= m; ++k) factor *= (2.0 * k + 1) / (2.0 * k);
    for (std::size_t r = 0; r < half_; ++r) {
      const double value = std::sqrt(factor) * std::pow(1 - cosine_[r] * cosine_[r], 0.5 * m);
      now_[r] = value > 1e-280 ? value : 0, before_[r] = 0;
    }
  }
  /// From degree l - 1 to l.
  void advance(int l, int m) {
    const double degree = l, order = m;
    const double a = std::sqrt((4 * degree * degree - 1) / (degree * degree - order * order));
    const double last = degree - 1, b = std::sqrt((last * last - order * order) / (4 * last * last - 1));
#pragma omp simd
    for (std::size_t r = 0; r < half_; ++r) before_[r] = a * (cosine_[r] * now_[r] - b * before_[r]);
    std::swap(now_, before_);
  }
  double square_of_sum(const Complex* part) const {
    double re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
    for (std::size_t r = 0; r < half_; ++r) re += now_[r] * part[r].real(), im += now_[r] * part[r].imag();
    return re * re + im * im;
  }

 private:
  std::size_t half_;
  double *cosine_, *now_ = nullptr, *before_ = nullptr;
};

}  // namespace

std::vector<double> power_spectrum(const std::vector<double>& xyz, const std::vector<double>& share, int degree) {
  Rings all(degree);
  for (std::size_t j = 0; j < share.size(); ++j) all.add_point(&xyz[3 * j], share[j]);
  const std::vector<Complex> parts = along_rings(all, degree);
  const std::size_t half = all.rings / 2, orders = static_cast<std::size_t>(degree) + 1;
  constexpr std::size_t teams = 16;  // each takes every sixteenth order, whatever the number of threads
  std::vector<double> scratch(teams * Legendre::scratch(all)), power(teams * orders);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t team = 0; team < teams; ++team) {
    Legendre values(all, &scratch[team * Legendre::scratch(all)]);
    for (std::size_t m = team; m < orders; m += teams) {
      values.begin(static_cast<int>(m));
      for (std::size_t l = m; l < orders; ++l) {
        if (l > m) values.advance(static_cast<int>(l), static_cast<int>(m));
        power[team * orders + l] += (m > 0 ? 2 : 1) * values.square_of_sum(&parts[(2 * m + (l + m) % 2) * half]);
      }
    }
  }
  for (std::size_t team = 1; team < teams; ++team)
    for (std::size_t l = 0; l < orders; ++l) power[l] += power[team * orders + l];
  power.resize(orders);
  return power;
}

}  // namespace farfield::density
