// Bandwidth rules against scipy 1.17, numpy and a program of their formulas in numpy, for the samples of samples.hpp.
#include "density/rules/rules.hpp"

#include <complex>
#include <numbers>

#include "density/rules/isj.hpp"
#include "density/rules/moments.hpp"
#include "samples.hpp"

namespace farfield::density::testing {
namespace {

constexpr double printed = 1e-12;  // what other orders of summation make of 1,000 numbers
constexpr double solved = 1e-9;    // the root of an equation, whose sums are of 16,384 numbers

TEST(Rules, ScottsIsThatOfScipy) {  // gaussian_kde(X).covariance, its Cholesky factor
  const Bandwidth equal = scott(slanted());
  EXPECT_NEAR(equal.get(0, 0), 0.5723741832893035, printed);
  EXPECT_NEAR(equal.get(1, 0), 0.26672519477986684, printed);
  EXPECT_NEAR(equal.get(1, 1), 0.574270038900755, printed);
  EXPECT_TRUE(equal.slanted());
  Sample weighted = slanted();
  weighted.weights = uneven(1000);
  const Bandwidth other = scott(weighted);
  EXPECT_NEAR(other.get(0, 0), 0.5873249095833789, printed);
  EXPECT_NEAR(other.get(1, 0), 0.27051082232401286, printed);
  EXPECT_NEAR(other.get(1, 1), 0.5874481611156962, printed);
  EXPECT_NEAR(scott(mixture()).get(0, 0), 0.6883126316051584, printed);
}

TEST(Rules, SilvermansIsScottsInThePlaneAndRobustOnALine) {
  EXPECT_NEAR(silverman(slanted()).get(1, 0), 0.26672519477986684, printed);  // (n (2 + 2)/4)^(-1/6)
  EXPECT_NEAR(silverman(mixture()).get(0, 0), 0.6194813684446431, printed);   // bw.nrd0 of R
  Sample tall = slanted();                                                    // in space beside Scott's by (5/4)^(-1/7)
  tall.dimension = 3;
  tall.positions.clear();
  for (int i = 0; i < 1000; ++i) tall.positions.insert(tall.positions.end(), {golden(i), plastic(i), std::sin(i)});
  EXPECT_NEAR(silverman(tall).get(2, 2) / scott(tall).get(2, 2), std::pow(1.25, -1.0 / 7), printed);
}

TEST(Rules, QuantilesOfWeightsAreThoseOfRepeatedPoints) {
  const Sample five{1, {5, 1, 4, 2, 3}, ones(5)};
  EXPECT_DOUBLE_EQ(quantile(five, 0.25), 2);  // as numpy
  EXPECT_DOUBLE_EQ(quantile(five, 0.6), 3.4);
  EXPECT_DOUBLE_EQ(quantile(five, 1), 5);
  const Sample heavy{1, {1, 2, 100}, {1e6, 1e6, 1}};
  EXPECT_NEAR(quantile(heavy, 0.25), 1.375, 1e-5);  // 0.25 of the 1.5e6 from the middle of the first to the last
  const Sample absent{1, {1, 2, 100}, {1, 1, 0}};
  EXPECT_DOUBLE_EQ(quantile(absent, 1), 2);
}

TEST(Isj, TheTransformIsTheSumThatItSays) {
  std::vector<double> x;
  for (int i = 0; i < 64; ++i) x.push_back(std::sin(3.0 * i * i));
  const auto c = cosine_transform(x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
      sum += x[j] * std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(j) + 0.5) / 64);
    EXPECT_NEAR(c[k], sum, 1e-13) << k;  // 64 numbers of size 1
  }
}

// The formulas of section 5 of the paper in numpy, with scipy's dct and brentq. KDEpy 1.1.12 says 0.0904798, 0.0904739
// (its n does not know weights) and 0.2340059: half of it, since it takes its solution, which is in units of the range
// of a histogram, times that of the points; on 1,024 bins its solutions are off by 1e-3.
TEST(Isj, IsThatOfItsFormulas) {
  const Sample s = mixture();
  EXPECT_NEAR(*isj_bandwidth(s.positions, s.weights), 0.18106594744624557, solved);
  EXPECT_NEAR(*isj_bandwidth(s.positions, uneven(1000)), 0.18862986732448583, solved);
  std::vector<double> bell;
  for (int i = 0; i < 1000; ++i) bell.push_back(golden(i));
  EXPECT_NEAR(*isj_bandwidth(bell, ones(1000)), 0.46845130604432506, solved);
  EXPECT_NEAR(*isj_bandwidth(bell, ones(1000)), 2 * 0.23400591547606772, 1e-3);
}

