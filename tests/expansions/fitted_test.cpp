// Fitted m2l: the projection that it is made of, its symmetries, and its errors beside those of the series.
#include "expansions/expansion_test.hpp"
#include "expansions/fitted/fitted_m2l.hpp"
#include "expansions/fitted/gauss_rule.hpp"
#include "expansions/offsets.hpp"
#include "judge/truncation.hpp"

namespace farfield::testing {
namespace {

template <class M2l, class... Fits>
Vector matrix_of(int degree, const double t[3], Fits... fit) {
  const auto count = static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree));
  Vector matrix(count * count);
  M2l(degree, fit...).fill(t, 1, matrix.data());
  return matrix;
}

/// int R_j R_k and int (sum_i P_ij R_i) R_k over the cube, by products of Gauss' rules.
TEST(CubeProjection, LeavesWhatIsOrthogonalToLowerDegrees) {
  constexpr int degree = 6, beyond = 10;
  const SparseMap p = laplace::cube_projections({degree, beyond - 1}, beyond).at(degree);
  const auto all = static_cast<std::size_t>(p.columns), low = static_cast<std::size_t>(p.rows);
  const GaussRule rule(beyond + 1);
  std::vector<Vector> exact(all, Vector(low)), projected(all, Vector(low));
  for (std::size_t a = 0; a < rule.x.size(); ++a)
    for (std::size_t b = 0; b < rule.x.size(); ++b)
      for (std::size_t c = 0; c < rule.x.size(); ++c) {
        const auto at = [&](std::size_t i) { return static_cast<double>(rule.x[i] / 2); };
        const Vector r = regular(beyond, {at(a), at(b), at(c)});
        const auto weight = static_cast<double>(rule.weight[a] * rule.weight[b] * rule.weight[c] / 8);
        Vector fitted(all, 0);
        for (std::size_t i = 0; i < low; ++i)
          for (auto e = static_cast<std::size_t>(p.begin[i]); e < static_cast<std::size_t>(p.begin[i + 1]); ++e)
            fitted[static_cast<std::size_t>(p.column[e])] += p.value[e] * r[i];
        for (std::size_t j = 0; j < all; ++j)
          for (std::size_t k = 0; k < low; ++k)
            exact[j][k] += weight * r[j] * r[k], projected[j][k] += weight * fitted[j] * r[k];
      }
  double largest = 0;
  for (std::size_t j = low; j < all; ++j)
    for (std::size_t k = 0; k < low; ++k) {
      largest = std::max(largest, std::abs(exact[j][k]));
      EXPECT_NEAR(projected[j][k], exact[j][k], 1e-13) << j << ' ' << k;
    }
  EXPECT_GT(largest, 1e-6);  // a projection onto nothing would be orthogonal, too
}

TEST(FittedM2l, HasTheSymmetriesOfTheCube) {
  constexpr int degree = 9;
  const auto count = static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree));
  const double t[3] = {3, 2, 1};
  const Vector k = matrix_of<laplace::FittedM2l>(degree, t);
  for (int id = 0; id < symmetry_count; ++id) {
    const Symmetry g = LaplaceBasis::symmetry(degree, id);
    double moved[3] = {t[0], t[1], t[2]};
    if (id & 8) std::swap(moved[0], moved[1]);
    for (int axis = 0; axis < 3; ++axis)
      if (id >> axis & 1) moved[axis] = -moved[axis];
    const Vector of_moved = matrix_of<laplace::FittedM2l>(degree, moved);
    for (std::size_t in = 0; in < count; ++in)
      for (std::size_t out = 0; out < count; ++out) {
        const auto a = static_cast<std::size_t>(g.index[in]), b = static_cast<std::size_t>(g.index[out]);
        ASSERT_NEAR(of_moved[in * count + out], g.sign[in] * g.sign[out] * k[a * count + b], 1e-9) << id;
      }
  }
}

/// A point of one box and one of the other, each from its box's centre.
using PointPairs = std::vector<std::pair<Point, Point>>;

PointPairs random_pairs(int count, unsigned seed) {
  Random random(seed);
  PointPairs pairs;
  for (int i = 0; i < count; ++i) pairs.emplace_back(random.point(0.5), random.point(0.5));
  return pairs;
}

/// Root mean squares of the errors of potential and gradient of unit charges at random in one box, at points in the
/// other.
struct Errors {
  double potential = 0, gradient = 0, most = 0;
  void add(const Errors& other) {
    potential = std::hypot(potential, other.potential), gradient = std::hypot(gradient, other.gradient);
  }
};

