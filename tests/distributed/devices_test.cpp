// A plan over several devices, here over ranks of the CPU: the bits of one plan from the caller's whole arrays, and
// errors in the caller's words.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "distributed/shares.hpp"
#include "distributed/whole.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

using distributed::DevicesPlan;

const std::vector<int> some_ranks{1, 2, 3, 5};

TEST(DevicesPlan, HasTheBitsOfOnePlan) {
  expect_as_one_plan<double>(plummer(8'000), nullptr, 1, fmm_of_degree(6), some_ranks);
  expect_as_one_plan<float>(sphere(8'000), nullptr, 1, fmm_of_degree(4), some_ranks);
  Options single = fmm_of_degree(4);
  single.precision = Precision::single_;
  expect_as_one_plan<float>(uniform(8'000), nullptr, 1, single, some_ranks);
}

TEST(DevicesPlan, WritesSeveralVectorsWhereTheyBelong) {
  expect_as_one_plan<double>(plummer(4'001), nullptr, 3, fmm_of_degree(5), some_ranks);
  const std::vector<double> targets = uniform(1'003);
  Options o = fmm_of_degree(5);
  expect_as_one_plan<float>(sphere(4'001), &targets, 3, o, some_ranks);
  o.at_sources = true;
  expect_as_one_plan<double>(sphere(4'001), &targets, 3, o, some_ranks);
}

TEST(DevicesPlan, SumsAllPairsOfFewPoints) {
  Options o = fmm_of_degree(-1);
  o.method = Method::automatic;
  for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 40u}) {
    EXPECT_EQ(expect_as_one_plan<double>(uniform(n), nullptr, 2, o, some_ranks).method, "direct");
    const std::vector<double> targets = sphere(7);
    o.at_sources = !o.at_sources;
    expect_as_one_plan<double>(uniform(n), &targets, 2, o, some_ranks);
  }
}

/// Two vectors lose a strength in single and are summed again by themselves, into their own places.
TEST(DevicesPlan, RepeatsVectorsInTheirPlace) {
  Options o = fmm_of_degree(4);
  o.precision = Precision::single_;
  const std::vector<double> x = uniform(4'000), targets = sphere(300);
  Spaced q(4'000, 4, fresh_seed());
  q.at(1, 7) = q.at(3, 3'999) = 1e-45;
  EXPECT_TRUE(was_repeated(expect_as_one_plan<double>(x, nullptr, q, o, some_ranks)));
  o.at_sources = true;
  EXPECT_TRUE(was_repeated(expect_as_one_plan<double>(x, &targets, q, o, some_ranks)));
}

TEST(DevicesPlan, ReadsSeparateAndWideArrays) {
  const std::vector<double> x = plummer(3'000), q = strengths_for(3'000, fresh_seed());
  std::vector<float> wide(5 * 3'000), rounded(3 * 3'000);
  for (std::size_t i = 0; i < 3'000; ++i)
    for (std::size_t d = 0; d < 3; ++d) wide[5 * i + d] = rounded[3 * i + d] = static_cast<float>(x[3 * i + d]);
  const Options o = fmm_of_degree(5);
  Plan one(points(rounded), o);
  DevicesPlan plan(points(wide.data(), 3'000, 5), {0, 0, 0}, o);
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, false) ==
              Everything<double>::of(one, strengths(q), o, false));
}

TEST(DevicesPlan, OfThePlaneNeedsNoThirdCoordinate) {
  const std::vector<double> x = uniform(1'500), q = strengths_for(1'500, fresh_seed());
  Options o = fmm_of_degree(9);
  o.kernel = Kernel::laplace2d;
  const Points plane = points_in_plane(x.data(), 1'500);
  Plan one(plane, o);
  DevicesPlan plan(plane, {0, 0, 0}, o);
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, false) ==
              Everything<double>::of(one, strengths(q), o, false));
}

TEST(DevicesPlan, MovesToOtherPointsAndTargets) {
  const std::vector<double> here = uniform(5'000), there = plummer(6'003), targets = sphere(500);
  const std::vector<double> q = strengths_for(6'003, fresh_seed());
  const Options o = fmm_of_degree(5);
  DevicesPlan plan(points(here), {0, 0, 0}, o);
  plan.move(points(there));
  EXPECT_EQ(plan.source_count(), 6'003);
  Plan one(points(there), o);
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, false) ==
              Everything<double>::of(one, strengths(q), o, false));
  plan.move(points(there), points(targets));
  EXPECT_EQ(plan.target_count(), 500);
  Plan apart(points(there), points(targets), o);
  EXPECT_TRUE(Everything<double>::of(plan, strengths(q), o, true) ==
              Everything<double>::of(apart, strengths(q), o, true));
}

TEST(DevicesPlan, ForgetsWhatEvaluationsNeeded) {
  const std::vector<double> x = uniform(3'000);
  std::vector<double> q = strengths_for(3'000, fresh_seed());
  q[7] = 1e-45;  // single loses it
  Options o = fmm_of_degree(4);
  o.precision = Precision::single_;
  DevicesPlan plan(points(x), {0, 0}, o);
  Everything<double>::of(plan, strengths(q), o, false);
  plan.move(points(x));
  EXPECT_EQ(plan.report().plan.precision, "double") << "kept";
  plan.forget();
  plan.move(points(x));
  EXPECT_EQ(plan.report().plan.precision, "single");
}

TEST(DevicesPlan, ReportsItsRanks) {
  const std::vector<double> x = plummer(10'001);
  const Options o = fmm_of_degree(5);
  DevicesPlan plan(points(x), {0, 0, 0, 0}, o);
  const std::vector<double> q(10'001, 1.0);
  Everything<double>::of(plan, strengths(q), o, false);
  const distributed::Report& report = plan.report();
  ASSERT_EQ(report.ranks.size(), 4u);
  std::int64_t given = 0, owned = 0;
  for (const distributed::RankReport& rank : report.ranks) given += rank.given, owned += rank.owned;
  EXPECT_EQ(given, 10'001);
  EXPECT_EQ(owned, 10'001);
  EXPECT_EQ(report.ranks[3].given, 2'501) << "[r n / k, (r + 1) n / k)";
  EXPECT_EQ(report.plan.sources, 10'001);
}

/// The numbers are those of the caller's arrays, not of a rank's part; the plan goes on as it was.
TEST(DevicesPlan, NamesTheCallersIndex) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Options o = fmm_of_degree(5);
  std::vector<double> x = uniform(3'000), targets = sphere(900);
  Spaced q(3'000, 2, fresh_seed());
  DevicesPlan plan(points(x), points(targets), {0, 0, 0}, o);
  const auto before = Everything<double>::of(plan, q.view(), o, true);
  std::vector<double> bad = x;
  bad[3 * 1'717 + 1] = nan;
  const std::string source = "source 1717: coordinate y is nan; every coordinate must be a finite number";
  EXPECT_EQ(refusal(ErrorCode::input, [&] { DevicesPlan(points(bad), {0, 0, 0}, o); }), source);
  EXPECT_EQ(refusal(ErrorCode::input, [&] { plan.move(points(bad)); }), source);
  EXPECT_TRUE(Everything<double>::of(plan, q.view(), o, true) == before);
  bad = targets, bad[3 * 899] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(ErrorCode::input, [&] { plan.move(points(x), points(bad)); }),
            "target 899: coordinate x is -inf; every coordinate must be a finite number");
  const double whole = q.at(1, 2'999);
  q.at(1, 2'999) = nan;
  EXPECT_EQ(refusal(ErrorCode::input, [&] { Everything<double>::of(plan, q.view(), o, true); }),
            "strength 2999 of vector 1 is not finite; remove or replace it");
  q.at(1, 2'999) = whole;
  EXPECT_TRUE(Everything<double>::of(plan, q.view(), o, true) == before);
}

TEST(DevicesPlan, RefusesInOneSentence) {
  const std::vector<double> x = uniform(100), q(99, 1.0);
  const Options o = fmm_of_degree(5);
  EXPECT_EQ(refusal(ErrorCode::usage, [&] { DevicesPlan(points(x), {}, o); }),
            "no devices were named; pass the number of at least one, as 0 and 1");
  EXPECT_EQ(refusal(ErrorCode::device,
                    [&] {
                      DevicesPlan(points(x), {0, -1}, o);
                    }),
            "there is no device -1; devices are numbered from 0");
  DevicesPlan plan(points(x), {0, 0}, o);
  EXPECT_EQ(refusal(ErrorCode::input, [&] { plan.evaluate(strengths(q), {}); }),
            "99 strengths were given for 100 sources; pass one per source");
  Points lying = points(x);
  lying.space = MemorySpace::device;
  EXPECT_EQ(refusal(ErrorCode::device, [&] { plan.move(lying); }),
            "sources are in device memory, but a plan over several devices reads and writes host memory; copy them "
            "there, or make a plan on one device");
  Points backwards = points(x);
  backwards.stride = 0;
  refusal(ErrorCode::input, [&] { plan.move(backwards); });
  Points without = points(x);
  without.axis[2] = nullptr;
  EXPECT_EQ(refusal(ErrorCode::input, [&] { plan.move(without); }), "coordinate z of the sources is a null pointer");
  Options rows = o;
  rows.kernel = Kernel::vortex, rows.periodic = Axes::x, rows.cell_x = 9;
  EXPECT_EQ(refusal(ErrorCode::usage,
                    [&] {
                      DevicesPlan(points(x), {0, 0}, rows);
                    }),
            "periodic axes of kernel vortex are not offered in a distributed plan of this version; use an ordinary "
            "plan");
  Options unknown = o;
  unknown.backend = static_cast<Backend>(77);
  refusal(ErrorCode::usage, [&] { DevicesPlan(points(x), {0, 0}, unknown); });
  Outputs hessian;
  std::vector<double> six(600);
  hessian.hessian = six.data();
  const std::vector<double> all(100, 1.0);
  refusal(ErrorCode::usage, [&] { plan.evaluate(strengths(all), hessian); });
}

/// Slices of lengths, dipoles and Hessians, of several vectors.
TEST(DevicesPlan, OfSoftenedPointsWithDipoles) {
  const std::vector<double> x = uniform(1'501), q = strengths_for(2 * 1'501, fresh_seed()),
                            p = strengths_for(6 * 1'501, fresh_seed() + 1), lengths(1'501, 1e-3);
  Options o = fmm_of_degree(5);
  o.dipoles = o.hessian = true;
  Points soft = points(x);
  soft.softening = lengths.data();
  const Strengths carried = with_dipoles(strengths(q, 1'501, 2), p);
  const auto found = [&](auto&& plan) {
    std::vector<double> all(2 * 10 * 1'501);
    Outputs outputs;
    outputs.potential = all.data(), outputs.gradient = all.data() + 2 * 1'501;
    outputs.hessian = all.data() + 2 * 4 * 1'501;
    plan.evaluate(carried, outputs);
    return all;
  };
  EXPECT_EQ(found(DevicesPlan(soft, {0, 0, 0}, o)), found(Plan(soft, o)));
}

TEST(DevicesPlan, OfDevicesThatThereAreNot) {
  const std::vector<double> x = uniform(100);
  const std::string said = refusal(ErrorCode::device, [&] { DevicesPlan(points(x), {0, 1'000'000}); });
  EXPECT_EQ(said.find("rank"), std::string::npos) << said;
}

TEST(DevicesPlan, SharesTheThreadsOfOnePlan) {
  const std::vector<double> x = uniform(2'000), q(2'000, 1.0);
  Options o = fmm_of_degree(5);
  o.threads = 0;
  DevicesPlan plan(points(x), {0, 0}, o);
  Everything<double>::of(plan, strengths(q), o, false);
  Plan one(points(x), o);
  EXPECT_EQ(plan.report().plan.threads, std::max(1, one.report().threads / 2));
}

TEST(DevicesPlan, ChangesItsPlace) {
  const std::vector<double> x = uniform(2'000), q(2'000, 1.0);
  const Options o = fmm_of_degree(5);
  DevicesPlan first(points(x), {0, 0}, o), second(points(x), {0}, o);
  const auto expected = Everything<double>::of(first, strengths(q), o, false);
  second = std::move(first);
  EXPECT_EQ(second.report().ranks.size(), 2u);
  DevicesPlan third(std::move(second));
  EXPECT_TRUE(Everything<double>::of(third, strengths(q), o, false) == expected);
}

}  // namespace
}  // namespace farfield::testing
