// m2l by rotation equals the dense operator; its blocks are orthogonal at any degree.
#include "expansions/expansion_test.hpp"
#include "expansions/offsets.hpp"

namespace farfield::testing {
namespace {

/// Largest deviation of B B^T from 1 over all blocks of an operator.
double worst_orthogonality(const Vector& blocks, int degree) {
  double worst = 0;
  const double* block = blocks.data();
  for (int n = 0; n <= degree; ++n)
    for (int size : {n + 1, n}) {
      for (int i = 0; i < size; ++i)
        for (int j = 0; j <= i; ++j) {
          double sum = i == j ? -1 : 0;
          for (int k = 0; k < size; ++k) sum += block[i * size + k] * block[j * size + k];
          worst = std::max(worst, std::abs(sum));
        }
      block += size * size;
    }
  return worst;
}

TEST(Rotation, BlocksAreOrthogonalUpToDegreeSixty) {
  constexpr int degree = 60;
  // Elements are rounded once from long double: half an ulp of rows of norm 1, summed over two rows, and the test's
  // own sum of up to 61 products that cancel to 0 or 1.
  constexpr double bound = 1e-14;
  static_assert(bound < rounding(degree + 1));
  for (const CanonicalOffset& c : canonical_offsets()) {
    const double t[3] = {0.5 * c.x, 0.5 * c.y, 0.5 * c.z};
    const RotationOperator op = LaplaceBasis::m2l_rotation(degree, t, 1);
    EXPECT_LT(worst_orthogonality(op.blocks, degree), bound) << c.x << ' ' << c.y << ' ' << c.z;
  }
}

TEST(Rotation, BlocksTurnTheFunctions) {
  constexpr int degree = 60;
  const double t[3] = {3, 2, 1};
  const RotationOperator op = LaplaceBasis::m2l_rotation(degree, t, 1);
  Vector v = regular(degree, {3 / std::sqrt(14.0), 2 / std::sqrt(14.0), 1 / std::sqrt(14.0)});
  turn_about_z(op, degree, +1, v);
  v = turn_about_y(op, degree, false, v);
  // R of the unit vector (0, 0, 1) is 1 at m = 0, else 0. The functions of the rounded unit vector are wrong by n ulp,
  // by the recurrence's 4 roundings a step and by the product.
  for (int n = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m) EXPECT_NEAR(v[n * n + n + m], m == 0 ? 1 : 0, rounding(6 * n + 1)) << n << ' ' << m;
}

/// Both schemes on random coefficients, in a norm that no scale dominates: element i relative to sum_j |K_ij|.
void expect_equal(int degree, const double t[3], double target_edge, Random& random) {
  const Vector dense = LaplaceBasis::m2l(degree, t, target_edge);
  const RotationOperator op = LaplaceBasis::m2l_rotation(degree, t, target_edge);
  const int count = LaplaceBasis::coefficient_count(degree);
  // M_n of sources within sqrt(3)/2: decaying coefficients, as the FMM has them.
  Vector m = random.vector(count);
  for (int n = 0; n <= degree; ++n)
    for (int i = n * n; i < (n + 1) * (n + 1); ++i) m[i] *= std::pow(std::sqrt(0.75), n);
  const Vector expected = multiply(dense, m), found = rotated_m2l(op, degree, m);
  // Each of the three orthogonal steps mixes a degree's 2n+1 coefficients, the shift sums degree + 1 of one order;
  // errors are relative to the norm of what a degree receives, sum_j of |C_{n,j}| |M_j|.
  const double* c = op.shift.data();  // m = 0 has the largest elements of every degree
  for (int n = 0; n <= degree; ++n) {
    double received = 0;
    for (int k = 0; k <= degree; ++k) {
      double size = 0;
      for (int i = k * k; i < (k + 1) * (k + 1); ++i) size += m[i] * m[i];
      received += std::abs(c[n * (degree + 1) + k]) * std::sqrt(size);
    }
    for (int i = n * n; i < (n + 1) * (n + 1); ++i)
      EXPECT_NEAR(found[i], expected[i], rounding(8 * (degree + 1)) * received) << degree << ' ' << i;
  }
}

TEST(Rotation, EqualsTheDenseOperator) {
  constexpr unsigned seed = 41;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int degree : {0, 1, 2, 5, 11, 36}) {
    int op = 0;
    for (const CanonicalOffset& c : canonical_offsets()) {
      const double t[3] = {0.5 * c.x, 0.5 * c.y, 0.5 * c.z};
      expect_equal(degree, t, target_edge_of(op++), random);
    }
  }
}

TEST(Rotation, EqualsTheDenseOperatorInEveryOctantAndOnTheAxes) {
  constexpr unsigned seed = 42;
  SCOPED_TRACE(seed);
  Random random(seed);
  constexpr double offsets[][3] = {{-3, 2, 1}, {3, -2, -1}, {-1, -3, 2}, {0, -2, 0}, {-2, 0, 0}, {0, 0, -2}, {0, 0, 3}};
  for (const auto& t : offsets) expect_equal(12, t, 1, random);
}

}  // namespace
}  // namespace farfield::testing
