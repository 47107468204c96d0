// Signed permutations of coefficients stand for the isometries that offsets.hpp uses.
#include "expansions/expansion_test.hpp"
#include "expansions/offsets.hpp"

namespace farfield::testing {
namespace {

TEST(Symmetry, PermutesTheFunctions) {
  constexpr int degree = 24;
  constexpr unsigned seed = 31;
  SCOPED_TRACE(seed);
  const Point u = Random(seed).point(0.5);
  const Vector plain = regular(degree, u);
  for (int id = 0; id < symmetry_count; ++id) {
    const Symmetry g = LaplaceBasis::symmetry(degree, id);
    const Vector expected = permuted(g, plain), found = regular(degree, moved(id, u));
    for (int n = 0; n <= degree; ++n)  // both sides come from the recurrence: 4 roundings a step, relative to r^n
      for (int i = n * n; i < (n + 1) * (n + 1); ++i)
        EXPECT_NEAR(found[i], expected[i], 8 * (n + 1) * epsilon * std::pow(norm(u), n)) << id << ' ' << i;
  }
}

TEST(Symmetry, IsAPermutationThatKeepsDegrees) {
  constexpr int degree = 7, count = 64;
  for (int id = 0; id < symmetry_count; ++id) {
    const Symmetry g = LaplaceBasis::symmetry(degree, id);
    std::vector<int> hits(count, 0);
    for (int i = 0; i < count; ++i) {
      ++hits[g.index[i]];
      EXPECT_EQ(std::floor(std::sqrt(i)), std::floor(std::sqrt(g.index[i])));
      EXPECT_EQ(std::abs(g.sign[i]), 1);
    }
    EXPECT_EQ(hits, std::vector<int>(count, 1)) << id;
  }
}

/// K(t) M against P_g K(c) P_g^T M for the operator and symmetry that the table names.
void expect_served(const FarOffset& entry, const Point& t, const std::vector<Vector>& canonical, Random& random) {
  constexpr int degree = 6;
  ASSERT_GE(entry.op, 0);
  const Vector m = random.vector(LaplaceBasis::coefficient_count(degree));
  const Vector direct = multiply(LaplaceBasis::m2l(degree, t.data(), target_edge_of(entry.op)), m);
  const Symmetry g = LaplaceBasis::symmetry(degree, entry.symmetry);
  const Vector found = permuted(g, multiply(canonical[entry.op], permuted_back(g, m)));
  Vector sizes = canonical[entry.op];
  for (double& k : sizes) k = std::abs(k);
  const Vector size = multiply(sizes, Vector(m.size(), 1));
  for (std::size_t i = 0; i < m.size(); ++i)
    EXPECT_NEAR(found[i], direct[i], rounding(static_cast<double>(m.size())) * size[g.index[i]]);
}

TEST(Symmetry, ServesAllOffsetsFromTheCanonicalOperators) {
  constexpr unsigned seed = 32;
  SCOPED_TRACE(seed);
  Random random(seed);
  std::vector<Vector> canonical;
  for (const CanonicalOffset& c : canonical_offsets()) {
    const double t[3] = {0.5 * c.x, 0.5 * c.y, 0.5 * c.z};
    canonical.push_back(LaplaceBasis::m2l(6, t, target_edge_of(static_cast<int>(canonical.size()))));
  }
  int far = 0, parent = 0;
  for (int z = -3; z <= 3; ++z)
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x)
        if (const FarOffset& entry = far_offset(x, y, z); entry.op >= 0)
          ++far, expect_served(entry, {1.0 * x, 1.0 * y, 1.0 * z}, canonical, random);
  for (int z = -5; z <= 5; z += 2)
    for (int y = -5; y <= 5; y += 2)
      for (int x = -5; x <= 5; x += 2)
        if (const FarOffset& entry = parent_offset(x, y, z); entry.op >= 0)
          ++parent, expect_served(entry, {0.5 * x, 0.5 * y, 0.5 * z}, canonical, random);
  EXPECT_EQ(far, 316);
  EXPECT_EQ(parent, 80);
}

}  // namespace
}  // namespace farfield::testing
