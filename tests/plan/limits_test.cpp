// Legal and awkward: few points, coincident points, points on faces of boxes, extents of 1e-30 and 1e+30, an outlier.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

constexpr double tolerance = 1e-6;

class Limits : public ::testing::TestWithParam<Method> {
 protected:
  Options options() const {
    Options o = fmm_options(tolerance, Precision::double_);
    o.method = GetParam();
    return o;
  }
  Outcome expect_right(const Cloud& c) const {
    const Outcome o = measure(c, options());
    EXPECT_LE(o.potential, slack * tolerance) << c.label;
    EXPECT_LE(o.gradient, slack * tolerance) << c.label;
    return o;
  }
};

template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

void expect_all(const std::vector<double>& values, double expected) {
  for (const double v : values) EXPECT_EQ(v, expected);
}

TEST_P(Limits, NoPoints) {
  const std::vector<double> none;
  const Result<double> r = Plan(points(none), options()).evaluate(none);
  EXPECT_TRUE(r.potential.empty());
  EXPECT_TRUE(r.gradient.empty());
}

TEST_P(Limits, NoSourcesButTargets) {
  const std::vector<double> none;
  const Cloud c = make_cloud(Kind::uniform, 100, Signs::mixed);
  const Result<double> r = Plan(points(none), points(c.sources), options()).evaluate(none);
  EXPECT_EQ(r.potential, std::vector<double>(100, 0.0));
  EXPECT_EQ(r.gradient, std::vector<double>(300, 0.0));
}

TEST_P(Limits, NoTargetsButSources) {
  const std::vector<double> none;
  const Cloud c = make_cloud(Kind::uniform, 100, Signs::mixed);
  EXPECT_TRUE(Plan(points(c.sources), points(none), options()).evaluate(c.strengths).potential.empty());
  Options both = options();
  both.at_sources = true;
  const Result<double> r = Plan(points(c.sources), points(none), both).evaluate(c.strengths);
  EXPECT_TRUE(r.potential.empty());
  EXPECT_EQ(r.source_potential.size(), 100u);
}

TEST_P(Limits, OnePoint) {
  const Result<double> r = Plan(points(std::vector<double>{3, 4, 5}), options()).evaluate(std::vector<double>{2});
  EXPECT_EQ(r.potential, std::vector<double>{0});
  EXPECT_EQ(r.gradient, std::vector<double>(3, 0));
}

TEST_P(Limits, TwoPoints) {
  const std::vector<double> xyz{0, 0, 0, 2, 0, 0}, q{1, 3};
  const Result<double> r = Plan(points(xyz), options()).evaluate(q);
  // a pair has as many bits as the tolerance needs
  EXPECT_NEAR(r.potential[0], 1.5, 1.5 * options().tolerance);
  EXPECT_NEAR(r.potential[1], 0.5, 0.5 * options().tolerance);
  EXPECT_NEAR(r.gradient[0], 0.75, 0.75 * options().tolerance);
  EXPECT_NEAR(r.gradient[3], -0.25, 0.25 * options().tolerance);
}

