#include "backends/cpu/transfer/survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <farfield/error.hpp>
#include <limits>

#include "tree/clouds.hpp"

namespace farfield::cpu {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string input_error(const Points& sources, const Points* targets = nullptr, int threads = 2) {
  try {
    survey(sources, targets, threads);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::input);
    return e.what();
  }
  return "no error";
}

/// Points of any stride and layout, float or double, are read alike: what a survey finds does not depend on it.
TEST(Survey, ReadsEveryLayout) {
  constexpr std::int64_t count = 1'543;  // not a whole number of what is read side by side
  std::vector<double> numbers(5 * count + 5);
  std::uint32_t state = 2'463'534'242;
  std::printf("seed %u\n", state);
  for (double& x : numbers) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    x = static_cast<double>(state >> 8) * 0x1p-20 - 3;  // floats hold it
  }
  const std::vector<float> floats(numbers.begin(), numbers.end());
  for (const std::int64_t stride : {1, 2, 3, 4, 5}) {
    const auto last = static_cast<std::size_t>(stride > 2 ? 2 : 0);
    const Points doubles{{&numbers[0], &numbers[1], &numbers[last]}, count, stride, Scalar::float64},
        singles{{&floats[0], &floats[1], &floats[last]}, count, stride, Scalar::float32};
    std::vector<double> copied;
    for (std::int64_t i = 0; i < count; ++i)
      for (const std::size_t d : {std::size_t(0), std::size_t(1), last})
        copied.push_back(numbers[static_cast<std::size_t>(i * stride) + d]);
    double low[3] = {inf, inf, inf}, high[3] = {-inf, -inf, -inf};
    for (std::size_t i = 0; i < copied.size(); ++i)
      low[i % 3] = std::min(low[i % 3], copied[i]), high[i % 3] = std::max(high[i % 3], copied[i]);
    const Geometry plain = survey(points(copied), nullptr, 1);
    for (const Points& given : {doubles, singles}) {
      const Geometry g = survey(given, nullptr, 2);
      for (int d = 0; d < 3; ++d) {
        EXPECT_EQ(g.low[d], low[d]) << stride;
        EXPECT_EQ(g.high[d], high[d]) << stride;
      }
      EXPECT_EQ(g.occupied, plain.occupied) << stride;
      EXPECT_EQ(g.occupied_coarse, plain.occupied_coarse) << stride;
      EXPECT_EQ(g.grid, plain.grid) << stride;
    }
  }
}

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

TEST(Survey, FindsTheBoxOfSourcesAndTargets) {
  const std::vector<double> s{1, 2, 3, -4, 5, 6}, t{0, 0, -7};
  const Points targets = points(t);
  const Geometry g = survey(points(s), &targets, 2);
  EXPECT_EQ(g.sources, 2);
  EXPECT_EQ(g.targets, 1);
  EXPECT_FALSE(g.alike);
  EXPECT_EQ(g.low[0], -4);
  EXPECT_EQ(g.high[1], 5);
  EXPECT_EQ(g.low[2], -7);
  EXPECT_EQ(g.exponent, -4);  // the largest side is 13
  EXPECT_EQ(g.extent, 13.0 / 16);
  EXPECT_EQ(g.largest, 7.0 / 16);
}

TEST(Survey, NamesTheFirstCoordinateThatIsNotFinite) {
  std::vector<double> x(300000, 0.5);
  x[3 * 70000 + 2] = inf;
  x[3 * 99999] = nan;
  EXPECT_TRUE(begins(input_error(points(x)), "source 70000: coordinate z is inf; "));
  x[3 * 17 + 1] = nan;
  x[3 * 17 + 2] = -inf;
  for (const int threads : {1, 2, 3, 7})
    EXPECT_TRUE(begins(input_error(points(x), nullptr, threads), "source 17: coordinate y is nan; "));
  x[3 * 17 + 1] = 0;
  EXPECT_TRUE(begins(input_error(points(x)), "source 17: coordinate z is -inf; "));
  const std::vector<float> good(30), bad(30, std::numeric_limits<float>::infinity());
  const Points targets = points(bad);
  EXPECT_TRUE(begins(input_error(points(good), &targets), "target 0: coordinate x is inf; "));
}

