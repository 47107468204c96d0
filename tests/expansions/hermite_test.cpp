// The Hermite family: its functions, series and translation against exp(-|x - y|^2) in long double, and what they lack
// against the bound of Wan & Karniadakis.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "expansions/hermite/translations.hpp"

namespace farfield::testing {
namespace {

constexpr int most = 64;
using Vector = std::vector<double>;

const hermite::Roots<double, most> roots = hermite::make_roots<double, most>();

Vector hermite_at(int p, double t) {
  Vector value(static_cast<std::size_t>(p));
  hermite::fill_hermite(p, roots, t, std::exp(-t * t), value.data());
  return value;
}
Vector taylor_at(int p, double t) {
  Vector value(static_cast<std::size_t>(p));
  hermite::fill_taylor(p, roots, t, value.data());
  return value;
}
double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// (-1)^n / sqrt(2^n n!) times the n-th derivative of exp(-t^2), by its explicit sum.
double psi(int n, long double t) {
  long double sum = 0;
  for (int m = 0; 2 * m <= n; ++m)
    sum += (m % 2 ? -1 : 1) * std::exp(std::lgamma(n + 1.0L) - std::lgamma(m + 1.0L) - std::lgamma(n - 2 * m + 1.0L)) *
           std::pow(2 * t, n - 2 * m);
  return static_cast<double>(sum * std::exp(-t * t - 0.5L * (n * std::log(2.0L) + std::lgamma(n + 1.0L))));
}

TEST(HermiteFunctions, AreTheDerivativesOfTheGaussian) {
  for (const double t : {0.0, 0.3, -1.1, 2.7, -5.0}) {
    const Vector found = hermite_at(20, t);
    for (int n = 0; n < 20; ++n) {
      EXPECT_NEAR(found[static_cast<std::size_t>(n)], psi(n, static_cast<long double>(t)), 1e-13) << n << ' ' << t;
      EXPECT_LE(std::fabs(found[static_cast<std::size_t>(n)]), 1.0864 * std::exp(-t * t / 2)) << "Cramer " << n;
    }
  }
}

TEST(HermiteFunctions, HaveTheSlopesThatGradientsTake) {
  const double t = 0.7, step = 1e-5;
  const Vector psi_low = hermite_at(13, t - step), psi_high = hermite_at(13, t + step), psi_here = hermite_at(13, t);
  const Vector chi_low = taylor_at(12, t - step), chi_high = taylor_at(12, t + step), chi_here = taylor_at(12, t);
  for (std::size_t n = 0; n < 12; ++n) {
    const int k = static_cast<int>(n);
    EXPECT_NEAR((psi_high[n] - psi_low[n]) / (2 * step), hermite::hermite_slope(roots, k) * psi_here[n + 1], 1e-8);
    EXPECT_NEAR((chi_high[n] - chi_low[n]) / (2 * step), k ? hermite::taylor_slope(roots, k) * chi_here[n - 1] : 0,
                1e-8);
  }
}

/// What a sum over p terms lacks of exp(-(s - t)^2), largest over pairs of points in boxes of half-side r, `apart`
/// between their centres.
template <class Sum>
double lacks(double r, double apart, const Sum& sum) {
  double worst = 0;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j) {
      const double source = r * i / 4, target = r * j / 4, d = apart + target - source;
      worst = std::max(worst, std::fabs(sum(source, target) - std::exp(-d * d)));
    }
  return worst;
}

TEST(HermiteSeries, LacksLessThanItsBoundAndNoTenthOfItsLogarithm) {
  double sharpest = 0;
  for (const double r : {0.25, 0.5, 0.7071})
    for (const double apart : {0.0, 1.0, 2.5})
      for (int p = 4; p <= 24; ++p) {
        const double bound = hermite::axis_bound(p, r), slack = 1e-14;
        const double series =
            lacks(r, apart, [&](double s, double t) { return dot(taylor_at(p, s), hermite_at(p, apart + t)); });
        const double taylor =
            lacks(r, apart, [&](double s, double t) { return dot(hermite_at(p, s - apart), taylor_at(p, t)); });
        EXPECT_LE(series, bound + slack) << p << ' ' << r;
        EXPECT_LE(taylor, bound + slack) << p << ' ' << r;
        if (bound > 1e-12) sharpest = std::max(sharpest, std::max(series, taylor) / bound);
      }
  EXPECT_GT(sharpest, 0.1);  // the bound is not far off at its best
}

TEST(HermiteToTaylor, LacksLessThanItsBound) {
  double sharpest = 0;
  for (const double r : {0.25, 0.5})
    for (const double apart : {0.0, -0.5, 1.0, 3.0})
      for (int p = 4; p <= 24; ++p) {
        const Vector matrix = hermite::to_taylor(p, apart);
        const double bound = hermite::translated_bound(p, r);
        const double error = lacks(r, apart, [&](double s, double t) {
          const Vector a = taylor_at(p, s), chi = taylor_at(p, t);
          double sum = 0;
          for (int b = 0; b < p; ++b)
            for (int i = 0; i < p; ++i)
              sum += chi[static_cast<std::size_t>(b)] * matrix[static_cast<std::size_t>(b * p + i)] *
                     a[static_cast<std::size_t>(i)];
          return sum;
        });
        EXPECT_LE(error, bound + 1e-14) << p << ' ' << r << ' ' << apart;
        if (bound > 1e-12 && bound < 1) sharpest = std::max(sharpest, error / bound);
      }
  EXPECT_GT(sharpest, 0.01);
}

/// Two dimensions, many sources, all four interactions at one target.
TEST(HermiteFamily, GivesTheSumInThePlaneInAllFourWays) {
  constexpr int p = 20;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-0.5, 0.5);
  const double centre[2] = {1.5, -1.0};
  const double target[2] = {centre[0] + 0.31, centre[1] - 0.44};
  double direct = 0, size = 0, taylor = 0;
  Vector a(p * p), b(p * p), translated(p * p), middle(p * p);
  for (int j = 0; j < 50; ++j) {
    const double x = unit(random), y = unit(random), q = unit(random);
    direct += q * std::exp(-std::pow(target[0] - x, 2) - std::pow(target[1] - y, 2)), size += std::fabs(q);
    const Vector chi_x = taylor_at(p, x), chi_y = taylor_at(p, y);
    const Vector psi_x = hermite_at(p, x - centre[0]), psi_y = hermite_at(p, y - centre[1]);
    for (std::size_t i = 0; i < p * p; ++i)
      a[i] += q * chi_y[i / p] * chi_x[i % p], b[i] += q * psi_y[i / p] * psi_x[i % p];
  }
  const Vector along_x = hermite::to_taylor(p, centre[0]), along_y = hermite::to_taylor(p, centre[1]);
  for (std::size_t i = 0; i < p * p; ++i)
    for (std::size_t k = 0; k < p; ++k) middle[i] += along_x[i % p * p + k] * a[i / p * p + k];
  for (std::size_t i = 0; i < p * p; ++i)
    for (std::size_t k = 0; k < p; ++k) translated[i] += along_y[i / p * p + k] * middle[k * p + i % p];
  const Vector psi_x = hermite_at(p, target[0]), psi_y = hermite_at(p, target[1]);
  const Vector chi_x = taylor_at(p, target[0] - centre[0]), chi_y = taylor_at(p, target[1] - centre[1]);
  double series = 0, both = 0;
  for (std::size_t i = 0; i < p * p; ++i) {
    series += a[i] * psi_y[i / p] * psi_x[i % p];
    taylor += b[i] * chi_y[i / p] * chi_x[i % p];
    both += translated[i] * chi_y[i / p] * chi_x[i % p];
  }
  EXPECT_LE(std::fabs(series - direct), size * hermite::product_bound(hermite::axis_bound(p, 0.5), 2));
  EXPECT_LE(std::fabs(taylor - direct), size * hermite::product_bound(hermite::axis_bound(p, 0.5), 2));
  EXPECT_LE(std::fabs(both - direct), size * hermite::product_bound(hermite::translated_bound(p, 0.5), 2));
  EXPECT_GT(std::fabs(direct), 1e-3);
}

}  // namespace
}  // namespace farfield::testing
