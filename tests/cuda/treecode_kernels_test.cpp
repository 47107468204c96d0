// Method treecode on the device of kernels in the plane and of screened ones: against direct sums in long double and
// the CPU. tests/accuracy/treecode_test.cpp runs there, too.
#include <map>
#include <tuple>

#include "support/gpu.hpp"
#include "support/screened.hpp"
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

constexpr Precision both[] = {Precision::single_, Precision::double_};
constexpr Kernel kernels[] = {Kernel::laplace2d, Kernel::vortex, Kernel::cauchy, Kernel::yukawa3d};

/// A kernel's cloud: flat, but for the screened kernel.
Cloud cloud_of(Kernel kernel, Kind kind, std::int64_t count, Signs signs) {
  return kernel == Kernel::yukawa3d ? make_cloud(kind, count, signs) : flat_cloud(kind, count, signs);
}

Options walking(Kernel kernel, double tolerance, Precision precision) {
  Options o = fmm_options(tolerance, precision);
  o.kernel = kernel, o.method = Method::treecode, o.backend = Backend::cuda;
  return o;
}

Outcome measure_kernel(const Cloud& cloud, const Options& o) {
  if (o.kernel == Kernel::yukawa3d) return measure_screened(cloud, o);
  if (o.kernel == Kernel::laplace2d) return measure_flat(cloud, o);
  static std::map<std::tuple<std::string, Kernel, Core, double>, Exact> known;  // of vortices
  Exact& truth = known[{cloud.label, o.kernel, o.core, o.core_radius}];
  if (truth.targets.empty()) truth = vortex_exact(cloud, o);
  return measure_vortices(cloud, o, truth);
}

Outcome expect_kept(const Cloud& cloud, const Options& o) {
  const Outcome found = measure_kernel(cloud, o);
  if (found.worst() > slack * o.tolerance) print_row(cloud, found);
  EXPECT_LE(found.worst(), slack * o.tolerance)
      << cloud.label << ", degree " << found.report.degree << ", kappa " << o.kappa << ", " << found.report.precision;
  EXPECT_EQ(found.report.backend, "cuda");
  return found;
}

class CudaTreecodeKernels : public GpuTest {};

TEST_F(CudaTreecodeKernels, KeepThePromise) {
  for (const Kernel kernel : kernels)
    for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::lattice, Kind::apart, Kind::outside})
      for (const Signs signs : {Signs::mixed, Signs::positive}) {
        const Cloud cloud = cloud_of(kernel, kind, 2'000, signs);
        for (const Precision precision : both)
          for (const double tolerance : {1e-2, 1e-4, 1e-5, 1e-8, 1e-11}) {
            if (precision == Precision::single_ && tolerance < 1e-5) continue;
            Options o = walking(kernel, tolerance, precision);
            o.leaf_size = 12;
            if (kernel == Kernel::yukawa3d) o.kappa = 4 / extent_of(cloud);
            const Outcome found = expect_kept(cloud, o);
            if (tolerance > 1e-3) {  // smaller ones may take all pairs
              EXPECT_GT(found.report.m2p_boxes, 0) << cloud.label;
            }
          }
      }
}

