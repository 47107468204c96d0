// The same numbers in other clothes: layouts, scalars, several vectors, one-shot functions give the same results.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

constexpr std::int64_t count = 3'000;

Options small_options() {
  Options o = fmm_options(1e-6, Precision::double_);
  o.leaf_size = 30;
  return o;
}

void expect_same(const Result<double>& a, const Result<double>& b) {
  EXPECT_EQ(hash_of(a.potential), hash_of(b.potential));
  EXPECT_EQ(hash_of(a.gradient), hash_of(b.gradient));
}

std::vector<double> axis_of(const std::vector<double>& xyz, std::size_t axis) {
  std::vector<double> values;
  for (std::size_t i = axis; i < xyz.size(); i += 3) values.push_back(xyz[i]);
  return values;
}

template <class T>
std::vector<T> converted(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

TEST(Views, SeparateAxesEqualInterleaved) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  const std::vector<double> x = axis_of(c.sources, 0), y = axis_of(c.sources, 1), z = axis_of(c.sources, 2);
  const Points separate = points(x.data(), y.data(), z.data(), count);
  expect_same(evaluate<double>(separate, c.strengths, small_options()),
              evaluate<double>(points(c.sources), c.strengths, small_options()));
}

TEST(Views, StridedPointsEqualPacked) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  std::vector<double> records(7 * count, std::numeric_limits<double>::quiet_NaN());  // gaps must not be read
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < 3; ++a) records[7 * i + a] = c.sources[3 * i + a];
  expect_same(evaluate<double>(points(records.data(), count, 7), c.strengths, small_options()),
              evaluate<double>(points(c.sources), c.strengths, small_options()));
}

TEST(Views, StridedStrengthsEqualPacked) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  std::vector<double> wide(2 * 4 * count + 5, std::numeric_limits<double>::quiet_NaN());
  const std::int64_t pitch = 4 * count + 5;
  for (std::size_t v = 0; v < 2; ++v)
    for (std::size_t i = 0; i < count; ++i) wide[v * static_cast<std::size_t>(pitch) + 4 * i] = c.strengths[i];
  Plan plan(points(c.sources), small_options());
  std::vector<double> u(2 * count), g(6 * count);
  Strengths s = strengths(wide.data(), count, 2);
  s.stride = 4, s.pitch = pitch;
  plan.evaluate(s, {u.data(), g.data(), nullptr, nullptr, Scalar::float64});
  const Result<double> packed = plan.evaluate(c.strengths);
  EXPECT_TRUE(std::equal(packed.potential.begin(), packed.potential.end(), u.begin()));
  EXPECT_TRUE(std::equal(packed.potential.begin(), packed.potential.end(), u.begin() + count));
  EXPECT_TRUE(std::equal(packed.gradient.begin(), packed.gradient.end(), g.begin() + 3 * count));
}

TEST(Views, FloatInputEqualsDoubleInputOfTheSameNumbers) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  const auto xyz = converted<float>(c.sources), q = converted<float>(c.strengths);
  const std::vector<double> same_xyz(xyz.begin(), xyz.end()), same_q(q.begin(), q.end());
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    Options o = small_options();
    o.tolerance = 1e-4, o.precision = precision;
    std::vector<double> u(count), g(3 * count);
    Plan(points(xyz), o).evaluate(strengths(q), {u.data(), g.data(), nullptr, nullptr, Scalar::float64});
    const Result<double> expected = evaluate<double>(points(same_xyz), same_q, o);
    EXPECT_EQ(u, expected.potential);
    EXPECT_EQ(g, expected.gradient);
  }
}

TEST(Views, FloatOutputIsTheRoundedDoubleOutput) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  Plan plan(points(c.sources), small_options());
  const Result<double> wide = plan.evaluate(c.strengths);
  std::vector<float> u(count), g(3 * count);
  plan.evaluate(strengths(c.strengths), {u.data(), g.data(), nullptr, nullptr, Scalar::float32});
  EXPECT_EQ(u, converted<float>(wide.potential));
  EXPECT_EQ(g, converted<float>(wide.gradient));
}

TEST(Views, SeveralVectorsEqualSingleCalls) {
  for (const Kind kind : {Kind::plummer, Kind::apart}) {
    std::vector<double> all, u, g;
    const Cloud c = make_cloud(kind, count, Signs::mixed);
    Plan plan = make_plan(c, small_options());
    for (const Signs signs : {Signs::mixed, Signs::positive, Signs::mixed}) {
      const Cloud strengths_of = make_cloud(kind, count, signs, 7 + all.size());
      all.insert(all.end(), strengths_of.strengths.begin(), strengths_of.strengths.end());
      const Result<double> one = plan.evaluate(strengths_of.strengths);
      u.insert(u.end(), one.potential.begin(), one.potential.end());
      g.insert(g.end(), one.gradient.begin(), one.gradient.end());
    }
    const Result<double> together = plan.evaluate(all);
    EXPECT_EQ(together.potential, u);
    EXPECT_EQ(together.gradient, g);
    EXPECT_EQ(together.report.vectors, 3);
  }
}

