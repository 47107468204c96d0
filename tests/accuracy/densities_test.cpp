// Several vectors of strengths in one call: each gets the bits that it gets alone, though stages sum some of them
// together, and the plan holds no more than the bound says.
#include <farfield/farfield.hpp>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

/// Vectors of very different sizes, which must not touch each other.
std::vector<double> vectors_of(std::int64_t count, int vectors) {
  Stream random(16);
  std::vector<double> q;
  for (int v = 0; v < vectors; ++v)
    for (std::int64_t i = 0; i < count; ++i) q.push_back(std::ldexp(random.between(-1, 1), 40 * (v % 3)));
  return q;
}

template <class Real>
void expect_bits_of_each_alone(const Cloud& cloud, const Options& o, int vectors) {
  const std::vector<double> exact = vectors_of(cloud.count(), vectors);
  const std::vector<Real> q(exact.begin(), exact.end());
  Plan plan = make_plan(cloud, o);
  const Result<Real> all = plan.evaluate(std::span<const Real>(q));
  EXPECT_LE(all.report.memory_bytes,
            Plan::memory_bound(cloud.count(), cloud.apart() ? std::ssize(cloud.targets) / 3 : 0, o));
  const auto part_of = [&](const std::vector<Real>& results, int v) {
    const std::size_t each = results.size() / static_cast<std::size_t>(vectors),
                      first = each * static_cast<std::size_t>(v);
    return std::vector<Real>(results.begin() + static_cast<std::ptrdiff_t>(first),
                             results.begin() + static_cast<std::ptrdiff_t>(first + each));
  };
  for (int v = 0; v < vectors; ++v) {
    const std::span<const Real> alone(q.data() + v * cloud.count(), static_cast<std::size_t>(cloud.count()));
    const Result<Real> one = plan.evaluate(alone);
    EXPECT_TRUE(one.potential == part_of(all.potential, v)) << cloud.label << " vector " << v;
    EXPECT_TRUE(one.gradient == part_of(all.gradient, v)) << cloud.label << " vector " << v;
  }
}

class Densities : public ::testing::TestWithParam<Kind> {};

TEST_P(Densities, HaveTheBitsThatEachHasAlone) {
  const Cloud cloud = make_cloud(GetParam(), 6'000, Signs::mixed);
  for (const Precision precision : {Precision::double_, Precision::single_})
    for (const bool gradient : {false, true})
      for (const M2l m2l : {M2l::dense, M2l::rotation}) {
        Options o = fmm_options(1e-4, precision);
        o.gradient = gradient, o.m2l = m2l, o.threads = 2;
        expect_bits_of_each_alone<double>(cloud, o, 4);
        if (gradient) expect_bits_of_each_alone<float>(cloud, o, 7);
      }
}

TEST_P(Densities, OfDerivativesToo) {
  const Cloud cloud = make_cloud(GetParam(), 2'000, Signs::mixed);
  Options o = fmm_options(1e-4);
  o.hessian = true;
  expect_bits_of_each_alone<double>(cloud, o, 3);
}

/// Options::densities chooses another tree, whose results keep the promise, density for density.
TEST_P(Densities, ThatThePlanExpectsKeepThePromise) {
  const Cloud cloud = make_cloud(GetParam(), 20'000, Signs::mixed);
  Options o = fmm_options(1e-6, Precision::double_);
  o.gradient = true;
  const auto leaves = [&](int densities) {
    o.densities = densities;
    expect_promise(cloud, o, 300);
    return make_plan(cloud, o).report().leaves;
  };
  const std::int64_t of_one = leaves(1);
  const std::int64_t of_three = leaves(3);
  if (GetParam() == Kind::plummer || GetParam() == Kind::sphere) {  // elsewhere whole numbers of boxes hide it
    EXPECT_LT(of_three, of_one) << "the tree is the same, so nothing was tested";
  }
}

/// 1 is the default and says nothing; a function that sees three densities plans for three.
TEST(DensitiesThatThePlanExpects, AreCountedByOneShotFunctions) {
  const Cloud cloud = make_cloud(Kind::plummer, 20'000, Signs::mixed);
  const std::vector<double> q = vectors_of(cloud.count(), 3);
  Options o = fmm_options(1e-6, Precision::double_);
  o.gradient = true;
  const auto planned = [&](int densities) {
    Options own = o;
    own.densities = densities;
    return make_plan(cloud, own).evaluate(std::span<const double>(q));
  };
  const auto at_once = evaluate(points(cloud.sources), std::span<const double>(q), o);
  const auto as_view = evaluate<double>(points(cloud.sources), strengths(q, cloud.count(), 3), o);
  EXPECT_TRUE(at_once.gradient == planned(3).gradient);
  EXPECT_TRUE(as_view.gradient == planned(3).gradient);
  EXPECT_FALSE(at_once.gradient == planned(1).gradient);
  o.densities = 2;  // who names a number is heard
  EXPECT_TRUE(evaluate(points(cloud.sources), std::span<const double>(q), o).gradient == planned(2).gradient);
}

INSTANTIATE_TEST_SUITE_P(Clouds, Densities, ::testing::Values(Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing
