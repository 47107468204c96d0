// The concept: both bases satisfy it, and the counting one really counts.
#include "expansions/basis.hpp"

#include "expansions/expansion_test.hpp"
#include "expansions/ones_basis.hpp"

namespace farfield::testing {
namespace {

static_assert(ExpansionBasis<LaplaceBasis>);
static_assert(ExpansionBasis<OnesBasis>);
struct NotABasis {};
static_assert(!ExpansionBasis<NotABasis>);

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
