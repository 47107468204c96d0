// The forms of a constant degree against those of any degree.
#include "expansions/expansion_test.hpp"

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

TEST(FixedDegree, OuterSumsAreThoseOfTheDerivativesExpansions) {
  constexpr unsigned seed = 23;
  SCOPED_TRACE(seed);
  Random random(seed);
  laplace::for_each_constant<1, highest + 1>([&](auto degree) { expect_outer_sums<decltype(degree)::value>(random); });
}

}  // namespace
}  // namespace farfield::testing
