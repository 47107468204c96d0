// Count before you compute: with the kernel that is 1 for all pairs every target holds exactly N, through the
// production tree, lists and m2l, so each source reaches each target exactly once.
#include <tuple>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

struct Variant {
  M2l m2l;
  Stencil stencil;
  Precision precision;
};
constexpr Variant variants[] = {{M2l::dense, Stencil::full, Precision::double_},
                                {M2l::dense, Stencil::reduced, Precision::single_},
                                {M2l::rotation, Stencil::full, Precision::single_},
                                {M2l::rotation, Stencil::reduced, Precision::double_}};

Options count_options(const Variant& v, std::int64_t leaf_size, int degree) {
  Options o;
  o.kernel = Kernel::count;
  o.method = Method::fmm;
  o.m2l = v.m2l;
  o.stencil = v.stencil;
  o.precision = v.precision;
  o.tolerance = 1e-2;  // any that single reaches; the counting kernel is exact
  o.leaf_size = leaf_size;
  o.degree = degree;  // decides from how many points on m2p and p2l serve instead of p2p
  return o;
}

Report expect_exact_count(const Cloud& cloud, const Options& o) {
  const std::vector<double> ones(cloud.strengths.size(), 1.0);
  const Result<double> r = make_plan(cloud, o).evaluate(ones);
  std::int64_t wrong = 0;
  for (const double u : r.potential) wrong += u != static_cast<double>(cloud.count());
  EXPECT_EQ(wrong, 0) << cloud.label << ", m2l " << r.report.m2l << ", stencil " << r.report.stencil << ", "
                      << r.report.precision << ", leaf size " << o.leaf_size;
  EXPECT_EQ(r.potential.size() * 3, cloud.where().size());
  return r.report;
}

/// Kinds whose density varies so much that leaves of very different levels meet.
bool is_uneven(Kind kind) { return kind == Kind::plummer; }

class Count : public ::testing::TestWithParam<Kind> {};

TEST_P(Count, IsExactForEveryScheme) {
  const Cloud cloud = make_cloud(GetParam(), 20'000, Signs::positive);
  for (const Variant& v : variants)
    for (const std::int64_t leaf_size : {8, 40, 0}) {
      const Report r = expect_exact_count(cloud, count_options(v, leaf_size, -1));
      if (leaf_size == 8) {
        EXPECT_GE(r.levels, 4) << cloud.label;
      }
    }
}

/// Degree 0 lowers the thresholds, so that m2p and p2l take even the smallest boxes.
TEST_P(Count, IsExactThroughM2pAndP2l) {
  const Cloud cloud = make_cloud(GetParam(), 20'000, Signs::positive);
  for (const Variant& v : variants) {
    const Report r = expect_exact_count(cloud, count_options(v, 12, 0));
    if (!is_uneven(GetParam())) continue;
    EXPECT_GT(r.m2p_boxes, 0) << cloud.label;
    EXPECT_GT(r.p2l_boxes, 0) << cloud.label;
  }
}

TEST_P(Count, IsExactInUniformTreesOfGivenDepth) {
  const Cloud cloud = make_cloud(GetParam(), 5'000, Signs::positive);
  for (const int depth : {0, 1, 2, 4}) {
    Options o = count_options(variants[0], 0, -1);
    o.depth = depth;
    const Report r = expect_exact_count(cloud, o);
    if (depth == 4) {
      EXPECT_GE(r.levels, 4) << cloud.label;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, Count, ::testing::ValuesIn(all_kinds),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(CountOfFewTargets, IsExactForAnyRatioOfTargetsToSources) {
  for (const std::size_t targets : {1u, 17u, 300u}) {
    Cloud cloud = make_cloud(Kind::apart, 5'000, Signs::positive);
    cloud.targets.resize(3 * targets);
    for (const Variant& v : variants) expect_exact_count(cloud, count_options(v, 10, -1));
  }
}

}  // namespace
}  // namespace farfield::testing
