// The same input gives the same bits: for any number of threads, again on one plan, and after a journey.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

using Bits = std::pair<std::uint64_t, std::uint64_t>;

Bits bits_of(const Result<double>& r) { return {hash_of(r.potential), hash_of(r.gradient)}; }

Options options_for(Precision precision, int threads) {
  Options o = fmm_options(precision == Precision::single_ ? 1e-4 : 1e-6, precision);
  o.threads = threads;
  return o;
}

class SameBits : public ::testing::TestWithParam<Kind> {};

TEST_P(SameBits, ForAnyNumberOfThreads) {
  const Cloud cloud = make_cloud(GetParam(), 100'000, Signs::mixed);
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    const Bits one = bits_of(make_plan(cloud, options_for(precision, 1)).evaluate(cloud.strengths));
    for (const int threads : {2, 3, 7})
      EXPECT_EQ(bits_of(make_plan(cloud, options_for(precision, threads)).evaluate(cloud.strengths)), one)
          << threads << " threads";
  }
}

TEST_P(SameBits, WhenEvaluatedAgain) {
  const Cloud cloud = make_cloud(GetParam(), 20'000, Signs::mixed),
              other = make_cloud(GetParam(), 20'000, Signs::positive);
  Plan plan = make_plan(cloud, options_for(Precision::double_, 3));
  const Bits first = bits_of(plan.evaluate(cloud.strengths));
  plan.evaluate(other.strengths);
  EXPECT_EQ(bits_of(plan.evaluate(cloud.strengths)), first);
}

TEST_P(SameBits, WhenMovedThereAndBack) {
  const Cloud here = make_cloud(GetParam(), 20'000, Signs::mixed, 1),
              there = make_cloud(Kind::sphere, 7'000, Signs::mixed, 2);
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    Plan plan = make_plan(here, options_for(precision, 3));
    const Bits first = bits_of(plan.evaluate(here.strengths));
    plan.move(points(there.sources));
    plan.evaluate(there.strengths);
    plan.move(points(here.sources));
    EXPECT_EQ(bits_of(plan.evaluate(here.strengths)), first);
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, SameBits, ::testing::Values(Kind::uniform, Kind::plummer),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing
