// The screened expansions: their functions against the Bessel functions of the standard library, the addition theorem,
// translations and derivatives against the functions themselves, and the rate at which the error of a chain p2m, m2m,
// m2l, l2l, l2p falls with the degree, for lambda = kappa times a box's edge from 0 to where nothing is left.
#include "expansions/bessel/basis.hpp"
#include "expansions/expansion_test.hpp"

namespace farfield::testing {
namespace {

using Basis = BesselBasis;
constexpr double half_diagonal = static_cast<double>(bessel::half_diagonal);

Vector screened_regular(int degree, double lambda, const Point& u) {
  const Vector table = Basis::recurrence_table(degree, lambda);
  Vector value(static_cast<std::size_t>(Basis::coefficient_count(degree)));
  Basis::columns(degree, table.data(), u[0], u[1], u[2], laplace::StoreFunctions<double>{value.data()});
  return value;
}
Vector screened_singular(int degree, double lambda, const Point& u) {
  const Vector table = Basis::recurrence_table(degree, lambda);
  Vector value(static_cast<std::size_t>(Basis::coefficient_count(degree)));
  Basis::singular_columns(degree, table.data(), u[0], u[1], u[2], 1 / norm(u),
                          laplace::StoreFunctions<double>{value.data()});
  return value;
}
Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double pair(double lambda, double r) { return std::exp(-lambda * r) / r; }

TEST(BesselFunctions, AreThoseOfTheStandardLibrary) {
  constexpr int degree = 30;
  constexpr double of_library = 1e-11;
  for (const double lambda : {0.01, 0.3, 2.0, 25.0, 300.0})
    for (const double r : {0.2, 0.5, 0.86, 1.5, 2.2}) {
      const Vector regular_at = screened_regular(degree, lambda, {0, 0, r}),
                   singular_at = screened_singular(degree, lambda, {0, 0, r});
      const double x = lambda * r;
      const double at_centre = std::exp(-half_diagonal * lambda) * std::sinh(x) / x;
      EXPECT_NEAR(r < half_diagonal ? regular_at[0] / at_centre : 1, 1, 1e-13);  // only points of the box have R
      EXPECT_NEAR(singular_at[0] * r / std::exp(half_diagonal * lambda - x), 1, 1e-13);
      double double_factorial = 1;  // (2n-1)!!
      for (int n = 0; n <= degree; ++n, double_factorial *= 2 * n - 1) {
        const double i = std::sqrt(M_PI / (2 * x)) * std::cyl_bessel_i(n + 0.5, x),
                     k = std::sqrt(2 / (M_PI * x)) * std::cyl_bessel_k(n + 0.5, x);
        const double inner =
                         double_factorial * (2 * n + 1) * i / std::pow(lambda, n) * std::exp(-half_diagonal * lambda),
                     outer = std::pow(lambda, n + 1) * k / double_factorial * std::exp(half_diagonal * lambda);
        const auto at = static_cast<std::size_t>(SolidShape::index(n, 0));
        if (r < half_diagonal && std::isnormal(inner) && std::isnormal(i)) {
          EXPECT_NEAR(regular_at[at] / inner, 1, of_library) << n << ' ' << x;
        }
        if (std::isnormal(outer) && std::isnormal(k)) {
          EXPECT_NEAR(singular_at[at] / outer, 1, of_library) << n << ' ' << x;
        }
      }
    }
}

TEST(BesselFunctions, AreThoseOfLaplaceWithoutScreening) {
  Random random(1);
  constexpr int degree = 25;
  const Point u = random.point(0.5), w{1.4, -0.3, 0.8};
  const Vector r = regular(degree, u), s = singular(degree, w);
  for (const double lambda : {0.0, 1e-17, 1e-12}) {
    const Vector own_r = screened_regular(degree, lambda, u), own_s = screened_singular(degree, lambda, w);
    for (std::size_t i = 0; i < r.size(); ++i) {
      EXPECT_NEAR(own_r[i], r[i], rounding(2 * degree) + lambda);
      EXPECT_NEAR(own_s[i], s[i], rounding(2 * degree) + 3 * lambda);
    }
  }
}

TEST(BesselFunctions, AddUpToThePair) {
  Random random(2);
  for (const double lambda : {0.0, 1e-8, 0.1, 1.0, 5.0, 20.0, 100.0, 500.0, 799.0})
    for (int k = 0; k < 20; ++k) {
      const Point v = random.point(0.3), w{1.6 + random.uniform(0, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      // cut off where the terms are small beside the largest sum that points at these distances have
      const double largest = pair(lambda, norm(w) - norm(v));
      const double sum = dot(screened_regular(60, lambda, v), screened_singular(60, lambda, w));
      EXPECT_NEAR(sum, pair(lambda, norm(minus(w, v))), (lambda > 20 ? 1e-4 : 1e-11) * largest + 1e-300) << lambda;
    }
}

TEST(BesselFunctions, AreLeftOutWhereTheyLeaveTheRange) {
  for (const double lambda : {801.0, 1e30, HUGE_VAL}) {
    for (const double x : screened_regular(12, lambda, {0.5, 0.5, 0.5})) EXPECT_EQ(x, 0);
    for (const double x : screened_singular(12, lambda, {0.5, 1.5, 0.5})) EXPECT_EQ(x, 0);
  }
}

/// R_n of the parent about the child's centre has all degrees; those of the child reach to `degree`, by which the
/// lower ones have converged.
TEST(BesselM2m, ReexpandsTheParentsFunctions) {
  Random random(3);
  constexpr int degree = 30, checked = 12;
  for (const double lambda : {0.0, 0.01, 1.0, 5.0}) {
    const Vector a = Basis::m2m(degree, lambda);
    const Point u = random.point(0.5), seen{u[0] / 2 + 0.25, u[1] / 2 + 0.25, u[2] / 2 + 0.25};
    const Vector found = multiply(a, screened_regular(degree, lambda, u)),
                 exact = screened_regular(degree, 2 * lambda, seen);
    for (std::size_t i = 0; i < static_cast<std::size_t>(SolidShape::count(checked)); ++i)
      EXPECT_NEAR(found[i], exact[i], 1e-13) << lambda << ' ' << i;
  }
}

TEST(BesselM2m, IsThatOfLaplaceWithoutScreening) {
  const Vector own = Basis::m2m(20, 0), laplace = LaplaceBasis::m2m(20);
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(own[i], laplace[i], rounding(2 * 20));
}

TEST(BesselM2l, ReexpandsTheSourcesFunctions) {
  Random random(4);
  constexpr int degree = 40, checked = 8;
  const struct {
    Point t;
    double edge;
  } cases[] = {{{2, 1, 0}, 1}, {{3, -2, 3}, 1}, {{2.5, 2.5, 1.5}, 2}};
  for (const double lambda : {0.0, 1e-6, 0.5, 3.0, 12.0})
    for (const auto& c : cases) {
      const Vector t = Basis::m2l(degree, c.t.data(), c.edge, lambda);
      const Point u = random.point(0.3);
      const Vector exact =
          screened_singular(degree, lambda, {c.t[0] + c.edge * u[0], c.t[1] + c.edge * u[1], c.t[2] + c.edge * u[2]});
      const Vector found = multiply_transposed(t, screened_regular(degree, c.edge * lambda, u));
      for (std::size_t i = 0; i < static_cast<std::size_t>(SolidShape::count(checked)); ++i)
        EXPECT_NEAR(found[i] / c.edge, exact[i], 1e-12 * (1 + std::fabs(exact[i]))) << lambda << ' ' << i;
    }
}

TEST(BesselM2l, IsTheSameByRotation) {
  Random random(5);
  constexpr int degree = 12;
  const Point t{2, -1, 3};
  for (const double lambda : {0.0, 2.0, 60.0}) {
    const Vector m = random.vector(Basis::coefficient_count(degree));
    const Vector dense = multiply(Basis::m2l(degree, t.data(), 1, lambda), m),
                 rotated = rotated_m2l(Basis::m2l_rotation(degree, t.data(), 1, lambda), degree, m);
    for (std::size_t i = 0; i < m.size(); ++i) EXPECT_NEAR(rotated[i], dense[i], 1e-13 * magnitude(dense));
  }
}

TEST(BesselM2l, IsZeroWhereExpansionsAreLeftOut) {
  const Point t{2, 0, 1}, parent{2.5, 2.5, 1.5};
  for (const double x : Basis::m2l(6, t.data(), 1, 900)) EXPECT_EQ(x, 0);
  for (const double x : Basis::m2l(6, parent.data(), 2, 500)) EXPECT_EQ(x, 0);  // the parent's lambda is 1000
  for (const double x : Basis::m2l(6, t.data(), 1, 799)) EXPECT_TRUE(std::isfinite(x));
  for (const double x : Basis::m2m(6, 500)) EXPECT_EQ(x, 0);
}

TEST(BesselGradients, AreThoseOfThePair) {
  constexpr int degree = 40;
  const Point v{0.2, -0.15, 0.1}, w{1.7, 0.4, -0.6}, d = minus(w, v);
  for (const double lambda : {0.0, 0.5, 4.0}) {
    const double r = norm(d), slope = -(1 + lambda * r) * pair(lambda, r) / r;  // along d / r
    const Vector inner = screened_regular(degree, lambda, v), outer = screened_singular(degree, lambda, w),
                 above = screened_singular(degree + 1, lambda, w);
    for (std::size_t a = 0; a < 3; ++a) {
      const double exact = slope * d[a] / r;
      EXPECT_NEAR(dot(multiply(Basis::multipole_gradient(degree, lambda)[a], inner), above), exact, 1e-11);
      EXPECT_NEAR(dot(multiply(Basis::local_gradient(degree, lambda)[a], outer), inner), -exact, 1e-10);
    }
  }
}

/// A unit charge in the child in octant 7 of a box, whose parent is at t from that of the target's, likewise in octant
/// 7; `lambda`: of the children.
double chain(int degree, double lambda, const Point& source, const Point& t, const Point& target) {
  const Vector a = Basis::m2m(degree, lambda), m = multiply(a, screened_regular(degree, lambda, source));
  const Vector local = multiply(Basis::m2l(degree, t.data(), 1, 2 * lambda), m);
  Vector own = multiply_transposed(a, local);
  for (double& x : own) x *= Basis::l2l_scale;
  return dot(own, screened_regular(degree, lambda, target));
}
double distance(const Point& source, const Point& t, const Point& target) {
  return norm({2 * t[0] + target[0] - source[0], 2 * t[1] + target[1] - source[1], 2 * t[2] + target[2] - source[2]});
}
double chain_error(int degree, double lambda, const Point& source, const Point& t, const Point& target) {
  return std::fabs(chain(degree, lambda, source, t, target) / pair(lambda, distance(source, t, target)) - 1);
}

/// With high degrees the radial parts of R and S cancel, so that the error falls as that of 1/r: with the ratio of the
/// largest distances from the centres to what the pair leaves of t.
TEST(BesselChain, ErrorFallsAsGeometryPredicts) {
  const Point t{-2, -2, -2}, source{-0.5, -0.5, -0.5}, target{0.5, 0.5, 0.5};
  // in the parents' edges the source's child is centred on the corner side away from the target
  const Point in_parent{0.25 + 0.5 * source[0], 0.25 + 0.5 * source[1], 0.25 + 0.5 * source[2]},
      of_target{0.25 + 0.5 * target[0], 0.25 + 0.5 * target[1], 0.25 + 0.5 * target[2]};
  const double far = norm(t), a = norm(in_parent), b = norm(of_target);
  const double predicted = std::log(std::max(a / (far - b), b / (far - a)));
  for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
    constexpr int low = 12, high = 20;
    const double fall = chain_error(high, lambda, source, t, target) / chain_error(low, lambda, source, t, target);
    const double found = std::log(fall) / (high - low);
    EXPECT_NEAR(found / predicted, 1, 0.1) << lambda << " slope " << found;
  }
}

TEST(BesselChain, LeavesLittleBesideTheNearestPairs) {
  const Point t{2, 1, 0}, source{0.35, -0.2, 0.4}, target{0.1, 0.3, -0.45};
  for (const double lambda : {1e-8, 1.0, 10.0, 40.0, 200.0, 399.0}) {
    const double exact = pair(lambda, distance(source, t, target));
    EXPECT_LE(std::fabs(chain(20, lambda, source, t, target) - exact), 1e-10 * pair(lambda, 0.5))
        << lambda;  // points of touching boxes are as near as that, or nearer
  }
}

}  // namespace
}  // namespace farfield::testing
