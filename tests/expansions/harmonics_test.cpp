// The functions themselves: against the textbook's definition, and as the expansion of 1/|x - y|.
#include "expansions/expansion_test.hpp"

namespace farfield::testing {
namespace {

/// R_{n,m} from associated Legendre functions in long double, independent of any recurrence of ours.
double textbook(int n, int m, const Point& u) {
  const long double r =
      std::hypot(static_cast<long double>(u[0]), static_cast<long double>(u[1]), static_cast<long double>(u[2]));
  const int order = std::abs(m);
  const long double p = std::assoc_legendre(static_cast<unsigned>(n), static_cast<unsigned>(order), u[2] / r);
  const long double log_factor = 0.5L * (std::lgamma(n - order + 1.0L) - std::lgamma(n + order + 1.0L));
  const long double azimuth = std::atan2(static_cast<long double>(u[1]), static_cast<long double>(u[0]));
  const long double wave = m < 0 ? std::sin(order * azimuth) : std::cos(order * azimuth);
  const long double normalised = std::sqrt(m == 0 ? 1.0L : 2.0L) * std::exp(log_factor) * p;
  return static_cast<double>(normalised * wave * std::pow(r, static_cast<long double>(n)));
}

/// Each step of the recurrence rounds a few times, relative to r^n: error <= steps * roundings * epsilon r^n.
constexpr double roundings_per_step = 4;
double recurrence_bound(int n, double r) { return roundings_per_step * (n + 1) * epsilon * std::pow(r, n); }

TEST(Harmonics, FirstFunctionsAreTheCoordinates) {
  const Vector r = regular(1, {0.25, -0.5, 0.125});
  EXPECT_EQ(r, (Vector{1, -0.5, 0.125, 0.25}));
}

TEST(Harmonics, MatchTheTextbook) {
  constexpr int degree = 36;
  constexpr unsigned seed = 1;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int trial = 0; trial < 20; ++trial) {
    const Point u = random.point(0.5);
    const Vector value = regular(degree, u);
    for (int n = 0; n <= degree; ++n)
      for (int m = -n; m <= n; ++m)
        EXPECT_NEAR(value[n * n + n + m], textbook(n, m, u), recurrence_bound(n, norm(u))) << n << ' ' << m;
  }
}

TEST(Harmonics, SumOfSquaresOfADegreeIsThePower) {
  // sum_m R_{n,m}^2 = r^(2n), the addition theorem on the diagonal: what Schmidt's normalisation is chosen for.
  constexpr int degree = 60;
  constexpr unsigned seed = 2;
  SCOPED_TRACE(seed);
  const Point u = Random(seed).point(1);
  const Vector value = regular(degree, u);
  for (int n = 0; n <= degree; ++n) {
    double sum = 0;
    for (int m = -n; m <= n; ++m) sum += value[n * n + n + m] * value[n * n + n + m];
    const double expected = std::pow(norm(u), 2 * n);
    EXPECT_NEAR(sum / expected, 1, 2 * recurrence_bound(n, 1) + rounding(2 * n + 1)) << n;
  }
}

TEST(Harmonics, NoneExceedsOneInABox) {
  // What the scale of the 16-bit operands of m2l rests on (cuda/operands.hpp); corners and faces are among the points.
  constexpr int degree = 15, points = 9;
  const auto along = [](int i) { return i / double(points - 1) - 0.5; };
  for (int i = 0; i < points * points * points; ++i) {
    const Vector value = regular(degree, {along(i % points), along(i / points % points), along(i / points / points)});
    for (const double r : value) ASSERT_LE(std::abs(r), 1 + rounding(degree + 1)) << i;
  }
}

TEST(Harmonics, SingularFunctionsAreTheRegularOnesOverThePower) {
  constexpr int degree = 24;
  constexpr unsigned seed = 3;
  SCOPED_TRACE(seed);
  const Point u = Random(seed).point(2);
  const double r = norm(u);
  const Vector s = singular(degree, u), value = regular(degree, u);
  for (int n = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m) {
      const double expected = value[n * n + n + m] / std::pow(r, 2 * n + 1);
      EXPECT_NEAR(s[n * n + n + m], expected, 4 * recurrence_bound(n, 1 / r) / r) << n << ' ' << m;
    }
}

TEST(Harmonics, ExpandTheInverseDistance) {
  // 1/|x - y| = sum R_i(y) S_i(x); the tail beyond `degree` is at most sum over n > degree of |y|^n / |x|^(n+1).
  constexpr unsigned seed = 4;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int trial = 0; trial < 50; ++trial) {
    const Point y = random.point(0.5);
    Point x = random.point(1);
    x[trial % 3] = random.uniform(1.5, 2.5);
    const double ratio = norm(y) / norm(x), exact = 1 / norm({x[0] - y[0], x[1] - y[1], x[2] - y[2]});
    for (int degree : {0, 1, 5, 12, 30}) {
      const double tail = std::pow(ratio, degree + 1) / (norm(x) * (1 - ratio));
      const double bound = tail + rounding((degree + 1) * (degree + 1)) / (norm(x) * (1 - ratio));
      EXPECT_NEAR(dot(regular(degree, y), singular(degree, x)), exact, bound) << degree;
    }
  }
}

TEST(Harmonics, VectorsGiveTheSameAsScalars) {
  using Four = double __attribute__((vector_size(32)));
  struct Last {
    Four sum{}, cosine{}, sine{};
    void begin(int, const Four& c, const Four& s) { cosine = c, sine = s; }
    void term(int n, const Four& q) { sum = sum + q * (cosine - sine * 0.5) * (1.0 + n); }
    void end(int) {}
  };
  constexpr int degree = 12;
  constexpr unsigned seed = 5;
  SCOPED_TRACE(seed);
  Random random(seed);
  Four x[3];
  for (auto& axis : x)
    for (int lane = 0; lane < 4; ++lane) axis[lane] = random.uniform(-0.5, 0.5);
  const Vector table = LaplaceBasis::recurrence_table(degree);
  Last last;
  LaplaceBasis::columns(degree, table.data(), x[0], x[1], x[2], last);
  for (int lane = 0; lane < 4; ++lane) {
    const Vector value = regular(degree, {x[0][lane], x[1][lane], x[2][lane]});
    double sum = 0, size = 0;
    for (int n = 0; n <= degree; ++n)
      for (int m = -n; m <= n; ++m) {
        const double term = (1.0 + n) * value[n * n + n + m] * (m < 0 ? -0.5 : 1);
        sum += term;
        size += std::abs(term);
      }
    EXPECT_NEAR(last.sum[lane], sum, rounding((degree + 1) * (degree + 1)) * size);
  }
}

}  // namespace
}  // namespace farfield::testing