TEST_P(Limits, OneSourceManyTargets) {
  Cloud c = make_cloud(Kind::outside, 2'000, Signs::positive);
  c.label += "/one source";
  c.sources.resize(3), c.strengths.resize(1);
  expect_right(c);
}

TEST_P(Limits, AllPointsEqual) {
  for (const std::int64_t n : {2, 50, 3'000}) {
    std::vector<double> xyz;
    for (std::int64_t i = 0; i < n; ++i) xyz.insert(xyz.end(), {0.1, -7.3, 1e5});
    const Result<double> r =
        Plan(points(xyz), options()).evaluate(std::vector<double>(static_cast<std::size_t>(n), 1.0));
    expect_all(r.potential, 0);
    expect_all(r.gradient, 0);
  }
}

TEST_P(Limits, TenThousandCoincidentPointsAndOthers) {
  Cloud c = make_cloud(Kind::uniform, 15'000, Signs::mixed);
  c.label += "/coincident";
  for (std::size_t i = 0; i < 30'000; ++i) c.sources[i] = 0.3;
  expect_right(c);
}

/// Points at one place say nothing to each other; summed all the same, the pairs of these would take ten seconds.
TEST_P(Limits, HeapsAreNotSummed) {
  if (GetParam() == Method::direct) GTEST_SKIP() << "sums all pairs, as asked";
  constexpr std::size_t first = 40'000, both = 70'000;
  Cloud c = make_cloud(Kind::uniform, both + 3'000, Signs::mixed);
  c.label += "/heaps";
  for (std::size_t i = 0; i < 3 * both; ++i) c.sources[i] = i < 3 * first ? 0.3 : 0.7;
  const Report r = expect_right(c).report;
  if (r.backend == "cpu") {
    EXPECT_LT(r.near_pairs, 1'000'000'000) << "2,500,000,000 within the heaps";
    EXPECT_LT(r.far_fraction, 0.6) << "expansions do not carry them either";
  }
}

/// The counting kernel counts them all, and targets apart at the same place hear nothing.
TEST_P(Limits, HeapsOfOtherKinds) {
  const std::vector<double> q(2'000, 1.0);
  std::vector<double> xyz(6'000, 0.25);
  Options count = options();
  count.kernel = Kernel::count, count.gradient = false;
  expect_all(Plan(points(xyz), count).evaluate(q).potential, 2'000);
  expect_all(Plan(points(xyz), points(xyz), options()).evaluate(q).potential, 0);
  xyz[0] = 1.25;  // 1 from 1999 others
  const Result<double> r = Plan(points(xyz), points(xyz), options()).evaluate(q);
  EXPECT_NEAR(r.potential[0], 1'999, 1'999 * tolerance);
  EXPECT_NEAR(r.potential[1'000], 1, tolerance);
}

TEST_P(Limits, TargetsOnSources) {
  Cloud c = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  c.label += "/targets on sources";
  c.targets = c.sources;
  expect_right(c);
}

TEST_P(Limits, PointsOnFacesOfBoxes) {
  Cloud c = make_cloud(Kind::lattice, 17 * 17 * 17, Signs::mixed);
  c.label += "/dyadic";
  for (double& x : c.sources) x = x / 16 - 0.5;  // 0, 1/16, ..., 1: every plane between boxes of levels 1 to 4
  expect_right(c);
}

TEST_P(Limits, ExtentsOfAllMagnitudes) {
  for (const double extent : {1e-30, 1e30}) {
    Cloud c = make_cloud(Kind::plummer, 3'000, Signs::mixed);
    c.label.append("/extent ").append(std::to_string(std::log10(extent)));
    for (double& x : c.sources) x *= extent;
    expect_right(c);
  }
}

TEST_P(Limits, StrengthsOfAllMagnitudes) {
  for (const double size : {1e-200, 1e200}) {
    Cloud c = make_cloud(Kind::uniform, 3'000, Signs::mixed);
    c.label.append("/strengths ").append(std::to_string(std::log10(size)));
    for (double& q : c.strengths) q *= size;
    expect_right(c);
  }
}

/// Beside an outlier's 1e55 all others vanish in single, and carry the sum all the same.
TEST_P(Limits, StrengthsThatSingleCannotHold) {
  Cloud c = make_cloud(Kind::uniform, 3'000, Signs::positive);
  c.label += "/an outlier's strength";
  for (std::size_t a = 0; a < 3; ++a) c.sources[a] = 1e60;
  c.strengths[0] = 1e55;
  Options single = options();
  single.precision = Precision::single_;
  const Outcome o = measure(c, single);
  EXPECT_LE(o.potential, slack * tolerance);
  EXPECT_LE(o.gradient, slack * tolerance);
  EXPECT_EQ(o.report.precision, "double");
}

TEST_P(Limits, CoordinatesLostBesideTheExtent) {
  Cloud c = make_cloud(Kind::uniform, 100, Signs::mixed);
  c.sources[3 * 17 + 1] = 1e-311;
  EXPECT_TRUE(make_plan(c, options()).evaluate(c.strengths).report.warnings.empty());
  for (std::size_t a = 0; a < 3; ++a) c.sources[a] = 1e60;
  EXPECT_EQ(refusal([&] { make_plan(c, options()); }).find("source 17: coordinate y is 1e-311, whose digits are lost"),
            0u);
}

/// The largest strength coincides with all targets, so that what the others give is 1e-220 of what it could: squares of
/// that underflow, and with them every estimate and measurement of the error.
TEST_P(Limits, TheLargestStrengthReachesNoTarget) {
  const std::vector<double> sources = {0.5, 0.5, 0.5, 0.5, 0, 0, 2, 8, 2, 2, 8, 2, 0.6, 0.4, 0.5},
                            strengths = {4e257, 1e18, 3.5e38, -112, 1e-290};
  std::vector<double> targets;
  for (int i = 0; i < 7; ++i) targets.insert(targets.end(), {0.5, 0.5, 0.5});
  Options o = options();
  o.tolerance = 1e-3, o.check = 7;
  if (GetParam() == Method::fmm) o.leaf_size = 1;
  const Result<double> r = Plan(points(sources), points(targets), o).evaluate(strengths);
  const double d[3] = {-1.5, -7.5, -1.5}, r2 = 60.75, u = 3.5e38 / std::sqrt(r2);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(r.potential[i], u, 1e-3 * u);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(r.gradient[3 * i + a], -u / r2 * d[a], 1e-3 * u / std::sqrt(r2));
  }
  EXPECT_LE(r.report.error->gradient, 1e-3);
}

TEST_P(Limits, StrengthsOfZero) {
  const Cloud c = make_cloud(Kind::uniform, 2'000, Signs::mixed);
  const Result<double> r = make_plan(c, options()).evaluate(std::vector<double>(2'000, 0.0));
  expect_all(r.potential, 0);
  expect_all(r.gradient, 0);
}

TEST_P(Limits, FlatAndThinSets) {
  for (const std::size_t kept : {1u, 2u}) {
    Cloud c = make_cloud(Kind::uniform, 3'000, Signs::mixed);
    c.label.append("/axes ").append(std::to_string(kept));
    for (std::size_t i = 0; i < c.sources.size(); ++i)
      if (i % 3 >= kept) c.sources[i] = 0.7;
    expect_right(c);
  }
}

/// Faces of boxes fall elsewhere once the cube is another: 1.3 times the pairs on the CPU, while leaves of one level
/// more or less would have 8. A tree that ended above the cluster would leave 7 times as many: all of them.
constexpr std::int64_t times_the_pairs = 4;

/// Thinner than the least number that has an inverse: what divides by the range of a leaf must not invert it first.
TEST_P(Limits, SetsThinnerThanAnyInverse) {
  Cloud c = make_cloud(Kind::uniform, 5'000, Signs::mixed);
  c.label = "a film of 2e-308";
  for (std::size_t i = 0; i < c.sources.size(); i += 3)
    for (std::size_t axis = 0; axis < 3; ++axis)
      c.sources[i + axis] = axis == 0 ? 2.3e-308 * (1 + std::fabs(c.sources[i])) : 0.3 * c.sources[i + axis];
  expect_right(c);
}

/// It costs levels, each of at most 8 boxes, and hardly a pair.
TEST_P(Limits, OneFarOutlier) {
  Cloud near = make_cloud(Kind::uniform, 10'000, Signs::mixed), far = near;
  far.label += "/outlier";
  for (std::size_t a = 0; a < 3; ++a) far.sources[a] = 1e12;
  const Report without = make_plan(near, options()).evaluate(near.strengths).report, with = expect_right(far).report;
  // leaves are chosen for each set, by a processor's costs: one point more may make them a little smaller
  EXPECT_LE(with.boxes, without.boxes + without.boxes / 4 + 8 * (with.levels - without.levels));
  EXPECT_LE(with.near_pairs, times_the_pairs * without.near_pairs);
}

std::string name_of(const ::testing::TestParamInfo<Method>& info) {
  return info.param == Method::fmm ? "fmm" : info.param == Method::direct ? "direct" : "automatic";
}

INSTANTIATE_TEST_SUITE_P(Methods, Limits, ::testing::Values(Method::fmm, Method::direct, Method::automatic), name_of);

}  // namespace
}  // namespace farfield::testing
