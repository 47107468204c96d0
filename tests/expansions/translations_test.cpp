// m2m and l2l: exact re-expansion and adjointness; dense m2l: the potential of the translated expansion.
#include "expansions/expansion_test.hpp"

namespace farfield::testing {
namespace {

/// The point of the parent's box, parent units, of a point of the child in octant 7.
Point in_parent(const Point& u) { return {0.5 * u[0] + 0.25, 0.5 * u[1] + 0.25, 0.5 * u[2] + 0.25}; }

TEST(M2m, ReexpandsShiftedPointsExactly) {
  constexpr unsigned seed = 21;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int degree : {0, 1, 7, 20, 36, 60}) {
    const Vector m2m = LaplaceBasis::m2m(degree);
    for (int trial = 0; trial < 5; ++trial) {
      const Point u = random.point(0.5);
      const Vector moved = multiply(m2m, regular(degree, u)), exact = regular(degree, in_parent(u));
      // A row of degree n sums at most (n+1)^2 products whose magnitudes add up to at most
      // sum_k sqrt(2k+1) C(n,k) |u/2|^k |centre|^(n-k) <= sqrt(2n+1) (2 * sqrt(3)/4)^n.
      for (int n = 0; n <= degree; ++n)
        for (int m = -n; m <= n; ++m)
          EXPECT_NEAR(moved[n * n + n + m], exact[n * n + n + m],
                      rounding((n + 1) * (n + 1)) * std::sqrt(2 * n + 1) * std::pow(std::sqrt(0.75), n))
              << degree << ' ' << n << ' ' << m;
    }
  }
}

TEST(M2m, NeverRaisesADegree) {
  constexpr int degree = 6, count = 49;
  const Vector m2m = LaplaceBasis::m2m(degree);
  for (int out = 0; out < count; ++out)
    for (int in = 0; in < count; ++in)
      if (std::floor(std::sqrt(in)) > std::floor(std::sqrt(out))) {
        EXPECT_EQ(m2m[in * count + out], 0);
      }
}

TEST(L2l, HalfTheTransposeKeepsThePotential) {
  constexpr unsigned seed = 22;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int degree : {0, 1, 7, 20, 36}) {
    const Vector m2m = LaplaceBasis::m2m(degree), parent = random.vector(LaplaceBasis::coefficient_count(degree));
    Vector child = multiply_transposed(m2m, parent);
    for (double& c : child) c *= LaplaceBasis::l2l_scale;
    const Point u = random.point(0.5);
    const double parent_edge = 4, child_edge = 2;
    const Vector r = regular(degree, in_parent(u));
    const double expected = LaplaceBasis::potential_scale(parent_edge) * dot(parent, r);
    const double found = LaplaceBasis::potential_scale(child_edge) * dot(child, regular(degree, u));
    // |parent| <= 1 and sum |R_i| over a degree <= (2n+1): as many products as elements of the matrix column.
    const double terms = LaplaceBasis::coefficient_count(degree);
    EXPECT_NEAR(found, expected, rounding(terms) * terms) << degree;
  }
}

TEST(L2l, IsTheAdjointOfM2mUpToItsScale) {
  // <L, M_parent> = <L, A m> must be <A^T L, m> = <l2l L, m> / l2l_scale: potentials agree whichever way they go.
  constexpr int degree = 16;
  constexpr unsigned seed = 23;
  SCOPED_TRACE(seed);
  Random random(seed);
  const int count = LaplaceBasis::coefficient_count(degree);
  const Vector m2m = LaplaceBasis::m2m(degree), local = random.vector(count), multipole = random.vector(count);
  const double up = dot(local, multiply(m2m, multipole)), down = dot(multiply_transposed(m2m, local), multipole);
  EXPECT_NEAR(up, down, rounding(2.0 * count) * magnitude(local) * magnitude(multiply(m2m, multipole)) * count);
}

TEST(M2l, GivesTheDerivativesOfTheMultipole) {
  // Exact at finite degree: a unit charge at the centre has M = (1, 0, ...), L_i = S_i(t) mirrored, (-1)^n S_i(t).
  constexpr int degree = 36;
  const double t[3] = {2, -1, 0};
  const Vector m2l = LaplaceBasis::m2l(degree, t, 2);
  const Vector s = singular(degree, {t[0], t[1], t[2]});
  for (int n = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m) {
      const double expected = (n & 1 ? -1 : 1) * std::pow(2.0, n + 1) * s[n * n + n + m];
      EXPECT_NEAR(m2l[n * n + n + m], expected, rounding(4 * (n + 1)) * std::pow(2 / norm({2, -1, 0}), n + 1));
    }
}

TEST(M2l, IsSymmetricUpToParity) {
  // Sources and targets exchanged: K(-t) = K(t)^T, and inversion makes (-1)^(n+n') of K(-t).
  constexpr int degree = 9, count = 100;
  const double t[3] = {3, 1, -2};
  const Vector k = LaplaceBasis::m2l(degree, t, 1);
  for (int n = 0, i = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m, ++i)
      for (int k2 = 0, j = 0; k2 <= degree; ++k2)
        for (int l = -k2; l <= k2; ++l, ++j) {
          const double other = ((n + k2) & 1 ? -1 : 1) * k[i * count + j];
          EXPECT_NEAR(k[j * count + i], other, rounding(4) * std::abs(other));
        }
}

}  // namespace
}  // namespace farfield::testing
