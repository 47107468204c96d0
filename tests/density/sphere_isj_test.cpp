// The improved Sheather-Jones rule on the sphere against the bandwidths at which the mean integrated squared error, or
// that of the sample itself, is least. With f's and the kernel's coefficients A_l and b_l, n points:
//   MISE = sum_l (2l + 1)/(4 pi) ((1 - b_l)^2 A_l^2 + b_l^2 (1 - A_l^2)/n)
#include <array>
#include <numbers>
#include <random>

#include "density/rules/near_pairs.hpp"
#include "density/rules/rules.hpp"
#include "density/rules/spectrum.hpp"
#include "samples.hpp"

namespace farfield::density::testing {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t degrees_summed = 300;
using Vector = std::array<double, 3>;

/// I_{l+1/2}(kappa) / I_{1/2}(kappa): the coefficients of von Mises and Fisher's density, by ratios from above.
std::vector<double> coefficients(double kappa) {
  std::vector<double> ratio(degrees_summed + 60), a(degrees_summed);
  for (std::size_t l = ratio.size() - 1; l-- > 1;)
    ratio[l] = kappa / (2 * static_cast<double>(l) + 1 + kappa * ratio[l + 1]);
  a[0] = 1;
  for (std::size_t l = 1; l < a.size(); ++l) a[l] = a[l - 1] * ratio[l];
  return a;
}

double legendre(std::size_t l, double x) {
  double before = 1, now = x;
  for (std::size_t k = 1; k < l; ++k) {
    const auto n = static_cast<double>(k);
    const double next = ((2 * n + 1) * x * now - n * before) / (n + 1);
    before = now, now = next;
  }
  return l == 0 ? 1 : now;
}
double addition(std::size_t l) { return (2 * static_cast<double>(l) + 1) / (4 * pi); }
double cosine(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The places of von Mises-Fisher distributed points about x, y or z, in equal parts.
Sample drawn(const std::vector<double>& kappas, int n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  Sample s{3, {}, ones(n)};
  for (int i = 0; i < n; ++i) {
    const std::size_t axis = static_cast<std::size_t>(i) % kappas.size();
    const double u = uniform(random), kappa = kappas[axis], angle = 2 * pi * uniform(random);
    const double along = 1 + std::log(u + (1 - u) * std::exp(-2 * kappa)) / kappa;
    const double ring = std::sqrt(std::fmax(0, 1 - along * along));
    Vector x{};
    x[axis] = along, x[(axis + 1) % 3] = ring * std::cos(angle), x[(axis + 2) % 3] = ring * std::sin(angle);
    s.positions.insert(s.positions.end(), x.begin(), x.end());
  }
  return s;
}

template <class Error>
double best(const Error& error) {
  double at = 0, least = INFINITY;
  for (double h = 0.02; h < 1.5; h *= 1.01)
    if (const double e = error(h); e < least) least = e, at = h;
  return at;
}

/// Integrated squared errors of a sample of equal parts about x, y, z, by sums over its pairs.
class Errors {
 public:
  Errors(const Sample& s, const std::vector<double>& kappas) : own_(degrees_summed), with_(own_), true_(own_) {
    const auto n = static_cast<std::size_t>(s.count()), parts = kappas.size();
    const auto add = [](std::vector<double>& sum, double x, double factor, const std::vector<double>* a,
                        const std::vector<double>* b) {
      double before = 1, now = x;
      for (std::size_t l = 0; l < sum.size(); ++l) {
        const double value = l == 0 ? 1 : now, k = static_cast<double>(l);
        sum[l] += addition(l) * factor * value * (a ? (*a)[l] : 1) * (b ? (*b)[l] : 1);
        if (l == 0) continue;
        const double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now, now = next;
      }
    };
    std::vector<std::vector<double>> a;
    for (const double kappa : kappas) a.push_back(coefficients(kappa));
    const double one = 1.0 / static_cast<double>(n), part = 1.0 / static_cast<double>(parts);
    for (std::size_t i = 0; i < n; ++i) {
      const double* x = &s.positions[3 * i];
      for (std::size_t j = 0; j < n; ++j) add(own_, cosine(x, &s.positions[3 * j]), one * one, nullptr, nullptr);
      for (std::size_t k = 0; k < parts; ++k) add(with_, x[k], one * part, &a[k], nullptr);
    }
    for (std::size_t k = 0; k < parts; ++k)
      for (std::size_t m = 0; m < parts; ++m) add(true_, k == m, part * part, &a[k], &a[m]);
  }
  double at(double h) const {
    const std::vector<double> b = coefficients(1 / (h * h));
    double sum = 0;
    for (std::size_t l = 0; l < b.size(); ++l) sum += b[l] * b[l] * own_[l] - 2 * b[l] * with_[l] + true_[l];
    return sum;
  }

 private:
  std::vector<double> own_, with_, true_;
};

TEST(SphereIsj, TheSpectrumIsThatOfThePairs) {
  const Sample s = drawn({3, 40, 300}, 60, 1);
  std::vector<double> share;
  for (int i = 0; i < 60; ++i) share.push_back((1 + i % 3) / 120.0);
  const std::vector<double> power = power_spectrum(s.positions, share, 1024);
  for (const std::size_t l : {0U, 1U, 2U, 7U, 40U, 128U, 400U}) {
    double pairs = 0;
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t j = 0; j < 60; ++j)
        pairs += share[i] * share[j] * legendre(l, std::fmin(1, cosine(&s.positions[3 * i], &s.positions[3 * j])));
    const double bins = std::pow(static_cast<double>(l) / 1024, 2);
    EXPECT_NEAR(power[l] / (addition(l) * pairs), 1, 1e-6 + bins) << l;
  }
}

/// What it finds solves the equation of docs/kde.md.
TEST(SphereIsj, SolvesItsEquation) {
  constexpr double n = 900;
  const Sample s = drawn({20, 80, 300}, 900, 4);
  const std::vector<double> power = power_spectrum(s.positions, std::vector<double>(900, 1 / n), 1024);
  const auto smoothed = [&](int order, double t) {
    double sum = 0;
    for (std::size_t l = 1; l < power.size(); ++l) {
      const auto eigenvalue = static_cast<double>(l * (l + 1));
      sum += std::pow(eigenvalue, order) * std::exp(-eigenvalue * t) * power[l];
    }
    return sum;
  };
  const double t = std::pow(sphere_isj(s), 2);
  const double r5 = smoothed(5, t), r4 = smoothed(4, std::pow(33.0 / 96 * 64 * 24 / (4 * pi * n * r5), 1.0 / 6)),
               r3 = smoothed(3, std::pow(17.0 / 48 * 32 * 6 / (4 * pi * n * r4), 1.0 / 5)),
               r2 = smoothed(2, std::pow(9.0 / 24 * 16 * 2 / (4 * pi * n * r3), 1.0 / 4));
  EXPECT_NEAR(std::pow(2 * pi * n * r2, -1.0 / 3) / t, 1, 1e-9);
}

/// Drawn from one distribution it finds the bandwidth that is best in the mean.
TEST(SphereIsj, IsBestForOneCloud) {
  constexpr int n = 4'000;
  for (const double kappa : {3.0, 20.0, 150.0}) {
    const std::vector<double> a = coefficients(kappa);
    const double h = best([&](double at) {
      const std::vector<double> b = coefficients(1 / (at * at));
      double sum = 0;
      for (std::size_t l = 1; l < a.size(); ++l)
        sum += addition(l) * (std::pow((1 - b[l]) * a[l], 2) + b[l] * b[l] * (1 - a[l] * a[l]) / n);
      return sum;
    });
    double ratio = 0;
    for (const unsigned seed : {1U, 2U, 3U}) ratio += sphere_isj(drawn({kappa}, n, seed)) / h / 3;
    std::printf("kappa %g: %.4f of the best %.4f\n", kappa, ratio, h);
    EXPECT_NEAR(ratio, 1, 0.1) << kappa;  // the scatter between samples is 5 %
  }
}

/// In a patch the sphere is a plane, where the best is h^3 = 1/sqrt(2 pi n |Delta f|^2) = sigma^3/sqrt(n): by near
/// pairs alone, and at any width.
TEST(SphereIsj, IsThatOfThePlaneInASmallPatch) {
  constexpr int n = 4'000;
  for (const double sigma : {1e-2, 1e-4, 1e-6}) {
    double ratio = 0;
    for (const unsigned seed : {1U, 2U, 3U}) ratio += sphere_isj(drawn({1 / (sigma * sigma)}, n, seed)) / 3;
    EXPECT_NEAR(ratio / (sigma * std::pow(n, -1.0 / 6)), 1, 0.1) << sigma;
  }
}

/// Near pairs say what the spectrum says, where both can.
TEST(SphereIsj, NearPairsAreTheSpectrum) {
  const Sample s = drawn({300, 2'000, 9'000}, 600, 5);
  const std::vector<double> share(600, 1 / 600.0), power = power_spectrum(s.positions, share, 1024);
  for (const double t : {1e-4, 4e-4}) {
    const NearPairs pairs(s.positions, share, t);
    for (const int order : {2, 3, 5}) {
      double sum = 0;
      for (std::size_t l = 1; l < power.size(); ++l) {
        const auto eigenvalue = static_cast<double>(l * (l + 1));
        sum += std::pow(eigenvalue, order) * std::exp(-eigenvalue * t) * power[l];
      }
      EXPECT_NEAR(pairs.of_order(order, t) / sum, 1, 0.06) << t << ", order " << order;  // the spectrum's bins
    }
  }
}

/// Three clouds of other widths: the error of the sample itself is near its least, that of silverman's far above.
TEST(SphereIsj, IsGoodForSeveralClouds) {
  const std::vector<double> kappas{20, 80, 300};
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Sample s = drawn(kappas, 900, seed);
    const Errors errors(s, kappas);
    const double least = errors.at(best([&](double h) { return errors.at(h); })), found = errors.at(sphere_isj(s)),
                 silvermans = errors.at(sphere_rule(s));
    std::printf("error over the least: %.3f, silverman's %.1f\n", found / least, silvermans / least);
    EXPECT_LE(found, 1.25 * least);
    EXPECT_GT(silvermans, 4 * least);
  }
}