Errors errors_of(int degree, const double t[3], const Vector& matrix, const PointPairs& pairs) {
  Errors e;
  const auto sum_at = [&](const Vector& local, const Point& x) { return dot(local, regular(degree, x)); };
  for (const auto& pair : pairs) {
    const Point &x = pair.first, &y = pair.second;
    const Vector local = multiply(matrix, regular(degree, y));
    const auto exact = [&](const Point& at) {
      return 1 / norm({t[0] + at[0] - y[0], t[1] + at[1] - y[1], t[2] + at[2] - y[2]});
    };
    const double lacks = sum_at(local, x) - exact(x);
    e.potential += lacks * lacks, e.most = std::max(e.most, std::abs(lacks));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      constexpr double h = 1e-3;  // of smooth functions: what it lacks is the same for both
      Point up = x, down = x;
      up[axis] += h, down[axis] -= h;
      const double slope = (sum_at(local, up) - exact(up) - sum_at(local, down) + exact(down)) / (2 * h);
      e.gradient += slope * slope;
    }
  }
  const auto n = static_cast<double>(pairs.size());
  return {std::sqrt(e.potential / n), std::sqrt(e.gradient / n), e.most};
}

TEST(FittedM2l, ErrsLessThanTheSeries) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  const PointPairs pairs = random_pairs(8000, seed);
  for (int degree = 4; degree <= 14; degree += 2) {
    // Squares summed over the offsets, as a sum over boxes does: those nearest carry it. Alone, those further away
    // scatter by a factor of two, since at high degrees a few pairs in facing corners carry what is left of them.
    Errors of_series, of_fitted;
    for (const Point& t : {Point{2, 0, 0}, Point{2, 1, 0}, Point{2, 2, 1}, Point{3, 1, 0}}) {
      const Errors series = errors_of(degree, t.data(), matrix_of<LaplaceBasis::DenseM2l>(degree, t.data()), pairs);
      const Errors fitted = errors_of(degree, t.data(), matrix_of<laplace::FittedM2l>(degree, t.data()), pairs);
      std::printf("degree %2d, offset %g %g %g: potential %.1e, %.2f times less, gradient %.2f; most %.2f times less\n",
                  degree, t[0], t[1], t[2], series.potential, series.potential / fitted.potential,
                  series.gradient / fitted.gradient, series.most / fitted.most);
      of_series.add(series), of_fitted.add(fitted);
    }
    const double gain = solid_errors.fitted_gain(degree);
    EXPECT_GT(of_series.potential, 0.8 * gain * of_fitted.potential) << degree;
    EXPECT_GT(of_series.gradient, 0.8 * gain * of_fitted.gradient) << degree;
  }
}

/// How often each operator stands in the far list of a box.
std::array<int, far_operator_count> counts_of_operators() {
  std::array<int, far_operator_count> counts{};
  for (int z = -2; z <= far_reach; ++z)
    for (int y = -2; y <= far_reach; ++y)
      for (int x = -2; x <= far_reach; ++x)
        if (const int op = far_offset(x, y, z).op; op >= 0) ++counts[static_cast<std::size_t>(op)];
  return counts;
}

/// Of a box's whole list, whose squares add up.
Errors errors_of_list(int degree, Fit fit, const PointPairs& pairs) {
  const laplace::FittedM2l m2l(degree, fit);
  const auto counts = counts_of_operators();
  const auto count = static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree));
  Vector matrix(count * count);
  Errors sum;
  for (int op = 0; op < far_operator_count; ++op) {
    const OperatorOffset offset(op);
    m2l.fill(offset.t, offset.target_edge, matrix.data());
    const Errors e = errors_of(degree, offset.t, matrix, pairs);
    for (int i = 0; i < counts[static_cast<std::size_t>(op)]; ++i) sum.add(e);
  }
  return sum;
}

double share_of_coefficients(int degree, Fit fit) {
  const auto counts = counts_of_operators();
  double sum = 0;
  for (int op = 0; op < far_operator_count; ++op)
    sum += counts[static_cast<std::size_t>(op)] *
           LaplaceBasis::coefficient_count(laplace::source_degree(degree, fit, OperatorOffset(op).t));
  return sum / (189 * LaplaceBasis::coefficient_count(degree));
}

