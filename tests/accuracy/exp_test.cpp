// e^x and 1 - e^-x of vectors against long double, in units in the last place. Built once per instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "backends/cpu/runtime/simd.hpp"
#include "core/exponential_integral.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

using namespace cpu::FARFIELD_ISA;

bool machine_has_this() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

template <class Real>
Real exp_of(Real x) {
  return exp(broadcast(x))[lanes<Real> - 1];
}

template <class Real>
long double ulps(Real x) {
  const long double exact = std::exp(static_cast<long double>(x));
  const Real nearest = static_cast<Real>(exact);
  return std::fabs(exp_of(x) - exact) / (std::nextafter(nearest, Real(INFINITY)) - nearest);
}

template <class Real>
void expect_within(Real low, Real high, long double most) {
  Stream random(7);
  long double worst = 0;
  for (int i = 0; i < 400'000; ++i) {
    const double x = i % 2 ? random.between(low, high) : -std::pow(10.0, random.between(-20, 2.8));
    if (x > low) worst = std::max(worst, ulps(static_cast<Real>(x)));
  }
  EXPECT_LE(worst, most);
  std::printf("largest error %.3Lf units in the last place\n", worst);
}

TEST(Exp, IsRightToAUnitInTheLastPlace) {
  if (!machine_has_this()) GTEST_SKIP() << "this machine does not offer the instruction set";
  expect_within<double>(-707.9, 709, 1.1L);
  expect_within<float>(-86.9f, 88, 1.1L);
}

TEST(Exp, EndsInZero) {
  if (!machine_has_this()) GTEST_SKIP() << "this machine does not offer the instruction set";
  EXPECT_EQ(exp_of(0.0), 1);
  EXPECT_EQ(exp_of(0.0f), 1);
  for (const double x : {-709.0, -1e4, -1e300, -static_cast<double>(INFINITY)}) EXPECT_EQ(exp_of(x), 0) << x;
  for (const float x : {-88.0f, -1e4f, -3e38f, -INFINITY}) EXPECT_EQ(exp_of(x), 0) << x;
}

template <class Real>
void expect_complement_within(long double most) {
  Stream random(11);
  long double worst = 0;
  for (int i = 0; i < 400'000; ++i) {
    const Real x = static_cast<Real>(i % 2 ? random.between(0, 50) : std::pow(10.0, random.between(-20, 2)));
    const long double exact = -std::expm1(-static_cast<long double>(x));
    const Real nearest = static_cast<Real>(exact), found = one_minus_exp(broadcast(x))[lanes<Real> - 1];
    worst = std::max(worst, std::fabs(found - exact) / (std::nextafter(nearest, Real(INFINITY)) - nearest));
  }
  EXPECT_LE(worst, most);
  std::printf("largest error %.3Lf units in the last place\n", worst);
}

TEST(OneMinusExp, IsRightToTwoUnitsInTheLastPlace) {
  if (!machine_has_this()) GTEST_SKIP() << "this machine does not offer the instruction set";
  expect_complement_within<double>(2);
  expect_complement_within<float>(2);
  EXPECT_EQ(one_minus_exp(broadcast(0.0))[0], 0);
  EXPECT_EQ(one_minus_exp(broadcast(static_cast<double>(INFINITY)))[0], 1);
  EXPECT_EQ(one_minus_exp(broadcast(INFINITY))[0], 1);
}

/// E1(x) + log min(x, 1) is of the order of 1: its absolute error counts.
template <class Real>
void expect_integral_within(long double most) {
  Stream random(7);
  long double worst = 0;
  const auto check = [&](Real x) {
    const long double y = x, exact = y < 1e-9L ? y - std::numbers::egamma_v<long double>
                                               : -std::expint(-y) + std::log(std::min(y, 1.0L));
    worst = std::max(worst, std::fabs(exponential_integral(broadcast(x))[lanes<Real> - 1] - exact));
  };
  for (int i = 0; i < 100'000; ++i)
    check(static_cast<Real>(i % 2 ? random.between(0, 45) : std::pow(10.0, random.between(-20, 1))));
  for (const Real x : {Real(0), Real(1), std::nextafter(Real(1), Real(0))}) check(x);
  EXPECT_LE(worst, most);
  std::printf("largest error %.2Le\n", worst);
  EXPECT_EQ(exponential_integral(broadcast(std::numeric_limits<Real>::infinity()))[0], 0);
}

TEST(ExponentialIntegral, IsRightToTheLastDigits) {
  if (!machine_has_this()) GTEST_SKIP() << "this machine does not offer the instruction set";
  expect_integral_within<double>(3e-16L);
  expect_integral_within<float>(2e-7L);
}

}  // namespace
}  // namespace farfield::testing
