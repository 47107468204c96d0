// e^x and 1 - e^-x of vectors against long double, in units in the last place, at every level of SIMD.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "exp_at_level.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

struct Level {
  const char* name;
  bool offered;
  const ExpAtLevel* functions;
};

const Level levels[] = {
    {"baseline", true, &baseline::exp_at_level},
#if defined(__x86_64__)
    {"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), &avx2::exp_at_level},
    {"avx512", __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"), &avx512::exp_at_level},
#endif
};

class ExpOfVectors : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    if (!GetParam().offered) GTEST_SKIP() << "this machine does not offer the instruction set";
  }
  const ExpFunctions<double>& doubles() const { return GetParam().functions->doubles; }
  const ExpFunctions<float>& singles() const { return GetParam().functions->singles; }
};

INSTANTIATE_TEST_SUITE_P(Simd, ExpOfVectors, ::testing::ValuesIn(levels), [](const auto& level) { return level.param.name; });

template <class Real>
long double in_last_places(Real found, long double exact) {
  const Real nearest = static_cast<Real>(exact);
  return std::fabs(found - exact) / (std::nextafter(nearest, Real(INFINITY)) - nearest);
}

template <class Real>
void expect_exp_within(const ExpFunctions<Real>& level, Real low, Real high, long double most) {
  Stream random(7);
  long double worst = 0;
  for (int i = 0; i < 400'000; ++i) {
    const double drawn = i % 2 ? random.between(low, high) : -std::pow(10.0, random.between(-20, 2.8));
    const Real x = static_cast<Real>(drawn);
    if (drawn > low) worst = std::max(worst, in_last_places(level.exp(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, most);
  std::printf("largest error %.3Lf units in the last place\n", worst);
}

TEST_P(ExpOfVectors, IsRightToAUnitInTheLastPlace) {
  expect_exp_within<double>(doubles(), -707.9, 709, 1.1L);
  expect_exp_within<float>(singles(), -86.9f, 88, 1.1L);
}

TEST_P(ExpOfVectors, EndsInZero) {
  EXPECT_EQ(doubles().exp(0), 1);
  EXPECT_EQ(singles().exp(0), 1);
  for (const double x : {-709.0, -1e4, -1e300, -static_cast<double>(INFINITY)}) EXPECT_EQ(doubles().exp(x), 0) << x;
  for (const float x : {-88.0f, -1e4f, -3e38f, -INFINITY}) EXPECT_EQ(singles().exp(x), 0) << x;
}

template <class Real>
void expect_complement_within(const ExpFunctions<Real>& level, long double most) {
  Stream random(11);
  long double worst = 0;
  for (int i = 0; i < 400'000; ++i) {
    const Real x = static_cast<Real>(i % 2 ? random.between(0, 50) : std::pow(10.0, random.between(-20, 2)));
    worst = std::max(worst, in_last_places(level.one_minus_exp(x), -std::expm1(-static_cast<long double>(x))));
  }
  EXPECT_LE(worst, most);
  EXPECT_EQ(level.one_minus_exp(std::numeric_limits<Real>::infinity()), 1);
  std::printf("largest error %.3Lf units in the last place\n", worst);
}

TEST_P(ExpOfVectors, TakenFromOneIsRightToTwoUnitsInTheLastPlace) {
  expect_complement_within<double>(doubles(), 2);
  expect_complement_within<float>(singles(), 2);
  EXPECT_EQ(doubles().one_minus_exp(0), 0);
}

/// E1(x) + log min(x, 1) is of the order of 1: its absolute error counts.
template <class Real>
void expect_integral_within(const ExpFunctions<Real>& level, long double most) {
  Stream random(7);
  long double worst = 0;
  const auto check = [&](Real x) {
    const long double y = x, exact = y < 1e-9L ? y - std::numbers::egamma_v<long double>
                                               : -std::expint(-y) + std::log(std::min(y, 1.0L));
    worst = std::max(worst, std::fabs(level.exponential_integral(x) - exact));
  };
  for (int i = 0; i < 100'000; ++i)
    check(static_cast<Real>(i % 2 ? random.between(0, 45) : std::pow(10.0, random.between(-20, 1))));
  for (const Real x : {Real(0), Real(1), std::nextafter(Real(1), Real(0))}) check(x);
  EXPECT_LE(worst, most);
  std::printf("largest error %.2Le\n", worst);
  EXPECT_EQ(level.exponential_integral(std::numeric_limits<Real>::infinity()), 0);
}

TEST_P(ExpOfVectors, MakeTheExponentialIntegralRightToTheLastDigits) {
  expect_integral_within<double>(doubles(), 3e-16L);
  expect_integral_within<float>(singles(), 2e-7L);
}

}  // namespace
}  // namespace farfield::testing