TEST(SphereIsj, DoesNotDependOnAxesOrRepetition) {
  const Sample s = drawn({20, 80, 300}, 900, 4);
  Sample turned = s;  // by an angle about (1, 1, 1) that is none of the bins'
  const double c = std::cos(0.7), side = std::sin(0.7) / std::sqrt(3.0), rest = (1 - c) / 3;
  for (std::size_t i = 0; i < turned.positions.size(); i += 3) {
    const double x = s.positions[i], y = s.positions[i + 1], z = s.positions[i + 2], all = rest * (x + y + z);
    turned.positions[i] = c * x + all + side * (z - y);
    turned.positions[i + 1] = c * y + all + side * (x - z);
    turned.positions[i + 2] = c * z + all + side * (y - x);
  }
  EXPECT_NEAR(sphere_isj(turned) / sphere_isj(s), 1, 1e-3);  // what the bins take away differs
  Sample twice = s;
  twice.positions.insert(twice.positions.end(), s.positions.begin(), s.positions.end());
  twice.weights = ones(1800);
  EXPECT_NEAR(sphere_isj(twice) / sphere_isj(s), 1, 1e-9);
}

TEST(SphereIsj, SmoothesEvenPointsAwayAndRefusesFewOnes) {
  Sample even{3, {}, ones(1000)};  // on a spiral of equal areas
  for (int i = 0; i < 1000; ++i) {
    const double z = 1 - (2 * i + 1) / 1000.0, ring = std::sqrt(1 - z * z),
                 turn = 2 * pi * fraction(i * 0.6180339887498949);
    even.positions.insert(even.positions.end(), {ring * std::cos(turn), ring * std::sin(turn), z});
  }
  EXPECT_EQ(sphere_isj(even), 2);
  const char* words = "isj finds no bandwidth on the sphere";
  expect_error(ErrorCode::input, words, [] { sphere_isj({3, {1, 0, 0, 0, 1, 0}, ones(2)}); });
  expect_error(ErrorCode::input, words, [] { sphere_isj({3, {1, 0, 0, 1, 0, 0, 1, 0, 0}, ones(3)}); });
}

}  // namespace
}  // namespace farfield::density::testing