TEST(Isj, ScalesAndJoinsEqualPoints) {
  const Sample s = mixture();
  Sample other = s;
  for (double& x : other.positions) x = 1e6 + 1e-3 * x;
  // 1e6 leaves 1e-10 of a point, in units of their bandwidth 1e-6.
  EXPECT_NEAR(*isj_bandwidth(other.positions, s.weights) / *isj_bandwidth(s.positions, s.weights), 1e-3, 1e-8);
  Sample twice = s;
  twice.positions.insert(twice.positions.end(), s.positions.begin(), s.positions.end());
  EXPECT_NEAR(*isj_bandwidth(twice.positions, ones(2000)), *isj_bandwidth(s.positions, s.weights), solved);
  const Bandwidth plane = improved_sheather_jones(slanted());
  EXPECT_FALSE(plane.slanted());
  EXPECT_NEAR(plane.get(0, 0), 0.46845130604432506, solved);
}

TEST(Rules, PeriodicPointsAreUnrolledAroundTheirMean) {
  Sample s = mixture();
  for (double& x : s.positions) x = 0.04 * x;  // within half a period of 1
  const Cell cell{{1, 0, 0}};
  Sample cut = s;  // the same on the circle, over its seam
  for (double& x : cut.positions) x = fraction(x);
  EXPECT_NEAR(silverman(cut, cell).get(0, 0), silverman(s).get(0, 0), printed);
  EXPECT_GT(silverman(cut).get(0, 0), 1.5 * silverman(s).get(0, 0));
  EXPECT_NEAR(improved_sheather_jones(cut, cell).get(0, 0), improved_sheather_jones(s).get(0, 0), 1e-5);
}

TEST(Rules, OnTheSphere) {
  // (8 sinh^2 k / (k ((1 + 4 k^2) sinh 2k - 2 k cosh 2k) n))^(1/6) by mpmath, where coth k - 1/k is the mean's length.
  EXPECT_NEAR(concentration(0.31303528549933146), 1, printed);
  EXPECT_NEAR(concentration(0.9666666666666667), 30, 1e-10);
  EXPECT_NEAR(concentration(0.0033333111113194036), 0.01, 1e-12);
  EXPECT_NEAR(concentration(3.3333331884932704e-05), 1e-4, 1e-11);
  const auto rule = [](double resultant) {  // two points whose mean has this length, weighing as 1,000
    Sample s{3, {}, ones(1000)};
    const double side = std::sqrt(1 - resultant * resultant);
    for (int i = 0; i < 1000; ++i) s.positions.insert(s.positions.end(), {i % 2 ? side : -side, 0, resultant});
    return sphere_rule(s);
  };
  EXPECT_NEAR(rule(0.31303528549933146), 0.3183712075384874, 1e-10);
  EXPECT_NEAR(rule(0.9666666666666667), 0.05789425481770865, 1e-10);
  EXPECT_NEAR(rule(0.0033333111113194036), 1.5704055885216408, 1e-6);
  EXPECT_EQ(rule(3e-5), 2);
}

TEST(Rules, RefuseWhatHasNoBandwidth) {
  const Sample one{2, {1, 2}, {1}}, line{2, {0, 0, 1, 1, 2, 2}, ones(3)}, equal{1, {3, 3, 3}, ones(3)};
  for (const Sample& flat : {one, line, equal}) {
    expect_error(ErrorCode::input, "no rule finds a bandwidth", [&] { scott(flat); });
    expect_error(ErrorCode::input, "no rule finds a bandwidth", [&] { silverman(flat); });
  }
  expect_error(ErrorCode::input, "isj finds no bandwidth along x", [&] { improved_sheather_jones(equal); });
  expect_error(ErrorCode::input, "isj finds no bandwidth along x", [&] { improved_sheather_jones(one); });
  expect_error(ErrorCode::input, "no rule", [] { sphere_rule({3, {1, 0, 0, 1, 0, 0}, ones(2)}); });
}

}  // namespace
}  // namespace farfield::density::testing
