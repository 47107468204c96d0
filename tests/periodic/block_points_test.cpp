// p2m and l2p of points of a block, eight side by side, against one point after the other; points as these take them.
#include <gtest/gtest.h>

#include <cmath>

#include "expansions/laplace_basis.hpp"
#include "expansions/periodic/blocks/points.hpp"
#include "support/random.hpp"

namespace farfield::cpu::baseline {
void block_p2m(const BlockP2m&);
void block_l2p(const BlockL2p&);
}  // namespace farfield::cpu::baseline

namespace farfield::testing {
namespace {

constexpr std::uint64_t seed = 20261128;

/// R_i(u) for all i.
std::vector<double> functions(int degree, const std::vector<double>& recurrence, const double u[3]) {
  std::vector<double> value(static_cast<std::size_t>(laplace::count(degree)));
  LaplaceBasis::columns(degree, recurrence.data(), u[0], u[1], u[2], laplace::StoreFunctions<double>{value.data()});
  return value;
}

class PointsOfABlock : public ::testing::TestWithParam<std::pair<int, int>> {
 public:
  const int degree = GetParam().first;
  const std::int64_t count = GetParam().second;
  const std::size_t coefficients = static_cast<std::size_t>(laplace::count(degree));
  const std::vector<double> recurrence = LaplaceBasis::recurrence_table(degree);
  const Vector3 centre{0.25, -1, 3};
  const double unit = 0.7;
  std::vector<double> axis[3], weight;
  BlockedPoints points;

  PointsOfABlock() {
    Stream random(seed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      for (std::size_t a = 0; a < 3; ++a) axis[a].push_back(centre[a] + random.between(-0.5, 0.5));
      weight.push_back(random.between(-1, 1));
      points.order.push_back(static_cast<std::uint32_t>(count) - 1 - static_cast<std::uint32_t>(i));
    }
    for (std::size_t a = 0; a < 3; ++a) points.axis[a] = axis[a].data();
    points.parts.push_back({0, 0, count});
  }
  PartRows rows() const { return PartRows(points, points.parts[0], centre, unit); }
  std::vector<double> functions_at(std::size_t i) const {
    const double u[3] = {(axis[0][i] - centre[0]) / unit, (axis[1][i] - centre[1]) / unit,
                         (axis[2][i] - centre[2]) / unit};
    return functions(degree, recurrence, u);
  }
};

TEST_P(PointsOfABlock, GiveTheMomentsOfEach) {
  std::vector<double> lanes(coefficients * block_lanes), expected(coefficients);
  PartRows rows = this->rows();
  std::int64_t taken = 0;
  while (rows.take()) {
    std::vector<double> of_rows(static_cast<std::size_t>(rows.rows()) * block_lanes);
    for (std::int64_t k = 0; k < rows.count(); ++k) of_rows[static_cast<std::size_t>(k)] = weight[rows.point(k)];
    cpu::baseline::block_p2m({rows.view(degree, recurrence), of_rows.data(), lanes.data()});
    taken += rows.count();
  }
  EXPECT_EQ(taken, count);
  for (std::size_t j = 0; j < weight.size(); ++j) {
    const std::vector<double> value = functions_at(j);
    for (std::size_t i = 0; i < coefficients; ++i) expected[i] += weight[j] * value[i];
  }
  for (std::size_t i = 0; i < coefficients; ++i) {
    double sum = 0;
    for (std::size_t lane = 0; lane < block_lanes; ++lane) sum += lanes[i * block_lanes + lane];
    EXPECT_NEAR(sum, expected[i], 1e-13 * static_cast<double>(count)) << i;
  }
}

TEST_P(PointsOfABlock, GetTheSumsOfEach) {
  Stream random(seed + 1);
  std::vector<double> local[4];
  const double* of_set[4];
  for (std::size_t set = 0; set < 4; ++set) {
    for (std::size_t i = 0; i < coefficients; ++i) local[set].push_back(random.between(-1, 1));
    of_set[set] = local[set].data();
  }
  for (const std::size_t sets : {std::size_t(1), std::size_t(4)}) {
    PartRows rows = this->rows();
    std::vector<double> values(4 * PartRows::most);
    while (rows.take()) {
      cpu::baseline::block_l2p({rows.view(degree, recurrence), of_set, static_cast<int>(sets), values.data()});
      for (std::size_t k = 0; k < static_cast<std::size_t>(rows.count()); ++k)
        for (std::size_t set = 0; set < sets; ++set) {
          const std::vector<double> value = functions_at(rows.point(static_cast<std::int64_t>(k)));
          double expected = 0;
          for (std::size_t i = 0; i < coefficients; ++i) expected += local[set][i] * value[i];
          EXPECT_NEAR(values[(k / block_lanes * sets + set) * block_lanes + k % block_lanes], expected, 1e-13) << k;
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DegreesAndCounts, PointsOfABlock,
                         ::testing::Values(std::pair{0, 1}, std::pair{1, 8}, std::pair{6, 9}, std::pair{13, 300},
                                           std::pair{20, 257}));

}  // namespace
}  // namespace farfield::testing
