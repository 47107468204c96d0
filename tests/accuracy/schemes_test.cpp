// Every m2l scheme keeps the promise: dense and rotation, full and reduced stencil.
#include <tuple>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

using Scheme = std::tuple<M2l, Stencil, Kind>;
class Schemes : public ::testing::TestWithParam<Scheme> {};

/// Dense matrices grow as degree^4: hundreds of MB at the end, so only the uniform cloud goes there, in larger steps.
std::vector<double> tolerances_of(M2l m2l, Kind kind) {
  if (m2l == M2l::rotation) return decades(first_decade, last_decade);
  std::vector<double> all = decades(first_decade, 8);
  if (kind == Kind::uniform) all.insert(all.end(), {1e-10, 1e-12});
  return all;
}

TEST_P(Schemes, KeepThePromise) {
  const auto [m2l, stencil, kind] = GetParam();
  const Cloud cloud = make_cloud(kind, 10'000, Signs::mixed);
  print_header("schemes");
  for (const double t : tolerances_of(m2l, kind)) {
    Options o = fmm_options(t, Precision::double_);
    o.m2l = m2l;
    o.stencil = stencil;
    const Outcome outcome = expect_promise(cloud, o);
    EXPECT_EQ(outcome.report.m2l, m2l == M2l::dense ? "dense" : "rotation");
    EXPECT_EQ(outcome.report.stencil, stencil == Stencil::full ? "full" : "reduced");
  }
}

std::string name_of(const ::testing::TestParamInfo<Scheme>& info) {
  const auto [m2l, stencil, kind] = info.param;
  return std::string(m2l == M2l::dense ? "dense_" : "rotation_") + (stencil == Stencil::full ? "full_" : "reduced_") +
         name(kind);
}

INSTANTIATE_TEST_SUITE_P(All, Schemes,
                         ::testing::Combine(::testing::Values(M2l::dense, M2l::rotation),
                                            ::testing::Values(Stencil::full, Stencil::reduced),
                                            ::testing::Values(Kind::uniform, Kind::plummer, Kind::sphere)),
                         name_of);

/// Both schemes are the same mathematics: at one degree they differ by rounding, far below the truncation.
TEST(Schemes, DenseAndRotationAgree) {
  const Cloud cloud = make_cloud(Kind::uniform, 10'000, Signs::mixed);
  for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
    Options o = fmm_options(1e-6, Precision::double_);
    o.degree = 12;
    o.leaf_size = 100;
    o.stencil = stencil;
    o.m2l = M2l::dense;
    const Outcome dense = measure(cloud, o);
    o.m2l = M2l::rotation;
    const Outcome rotation = measure(cloud, o);
    const double rounding = direct_rounding<double>(10'000);
    EXPECT_NEAR(dense.potential, rotation.potential, rounding);
    EXPECT_NEAR(dense.gradient, rotation.gradient, rounding);
  }
}

}  // namespace
}  // namespace farfield::testing
