// Densities against their formula, and what holds of every density: its integral, weights as repetition, images.
#include "density/estimate.hpp"

#include <cmath>
#include <numbers>

#include "density/grid.hpp"
#include "density/rules/rules.hpp"
#include "samples.hpp"

namespace farfield::density::testing {
namespace {

constexpr double rounding = 1e-13;  // of sums of 1,000 numbers of one sign, relative

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}
void expect_equal(const std::vector<double>& a, const std::vector<double>& b, double share) {
  ASSERT_EQ(a.size(), b.size());
  const double size = largest(b);
  ASSERT_GT(size, 0);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], share * size) << i;
}

TEST(Estimate, IsThatOfScipy) {  // gaussian_kde(X)([0.3, -0.7]), equal weights and 1, 2, 3, ...
  Sample s = slanted();
  const std::vector<double> at = {0.3, -0.7};
  EXPECT_NEAR(estimate(s, at, scott(s), {}, exact()).density[0], 0.04599508072988673, rounding);
  s.weights = uneven(1000);
  EXPECT_NEAR(estimate(s, at, scott(s), {}, exact()).density[0], 0.045714569837250765, rounding);
}

TEST(Estimate, IntegratesToOne) {
  // Midpoints of boxes narrower than a bandwidth integrate Gaussians to exp(-2 pi^2) = 3e-9 and better; eight
  // bandwidths of margin lose 1e-15.
  constexpr double midpoints = 1e-8;
  for (int d = 1; d <= 3; ++d) {
    Sample s{d, {}, uneven(30)};
    for (int i = 0; i < 30 * d; ++i) s.positions.push_back(std::sin(7.0 * i) + 10);
    Bandwidth b = Bandwidth::of(d, 0.3);
    if (d > 1) b.set(1, 0, 0.1);
    if (d > 2) b.set(2, 0, -0.2), b.set(2, 1, 0.15);
    Grid grid{d, {1, 1, 1}, {}, {}};
    for (std::size_t a = 0; a < static_cast<std::size_t>(d); ++a)
      grid.low[a] = 6, grid.high[a] = 14, grid.count[a] = 40;
    EXPECT_NEAR(integral(grid, estimate(s, grid.points(), b, {}, exact()).density), 1, midpoints) << d;
  }
}

TEST(Estimate, AWeightIsARepetition) {
  Sample once = slanted(200), often{2, {}, {}};
  once.weights = uneven(200);
  for (std::int64_t i = 0; i < once.count(); ++i)
    for (int k = 0; k < once.weights[static_cast<std::size_t>(i)]; ++k)
      often.positions.insert(often.positions.end(), {once.at(i, 0), once.at(i, 1)}), often.weights.push_back(1);
  const Bandwidth b = Bandwidth::of(2, 0.4);
  const std::vector<double> at = slanted(50).positions;
  expect_equal(estimate(once, at, b, {}, exact()).density, estimate(often, at, b, {}, exact()).density, rounding);
  Sample scaled = once;
  for (double& w : scaled.weights) w *= 1e9;
  expect_equal(estimate(scaled, at, b, {}, exact()).density, estimate(once, at, b, {}, exact()).density, rounding);
}

TEST(Estimate, CountsAPointAtItselfOnce) {
  const Sample one{2, {3, 4}, {5}};
  const double peak = 1 / (2 * std::numbers::pi * 0.01);
  EXPECT_NEAR(estimate(one, std::nullopt, Bandwidth::of(2, 0.1), {}, exact()).density[0], peak, rounding * peak);
  const Sample s = slanted(100);
  expect_equal(estimate(s, std::nullopt, scott(s), {}, exact()).density,
               estimate(s, s.positions, scott(s), {}, exact()).density, rounding);
}

/// The sum over so many images on each side that the others are no number, of points far out of the cell, too.
std::vector<double> by_images(const Sample& s, const std::vector<double>& at, const Bandwidth& b, const Cell& cell) {
  constexpr int images = 8;
  Sample all{2, {}, {}};
  for (int kx = -images; kx <= images; ++kx)
    for (int ky = -images; ky <= images; ++ky)
      for (std::int64_t i = 0; i < s.count(); ++i) {
        if ((!cell.periodic(0) && kx != 0) || (!cell.periodic(1) && ky != 0)) continue;
        all.positions.push_back(cell.wrapped(s.at(i, 0), 0, 0) + kx * cell.length[0]);
        all.positions.push_back(cell.wrapped(s.at(i, 1), 1, 0) + ky * cell.length[1]);
        all.weights.push_back(s.weights[static_cast<std::size_t>(i)]);
      }
  std::vector<double> density = estimate(all, at, b, {}, exact()).density;
  for (double& p : density) p *= total(all.weights) / total(s.weights);
  return density;
}

