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