TEST(FittedM2l, NeedsFewerDegreesOfFarSources) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  const PointPairs pairs = random_pairs(1000, seed);
  for (const int degree : {8, 10, 12}) {
    const Errors all = errors_of_list(degree, Fit::of_one_degree, pairs);
    for (const Fit fit : {Fit::for_all, Fit::for_gradient}) {
      const Errors fewer = errors_of_list(degree, fit, pairs);
      const double share = share_of_coefficients(degree, fit), potential = fewer.potential / all.potential,
                   gradient = fewer.gradient / all.gradient;
      std::printf("degree %2d %s: %.2f of the coefficients, potential %.3f, gradient %.3f\n", degree,
                  fit == Fit::for_all ? "for all     " : "for gradient", share, potential, gradient);
      EXPECT_LT(share, 0.85);
      EXPECT_LT(gradient, 1.1);
      EXPECT_LT(fit == Fit::for_all ? potential : 1, 1.1);
    }
  }
}

TEST(FittedM2l, HasFewerDegreesOfLocalsFromThreeEdgesOn) {
  constexpr int degree = 12, fewer = 9;
  const auto all = static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree)),
             taken = static_cast<std::size_t>(LaplaceBasis::coefficient_count(fewer));
  for (const Point& t : {Point{2, 2, 1}, Point{2, 2, 2}, Point{3, 0, 0}, Point{3, 3, 3}}) {
    const bool far = t[0] == 3 || t[2] == 2;
    EXPECT_EQ(laplace::target_degree(degree, Fit::for_gradient, t.data()), far ? fewer : degree);
    EXPECT_EQ(laplace::target_degree(degree, Fit::for_all, t.data()), degree);
    const Vector matrix = matrix_of<laplace::FittedM2l>(degree, t.data(), Fit::for_gradient);
    double first = 0, others = 0;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      double& largest = i % all < taken ? first : others;
      largest = std::max(largest, std::abs(matrix[i]));
    }
    EXPECT_GT(first, 0.01);
    EXPECT_EQ(others > 0, !far);
  }
}

/// Of unit charges at random in one box at targets at random in the other: the mean square of what farther multipoles
/// lack, beside what the judge expects of it.
TEST(FittedM2l, ErrsAsTheJudgeExpectsOfFarSources) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  const PointPairs pairs = random_pairs(2000, seed);
  for (const int degree : {9, 12})
    for (const Fit fit : {Fit::for_all, Fit::for_gradient}) {
      const laplace::FittedM2l m2l(degree, fit);
      const TailMeans means = tail_means(degree, fit);
      const double of_random = means.inner * (2 * means.n + 1), gain = solid_errors.fitted_gain(degree);
      for (const Point& t : {Point{2, 2, 0}, Point{3, 0, 0}, Point{3, 2, 1}, Point{3, 3, 3}}) {
        const int own = laplace::source_degree(degree, fit, t.data());
        if (own == degree) continue;
        Vector matrix(std::size_t(LaplaceBasis::coefficient_count(degree)) *
                      std::size_t(LaplaceBasis::coefficient_count(degree)));
        m2l.fill(t.data(), 1, matrix.data());
        const auto& far = means.far(static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2]));
        const double found = errors_of(degree, t.data(), matrix, pairs).potential,
                     expected = std::sqrt(of_random * far.mean) / gain;
        std::printf("degree %2d of %2d, offset %g %g %g: %.1e, expected %.1e\n", own, degree, t[0], t[1], t[2], found,
                    expected);
        EXPECT_EQ(far.n, own + 1);
        EXPECT_LT(found, 2 * expected);
        EXPECT_GT(found, expected / 2);
      }
    }
}

TEST(FittedM2l, ErrsLessInFacingCorners) {
  const double t[3] = {2, 0, 0};
  const PointPairs facing = {{{-0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}, {{-0.5, -0.5, 0.5}, {0.5, -0.5, 0.5}}};
  for (const auto& [degree, least] : {std::pair{4, 1.5}, {8, 4.0}, {12, 15.0}, {14, 15.0}}) {
    const Errors series = errors_of(degree, t, matrix_of<LaplaceBasis::DenseM2l>(degree, t), facing);
    const Errors fitted = errors_of(degree, t, matrix_of<laplace::FittedM2l>(degree, t), facing);
    std::printf("degree %2d: facing corners %.1e, %.1f times less\n", degree, series.most, series.most / fitted.most);
    EXPECT_GT(series.most / fitted.most, least);
  }
}

TEST(FittedM2l, HasElementsThatSixteenBitsHold) {
  for (int degree : {4, 10, 15})
    for (const Point& t : {Point{2, 0, 0}, Point{2, 1, 1}, Point{3, 3, 3}})
      for (const double element : matrix_of<laplace::FittedM2l>(degree, t.data()))
        ASSERT_LE(std::abs(element), 0.501) << degree;
}

}  // namespace
}  // namespace farfield::testing