TEST(Estimate, PeriodicIsTheSumOverImages) {
  Sample s = slanted(60);
  s.weights = uneven(60);
  Bandwidth slant = Bandwidth::of(2, 0.5);
  slant.set(1, 0, -0.6);
  const std::vector<double> inside = {0.01, 0.02, 1.99, 1.5, 1, 0.7, 0.5, 2.9, 1.2, 2};
  for (const Cell& cell : {Cell{{2, 0, 0}}, Cell{{0, 3, 0}}, Cell{{2, 3, 0}}})
    for (const Bandwidth& b : {Bandwidth::of(2, 0.05), Bandwidth::of(2, 0.9), slant}) {
      const auto expected = by_images(s, inside, b, cell);
      // Images that bring less than a hundredth of the tolerance are left out.
      expect_equal(estimate(s, inside, b, cell, exact()).density, expected, exact().tolerance);
      Options coarse = exact();
      coarse.tolerance = 1e-3;
      expect_equal(estimate(s, inside, b, cell, coarse).density, expected, coarse.tolerance);
      std::vector<double> outside = inside;
      for (std::size_t i = 0; i < outside.size(); ++i) outside[i] += (static_cast<int>(i % 3) - 1) * cell.length[i % 2];
      expect_equal(estimate(s, outside, b, cell, exact()).density, expected,
                   1e-11);  // shifts round to 1e-15 of a bandwidth
    }
}

TEST(Estimate, PeriodicIntegratesToOneOverACell) {
  Sample s = slanted(100);
  const Cell cell{{2, 3, 0}};
  const Bandwidth b = Bandwidth::of(2, 0.3);
  const Grid grid = grid_around(s, b, cell, {40, 60, 1});
  EXPECT_EQ(grid.high[0] - grid.low[0], 2);
  EXPECT_NEAR(integral(grid, estimate(s, grid.points(), b, cell, exact()).density), 1, 1e-10);
}

TEST(Estimate, IsAsExactAsAsked) {
  const Sample s = slanted(2000);
  const Bandwidth b = scott(s);
  const std::vector<double> truth = estimate(s, std::nullopt, b, {}, exact()).density;
  const double peak = 1 / (2 * std::numbers::pi * b.determinant());  // of all weight at one place
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    Options o;
    o.tolerance = tolerance, o.threads = 2, o.backend = Backend::cpu;
    const std::vector<double> found = estimate(s, std::nullopt, b, {}, o).density;
    for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(found[i], truth[i], tolerance * peak) << tolerance;
  }
}

TEST(Estimate, RefusesWhatHasNoDensity) {
  const auto refuse = [](const Sample& s, ErrorCode code, const std::string& part, const Bandwidth& b,
                         const Cell& cell) {
    expect_error(code, part, [&] { estimate(s, std::nullopt, b, cell, exact()); });
  };
  const Bandwidth b = Bandwidth::of(1, 1);
  const Cell open;
  refuse({1, {}, {}}, ErrorCode::input, "no points", b, open);
  refuse({1, {1, 2}, {0, 0}}, ErrorCode::input, "All weights are 0", b, open);
  refuse({1, {1, 2}, {1, -1}}, ErrorCode::input, "Point 1: its weight is -1", b, open);
  refuse({1, {1, 2}, {1, NAN}}, ErrorCode::input, "Point 1: its weight", b, open);
  refuse({1, {1, 2}, {1e308, 1e308}}, ErrorCode::input, "sum leaves the range", b, open);
  refuse({2, {1, 2, 3, INFINITY}, {1, 1}}, ErrorCode::input, "Point 1: its coordinate along y", Bandwidth::of(2, 1),
         open);
  for (const double sigma : {0.0, -1.0, double(NAN), double(INFINITY)})
    refuse({1, {1}, {1}}, ErrorCode::usage, "bandwidth must be", Bandwidth::of(1, sigma), open);
  refuse({1, {1}, {1}}, ErrorCode::usage, "no number can hold", Bandwidth::of(1, 1e-320), open);
  refuse({1, {1}, {1}}, ErrorCode::usage, "exceeds the period", b, Cell{{0.9, 0, 0}});
}

}  // namespace
}  // namespace farfield::density::testing
