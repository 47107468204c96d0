// choose is a pure function: a table of questions and answers. Also the models behind it, and the memory bound.
#include "model/choose.hpp"

#include "backends/cpu/transfer/crowding.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "expansions/error_curve.hpp"
#include "model/cost_model.hpp"
#include "model/error_model.hpp"
#include "model/grid/choose.hpp"
#include "support/measure.hpp"
#include "tree/crowding.hpp"

namespace farfield::testing {
namespace {

/// A cube evenly filled with n points, as a survey reports it.
Geometry evenly_filled(std::int64_t n) {
  Geometry g;
  g.sources = g.targets = n;
  for (int d = 0; d < 3; ++d) g.high[d] = 1;
  g.extent = g.largest = 1;
  while (8 * g.occupied * 8 <= n && g.grid < 128) g.grid *= 2, g.occupied *= 8;
  g.occupied_coarse = std::max<std::int64_t>(1, g.occupied / 8);
  return g;
}

const Machine machine{Backend::cpu, Simd::avx2};

bool same(const Decision& a, const Decision& b) {
  return a.method == b.method && a.precision == b.precision && a.degree == b.degree && a.leaf_size == b.leaf_size &&
         a.root.m == b.root.m && a.root.k == b.root.k && a.rotation == b.rotation && a.reduced == b.reduced &&
         a.depth == b.depth;
}

struct Row {
  std::int64_t n;
  double tolerance;
  Method method;
  Precision precision;
};
constexpr Row table[] = {
    {1, 1e-6, Method::direct, Precision::double_},          {100, 1e-3, Method::direct, Precision::single_},
    {100, 1e-12, Method::direct, Precision::double_},       {100'000, 1e-3, Method::fmm, Precision::single_},
    {100'000, 1e-7, Method::fmm, Precision::double_},       {100'000, 1e-12, Method::fmm, Precision::double_},
    {10'000'000, 1e-2, Method::fmm, Precision::single_},    {10'000'000, 1e-9, Method::fmm, Precision::double_},
    {1'000'000'000, 1e-5, Method::fmm, Precision::single_},
};

TEST(Choose, AnswersTheTable) {
  for (const Row& row : table) {
    Options o;
    o.tolerance = row.tolerance;
    o.gradient = true;
    const Decision d = choose(o, evenly_filled(row.n), machine);
    EXPECT_STREQ(word_of(d.method), word_of(row.method)) << row.n << " points at " << row.tolerance;
    if (d.method == Method::fmm) {
      EXPECT_STREQ(word_of(d.precision), word_of(row.precision)) << row.n << " at " << row.tolerance;
    }
  }
}

/// Where nobody looks at how points crowd, to look would have changed nothing.
TEST(Choose, LeavesCrowdingOutOnlyWhereItDoesNotCount) {
  int left_out = 0, cases = 0;
  for (const Kind kind : all_kinds)
    for (const double bandwidth : {1e-4, 1e-3, 1e-2, 0.05, 0.2, 1.0})
      for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        const Cloud cloud = make_cloud(kind, 20'000, Signs::mixed);
        const Points points = farfield::points(cloud.sources);
        Options o;
        o.kernel = Kernel::gauss, o.bandwidth = bandwidth, o.tolerance = tolerance;
        Geometry g = cpu::survey(points, nullptr, 1);
        ++cases;
        if (!takes_no_pairs(begin_choice(o, g, machine), o, g)) continue;
        ++left_out;
        const Decision without = choose(o, g, machine);
        find_crowding(g, cpu::draw_points(points, g, 1 << 11), nullptr);
        const Decision with = choose(o, g, machine);
        EXPECT_STREQ(word_of(without.method), word_of(with.method)) << cloud.label << ", " << bandwidth;
        EXPECT_TRUE(same(without, with) && without.spacing == with.spacing && without.seconds == with.seconds)
            << cloud.label << ", " << bandwidth << ", " << tolerance;
      }
  EXPECT_GT(left_out, cases / 10);
  EXPECT_LT(left_out, cases);
}

/// Leaves grow where the boxes of the best ones would not fit, and only there.
TEST(Choose, FitsTheDevice) {
  Options o = fmm_options(1e-5, Precision::single_);
  o.degree = 5;
  constexpr std::int64_t memory = 150'000'000'000;
  const auto leaf = [&](std::int64_t n, std::int64_t bytes) {
    return choose(o, evenly_filled(n), {Backend::cuda, Simd::avx2, bytes}).leaf_size;
  };
  EXPECT_EQ(leaf(1 << 24, memory), leaf(1 << 24, 0));
  EXPECT_GT(leaf(1 << 30, memory), leaf(1 << 30, 0));
  EXPECT_GT(leaf(1 << 30, memory * 9 / 10), leaf(1 << 30, memory));
  EXPECT_LT(leaf(1 << 30, memory), 80);
}

/// What the cost model says of a plan, its tables and one evaluation.
double priced(const Decision& d) {
  return d.seconds + (d.method == Method::fmm ? 1e-9 * table_cost(d.degree, d.rotation) : 0);
}

/// Points on a surface, as a survey reports it.
Geometry surface(std::int64_t n) {
  Geometry g = evenly_filled(n);
  g.grid = 2, g.occupied = 4;
  while (4 * g.occupied * 8 <= n && g.grid < 128) g.grid *= 2, g.occupied *= 4;
  g.occupied_coarse = std::max<std::int64_t>(1, g.occupied / 4);
  return g;
}

constexpr std::int64_t counts[] = {500, 1'000, 2'000, 5'000, 10'000, 20'000, 50'000, 100'000, 1'000'000};

TEST(Choose, AskingLessNeverCostsMore) {
  for (const Simd simd : {Simd::baseline, Simd::avx2, Simd::avx512})
    for (const bool gradient : {false, true})
      for (const std::int64_t n : counts)
        for (const Geometry& g : {evenly_filled(n), surface(n)}) {
          double last = 0;
          for (const double t : decades(first_decade, last_decade, 3)) {
            Options o;
            o.tolerance = t, o.gradient = gradient;
            const double cost = priced(choose(o, g, {Backend::cpu, simd}));
            EXPECT_GE(cost, last) << n << " points, tolerance " << t << ", " << word_of(simd);
            last = cost;
          }
        }
}

/// The leaf is priced as it will be: a limit on leaves is part of the price, so that nothing that could be asked for
/// within that limit is cheaper, and a method is not taken for a price that it will not have.
TEST(Choose, TakesTheCheapestOfWhatCouldBeAskedFor) {
  for (const std::int64_t n : counts)
    for (const double t : {1e-2, 1e-4, 1e-6, 1e-9, 1e-12}) {
      Options o;
      o.tolerance = t, o.gradient = true;
      const Decision decision = choose(o, evenly_filled(n), machine);
      const double chosen = priced(decision);
      o.precision = decision.precision;
      o.method = Method::direct;
      EXPECT_LE(chosen, 1.001 * priced(choose(o, evenly_filled(n), machine))) << n << " points at " << t;
      o.method = Method::fmm;
      for (const M2l m2l : {M2l::dense, M2l::rotation})
        for (std::int64_t leaf = 16; leaf <= std::max<std::int64_t>(16, n / 125); leaf = leaf * 3 / 2) {
          o.m2l = m2l, o.leaf_size = leaf;
          // a leaf of the search differs by its steps of 3 %
          EXPECT_LE(chosen, 1.01 * priced(choose(o, evenly_filled(n), machine)))
              << n << " points at " << t << ", " << leaf;
        }
    }
}

TEST(Choose, SumsFewPairsInDouble) {
  Options o;
  o.tolerance = 1e-2;
  const Decision few = choose(o, evenly_filled(60), machine), more = choose(o, evenly_filled(1'000), machine);
  EXPECT_EQ(few.method, Method::direct);
  EXPECT_EQ(few.precision, Precision::double_);
  EXPECT_EQ(more.precision, Precision::single_) << "what double costs more would be half a millisecond";
}

TEST(Choose, DoesAsAsked) {
  Options o = fmm_options(1e-4, Precision::double_);
  o.degree = 9, o.leaf_size = 77, o.m2l = M2l::rotation, o.stencil = Stencil::full;
  const Decision d = choose(o, evenly_filled(1'000'000), machine);
  EXPECT_EQ(d.degree, 9);
  EXPECT_EQ(d.leaf_size, 77);
  EXPECT_TRUE(d.rotation);
  EXPECT_FALSE(d.reduced);
  o.depth = 4;
  EXPECT_EQ(choose(o, evenly_filled(1'000'000), machine).depth, 4);
  o.method = Method::direct;
  EXPECT_EQ(choose(o, evenly_filled(1'000'000), machine).method, Method::direct);
}

/// Near pairs of three densities share their roots, translations share nothing: wider leaves are best, but in single on
/// a device.
TEST(Choose, WiderLeavesForSeveralDensities) {
  for (const Machine& on : {Machine{Backend::cpu, Simd::avx512}, Machine{Backend::cuda, Simd::avx2}})
    for (const auto& [precision, tolerance] : {std::pair{Precision::single_, 1e-5}, {Precision::double_, 1e-9}}) {
      Options o = fmm_options(tolerance, precision);
      o.gradient = true;
      const Decision one = choose(o, evenly_filled(4'000'000), on);
      o.densities = 3;
      const Decision three = choose(o, evenly_filled(4'000'000), on);
      const bool stay = on.backend == Backend::cuda && precision == Precision::single_;
      EXPECT_EQ(three.leaf_size > one.leaf_size, !stay) << word_of(on.backend) << ", " << word_of(precision);
      EXPECT_EQ(three.degree, one.degree);
      EXPECT_GT(three.seconds, 1.5 * one.seconds);
      EXPECT_LT(three.seconds, 3 * one.seconds);
      EXPECT_DOUBLE_EQ(three.pairs_per_second, one.pairs_per_second);
    }
}

TEST(Choose, GivesTheSameAnswerForAnyNumberOfThreads) {
  for (const double t : decades(first_decade, last_decade)) {
    Options o;
    o.tolerance = t;
    const Decision one = choose(o, evenly_filled(50'000), machine);
    o.threads = 64;
    EXPECT_TRUE(same(one, choose(o, evenly_filled(50'000), machine))) << t;
  }
}

TEST(Choose, RecordsAReasonForEveryChoice) {
  const Decision d = choose(fmm_options(1e-6), evenly_filled(100'000), machine);
  EXPECT_GE(d.choices.size(), 6u);
  for (const Choice& c : d.choices) {
    EXPECT_FALSE(c.value.empty()) << c.name;
    EXPECT_FALSE(c.reason.empty()) << c.name;
  }
}

TEST(Choose, RootEdgeIsAtLeastTheExtent) {
  for (std::int64_t n = 1; n < 1'000'000'000; n = 3 * n + 7) {
    const Decision d = choose(fmm_options(1e-6), evenly_filled(n), machine);
    EXPECT_LE(d.root.m, 1 << d.root.k) << n;
    EXPECT_GT(2 * d.root.m, 1 << d.root.k) << n;
    EXPECT_GE(d.leaf_size, 1) << n;
  }
}

/// As points of a cell among their images.
TEST(Choose, LaysTheRootAlongTargetsInASmallerBox) {
  Geometry g = evenly_filled(2'000'000);
  g.targets = 700'000, g.alike = false;
  g.of_targets = {{0.1, 0.1, 0}, {0.8, 0.8, 1}};
  EXPECT_TRUE(choose(fmm_options(1e-6), g, machine).root.at_targets);
  g.of_targets.high[1] = 0.11;  // two boxes or so: their number would be rounded too coarsely
  EXPECT_FALSE(choose(fmm_options(1e-6), g, machine).root.at_targets);
  g.of_targets.high[1] = 0.1;
  EXPECT_FALSE(choose(fmm_options(1e-6), g, machine).root.at_targets);
}

/// Boxes of some level are 2 or 3 along a block, and leaves about as large as without blocks.
TEST(Choose, CutsBlocksOfACellIntoBoxes) {
  for (const int blocks : {4, 5, 6, 7, 8})
    for (std::int64_t n = 500'000; n < 20'000'000; n = n * 5 / 4) {
      Geometry g = evenly_filled(3 * n);
      g.targets = n, g.alike = false, g.of_cell = true;
      g.of_targets = {{0.15, 0.15, 0.15}, {0.85, 0.85, 0.85}};
      const RootBoxes free = choose(fmm_options(1e-5), g, machine).root;
      g.blocks = blocks;
      const RootBoxes cut = choose(fmm_options(1e-5), g, machine).root;
      ASSERT_TRUE(free.at_targets && cut.at_targets) << n;
      const bool whole = 2 * cut.m % blocks == 0 || cut.m % blocks == 0;
      EXPECT_TRUE(whole || cut.m == free.m) << blocks << " blocks, " << cut.m << " boxes for " << free.m;
    }
}

TEST(Choose, DegreeGrowsAsTheToleranceFalls) {
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    int last = 0;
    for (const double t : decades(first_decade, precision == Precision::single_ ? 4 : last_decade)) {
      const int degree = choose(fmm_options(t, precision), evenly_filled(100'000), machine).degree;
      EXPECT_GE(degree, last) << t;
      last = degree;
    }
  }
}

TEST(ErrorModel, FallsWithTheDegreeAndCostsMoreForGradientAndReducedStencil) {
  for (const bool reduced : {false, true})
    for (const bool gradient : {false, true})
      for (int degree = 1; degree <= max_degree; ++degree) {
        const double error = solid_errors.truncation(degree, reduced, gradient);
        EXPECT_LT(error, solid_errors.truncation(degree - 1, reduced, gradient)) << degree;
        EXPECT_GE(solid_errors.truncation(degree, true, gradient), solid_errors.truncation(degree, false, gradient))
            << degree;
        EXPECT_GE(solid_errors.truncation(degree, reduced, true), solid_errors.truncation(degree, reduced, false))
            << degree;
      }
}

TEST(ErrorModel, GivesTheSmallestDegree) {
  for (const double t : decades(first_decade, last_decade, 3)) {
    const int degree = degree_for(Kernel::laplace3d, t, false, true);
    EXPECT_LE(solid_errors.truncation(degree, false, true), t);
    if (degree > 1) {
      EXPECT_GT(solid_errors.truncation(degree - 1, false, true), t);
    }
  }
}

TEST(CostModel, GrowsWithPointsAndDegree) {
  const CostConstants c = cost_constants(Kernel::laplace3d, Simd::avx2, Precision::double_, true);
  const Geometry small = evenly_filled(10'000), large = evenly_filled(100'000);
  EXPECT_LT(fmm_cost(c, small, 10, true, false, 50), fmm_cost(c, large, 10, true, false, 50));
  EXPECT_LT(fmm_cost(c, large, 10, true, false, 50), fmm_cost(c, large, 20, true, false, 50));
  EXPECT_LT(translation_cost(c, 30, true), translation_cost(c, 30, false)) << "rotation must win at high degree";
  EXPECT_LT(table_cost(20, true), table_cost(30, true));
  EXPECT_LT(table_cost(30, true), table_cost(30, false));
}

void expect_bounded(const Cloud& c, const Options& o) {
  const std::int64_t targets = c.apart() ? static_cast<std::int64_t>(c.targets.size() / 3) : 0;
  const Report r = make_plan(c, o).evaluate(c.strengths).report;
  const std::int64_t bound = Plan::memory_bound(c.count(), targets, o);
  EXPECT_GE(bound, r.memory_bytes) << c.label << ", tolerance " << o.tolerance << ", m2l " << r.m2l << ", "
                                   << r.precision;
  std::printf("# %-32s %8.1e %-8s %-7s bytes %11lld bound %11lld\n", c.label.c_str(), o.tolerance, r.m2l.c_str(),
              r.precision.c_str(), static_cast<long long>(r.memory_bytes), static_cast<long long>(bound));
}

class MemoryBound : public ::testing::TestWithParam<Kind> {};

TEST_P(MemoryBound, IsNeverExceeded) {
  for (const std::int64_t n : {100, 3'000, 20'000}) {
    const Cloud c = make_cloud(GetParam(), n, Signs::mixed);
    for (const double t : {1e-2, 1e-4, 1e-6, 1e-9}) {
      Options o = fmm_options(t);
      expect_bounded(c, o);
      o.gradient = false, o.method = Method::automatic;
      expect_bounded(c, o);
    }
  }
}

TEST_P(MemoryBound, IsNeverExceededWithSmallLeaves) {
  const Cloud c = make_cloud(GetParam(), 3'000, Signs::mixed);
  for (const std::int64_t leaf_size : {1, 5, 20}) {
    Options o = fmm_options(1e-4);
    o.leaf_size = leaf_size;
    expect_bounded(c, o);
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, MemoryBound, ::testing::ValuesIn(all_kinds),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing
