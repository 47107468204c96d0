// Kernel gauss on the device: against sums in long double and the CPU, every method, small and large sets. The bodies
// of tests/accuracy/gauss_test.cpp run on a device as well (FARFIELD_TEST_BACKEND=cuda; ctest's cuda.gauss).
#include "support/gauss.hpp"

#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

constexpr Method methods[] = {Method::direct, Method::cutoff, Method::grid, Method::hermite};

Options device_options(double bandwidth, double tolerance, Method method, Precision precision) {
  Options o = gauss_options(bandwidth, tolerance, method, precision);
  o.backend = Backend::cuda;
  return o;
}

void expect_kept(const Cloud& cloud, const Options& o) {
  const Outcome found = measure_gauss(cloud, o);
  EXPECT_EQ(found.report.backend, "cuda");
  EXPECT_EQ(found.report.method, word_of(o.method));
  EXPECT_LE(found.worst(), o.tolerance) << cloud.label << ", bandwidth " << o.bandwidth << ", " << word_of(o.method)
                                        << ", " << word_of(o.precision);
}

class CudaGauss : public GpuTest {};

/// Sums of few points by every method, with and without gradient: what compute-sanitizer looks at.
TEST_F(CudaGauss, EveryPathOnSmallSets) {
  for (const Kind kind : {Kind::uniform, Kind::plane, Kind::line, Kind::apart})
    for (const Method method : methods)
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        Options o = device_options(0.3, 1e-5, method, precision);
        expect_kept(make_cloud(kind, 500, Signs::mixed), o);
        o.gradient = false;
        expect_kept(make_cloud(kind, 333, Signs::mixed), o);
      }
}

/// Points of a line, unsorted, some of them in one place: one stretch and many, targets apart, both precisions, with
/// and without gradient; small enough for a sanitizer.
TEST_F(CudaGauss, SweepsOnSmallSets) {
  for (const std::int64_t count : {1, 2, 31, 33, 257, 1'500})
    for (const bool apart : {false, true})
      for (const int axis : {0, 1, 2})
        for (const Precision precision : {Precision::single_, Precision::double_}) {
          Cloud cloud = make_cloud(Kind::uniform, count, Signs::mixed);
          if (apart) cloud.targets = make_cloud(Kind::uniform, count + 40, Signs::mixed, 2).sources;
          for (std::vector<double>* points : {&cloud.sources, &cloud.targets})
            for (std::size_t i = 0; i < points->size(); ++i) {
              if (static_cast<int>(i % 3) != axis) (*points)[i] = 0.5;
              if (i / 3 % 5 == 4) (*points)[i] = (*points)[i - 3];
            }
          cloud.label.append("/on axis ").append(std::to_string(axis)).append(apart ? ", apart" : "");
          for (const double bandwidth : {1e-3, 0.1, 10.0}) {
            Options o = device_options(bandwidth, precision == Precision::single_ ? 1e-5 : 1e-11, Method::exponentials,
                                       precision);
            expect_kept(cloud, o);
            o.gradient = false;
            expect_kept(cloud, o);
          }
        }
}

/// Many groups of stretches, the same bits again and after moves, and the CPU's sums.
TEST_F(CudaGauss, SweepsOverManyPoints) {
  Cloud cloud = make_cloud(Kind::uniform, 300'000, Signs::mixed);
  for (std::size_t i = 0; i < cloud.sources.size(); ++i)
    if (i % 3 != 1) cloud.sources[i] = -3;
  for (const double bandwidth : {2e-6, 1e-3, 0.2}) {
    const Options o = device_options(bandwidth, 1e-10, Method::exponentials, Precision::double_);
    Options host = o;
    host.backend = Backend::cpu;
    Plan plan(points(cloud.sources), o);
    const Result<double> first = plan.evaluate(cloud.strengths), again = plan.evaluate(cloud.strengths),
                         cpu = Plan(points(cloud.sources), host).evaluate(cloud.strengths);
    EXPECT_EQ(hash_of(first.potential), hash_of(again.potential));
    plan.move(points(std::vector<double>{0, 1, 0, 0, 2, 0}));
    plan.move(points(cloud.sources));
    EXPECT_EQ(hash_of(first.gradient), hash_of(plan.evaluate(cloud.strengths).gradient));
    double all = 0, error = 0, slope = 0;
    for (std::size_t i = 0; i < cpu.potential.size(); ++i) {
      all += std::fabs(cloud.strengths[i]);
      error = std::max(error, std::fabs(first.potential[i] - cpu.potential[i]));
      slope = std::max(slope, std::fabs(first.gradient[3 * i + 1] - cpu.gradient[3 * i + 1]));
    }
    EXPECT_LE(error, 1e-12 * all) << bandwidth;  // rounding alone: both sum the same waves
    EXPECT_LE(slope, 1e-12 * all / bandwidth) << bandwidth;
  }
}

/// More than one piece of sources for a block of the grid, more than one tile of targets in a cell.
TEST_F(CudaGauss, KeepsThePromiseForManyPoints) {
  for (const Kind kind : all_kinds)
    for (const double bandwidth : {0.02, 0.3}) {
      const Cloud cloud = make_cloud(kind, 20'000, Signs::mixed);
      const double unit = kind == Kind::plummer ? 30 : kind == Kind::lattice ? 27 : 1;
      const bool dense = kind == Kind::uniform || kind == Kind::plane || kind == Kind::line || bandwidth > 0.1;
      for (const Method method : methods) {
        if (method == Method::grid && !dense) continue;  // refused: too many blocks for so few points
        expect_kept(cloud, device_options(bandwidth * unit, 1e-6, method, Precision::single_));
        expect_kept(cloud, device_options(bandwidth * unit, 1e-9, method, Precision::double_));
      }
    }
}

TEST_F(CudaGauss, SameBitsInEveryRun) {
  for (const Kind kind : {Kind::uniform, Kind::plane, Kind::line})
    for (const Method method : methods) {
      const Cloud cloud = make_cloud(kind, 30'000, Signs::mixed);
      const Options o = device_options(0.2, 1e-5, method, Precision::single_);
      const Result<double> first = make_plan(cloud, o).evaluate(cloud.strengths);
      for (int run = 0; run < 3; ++run) {
        const Result<double> again = make_plan(cloud, o).evaluate(cloud.strengths);
        EXPECT_EQ(first.potential, again.potential);
        EXPECT_EQ(first.gradient, again.gradient);
      }
    }
}

/// Two clusters in one tile of targets, far apart in bandwidths: coordinates relative to the one would be rounded to
/// 1e-4 bandwidths in the other.
TEST_F(CudaGauss, DirectSumsResolveFarClusters) {
  Stream random(5);
  Cloud cloud;
  cloud.label = "two clusters";
  constexpr double bandwidth = 1e-4;
  for (int i = 0; i < 300; ++i)
    for (int a = 0; a < 3; ++a) cloud.sources.push_back((i % 2 ? 1 : 0) + random.between(-bandwidth, bandwidth));
  for (int i = 0; i < 300; ++i) cloud.strengths.push_back(random.between(0, 1));
  expect_kept(cloud, device_options(bandwidth, 1e-6, Method::direct, Precision::single_));
}

TEST_F(CudaGauss, SourcesAndTargetsApartSeveralVectors) {
  const Cloud cloud = make_cloud(Kind::apart, 3'000, Signs::mixed);
  std::vector<double> three = cloud.strengths;
  three.insert(three.end(), cloud.strengths.rbegin(), cloud.strengths.rend());
  three.insert(three.end(), cloud.strengths.begin(), cloud.strengths.end());
  for (const Method method : methods) {
    const Options o = device_options(0.2, 1e-6, method, Precision::automatic);
    const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths), all = make_plan(cloud, o).evaluate(three);
    const std::size_t targets = one.potential.size();
    for (std::size_t i = 0; i < targets; ++i) {
      ASSERT_EQ(one.potential[i], all.potential[i]);
      ASSERT_EQ(one.potential[i], all.potential[2 * targets + i]);
    }
  }
}

TEST_F(CudaGauss, TheCheckAndTheMemoryBound) {
  const Cloud cloud = make_cloud(Kind::uniform, 50'000, Signs::mixed);
  for (const Method method : methods) {
    Options o = device_options(0.05, 1e-6, method, Precision::single_);
    o.check = 500;
    const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
    ASSERT_TRUE(r.report.error);
    EXPECT_GT(r.report.error->potential, 0);
    EXPECT_LE(r.report.error->potential_max, 1e-6);
    EXPECT_LE(r.report.error->gradient_max, 1e-6);
    EXPECT_LE(r.report.memory_bytes, Plan::memory_bound(50'000, 0, o)) << word_of(method);
  }
}

/// Dense boxes of the plane, where Hermite series are translated, and few targets or few sources.
TEST_F(CudaGauss, TakesEveryInteractionOfHermiteSeries) {
  for (const auto& [sources, targets] : {std::pair{20'000, 20'000}, {20'000, 20}, {20, 20'000}})
    for (const double tolerance : {1e-4, 1e-9}) {
      Cloud cloud = make_cloud(Kind::uniform, sources, Signs::mixed);
      cloud.targets = make_cloud(Kind::uniform, targets + 1, Signs::mixed).sources;
      for (std::vector<double>* xyz : {&cloud.sources, &cloud.targets})
        for (std::size_t i = 2; i < xyz->size(); i += 3) (*xyz)[i] = 0;
      cloud.label = "plane, " + std::to_string(sources) + " and " + std::to_string(targets);
      for (const double bandwidth : {0.03, 0.1, 5.0})
        expect_kept(cloud, device_options(bandwidth, tolerance, Method::hermite, Precision::double_));
    }
}

}  // namespace
}  // namespace farfield::testing
