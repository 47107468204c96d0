// Not wasteful: what is delivered is of the order of what was asked and paid for.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

class Waste : public ::testing::TestWithParam<Kind> {};

TEST_P(Waste, IsSmallOverNineDecades) {
  const Cloud cloud = make_cloud(GetParam(), 100'000, Signs::mixed);
  const std::vector<double> tolerances = decades(first_waste_decade, last_waste_decade);
  print_header("waste");
  double logarithms = 0;
  for (const double t : tolerances) logarithms += std::log(t / expect_promise(cloud, fmm_options(t)).worst());
  const double mean = std::exp(logarithms / static_cast<double>(tolerances.size()));
  std::printf("# geometric mean of tolerance / error: %.2f, at most %.1f\n", mean, waste_limit);
  EXPECT_LE(mean, waste_limit);
}

INSTANTIATE_TEST_SUITE_P(Clouds, Waste, ::testing::Values(Kind::uniform, Kind::plummer),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing
