// The promise: error <= tolerance, for potential and gradient, on every cloud, in both precisions.
// FARFIELD_TEST_FULL=1 runs the complete cross product at N = 1e5 too (tens of minutes).
#include <cstdlib>
#include <tuple>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

bool everything() { return std::getenv("FARFIELD_TEST_FULL") != nullptr; }

/// Four per decade where it costs little and the cloud is the usual one; a reduced list at 1e5, where the test of
/// waste adds each decade on two clouds.
std::vector<double> tolerances_for(Kind kind, std::int64_t n, Signs signs) {
  if (n == 10'000 && kind == Kind::uniform) return decades(first_decade, last_decade, 4);
  if (n <= 10'000 || everything()) return decades(first_decade, last_decade);
  return signs == Signs::mixed ? std::vector{1e-3, 1e-6, 1e-9, 1e-12} : std::vector{1e-5, 1e-10};
}

/// Single precision from 1e-2 down to the tolerance that it names as its last.
std::vector<double> single_tolerances(const Cloud& cloud) {
  const double last = reachable(cloud, Precision::single_);
  std::vector<double> all;
  for (const double t : decades(first_decade, last_decade))
    if (t > last) all.push_back(t);
  all.push_back(last);
  if (cloud.count() > 10'000 && !everything()) all = {1e-3, last};
  return all;
}

class Promise : public ::testing::TestWithParam<std::tuple<Kind, std::int64_t>> {
 protected:
  Kind kind() const { return std::get<0>(GetParam()); }
  std::int64_t count() const { return std::get<1>(GetParam()); }
};

TEST_P(Promise, IsKept) {
  print_header("promise");
  for (const Signs signs : {Signs::mixed, Signs::positive}) {
    const Cloud cloud = make_cloud(kind(), count(), signs);
    for (const double t : tolerances_for(kind(), count(), signs))
      expect_promise(cloud, fmm_options(t, Precision::double_));
    for (const double t : single_tolerances(cloud)) expect_promise(cloud, fmm_options(t, Precision::single_));
  }
}

std::string name_of(const ::testing::TestParamInfo<Promise::ParamType>& info) {
  return std::string(name(std::get<0>(info.param))) + "_" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Clouds, Promise,
                         ::testing::Combine(::testing::ValuesIn(all_kinds),
                                            ::testing::Values<std::int64_t>(1'000, 10'000, 100'000)),
                         name_of);

}  // namespace
}  // namespace farfield::testing
