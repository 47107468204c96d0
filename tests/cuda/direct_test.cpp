// Softened direct sums on a device: the bodies of tests/accuracy/softening_test.cpp, and sizes about blocks and chunks.
#include "support/gpu.hpp"
#include "support/softened.hpp"

namespace farfield::testing {
namespace {

constexpr Backend cuda = Backend::cuda;

class CudaSoftening : public GpuTest {};

TEST_F(CudaSoftening, OddSizes) { soften_odd_sizes(cuda, {1, 2, 31, 33, 127, 257, 513, 1'025, 2'049}); }
TEST_F(CudaSoftening, EveryCloud) { soften_kinds(cuda); }
TEST_F(CudaSoftening, CoincidentPoints) { soften_coincident_points(cuda); }
TEST_F(CudaSoftening, UnitsFarFromOne) { soften_far_units(cuda); }
TEST_F(CudaSoftening, LengthsWhoseSquareIsOutOfRange) { soften_beyond_squares(cuda); }
TEST_F(CudaSoftening, ResultsAtSourcesAndTargets) { soften_at_sources(cuda); }
TEST_F(CudaSoftening, OneParticle) { soften_one_particle(cuda); }
TEST_F(CudaSoftening, IsThatOfTheCheck) { check_softened(cuda); }

TEST_F(CudaSoftening, GivesTheSameBitsTenTimes) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::plummer, 5'003, Signs::mixed));
  for (const Precision precision : both_precisions)
    expect_same_bits(cloud, softened_options(0.01, precision, cuda), 10);
}

TEST_F(CudaSoftening, AgreesWithTheCpuAtSize) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::plummer, 20'011, Signs::positive));
  const auto sum = [&](Backend backend) {
    return make_plan(cloud, softened_options(0.05, Precision::double_, backend)).evaluate(cloud.strengths);
  };
  const Result<double> gpu = sum(cuda), cpu = sum(Backend::cpu);
  EXPECT_EQ(gpu.report.backend, "cuda");
  for (std::size_t i = 0; i < cpu.potential.size(); ++i)
    ASSERT_NEAR(gpu.potential[i], cpu.potential[i], cpu.potential[i] * direct_rounding<double>(20'011)) << i;
}

TEST_F(CudaSoftening, SeveralVectorsAndMoves) {
  const Cloud a = make_cloud(Kind::plummer, 1'500, Signs::mixed), b = make_cloud(Kind::uniform, 2'345, Signs::mixed);
  const Options o = softened_options(0.03, Precision::double_, cuda);
  std::vector<double> two = a.strengths;
  for (const double q : a.strengths) two.push_back(2 * q);
  Plan plan(points(a.sources), o);
  const Result<double> r = plan.evaluate(two);
  for (std::size_t i = 0; i < a.strengths.size(); ++i)
    EXPECT_EQ(r.potential[i + a.strengths.size()], 2 * r.potential[i]);
  plan.move(points(b.sources));
  EXPECT_EQ(plan.evaluate(b.strengths).potential, Plan(points(b.sources), o).evaluate(b.strengths).potential);
}

}  // namespace
}  // namespace farfield::testing
