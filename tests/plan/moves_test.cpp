// A plan that is moved keeps its memory and its tables: results are those of a new plan bit for bit, whatever it was
// before, and memory does not grow. (Counts differ from move to move, so that no needs are kept: needs_test.)
#include "backends/cpu/far/table_cache.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

/// Counts on both sides of where method automatic turns from direct sums to expansions, clouds of other degrees.
Cloud any_cloud(Stream& random, std::int64_t most) {
  constexpr Kind kinds[] = {Kind::uniform, Kind::plummer, Kind::sphere, Kind::lattice, Kind::apart};
  const Kind kind = kinds[random.below(5)];
  const double count = std::pow(10, random.between(0, std::log10(static_cast<double>(most))));
  return make_cloud(kind, static_cast<std::int64_t>(count), Signs::mixed,
                    static_cast<std::uint64_t>(random.below(999)));
}

void move_to(Plan& plan, const Cloud& c) {
  if (c.apart())
    plan.move(points(c.sources), points(c.targets));
  else
    plan.move(points(c.sources));
}

class Moves : public ::testing::TestWithParam<std::pair<Method, double>> {};

TEST_P(Moves, EqualNewPlansBitForBit) {
  constexpr int seed = 20261122;
  SCOPED_TRACE(seed);
  RecordProperty("seed", seed);
  Stream random(seed);
  Options o = fmm_options(GetParam().second);
  o.method = GetParam().first, o.precision = Precision::automatic, o.threads = 2, o.backend = Backend::cpu;
  Plan plan = make_plan(make_cloud(Kind::uniform, 500, Signs::mixed), o);
  std::int64_t before = plan.report().memory_bytes;
  for (int step = 0; step < 25; ++step) {
    const Cloud c = any_cloud(random, 30'000);
    move_to(plan, c);
    const Result<double> moved = plan.evaluate(c.strengths), fresh = make_plan(c, o).evaluate(c.strengths);
    ASSERT_EQ(moved.potential, fresh.potential) << step << ' ' << c.label;
    ASSERT_EQ(moved.gradient, fresh.gradient) << step << ' ' << c.label;
    ASSERT_EQ(moved.report.method, fresh.report.method);
    ASSERT_EQ(moved.report.degree, fresh.report.degree);
    // An array stays while it is at most twice too large; those of results until the next evaluation.
    EXPECT_LE(moved.report.memory_bytes, 2 * (before + fresh.report.memory_bytes)) << step << ' ' << c.label;
    before = fresh.report.memory_bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Options, Moves,
                         ::testing::Values(std::pair(Method::automatic, 1e-4), std::pair(Method::automatic, 1e-9),
                                           std::pair(Method::fmm, 1e-6), std::pair(Method::direct, 1e-6)),
                         [](const auto& test) {
                           return std::string(word_of(test.param.first)) +
                                  std::to_string(std::lround(-std::log10(test.param.second)));
                         });

TEST(Move, KeepsTablesOfTheSameDegree) {
  Options o = fmm_options(1e-6, Precision::double_);
  o.degree = 8, o.m2l = M2l::rotation, o.backend = Backend::cpu;
  const auto tables = cpu::shared_tables<double>({Kernel::laplace3d, 8, true, false}, 1);
  Plan plan(points(make_cloud(Kind::uniform, 3'000, Signs::mixed).sources), o);
  const long held = tables.use_count();
  const std::int64_t memory = plan.report().memory_bytes;
  for (int step = 0; step < 5; ++step) {
    plan.move(points(make_cloud(Kind::uniform, 3'000, Signs::mixed, static_cast<std::uint64_t>(10 + step)).sources));
    EXPECT_EQ(tables.use_count(), held);
    EXPECT_LE(plan.report().memory_bytes, 2 * memory);
  }
}

}  // namespace
}  // namespace farfield::testing
