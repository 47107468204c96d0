// The forms of a constant degree against those of any degree.
#include "expansions/expansion_test.hpp"
#include "expansions/laplace_second.hpp"

namespace farfield::testing {
namespace {

constexpr int highest = LaplaceBasis::highest_fixed;

/// Two recurrences of `degree` steps and factors whose factorials round 2 degree times.
constexpr double bound(int degree) { return rounding(12.0 * (degree + 1) * (degree + 1)); }

template <int degree>
[[gnu::noinline]] void expect_terms(Random& random) {
  const Point u = random.point(0.5);
  const double weight = random.uniform(-2, 2);
  const Vector expected = regular(degree, u), factor = LaplaceBasis::term_factors(degree);
  Vector found(expected.size(), 0);
  LaplaceBasis::fixed_terms<degree>(weight, u[0], u[1], u[2], [&](auto i, double value) {
    found[decltype(i)::value] += factor[decltype(i)::value] * value;
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], weight * expected[i], 2 * bound(degree)) << degree << ' ' << i;
}

template <int degree>
[[gnu::noinline]] void expect_sums(Random& random) {
  const Point u = random.point(0.5);
  const Vector r = regular(degree, u), factor = LaplaceBasis::sum_factors(degree);
  const Vector local = random.vector(LaplaceBasis::coefficient_count(degree));
  const auto gradient = LaplaceBasis::local_gradient(degree);
  const auto coefficient = [&](auto i) { return local[decltype(i)::value] * factor[decltype(i)::value]; };
  double out[4], alone[4];
  LaplaceBasis::fixed_sum<degree, 4>(u[0], u[1], u[2], coefficient, out);
  LaplaceBasis::fixed_sum<degree, 1>(u[0], u[1], u[2], coefficient, alone);
  const double size = (degree + 1) * bound(degree) * magnitude(local);
  EXPECT_NEAR(out[0], dot(local, r), size);
  EXPECT_NEAR(alone[0], out[0], size);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(out[1 + axis], dot(multiply(gradient[axis], local), r), (degree + 1) * size) << degree << ' ' << axis;
}

template <int degree>
[[gnu::noinline]] void expect_outer_sums(Random& random) {
  Point u = random.point(1.5);
  u[degree % 3] = 2;
  const Vector s = singular(degree, u), next = singular(degree + 1, u), factor = LaplaceBasis::sum_factors(degree);
  const Vector multipole = random.vector(LaplaceBasis::coefficient_count(degree));
  const auto gradient = LaplaceBasis::multipole_gradient(degree);
  const auto coefficient = [&](auto i) { return multipole[decltype(i)::value] * factor[decltype(i)::value]; };
  double out[4], alone[4];
  LaplaceBasis::fixed_outer_sum<degree, 4>(u[0], u[1], u[2], 1 / norm(u), coefficient, out);
  LaplaceBasis::fixed_outer_sum<degree, 1>(u[0], u[1], u[2], 1 / norm(u), coefficient, alone);
  const double size = (degree + 1) * bound(degree) * magnitude(multipole);
  EXPECT_NEAR(out[0], dot(multipole, s), size);
  EXPECT_NEAR(alone[0], out[0], size);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(out[1 + axis], dot(multiply(gradient[axis], multipole), next), (degree + 1) * size)
        << degree << ' ' << axis;
}

TEST(FixedDegree, TermsAreTheFunctions) {
  constexpr unsigned seed = 21;
  SCOPED_TRACE(seed);
  Random random(seed);
  laplace::for_each_constant<1, highest + 1>([&](auto degree) { expect_terms<decltype(degree)::value>(random); });
}

TEST(FixedDegree, SumsAreThoseOfTheDerivativesExpansions) {
  constexpr unsigned seed = 22;
  SCOPED_TRACE(seed);
  Random random(seed);
  laplace::for_each_constant<1, highest + 1>([&](auto degree) { expect_sums<decltype(degree)::value>(random); });
}

template <int degree>
[[gnu::noinline]] void expect_second_derivatives(Random& random) {
  constexpr std::size_t axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const Point u = random.point(0.5);
  const Vector r = regular(degree, u), factor = LaplaceBasis::sum_factors(degree);
  const Vector local = random.vector(LaplaceBasis::coefficient_count(degree));
  const auto gradient = LaplaceBasis::local_gradient(degree);
  double out[6];
  laplace::rho_hessian<degree>(
      u[0], u[1], u[2], [&](auto i) { return local[decltype(i)::value] * factor[decltype(i)::value]; }, out);
  const double size = (degree + 1) * bound(degree) * magnitude(local);
  for (std::size_t k = 0; k < 6; ++k) {
    Vector once = multiply(gradient[axes[k][0]], local);
    once.resize(local.size(), 0);
    EXPECT_NEAR(out[k], dot(multiply(gradient[axes[k][1]], once), r), (degree + 1) * (degree + 1) * size)
        << degree << ' ' << k;
  }
}

TEST(FixedDegree, SecondDerivativesAreThoseOfTheExpansions) {
  constexpr unsigned seed = 24;
  SCOPED_TRACE(seed);
  Random random(seed);
  laplace::for_each_constant<0, highest + 1>(
      [&](auto degree) { expect_second_derivatives<decltype(degree)::value>(random); });
}

/// Slopes of dual numbers: p . grad R, of the derivative's expansions.
template <int degree>
[[gnu::noinline]] void expect_slopes(Random& random) {
  const Point u = random.point(0.5), p = random.point(0.5);
  const Vector r = regular(degree, u), factor = LaplaceBasis::term_factors(degree);
  const double charge = random.uniform(-2, 2);
  const auto gradient = LaplaceBasis::local_gradient(degree);
  using Number = Dual<double>;
  Vector found(r.size(), 0);
  LaplaceBasis::fixed_terms<degree>(
      Number(1, charge), Number(u[0], p[0]), Number(u[1], p[1]), Number(u[2], p[2]),
      [&](auto i, Number value) { found[decltype(i)::value] += factor[decltype(i)::value] * value.slope; });
  for (std::size_t i = 0; i < r.size(); ++i) {
    Vector unit(r.size(), 0);
    unit[i] = 1;
    double expected = charge * r[i];
    for (std::size_t axis = 0; axis < 3; ++axis) expected += p[axis] * dot(multiply(gradient[axis], unit), r);
    EXPECT_NEAR(found[i], expected, (degree + 1) * 4 * bound(degree)) << degree << ' ' << i;
  }
}

TEST(FixedDegree, SlopesOfTermsAreThoseOfDipoles) {
  constexpr unsigned seed = 25;
  SCOPED_TRACE(seed);
  Random random(seed);
  laplace::for_each_constant<1, highest + 1>([&](auto degree) { expect_slopes<decltype(degree)::value>(random); });
}

TEST(FixedDegree, OuterSumsAreThoseOfTheDerivativesExpansions) {
  constexpr unsigned seed = 23;
  SCOPED_TRACE(seed);
  Random random(seed);
  laplace::for_each_constant<1, highest + 1>([&](auto degree) { expect_outer_sums<decltype(degree)::value>(random); });
}

}  // namespace
}  // namespace farfield::testing
