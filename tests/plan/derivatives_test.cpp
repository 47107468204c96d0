// Hessians and dipoles at the boundary: what is asked for, what is handed over, what is refused.
#include <farfield/farfield.h>

#include <functional>
#include <limits>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

constexpr std::int64_t count = 50;

void expect_refusal(ErrorCode code, const std::string& word, const std::function<void()>& work) {
  const std::string sentence = refusal(code, work);
  EXPECT_NE(sentence.find(word), std::string::npos) << "'" << sentence << "' should mention '" << word << "'";
}

class Derivatives : public ::testing::Test {
 protected:
  Cloud cloud = make_cloud(Kind::apart, count, Signs::mixed);
  std::vector<double> dipoles_ = std::vector<double>(3 * count, 1.0), u_ = std::vector<double>(count),
                      h_ = std::vector<double>(6 * count);
  static Options with(bool hessian, bool dipoles) {
    Options o;
    o.hessian = hessian, o.dipoles = dipoles;
    return o;
  }
  Strengths charged() const { return with_dipoles(strengths(cloud.strengths), dipoles_); }
};

TEST_F(Derivatives, ViewsOfDipoles) {
  const Strengths both = charged(), alone = dipoles(dipoles_);
  EXPECT_EQ(both.data, cloud.strengths.data());
  EXPECT_EQ(both.dipoles, dipoles_.data());
  EXPECT_EQ(alone.data, nullptr);
  EXPECT_EQ(alone.count, count);
  EXPECT_EQ(alone.dipole_stride, 3);
  expect_refusal(ErrorCode::input, "149 numbers",
                 [&] { with_dipoles(strengths(cloud.strengths), std::vector<double>(3 * count - 1)); });
  expect_refusal(ErrorCode::input, "149 numbers", [&] { dipoles(std::vector<double>(3 * count - 1)); });
  expect_refusal(ErrorCode::input, "different types",
                 [&] { with_dipoles(strengths(cloud.strengths), std::vector<float>(3 * count)); });
}

TEST_F(Derivatives, DipolesNeedTheOption) {
  Plan plan = make_plan(cloud, {});
  expect_refusal(ErrorCode::usage, "options.dipoles", [&] { plan.evaluate(charged(), {u_.data()}); });
  expect_refusal(ErrorCode::usage, "options.dipoles", [&] { plan.evaluate<double>(charged()); });
}

TEST_F(Derivatives, HessiansNeedTheOption) {
  Plan plan = make_plan(cloud, {});
  Outputs outputs;
  outputs.hessian = h_.data();
  expect_refusal(ErrorCode::usage, "options.hessian", [&] { plan.evaluate(strengths(cloud.strengths), outputs); });
  std::swap(outputs.hessian, outputs.source_hessian);
  expect_refusal(ErrorCode::usage, "options.hessian", [&] { plan.evaluate(strengths(cloud.strengths), outputs); });
}

TEST_F(Derivatives, HessiansAtTheSources) {
  Outputs outputs;
  outputs.source_hessian = h_.data();
  Plan apart = make_plan(cloud, with(true, false)), alike(points(cloud.sources), with(true, false));
  expect_refusal(ErrorCode::usage, "at_sources", [&] { apart.evaluate(strengths(cloud.strengths), outputs); });
  outputs.hessian = h_.data();
  expect_refusal(ErrorCode::usage, "same points", [&] { alike.evaluate(strengths(cloud.strengths), outputs); });
}

TEST_F(Derivatives, LayoutOfDipoles) {
  Plan plan = make_plan(cloud, with(false, true));
  const auto refuse = [&](const std::string& word, const std::function<void(Strengths&)>& spoil) {
    Strengths s = charged();
    spoil(s);
    expect_refusal(ErrorCode::input, word, [&] { plan.evaluate(s, {u_.data()}); });
  };
  for (const std::int64_t stride : {0, -3})
    refuse("stride of the dipoles", [&](Strengths& s) { s.dipole_stride = stride; });
  refuse("pitch of the dipoles", [](Strengths& s) { s.vectors = 2, s.dipole_pitch = -1; });
  for (const std::int64_t huge : {std::int64_t(1) << 62, std::numeric_limits<std::int64_t>::max()}) {
    refuse("dipoles with stride", [&](Strengths& s) { s.dipole_stride = huge; });
    refuse("dipoles with stride", [&](Strengths& s) { s.vectors = 2, s.dipole_pitch = huge; });
  }
  refuse("null", [](Strengths& s) { s.data = s.dipoles = nullptr; });
}

TEST_F(Derivatives, WhatIsNotOffered) {
  const auto refuse = [&](const std::string& word, const std::function<void(Options&)>& spoil) {
    for (const bool hessian : {true, false}) {
      Options o = with(hessian, !hessian);
      spoil(o);
      expect_refusal(ErrorCode::usage, word, [&] { make_plan(cloud, o); });
      expect_refusal(ErrorCode::usage, hessian ? "Hessians" : "dipoles", [&] { make_plan(cloud, o); });
    }
  };
  for (const Kernel kernel : {Kernel::count, Kernel::laplace2d, Kernel::vortex, Kernel::cauchy})
    refuse(std::string("kernel ") + word_of(kernel), [&](Options& o) { o.kernel = kernel; });
  refuse("laplace3d", [](Options& o) { o.kernel = Kernel::yukawa3d, o.kappa = 1; });
  refuse("laplace3d", [](Options& o) { o.kernel = Kernel::vortex, o.periodic = Axes::x, o.cell_x = 2; });
  refuse("treecode", [](Options& o) { o.method = Method::treecode; });
  refuse("method direct alone", [](Options& o) { o.method = Method::fmm, o.softening = 0.1; });
}

TEST_F(Derivatives, ReportsAndSizes) {
  Options o = with(true, true);
  o.at_sources = true, o.method = Method::direct;
  Plan plan(points(cloud.sources), points(std::vector<double>{}), o);
  EXPECT_TRUE(plan.report().hessian && plan.report().gradient && plan.report().dipoles);
  EXPECT_FALSE(make_plan(cloud, {}).report().hessian || make_plan(cloud, {}).report().dipoles);
  const Plan nothing(points(std::vector<double>{}), o);
  EXPECT_EQ(nothing.source_count(), 0);
}

TEST_F(Derivatives, FailsInCWithoutTheOptions) {
  farfield_plan* plan = nullptr;
  const farfield_points p = farfield_points_f64(cloud.sources.data(), count);
  ASSERT_EQ(farfield_plan_create(&plan, &p, nullptr, nullptr), FARFIELD_OK);
  farfield_strengths q = farfield_strengths_f64(cloud.strengths.data(), count);
  farfield_outputs out = farfield_outputs_f64(u_.data(), nullptr);
  double error = 0;
  EXPECT_EQ(farfield_plan_measured_hessian_error(plan, &error), FARFIELD_USAGE);
  q.dipoles = dipoles_.data();
  EXPECT_EQ(farfield_plan_evaluate(plan, &q, &out), FARFIELD_USAGE);
  q.dipoles = nullptr, out.hessian = h_.data();
  EXPECT_EQ(farfield_plan_evaluate(plan, &q, &out), FARFIELD_USAGE);
  EXPECT_NE(std::string(farfield_last_error()).find("options.hessian"), std::string::npos) << farfield_last_error();
  farfield_plan_destroy(plan);
}

}  // namespace
}  // namespace farfield::testing
