// Hessians and dipoles at the boundary: what is asked for, what is handed over, what is refused.
#include <farfield/farfield.h>

#include <functional>
#include <limits>

#include "support/measure.hpp"
#include "support/moments.hpp"

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
}

TEST_F(Derivatives, AreReported) {
  Options o = with(true, true);
  const Report report = make_plan(cloud, o).report();
  EXPECT_TRUE(report.hessian && report.gradient && report.dipoles);
  EXPECT_FALSE(make_plan(cloud, {}).report().hessian || make_plan(cloud, {}).report().dipoles);
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

/// Sums of several densities with dipoles, fast and with all results asked for.
class Sums : public ::testing::Test {
 protected:
  static constexpr std::int64_t n = 1'500, m = 700, vectors = 3;
  const Cloud cloud_ = make_cloud(Kind::uniform, n, Signs::mixed);
  const std::vector<double> targets_ = make_cloud(Kind::uniform, m, Signs::mixed, 5).sources;
  std::vector<double> charges_ = random(vectors * n, 1), dipoles_ = random(3 * vectors * n, 2);

  static std::vector<double> random(std::int64_t numbers, std::uint64_t seed) {
    Stream stream(seed);
    std::vector<double> values(static_cast<std::size_t>(numbers));
    for (double& value : values) value = stream.between(-0.5, 0.5);
    return values;
  }
  static Options options(Method method = Method::fmm) {
    Options o;
    o.tolerance = 1e-5, o.hessian = o.dipoles = true, o.method = method, o.precision = Precision::double_;
    return o;
  }
  Strengths all() const { return with_dipoles(strengths(charges_, n, vectors), dipoles_); }
  Strengths density(std::int64_t v) const {
    return with_dipoles(strengths(charges_.data() + v * n, n), dipoles_.data() + 3 * v * n);
  }
  Plan alike() const { return Plan(points(cloud_.sources), options()); }
};

void expect_equal(const Result<double>& a, const Result<double>& b) {
  EXPECT_EQ(a.potential, b.potential);
  EXPECT_EQ(a.gradient, b.gradient);
  EXPECT_EQ(a.hessian, b.hessian);
}

std::vector<double> piece(const std::vector<double>& values, std::int64_t index, std::int64_t size) {
  return {values.begin() + index * size, values.begin() + (index + 1) * size};
}

/// Errors relative to the oracle at the first targets; of a density.
TEST_F(Sums, KeepTheTolerance) {
  for (const Method method : {Method::fmm, Method::direct}) {
    Options o = options(method);
    o.at_sources = true;
    const Result<double> r = Plan(points(cloud_.sources), points(targets_), o).evaluate<double>(all());
    ASSERT_EQ(r.hessian.size(), 6u * vectors * m);
    ASSERT_EQ(r.source_hessian.size(), 6u * vectors * n);
    for (std::int64_t v = 0; v < vectors; ++v) {
      const MomentSources sources{cloud_.sources, piece(charges_, v, n), piece(dipoles_, v, 3 * n)};
      const auto judge = [&](const std::vector<double>& at, std::int64_t places, const std::vector<double>& computed,
                             std::size_t first, std::size_t width) {
        long double squares = 0, exact = 0;
        const auto begin = static_cast<std::size_t>(v * places) * width;
        for (std::size_t i = 0; i < 100; ++i) {
          const MomentSum sum = moments_at(sources, &at[3 * i]);
          for (std::size_t k = 0; k < width; ++k) {
            const long double difference = computed[begin + width * i + k] - sum.part[first + k];
            squares += difference * difference, exact += sum.part[first + k] * sum.part[first + k];
          }
        }
        EXPECT_LE(std::sqrt(squares / exact), o.tolerance) << "density " << v << ", from part " << first;
      };
      judge(targets_, m, r.potential, 0, 1), judge(cloud_.sources, n, r.source_potential, 0, 1);
      judge(targets_, m, r.gradient, 1, 3), judge(cloud_.sources, n, r.source_gradient, 1, 3);
      judge(targets_, m, r.hessian, 4, 6), judge(cloud_.sources, n, r.source_hessian, 4, 6);
    }
  }
}

TEST_F(Sums, OfSeveralDensitiesEqualThoseOfOne) {
  Plan plan = alike();
  const Result<double> together = plan.evaluate<double>(all());
  for (std::int64_t v = 0; v < vectors; ++v) {
    const Result<double> one = plan.evaluate<double>(density(v));
    EXPECT_EQ(one.potential, piece(together.potential, v, n)) << v;
    EXPECT_EQ(one.gradient, piece(together.gradient, v, 3 * n)) << v;
    EXPECT_EQ(one.hessian, piece(together.hessian, v, 6 * n)) << v;
  }
}

/// A charge so small beside the others that it vanishes in single makes its density be summed again in double.
TEST_F(Sums, SummedAgainAreOfTheirOwnDipoles) {
  Options o = options();
  o.tolerance = 1e-4, o.precision = Precision::automatic;
  charges_[n] = 1e-45;
  Plan plan(points(cloud_.sources), o);
  const Result<double> together = plan.evaluate<double>(all()), one = plan.evaluate<double>(density(1));
  const auto again = [](const Choice& choice) { return choice.name == "evaluated again"; };
  EXPECT_TRUE(std::any_of(together.report.choices.begin(), together.report.choices.end(), again));
  EXPECT_EQ(one.potential, piece(together.potential, 1, n));
  EXPECT_EQ(one.hessian, piece(together.hessian, 1, 6 * n));
}

TEST_F(Sums, StridedDipolesEqualPacked) {
  const std::int64_t stride = 5, pitch = stride * n + 7;
  std::vector<double> wide(static_cast<std::size_t>(vectors * pitch), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t a = 0; a < 3; ++a)
        wide[static_cast<std::size_t>(v * pitch + i * stride + a)] =
            dipoles_[static_cast<std::size_t>(3 * (v * n + i) + a)];
  Strengths s = all();
  s.dipoles = wide.data(), s.dipole_stride = stride, s.dipole_pitch = pitch;
  Plan plan = alike();
  expect_equal(plan.evaluate<double>(s), plan.evaluate<double>(all()));
}

TEST_F(Sums, DipolesAloneEqualChargesOfZero) {
  Plan plan = alike();
  const std::vector<double> zeros(static_cast<std::size_t>(vectors * n));
  expect_equal(plan.evaluate<double>(dipoles(dipoles_.data(), n, vectors)),
               plan.evaluate<double>(with_dipoles(strengths(zeros, n, vectors), dipoles_)));
}

TEST_F(Sums, InFloatAreTheRoundedOnes) {
  Plan plan = alike();
  const Result<double> wide = plan.evaluate<double>(density(0));
  const Result<float> narrow = plan.evaluate<float>(density(0));
  EXPECT_EQ(narrow.hessian, std::vector<float>(wide.hessian.begin(), wide.hessian.end()));
  EXPECT_EQ(narrow.gradient, std::vector<float>(wide.gradient.begin(), wide.gradient.end()));
}

TEST_F(Sums, PartsMayBeUnwanted) {
  Plan plan = alike();
  const Result<double> whole = plan.evaluate<double>(all());
  std::vector<double> h(whole.hessian.size());
  Outputs outputs;
  outputs.source_hessian = h.data();  // the targets are the sources
  plan.evaluate(all(), outputs);
  EXPECT_EQ(h, whole.hessian);
}

TEST_F(Sums, OneShotNeedsNoWordOfDipoles) {
  Options o = options();
  o.dipoles = false;
  Plan plan = alike(), apart(points(cloud_.sources), points(targets_), options()),
       direct(points(cloud_.sources), points(targets_), options(Method::direct));
  expect_equal(evaluate<double>(points(cloud_.sources), all(), o), plan.evaluate<double>(all()));
  expect_equal(evaluate<double>(points(cloud_.sources), all(), points(targets_), o), apart.evaluate<double>(all()));
  expect_equal(direct_sum<double>(points(cloud_.sources), all(), points(targets_), o), direct.evaluate<double>(all()));
}

TEST_F(Sums, InC) {
  farfield_options options;
  farfield_options_init(&options);
  options.tolerance = 1e-5, options.hessian = options.dipoles = 1, options.check = 100;
  options.method = FARFIELD_METHOD_FMM, options.precision = FARFIELD_PRECISION_DOUBLE;
  farfield_plan* plan = nullptr;
  const farfield_points p = farfield_points_f64(cloud_.sources.data(), n);
  ASSERT_EQ(farfield_plan_create(&plan, &p, nullptr, &options), FARFIELD_OK) << farfield_last_error();
  farfield_strengths q = farfield_strengths_f64(charges_.data(), n);
  q.vectors = vectors, q.dipoles = dipoles_.data();
  std::vector<double> h(6 * vectors * n);
  farfield_outputs out = farfield_outputs_f64(nullptr, nullptr);
  out.hessian = h.data();
  double error = 0;
  EXPECT_EQ(farfield_plan_measured_hessian_error(plan, &error), FARFIELD_USAGE);
  ASSERT_EQ(farfield_plan_evaluate(plan, &q, &out), FARFIELD_OK) << farfield_last_error();
  EXPECT_EQ(h, alike().evaluate<double>(all()).hessian);
  EXPECT_EQ(farfield_plan_measured_hessian_error(plan, nullptr), FARFIELD_INPUT);
  ASSERT_EQ(farfield_plan_measured_hessian_error(plan, &error), FARFIELD_OK);
  EXPECT_GT(error, 0);
  EXPECT_LE(error, options.tolerance);
  farfield_plan_destroy(plan);
}

TEST_F(Sums, FirstBadDipoleIsNamed) {
  Plan plan = alike();
  dipoles_[static_cast<std::size_t>(3 * n + 3 * 17 + 2)] = std::numeric_limits<double>::quiet_NaN();
  expect_refusal(ErrorCode::input, "dipole 17 of vector 1", [&] { plan.evaluate<double>(all()); });
}

}  // namespace
}  // namespace farfield::testing
