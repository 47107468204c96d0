// A plan over several devices: the bits of one plan on a device. One GPU that serves several ranks is enough; where
// there are more, all of them sum together, too.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "distributed/shares.hpp"
#include "distributed/whole.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

using distributed::DevicesPlan;

class CudaDevices : public GpuTest {
 protected:
  static Options options_of(Precision precision, int degree) {
    Options o = fmm_of_degree(degree);
    o.backend = Backend::cuda, o.precision = precision;
    return o;
  }
};

TEST_F(CudaDevices, HaveTheBitsOfOnePlan) {
  expect_as_one_plan<double>(plummer(20'000), nullptr, 1, options_of(Precision::double_, 7), {1, 2, 3});
  expect_as_one_plan<float>(sphere(20'000), nullptr, 1, options_of(Precision::single_, 4), {2, 3});
}

TEST_F(CudaDevices, WriteSeveralVectorsWhereTheyBelong) {
  const std::vector<double> targets = uniform(2'003);
  Options o = options_of(Precision::double_, 5);
  expect_as_one_plan<double>(plummer(9'001), nullptr, 3, o, {2, 3});
  expect_as_one_plan<float>(plummer(9'001), &targets, 3, o, {2, 3});
  o.at_sources = true;
  expect_as_one_plan<double>(plummer(9'001), &targets, 3, o, {2, 3});
  o.method = Method::direct, o.degree = -1;
  expect_as_one_plan<double>(plummer(501), &targets, 2, o, {2});
}

TEST_F(CudaDevices, AreMeantWhereNoBackendIsNamed) {
  const std::vector<double> x = plummer(20'000), q = strengths_for(20'000, fresh_seed());
  Options o = options_of(Precision::double_, 5);
  Plan one(points(x), o);
  o.backend = Backend::automatic;
  DevicesPlan plan(points(x), {0, 0}, o);
  EXPECT_EQ(plan.report().plan.backend, "cuda");
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, false) ==
              Everything<double>::of(one, strengths(q), o, false));
}

TEST_F(CudaDevices, MoveAndNameTheCallersIndex) {
  std::vector<double> x = plummer(20'000);
  const std::vector<double> there = uniform(24'001), q = strengths_for(24'001, fresh_seed());
  const Options o = options_of(Precision::double_, 5);
  DevicesPlan plan(points(x), {0, 0}, o);
  plan.move(points(there));
  Plan one(points(there), o);
  const auto expected = Everything<double>::of(one, strengths(q), o, false);
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, false) == expected);
  x[3 * 15'000] = std::numeric_limits<double>::quiet_NaN();
  try {
    plan.move(points(x));
    FAIL() << "a point that is nan was taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("source 15000: coordinate x is nan", 0), 0u) << error.what();
  }
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, false) == expected);
}

TEST_F(CudaDevices, AllOfTheMachineSumTogether) {
  std::vector<int> all(devices().size());
  if (all.size() < 2) GTEST_SKIP() << "there is one CUDA device";
  std::iota(all.begin(), all.end(), 0);
  const std::vector<double> x = plummer(100'000), q = strengths_for(100'000, fresh_seed());
  const Options o = options_of(Precision::single_, 4);
  Plan one(points(x), o);
  DevicesPlan plan(points(x), all, o);
  EXPECT_TRUE(Everything<float>::of(plan, strengths(q), o, false) ==
              Everything<float>::of(one, strengths(q), o, false));
}

}  // namespace
}  // namespace farfield::testing
