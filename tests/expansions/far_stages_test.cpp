// The far stages with dipoles and Hessians: rates of a single source as geometry predicts them, sums over random
// sources in adaptive trees, and identities that hold at any degree.
#include "expansions/far_stages.hpp"

#include <random>

namespace farfield::testing {
namespace {

enum class Carries { charge, dipole };

/// A source in a corner box of a uniform tree of depth 3 and a target in the box of level 2 two boxes further along the
/// diagonal, each `share` of the way from the centre of its box of level 2 towards the other: then all terms of 1/r
/// have the same sign.
template <class Real>
struct OnePair {
  static constexpr double share = 0.7, first = 0.125, second = 0.625, half = 0.125;
  double source = first + share * half, target = second - share * half;

  MomentSources sources(Carries carries) const {
    MomentSources s{{source, source, source, 0, 0, 0, 1, 1, 1}, {0, 0, 0}, {}};
    if (carries == Carries::charge) s.charges[0] = 1;
    if (carries == Carries::dipole) s.charges.clear(), s.dipoles = {0.3, 0.4, 0.5, 0, 0, 0, 0, 0, 0};
    return s;
  }
  /// What the error is multiplied by from degree to degree, but for a power of the degree.
  double ratio(Route route) const {
    const double a = source - first, b = second - target, r = second - first;
    return route == Route::chain ? std::max(a / (r - b), b / (r - a)) : route == Route::m2p ? a / (r - b) : b / (r - a);
  }
  /// Relative errors of the potential, the gradient and the Hessian.
  std::array<double, 3> errors(Route route, Carries carries, int degree, bool rotation) const {
    TreeOptions options;
    options.depth = route == Route::chain ? 3 : 2, options.threads = 1;
    FarStages<Real> stages(sources(carries), {target, target, target}, options, degree, rotation);
    if (route == Route::chain)
      stages.run();
    else
      stages.send(route, stages.leaf_of(0, false), stages.leaf_of(0, true));
    const MomentSum exact = moments_at(sources(carries), std::array{target, target, target}.data());
    std::array<double, 3> errors;
    for (int order = 0; order < orders; ++order) {
      const auto at = [&](int part) { return static_cast<double>(exact.part[part]); };
      errors[static_cast<std::size_t>(order)] =
          norm_of_order(order, [&](int part) { return stages.result(part, 0) - at(part); }) / norm_of_order(order, at);
    }
    return errors;
  }
};

/// A derivative, of a dipole's potential one more, multiplies the n-th term by n.
int power_of(Carries carries, int order) { return order + (carries == Carries::dipole); }

/// Least squares slope of log(error / degree^power) against the degree.
double slope(Route route, Carries carries, int order, bool rotation) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int degree = 4; degree <= 16; degree += 3) {
    const double error = OnePair<double>().errors(route, carries, degree, rotation)[static_cast<std::size_t>(order)];
    const double e = std::log(error) - power_of(carries, order) * std::log(degree + 1.0);
    n += 1, x += degree, y += e, xx += degree * degree, xy += degree * e;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

TEST(OneSource, ErrorsFallAsGeometryPredicts) {
  for (const Route route : {Route::chain, Route::m2p, Route::p2l})
    for (const Carries carries : {Carries::charge, Carries::dipole})
      for (int order = 0; order < orders; ++order)
        for (const bool rotation : {false, true}) {
          const double predicted = std::log(OnePair<double>().ratio(route));
          EXPECT_NEAR(slope(route, carries, order, rotation) / predicted, 1, 0.05)
              << "route " << static_cast<int>(route) << " dipole " << (carries == Carries::dipole) << " order "
              << order;
        }
}

TEST(OneSource, IsSummedInSingleToItsRounding) {
  for (const Route route : {Route::chain, Route::m2p, Route::p2l})
    for (const Carries carries : {Carries::charge, Carries::dipole})
      for (const double error : OnePair<float>().errors(route, carries, 20, true)) EXPECT_LT(error, 2e-5);
}

/// Points of the unit cube, half of them within 1/16 of one point of it: trees over them have boxes of several levels
/// side by side. The cube's corners come first.
std::vector<double> cloud(std::mt19937_64& random, std::size_t count, double x) {
  std::uniform_real_distribution<double> in(0, 1);
  std::vector<double> points = {0, 0, 0, 1, 1, 1};
  while (points.size() < 3 * count) points.push_back(points.size() % 6 < 3 ? in(random) : x + (in(random)-0.5) / 8);
  return points;
}
std::vector<double> numbers(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> in(-1, 1);
  std::vector<double> x(count);
  for (double& one : x) one = in(random);
  return x;
}

TreeOptions adaptive() {
  TreeOptions options;
  options.leaf_size = 10, options.threads = 2;
  return options;
}

/// Sources and targets that crowd in different places.
struct Crowds {
  MomentSources sources;
  std::vector<double> targets;
  explicit Crowds(unsigned seed) {
    std::mt19937_64 random(seed);
    sources.positions = cloud(random, 600, 0.3), targets = cloud(random, 500, 0.55);
    sources.charges = numbers(random, 600), sources.dipoles = numbers(random, 1800);
    for (double& p : sources.dipoles) p /= 50;
  }
};

template <class Real>
std::array<double, 3> errors_of(const FarStages<Real>& stages, std::size_t targets) {
  std::array<double, 3> errors{}, norms{};
  for (std::size_t t = 0; t < targets; ++t) {
    const MomentSum exact = stages.expected(t);
    for (int order = 0; order < orders; ++order) {
      const std::size_t k = static_cast<std::size_t>(order);
      const auto at = [&](int part) { return static_cast<double>(exact.part[part]); };
      errors[k] += std::pow(norm_of_order(order, [&](int part) { return stages.result(part, t) - at(part); }), 2);
      norms[k] += std::pow(norm_of_order(order, at), 2);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) errors[k] = std::sqrt(errors[k] / norms[k]);
  return errors;
}

TEST(Crowds, AreSummedThroughAllLists) {
  const Crowds crowds(16);
  const auto sum = [&](auto real, int degree) {
    FarStages<decltype(real)> stages(crowds.sources, crowds.targets, adaptive(), degree, true);
    const BoxId boxes = stages.work().tree.boxes;
    EXPECT_GT(stages.work().lists.m2p.begin[boxes], 100);
    EXPECT_GT(stages.work().lists.p2l.begin[boxes], 100);
    stages.run();
    return errors_of(stages, crowds.targets.size() / 3);
  };
  const std::array<double, 3> coarse = sum(double{}, 6), fine = sum(double{}, 18), single = sum(float{}, 18);
  constexpr double most[] = {4e-7, 2e-6, 1e-5}, most_single[] = {1e-5, 1e-5, 5e-5};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(fine[k], most[k]) << k;
    EXPECT_LT(fine[k], coarse[k] / 100) << k;
    EXPECT_LT(single[k], most_single[k]) << k;
  }
}

/// The Hessian of 1/r has no trace, at any degree.
TEST(Crowds, HaveHessiansWithoutTrace) {
  const Crowds crowds(17);
  FarStages<double> stages(crowds.sources, crowds.targets, adaptive(), 5, false);
  stages.run();
  for (std::size_t t = 0; t < crowds.targets.size() / 3; ++t) {
    const double size = norm_of_order(2, [&](int part) { return stages.result(part, t); });
    EXPECT_NEAR(stages.result(4, t) + stages.result(5, t) + stages.result(6, t), 0, 1e-12 * size) << t;
  }
}

/// Dipoles p at y seen by charges q at x are charges seen by dipoles: the sum of q u(x) is that of p . grad u(y). The
/// stages are transposes of each other, so that this holds at any degree, far from where they converge.
TEST(Crowds, GiveDipolesWhatTheyReceiveFromThem) {
  Crowds crowds(18);
  std::mt19937_64 random(19);
  crowds.sources.charges.clear();
  const std::vector<double> q = numbers(random, crowds.targets.size() / 3);
  FarStages<double> there(crowds.sources, crowds.targets, adaptive(), 3, true);
  FarStages<double> back({crowds.targets, q, {}}, crowds.sources.positions, adaptive(), 3, true);
  there.run(), back.run();
  double sum = 0, size = 0, sum_back = 0;
  for (std::size_t t = 0; t < q.size(); ++t)
    sum += q[t] * there.result(0, t), size += std::abs(q[t] * there.result(0, t));
  for (std::size_t j = 0; j < crowds.sources.count(); ++j)
    for (int a = 0; a < 3; ++a)
      sum_back += crowds.sources.dipoles[3 * j + static_cast<std::size_t>(a)] * back.result(1 + a, j);
  EXPECT_NEAR(sum, sum_back, 1e-13 * size);
}

}  // namespace
}  // namespace farfield::testing