TEST(Views, OneVectorLargerByFarDoesNotSpoilTheOthers) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  std::vector<double> both = c.strengths;
  for (const double q : c.strengths) both.push_back(std::ldexp(q, 400));
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    Options o = small_options();
    o.tolerance = 1e-4, o.precision = precision;
    Result<double> r = make_plan(c, o).evaluate(both);
    r.potential.resize(count), r.gradient.resize(3 * count);
    EXPECT_LE(judge(c, r).worst(), slack * o.tolerance) << r.report.precision;
  }
}

TEST(Views, ResultsAtSourcesComeBesideTargets) {
  const Cloud c = make_cloud(Kind::apart, count, Signs::mixed), alike{c.label + "/alike", c.sources, {}, c.strengths};
  Options o = small_options();
  o.at_sources = true;
  const Result<double> r = make_plan(c, o).evaluate(c.strengths);
  EXPECT_LE(judge(c, r).worst(), slack * o.tolerance);
  EXPECT_LE(judge(alike, Result<double>{r.source_potential, r.source_gradient, {}, {}, r.report}).worst(),
            slack * o.tolerance);
}

TEST(Views, PartsOfTheOutputMayBeUnwanted) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  Plan plan(points(c.sources), small_options());
  const Result<double> all = plan.evaluate(c.strengths);
  std::vector<double> g(3 * count), u(count);
  plan.evaluate(strengths(c.strengths), {nullptr, g.data(), nullptr, nullptr, Scalar::float64});
  plan.evaluate(strengths(c.strengths), {u.data(), nullptr, nullptr, nullptr, Scalar::float64});
  EXPECT_EQ(g, all.gradient);
  EXPECT_EQ(u, all.potential);
}

TEST(OneShot, EqualsPlanAndEvaluate) {
  const Cloud alike = make_cloud(Kind::plummer, count, Signs::mixed),
              apart = make_cloud(Kind::apart, count, Signs::mixed);
  expect_same(evaluate<double>(points(alike.sources), alike.strengths, small_options()),
              make_plan(alike, small_options()).evaluate(alike.strengths));
  expect_same(evaluate<double>(points(apart.sources), apart.strengths, points(apart.targets), small_options()),
              make_plan(apart, small_options()).evaluate(apart.strengths));
}

template <class T>
void expect_direct_sum(const Cloud& c) {
  Options o;
  o.gradient = true;
  const std::vector<T> q = converted<T>(c.strengths);
  Cloud rounded = c;
  rounded.label += "/rounded strengths";
  rounded.strengths.assign(q.begin(), q.end());
  const Result<T> r = direct_sum<T>(points(c.sources), std::span<const T>(q), points(c.where()), o);
  const Exact& truth = exact(rounded);
  const auto relative = [](const auto& computed, const auto& exact_values, const auto& magnitude, std::size_t width) {
    long double error = 0, all = 0;
    for (std::size_t i = 0; i < computed.size(); ++i) error += std::pow(computed[i] - exact_values[i], 2.0L);
    for (std::size_t i = 0; i < computed.size() / width; ++i) all += magnitude[i] * magnitude[i];
    return static_cast<double>(std::sqrt(error / all));
  };
  const double bound = direct_rounding<T>(static_cast<double>(c.count()));
  EXPECT_LE(relative(r.potential, truth.potential, truth.potential_magnitude, 1), bound) << c.label;
  EXPECT_LE(relative(r.gradient, truth.gradient, truth.gradient_magnitude, 3), bound) << c.label;
}

TEST(DirectSum, IsExactUpToRounding) {
  for (const Kind kind : all_kinds) {
    expect_direct_sum<double>(make_cloud(kind, 1'000, Signs::mixed));
    expect_direct_sum<float>(make_cloud(kind, 1'000, Signs::mixed));
  }
}

TEST(Scale, MultipliesEverything) {
  const Cloud c = make_cloud(Kind::uniform, count, Signs::mixed);
  Options o = small_options();
  const Result<double> plain = make_plan(c, o).evaluate(c.strengths);
  o.scale = 0.25;  // a power of two: exact
  const Result<double> scaled = make_plan(c, o).evaluate(c.strengths);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(scaled.potential[i], 0.25 * plain.potential[i]);
  for (std::size_t i = 0; i < 3 * count; ++i) EXPECT_EQ(scaled.gradient[i], 0.25 * plain.gradient[i]);
  EXPECT_EQ(scaled.report.scale, 0.25);
  o.scale = 1 / (4 * std::numbers::pi);
  o.method = Method::direct;
  const Result<double> direct = make_plan(c, o).evaluate(c.strengths);
  for (std::size_t i = 0; i < count; i += 100)
    EXPECT_NEAR(direct.potential[i] / static_cast<double>(exact(c).potential[i]), o.scale,
                1e3 * direct_rounding<double>(count));  // single targets may cancel by some 1e3
}

}  // namespace
}  // namespace farfield::testing
