// Twenty seeds: the promise does not hang on one lucky set of numbers, and no source is lost or counted twice.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

constexpr std::int64_t count = 10'000, samples = 1'000;
constexpr std::uint64_t seeds = 20;

class Seeds : public ::testing::TestWithParam<Kind> {};

TEST_P(Seeds, AllKeepThePromise) {
  print_header("seeds");
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    expect_promise(make_cloud(GetParam(), count, Signs::mixed, seed), fmm_options(1e-5), samples);
}

TEST_P(Seeds, AllCountExactly) {
  const std::vector<double> ones(count, 1.0);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Cloud cloud = make_cloud(GetParam(), count, Signs::mixed, seed);
    Options o = fmm_options(1e-5);
    o.gradient = false;
    o.kernel = Kernel::count;
    o.leaf_size = 20;
    EXPECT_EQ(make_plan(cloud, o).evaluate(ones).potential, std::vector<double>(count, count)) << cloud.label;
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, Seeds, ::testing::Values(Kind::uniform, Kind::plummer),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing
