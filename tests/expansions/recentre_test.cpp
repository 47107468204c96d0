// laplace::recentre: sums of basis functions about one centre become those about another, exactly. laplace::Quadrupole:
// the same potential and gradient as the harmonics of degree 2.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expansions/laplace_quadrupole.hpp"
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

TEST(Quadrupole, AgreesWithHarmonics) {
  Stream random(13);
  const std::vector<double> factors = LaplaceBasis::sum_factors(2);
  for (int trial = 0; trial < 50; ++trial) {
    double multipole[9];
    for (std::size_t i = 0; i < 9; ++i) multipole[i] = i > 0 && i < 4 ? 0 : random.between(-1, 1);  // no dipole
    const double edge = std::ldexp(random.between(1, 2), -trial / 2), x[3] = {random.between(1, 2), -1.5, 0.7};
    const auto inverse = [](const double* u) { return 1 / std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]); };
    double sum[4] = {}, alone[4] = {}, expected[4], u[3];  // the latter at x / edge, in units of the edge
    laplace::add_quadrupole<4>(laplace::quadrupole(multipole), edge * edge, x[0], x[1], x[2], inverse(x), sum);
    laplace::add_quadrupole<1>(laplace::quadrupole(multipole), edge * edge, x[0], x[1], x[2], inverse(x), alone);
    for (int a = 0; a < 3; ++a) u[a] = x[a] / edge;
    LaplaceBasis::fixed_outer_sum<2, 4>(
        u[0], u[1], u[2], inverse(u),
        [&](auto c) { return multipole[decltype(c)::value] * factors[std::size_t(decltype(c)::value)]; }, expected);
    EXPECT_NEAR(sum[0], expected[0] / edge, 1e-14);
    EXPECT_DOUBLE_EQ(alone[0], sum[0]);
    for (int part = 1; part < 4; ++part) EXPECT_NEAR(sum[part], expected[part] / (edge * edge), 1e-14);
  }
}

}  // namespace
}  // namespace farfield::testing
