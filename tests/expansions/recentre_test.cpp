// laplace::recentre: sums of basis functions about one centre become those about another, exactly.
#include <gtest/gtest.h>

#include <vector>

#include "expansions/laplace_recentre.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

/// The functions R_i of a point.
std::vector<double> functions(int degree, const double (&u)[3]) {
  std::vector<double> value(static_cast<std::size_t>(SolidShape::count(degree)));
  const std::vector<double> table = LaplaceBasis::recurrence_table(degree);
  LaplaceBasis::columns(degree, table.data(), u[0], u[1], u[2], laplace::StoreFunctions<double>{value.data()});
  return value;
}

TEST(Recentre, MovesEveryDegreeExactly) {
  Stream random(11);
  for (int degree = 0; degree <= laplace::highest_recentred; ++degree)
    for (int trial = 0; trial < 20; ++trial) {
      double t[3];
      for (double& x : t) x = random.between(-0.5, 0.5);
      std::vector<double> moved(static_cast<std::size_t>(SolidShape::count(degree))), direct = moved;
      for (int source = 0; source < 5; ++source) {
        const double q = random.between(-1, 1);
        double u[3], v[3];
        for (int a = 0; a < 3; ++a) u[a] = random.between(-0.5, 0.5), v[a] = u[a] - t[a];
        const std::vector<double> old = functions(degree, u), about_t = functions(degree, v);
        for (std::size_t i = 0; i < old.size(); ++i) moved[i] += q * old[i], direct[i] += q * about_t[i];
      }
      laplace::recentre<double>(degree, moved.data(), t);
      // values are at most 5 (sqrt(3))^7 = 230, sums of some hundred products of numbers of that size
      for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_NEAR(moved[i], direct[i], 1e-12) << degree << " " << i;
    }
}

/// About the centre of mass the dipole vanishes.
TEST(Recentre, LeavesNoDipoleAboutTheCentreOfMass) {
  Stream random(12);
  std::vector<double> sum(4);
  for (int source = 0; source < 9; ++source) {
    const double u[3] = {random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5)};
    const std::vector<double> own = functions(1, u);
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
  }
  const double centre[3] = {sum[3] / sum[0], sum[1] / sum[0], sum[2] / sum[0]};
  laplace::recentre<double>(1, sum.data(), centre);
  EXPECT_DOUBLE_EQ(sum[0], 9);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(sum[i], 0, 1e-14);
}

}  // namespace
}  // namespace farfield::testing