/// From no screening to where most levels have no expansions, as kappa times the extent.
TEST_F(CudaTreecodeKernels, AnyScreening) {
  for (const Kind kind : {Kind::uniform, Kind::sphere, Kind::plummer, Kind::apart})
    for (const double screening : {0.0, 1e-6, 0.5, 10.0, 60.0, 300.0, 3e3, 1e5, 1e8})
      for (const Precision precision : both) {
        const Cloud cloud = make_cloud(kind, 2'500, Signs::mixed);
        for (const double tolerance : {1e-4, 1e-9}) {
          if (precision == Precision::single_ && tolerance < 1e-5) continue;
          // in single exp(-kappa r) may be below the range: automatic takes double then
          const bool fits = screening < 100 || precision == Precision::double_;
          Options o = walking(Kernel::yukawa3d, tolerance, fits ? precision : Precision::automatic);
          o.kappa = screening / extent_of(cloud), o.leaf_size = 10;
          const Outcome found = expect_kept(cloud, o);
          if (screening < 50 && tolerance > 1e-5) {
            EXPECT_GT(found.report.m2p_boxes, 0) << cloud.label;
          }
        }
      }
}

/// Groups of any size, and targets that lie on sources, beside them and away from all.
TEST_F(CudaTreecodeKernels, FewTargetsAndHeaps) {
  for (const Kernel kernel : kernels)
    for (const Precision precision : both) {
      const double tolerance = precision == Precision::single_ ? 1e-4 : 1e-8;
      for (const std::int64_t targets : {1, 7, 33, 500})
        for (const double shift : {0.0, 1e-3, 2.0}) {
          Cloud cloud = cloud_of(kernel, Kind::plummer, 10'000, Signs::mixed);
          cloud.label.append("/few ").append(std::to_string(targets)).append("/").append(std::to_string(shift));
          for (std::int64_t t = 0; t < 3 * targets; ++t)
            cloud.targets.push_back(cloud.sources[static_cast<std::size_t>(60 * (t / 3) + t % 3)] +
                                    (t % 3 < 2 || kernel == Kernel::yukawa3d ? shift : 0));
          Options o = walking(kernel, tolerance, precision);
          if (kernel == Kernel::yukawa3d) o.kappa = 0.3;
          expect_kept(cloud, o);
        }
      Cloud heap = cloud_of(kernel, Kind::uniform, 4'000, Signs::mixed);
      heap.label += "/heap";
      for (std::size_t i = 3; i < 3 * 700; ++i) heap.sources[i] = heap.sources[i % 3];
      Options o = walking(kernel, tolerance, precision);
      o.leaf_size = 20;
      if (kernel == Kernel::yukawa3d) o.kappa = 3;
      expect_kept(heap, o);
    }
}

/// Degrees on both sides of what shared memory holds, at the same angle: groups of 64 targets accept at about the
/// distances that leaves do, so that errors are alike.
TEST_F(CudaTreecodeKernels, EveryDegreeErrsAsOnTheCpu) {
  for (const Kernel kernel : kernels) {
    const Cloud cloud = cloud_of(kernel, Kind::uniform, 2'500, Signs::mixed);
    for (const double screening : {1.0, 30.0})
      for (const int degree : {0, 1, 2, 3, 6, 11, 24})
        for (const Precision precision : both) {
          if (kernel != Kernel::yukawa3d && screening > 1) continue;
          Options o = walking(kernel, 1e-3, precision);
          o.degree = degree, o.leaf_size = 8, o.theta = 0.7;
          if (kernel == Kernel::yukawa3d) o.kappa = screening / extent_of(cloud);
          const Outcome gpu = measure_kernel(cloud, o);
          o.backend = Backend::cpu;
          const Outcome cpu = measure_kernel(cloud, o);
          // at high degrees the CPU leaves boxes to p2p that the device expands
          const double floor = (precision == Precision::single_ ? 2e-6 : 2e-13) + 0.5 * std::pow(0.45, degree + 1);
          EXPECT_LE(gpu.potential, 4 * cpu.potential + floor) << "degree " << degree << ", " << cloud.label;
          EXPECT_LE(gpu.gradient, 4 * cpu.gradient + floor) << "degree " << degree << ", " << cloud.label;
        }
  }
}

/// Vortices: with cores, with the stream function, whose near pairs then count themselves.
TEST_F(CudaTreecodeKernels, CoresAndStreamFunctions) {
  for (const Core core : {Core::none, Core::gauss, Core::rankine})
    for (const bool stream : {false, true})
      for (const double radius : {1e-6, 3e-3, 0.03})
        for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart}) {
          if (core == Core::none && radius > 1e-3) continue;
          const Cloud cloud = flat_cloud(kind, 1'500, Signs::mixed);
          Options o = walking(Kernel::vortex, 1e-4, Precision::single_);
          o.stream_function = stream, o.leaf_size = 10, o.core = core;
          if (core != Core::none) o.core_radius = radius;
          expect_kept(cloud, o);
          o.tolerance = 1e-9, o.precision = Precision::double_;
          expect_kept(cloud, o);
        }
}

/// The estimate that the promise rests on: not below the error, and not far above it.
TEST_F(CudaTreecodeKernels, EstimateTheError) {
  for (const Kernel kernel : kernels)
    for (const Precision precision : both)
      for (const double screening : {1.0, 20.0}) {
        if (kernel != Kernel::yukawa3d && screening > 1) continue;
        const Cloud cloud = cloud_of(kernel, Kind::uniform, 8'000, Signs::mixed);
        Options o = walking(kernel, 1e-3, precision);
        o.degree = 5, o.theta = 0.8, o.leaf_size = 20;
        if (kernel == Kernel::yukawa3d) o.kappa = screening / extent_of(cloud);
        const Outcome found = measure_kernel(cloud, o);
        EXPECT_GT(found.report.estimated_error, found.worst()) << cloud.label;
        EXPECT_LT(found.report.estimated_error, 80 * found.worst()) << cloud.label;
      }
}

TEST_F(CudaTreecodeKernels, GiveTheSameBitsAndMove) {
  for (const Kernel kernel : kernels)
    for (const Kind kind : {Kind::plummer, Kind::apart})
      for (const Precision precision : both) {
        const Cloud cloud = cloud_of(kernel, kind, 8'003, Signs::mixed),
                    other = cloud_of(kernel, Kind::uniform, 3'000, Signs::mixed);
        Options o = walking(kernel, 1e-4, precision);
        if (kernel == Kernel::yukawa3d) o.kappa = 2;
        const Result<double> first = make_plan(cloud, o).evaluate(cloud.strengths);
        for (int run = 0; run < 3; ++run) {
          Plan plan(points(other.sources), o);
          plan.evaluate(other.strengths);
          if (cloud.apart())
            plan.move(points(cloud.sources), points(cloud.targets));
          else
            plan.move(points(cloud.sources));
          for (int again = 0; again < 2; ++again) {
            const Result<double> r = plan.evaluate(cloud.strengths);
            EXPECT_EQ(hash_of(r.potential), hash_of(first.potential)) << cloud.label;
            EXPECT_EQ(hash_of(r.gradient), hash_of(first.gradient)) << cloud.label;
          }
        }
      }
}

/// Small enough for a sanitizer: both kinds of targets, cores, levels without expansions.
void expect_small_trees(Kernel kernel, Precision precision) {
  for (const Kind kind : {Kind::plummer, Kind::apart}) {
    const Cloud cloud = cloud_of(kernel, kind, few_points(301), Signs::positive);
    for (const double special : {0.0, 1.0}) {
      Options o = walking(kernel, 1e-3, precision);
      o.degree = 6, o.theta = 0.8, o.leaf_size = 5;
      if (kernel == Kernel::yukawa3d) o.kappa = (special > 0 ? 1000 : 3) / extent_of(cloud);
      if (kernel == Kernel::vortex && special > 0) o.core = Core::gauss, o.core_radius = 1e-3, o.stream_function = true;
      const Outcome found = measure_kernel(cloud, o);
      if (kernel != Kernel::yukawa3d || special == 0) {  // else some targets have nothing but 0
        EXPECT_LE(found.worst(), 0.02) << cloud.label;
      }
    }
  }
}
class CudaTreecodeSmall : public CudaTreecodeKernels,
                          public ::testing::WithParamInterface<std::tuple<Kernel, Precision>> {};
TEST_P(CudaTreecodeSmall, SmallTrees) { expect_small_trees(std::get<0>(GetParam()), std::get<1>(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Kernels, CudaTreecodeSmall,
                         ::testing::Combine(::testing::ValuesIn(kernels), ::testing::ValuesIn(both)));

TEST_F(CudaTreecodeKernels, TakeNoneOneAndTwoPoints) {
  for (const Kernel kernel : kernels)
    for (const Precision precision : both) {
      Options o = walking(kernel, 1e-5, precision);
      if (kernel == Kernel::yukawa3d) o.kappa = 1;
      const std::vector<double> none, one{1, 2, 3}, two{0, 0, 1, 0, 2, 1}, q1{3}, q2{3, 5};
      EXPECT_TRUE(Plan(points(none), o).evaluate(none).gradient.empty());
      EXPECT_EQ(Plan(points(one), o).evaluate(q1).gradient, (std::vector<double>{0, 0, 0}));
      EXPECT_EQ(Plan(points(none), points(two), o).evaluate(none).gradient, std::vector<double>(6, 0.0));
      EXPECT_TRUE(Plan(points(two), points(none), o).evaluate(q2).gradient.empty());
      const double pair = kernel == Kernel::yukawa3d ? 5 * 3 * std::exp(-2.0) / 4 : 5.0 / 2,
                   size = std::hypot(Plan(points(two), o).evaluate(q2).gradient[0],
                                     Plan(points(two), o).evaluate(q2).gradient[1]);
      EXPECT_NEAR(size, kernel == Kernel::vortex ? pair / (2 * std::numbers::pi) : pair, 1e-5);
    }
}

}  // namespace
}  // namespace farfield::testing
