// The concept: both bases satisfy it, and the counting one really counts.
#include "expansions/basis.hpp"

#include <algorithm>
#include <utility>

#include "expansions/expansion_test.hpp"
#include "expansions/ones_basis.hpp"

namespace farfield::testing {
namespace {

static_assert(ExpansionBasis<LaplaceBasis>);
static_assert(ExpansionBasis<OnesBasis>);
struct NotABasis {};
static_assert(!ExpansionBasis<NotABasis>);

// A basis without one capability keeps the others.
struct TurnsNot : LaplaceBasis {
  static void m2l_rotation() = delete;
};
struct ReflectsNot : LaplaceBasis {
  static void symmetry() = delete;
};
struct NoFixedDegree : LaplaceBasis {
  static void sum_factors() = delete;
};
struct TablesPerLevel : LaplaceBasis {
  static constexpr int level_classes(int levels) { return levels; }
};
template <class Basis>
constexpr int capabilities = Rotates<Basis> + 2 * Reflects<Basis> + 4 * FixedDegree<Basis> + 8 * ScaleInvariant<Basis> +
                             16 * ExpansionBasis<Basis>;
static_assert(capabilities<LaplaceBasis> == 31);
static_assert(capabilities<TurnsNot> == 30);
static_assert(capabilities<ReflectsNot> == 29);
static_assert(capabilities<NoFixedDegree> == 27);
static_assert(capabilities<TablesPerLevel> == 23);

TEST(SolidShape, CountsAndPlacesAgree) {
  int i = 0;
  for (int n = 0; n <= 180; ++n) {
    EXPECT_EQ(SolidShape::first(n), i) << n;
    for (int m = -n; m <= n; ++m, ++i) {
      EXPECT_EQ(SolidShape::index(n, m), i) << n << ", " << m;
      EXPECT_EQ(SolidShape::degree_of(i), n) << i;
    }
    EXPECT_EQ(SolidShape::count(n), i) << n;
  }
}

/// Each coefficient has a slot of one half, and coefficient() leads back.
template <int degree>
void expect_halves_of_all() {
  using First = SolidOrders<degree, 0>;
  using Second = SolidOrders<degree, First::passes - 1>;
  int first = 0, second = 0;
  for (int n = 0; n <= degree; ++n)
    for (int i = SolidShape::first(n); i < SolidShape::count(n); ++i) {
      const bool own = First::has(n, i);
      const int slot = own ? First::slot(n, i) : Second::slot(n, i);
      EXPECT_EQ(own ? First::coefficient(slot) : Second::coefficient(slot), i) << degree;
      ++(own ? first : second);
    }
  EXPECT_EQ(first, First::count) << degree;
  EXPECT_EQ(second, First::passes == 2 ? Second::count : 0) << degree;
}

TEST(SolidShape, SlotsOfTheHalvesLeadBack) {
  []<int... degrees>(std::integer_sequence<int, degrees...>) { (expect_halves_of_all<degrees>(), ...); }
  (std::make_integer_sequence<int, LaplaceBasis::highest_fixed + 1>());
}

TEST(SolidShape, LargestSetOfOneParity) {
  for (int degree = 0; degree <= 40; ++degree) {
    const Symmetry x = LaplaceBasis::symmetry(degree, 1), y = LaplaceBasis::symmetry(degree, 2),
                   z = LaplaceBasis::symmetry(degree, 4);
    int of_parity[8] = {};
    for (std::size_t i = 0; i < x.sign.size(); ++i)
      ++of_parity[(x.sign[i] < 0 ? 1 : 0) | (y.sign[i] < 0 ? 2 : 0) | (z.sign[i] < 0 ? 4 : 0)];
    EXPECT_EQ(SolidShape::most_alike(degree), *std::max_element(of_parity, of_parity + 8)) << degree;
  }
}

TEST(OnesBasis, EveryStageCountsOne) {
  const double t[3] = {2, 0, 0};
  Vector r(1, 0);
  OnesBasis::columns(0, OnesBasis::recurrence_table(0).data(), 0.1, 0.2, 0.3,
                     laplace::StoreFunctions<double>{r.data()});
  double x = 3, y = 4, z = 5, weight = 0;
  OnesBasis::invert(x, y, z, weight, 7.0);
  EXPECT_EQ(r, Vector{1});
  EXPECT_EQ(weight, 1);
  EXPECT_EQ(x, 3);
  EXPECT_EQ(multiply(OnesBasis::m2m(0), r), Vector{1});
  EXPECT_EQ(multiply(OnesBasis::m2l(0, t, 2), r), Vector{1});
  EXPECT_EQ(rotated_m2l(OnesBasis::m2l_rotation(0, t, 2), 0, r), Vector{1});
  EXPECT_EQ(permuted(OnesBasis::symmetry(0, 13), r), Vector{1});
  EXPECT_EQ(multiply(OnesBasis::local_gradient(0)[0], r), Vector{0});
  EXPECT_EQ(OnesBasis::l2l_scale * OnesBasis::potential_scale(0.25), 1);
}

TEST(LaplaceBasis, TableHasOneNumberPerCoefficient) {
  for (int degree : {0, 1, 17})
    EXPECT_EQ(static_cast<int>(LaplaceBasis::recurrence_table(degree).size()), LaplaceBasis::coefficient_count(degree));
}

}  // namespace
}  // namespace farfield::testing