TEST(Survey, NamesTheFirstCoordinateThatTheScalingWouldLose) {
  std::vector<double> x(3000, 0.5);
  x[3 * 17 + 2] = 1e-320;  // an extent of 1 keeps it
  EXPECT_EQ(input_error(points(x)), "no error");
  x[0] = 0x1p50;  // what is lost here is below 2^-1074
  EXPECT_EQ(input_error(points(x)), "no error");
  x[0] = 0x1p60;
  EXPECT_TRUE(begins(input_error(points(x)), "source 17: coordinate z is 1e-320, whose digits are lost beside"));
  x[3 * 17 + 2] = 0;
  EXPECT_EQ(input_error(points(x)), "no error");
  const std::vector<double> y{0, -1e-321, 0};
  const Points targets = points(y);
  EXPECT_TRUE(begins(input_error(points(x), &targets), "target 0: coordinate y is -9.98"));
}

TEST(Survey, RefusesNullPointersAndNegativeCounts) {
  const double x[3] = {};
  EXPECT_NE(input_error(points<double>(nullptr, 1)).find("null pointer"), std::string::npos);
  EXPECT_NE(input_error(points<double>(x, nullptr, x, 1)).find("coordinate y of the sources"), std::string::npos);
  EXPECT_NE(input_error(points(x, -1)).find("negative"), std::string::npos);
}

TEST(Survey, AcceptsNoPoints) {
  const Points none = points<double>(nullptr, 0);
  EXPECT_EQ(survey(none, nullptr, 2).sources, 0);
  const std::vector<double> one{3, 4, 5};
  const Geometry g = survey(none, nullptr, 2), h = survey(points(one), &none, 2);
  EXPECT_EQ(g.extent, 0);
  EXPECT_EQ(h.sources, 1);
  EXPECT_EQ(h.targets, 0);
  EXPECT_EQ(h.extent, 0);
  EXPECT_EQ(h.largest, 0.625);
}

TEST(Survey, ScalesAnyExtentIntoHalfToOne) {
  for (const double extent : {1e-300, 1e-30, 0.3, 1.0, 2.0, 1e30, 1e300, 5e-324, 1e-310, 1.7e308}) {
    const std::vector<double> x{0, 0, 0, extent, 0, extent / 3};
    const Geometry g = survey(points(x), nullptr, 1);
    EXPECT_GT(g.extent, 0.5) << extent;
    EXPECT_LE(g.extent, 1) << extent;
    EXPECT_EQ(std::ldexp(g.extent, -g.exponent), extent);
  }
  const std::vector<double> huge{-1.5e308, 0, 0, 1.7e308, 0, 0};  // the side itself overflows
  const Geometry g = survey(points(huge), nullptr, 1);
  EXPECT_GT(g.extent, 0.5);
  EXPECT_LE(g.extent, 1);
  const std::vector<double> mixed{0, 1e300, 0, 1e-300, 1e300, 0};
  EXPECT_TRUE(std::isfinite(survey(points(mixed), nullptr, 1).largest));
}

TEST(Survey, CountsOccupiedCells) {
  const auto cube = test::make_cloud(100000, 5, [](double* x, std::int64_t, const auto& u) {
    for (int d = 0; d < 3; ++d) x[d] = u();
  });
  const Geometry g = survey(points(cube), nullptr, 2);
  EXPECT_EQ(g.grid, 16);  // 24 points per cell; 32 would leave 3
  EXPECT_EQ(g.occupied, 4096);
  EXPECT_EQ(g.occupied_coarse, 512);
  const auto plane = test::make_cloud(100000, 5, [](double* x, std::int64_t, const auto& u) {
    x[0] = u();
    x[1] = u();
  });
  const Geometry p = survey(points(plane), nullptr, 3);
  EXPECT_EQ(p.grid, 64);
  EXPECT_EQ(p.occupied, 4096);
  EXPECT_EQ(p.occupied_coarse, 1024);
}

TEST(Survey, DoesNotDependOnThreadsStrideOrScalar) {
  const auto cloud = test::all_clouds()[2].make(70000, 3);
  std::vector<float> narrow(cloud.begin(), cloud.end());
  std::vector<double> padded(4 * 70000, nan);
  for (std::size_t i = 0; i < narrow.size(); ++i) padded[i / 3 * 4 + i % 3] = static_cast<double>(narrow[i]);
  const Geometry a = survey(points(narrow), nullptr, 1);
  for (const int threads : {2, 3, 7}) {
    const Geometry b = survey(points(padded.data(), 70000, 4), nullptr, threads);
    EXPECT_EQ(a.extent, b.extent);
    EXPECT_EQ(a.grid, b.grid);
    EXPECT_EQ(a.occupied, b.occupied);
    EXPECT_EQ(a.occupied_coarse, b.occupied_coarse);
  }
}

}  // namespace
}  // namespace farfield::cpu
