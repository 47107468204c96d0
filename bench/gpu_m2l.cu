// m2l by itself, in single precision by FMA and on tensor cores, in double by rotation and on tensor cores (mirrors),
// on trees over uniform, Plummer and sphere points, multipoles of random strengths. A JSON line per tree, degree and
// engine: milliseconds (median of 7), translations per second, relative L2 difference of the locals from those by FMA,
// in double by rotation. Flops are those of dense products. Usage: gpu_m2l [log2 N [leaf sizes, as 16,32 [degrees, as
// 3,5, fitted for all results or for gradients 12a, 12g [clouds, as uniform,plummer [degrees in double]]]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>
#include <string>
#include <vector>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/judge/accounts.hpp"
#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda {
namespace {

/// Sums of (a - b)^2 and b^2.
template <class Real>
__global__ void compare_kernel(const Real* a, const Real* b, std::int64_t count, double* sums) {
  double difference = 0, size = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t(gridDim.x) * blockDim.x) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    difference += (x - y) * (x - y), size += y * y;
  }
  atomicAdd(sums, difference);
  atomicAdd(sums + 1, size);
}

template <class Real>
double difference(const DeviceArray<Real>& a, const DeviceArray<Real>& b) {
  DeviceArray<double> sums;
  sums.resize(2);
  require(cudaMemset(sums.data(), 0, 16), "cudaMemset");
  compare_kernel<<<512, 256>>>(a.data(), b.data(), a.size(), sums.data());
  double found[2];
  require(cudaMemcpy(found, sums.data(), 16, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return std::sqrt(found[0] / found[1]);
}

/// Milliseconds of the row lists (part of a build), of the passes of one term and of three.
struct Parts {
  double rows = 0, full = 0, graded = 0;
};

/// Tables, multipoles and locals of one precision.
template <class Real>
class Expansions {
 public:
  explicit Expansions(DeviceMemory& memory) : tables(memory), memory_(memory), octants_(memory) {}

  /// Multipoles of random strengths in these tables; the locals by `first`, its milliseconds too.
  template <class First>
  double start(int degree, const M2lScheme& scheme, const First& first) {
    strength_ = bench::make_strengths<Real>(work.sources, false);
    work.strength = strength_.data();
    tables.build(Kernel::laplace3d, degree, scheme, memory_.stream);
    work.tables = tables.view();
    octants_.build(work.tables, memory_.stream);
    work.octants = octants_.view();
    work.rotation = scheme.rotation;
    for (DeviceArray<Real>* a : {&multipole_, &local, &expected}) clear(*a);
    work.multipole = multipole_.data();
    make_multipoles();
    work.local = expected.data();
    const double ms = first();
    clear(expected);
    m2l(work);
    work.local = local.data();
    return ms;
  }
  void make_multipoles() {
    p2m<Laplace3d>(work);
    for (int level = work.tree.levels - 2; level >= 2; --level) m2m(work, level);
  }
  void clear(DeviceArray<Real>& a) {
    a.resize(std::int64_t(work.tree.boxes) * work.tables.stride);
    require(cudaMemset(a.data(), 0, static_cast<std::size_t>(a.size()) * sizeof(Real)), "cudaMemset");
  }

  Tables<Real> tables;
  Work<Real> work;
  DeviceArray<Real> local, expected;

 private:
  DeviceMemory& memory_;
  Octants octants_;
  DeviceArray<Real> strength_, multipole_;
};

class Bench {
 public:
  Bench(const std::string& cloud, int log2_n, std::int64_t leaf_size)
      : cloud_(cloud), log2_n_(log2_n), leaf_size_(leaf_size) {
    const DeviceArray<float> xyz = bench::make_points(cloud, std::int64_t(1) << log2_n);
    const DevicePoints sources(bench::on_device(xyz), memory_);
    tree_.use(memory_);
    const Geometry geometry = survey(sources.view(), nullptr, memory_);
    // full leaves: the volume's root edge makes them about 0.6 of the limit
    const double along =
        std::cbrt(static_cast<double>(std::int64_t(1) << log2_n) / (0.625 * static_cast<double>(leaf_size)));
    int m = 1, k = 0;
    if (cloud == "uniform")
      for (m = static_cast<int>(std::lround(along / std::exp2(std::floor(std::log2(along / 8))))); 1 << k < m;) ++k;
    build(tree_, sources.view(), nullptr, geometry, {{m, k}, leaf_size, -1, {64, 64}, {}});
    rows_.build(tree_.tree.view(), memory_.stream);
    bind(single_.work);
    bind(double_.work);
    Report report;
    Accounts(memory_).count(single_.work.tree, single_.work.lists, report);
    translations_ = report.m2l_boxes, leaves_ = report.leaves;
  }

  void run(const std::string& word) {
    Work<float>& work = single_.work;
    work.tensor.ready = false;
    const int degree = std::atoi(word.c_str());
    fit_ = word.ends_with('a') ? Fit::for_all : word.ends_with('g') ? Fit::for_gradient : Fit::none;
    const double by_fma = single_.start(degree, {false, false, true, fit_},
                                        [&] { return log2_n_ <= 20 ? bench::milliseconds([&] { m2l(work); }) : 0.0; });
    if (by_fma > 0) print(degree, "fma", by_fma, 0);
    for (const TensorEngine engine : {TensorEngine::warpgroup, TensorEngine::warp}) {
      if (tensor_engine(degree) == TensorEngine::none) continue;
      if (engine == TensorEngine::warpgroup && tensor_engine(degree) != engine) continue;
      tensor_.build(work.tables, work.tree, engine, memory_.stream);
      const double building =
          bench::milliseconds([&] { tensor_.build(work.tables, work.tree, engine, memory_.stream); });
      work.tensor = tensor_.view();
      single_.make_multipoles();  // the same, and the operands
      m2l(work);
      const double error = difference(single_.local, single_.expected);
      const double all = bench::milliseconds([&] { m2l(work); });
      work.tensor.graded.terms = 0;  // the pass of one term by itself
      const double full = bench::milliseconds([&] { m2l(work); });
      print(degree, engine == TensorEngine::warp ? "warp" : "warpgroup", all, error, {building, full, all - full});
      single_.clear(single_.local);
    }
  }

  void run_double(int degree) {
    Work<double>& work = double_.work;
    work.mirror.ready = false;
    fit_ = Fit::none;
    const double by_rotation =
        double_.start(degree, {true, false}, [&] { return bench::milliseconds([&] { m2l(work); }); });
    print(degree, "rotation", by_rotation, 0);
    if (!MirrorM2l::available(degree)) return;
    mirror_.build(work.tables, work.tree, memory_.stream);
    const double building = bench::milliseconds([&] { mirror_.build(work.tables, work.tree, memory_.stream); });
    work.mirror = mirror_.view();
    m2l(work);
    const double error = difference(double_.local, double_.expected);
    print(degree, "mirrors", bench::milliseconds([&] { m2l(work); }), error, {building, 0, 0});
  }

 private:
  template <class Real>
  void bind(Work<Real>& work) {
    work.tree = tree_.tree.view();
    work.lists = tree_.lists.view();
    for (int axis = 0; axis < 3; ++axis) work.source[axis] = work.target[axis] = tree_.sources.axis[axis].data();
    work.classes = rows_.classes();
    work.sources = work.targets = tree_.sources.count;
  }

  void print(int degree, const char* engine, double ms, double error, const Parts& parts = {}) const {
    const double numbers = std::pow(degree + 1, 4);
    std::printf(
        "{\"cloud\": \"%s\", \"log2_n\": %d, \"leaf_size\": %lld, \"leaves\": %lld, \"boxes\": %d, \"degree\": %d, "
        "\"fit\": %d, \"engine\": \"%s\", \"ms\": %.3f, \"translations_per_second\": %.3g, \"tflops\": %.1f, "
        "\"difference\": "
        "%.2g, \"rows_ms\": %.3f, \"full_ms\": %.3f, \"graded_ms\": %.3f}\n",
        cloud_.c_str(), log2_n_, static_cast<long long>(leaf_size_), static_cast<long long>(leaves_),
        single_.work.tree.boxes, degree, static_cast<int>(fit_), engine, ms,
        static_cast<double>(translations_) / ms * 1e3, 2e-9 * numbers * static_cast<double>(translations_) / ms, error,
        parts.rows, parts.full, parts.graded);
    std::fflush(stdout);
  }

  std::string cloud_;
  int log2_n_;
  std::int64_t leaf_size_, translations_ = 0, leaves_ = 0;
  Fit fit_ = Fit::none;
  DeviceMemory memory_;
  CudaTree tree_;
  Rows rows_{memory_};
  TensorM2l tensor_{memory_};
  MirrorM2l mirror_{memory_};
  Expansions<float> single_{memory_};
  Expansions<double> double_{memory_};
};

}  // namespace
}  // namespace farfield::cuda

int main(int argc, char** argv) {
  using namespace farfield::cuda;
  try {
    const int log2_n = argc > 1 ? std::atoi(argv[1]) : 20;
    const auto leaf_sizes = farfield::bench::listed(argc > 2 ? argv[2] : "16,32,64"),
               degrees = farfield::bench::listed(argc > 3 ? argv[3] : "3,4,5,6,7,10,12"),
               degrees_in_double = farfield::bench::listed(argc > 5 ? argv[5] : "5,10,14,18,22,26");
    for (const std::string& cloud : farfield::bench::listed(argc > 4 ? argv[4] : "uniform,plummer,sphere"))
      for (const std::string& leaf_size : leaf_sizes) {
        Bench bench(cloud, log2_n, std::atoll(leaf_size.c_str()));
        for (const std::string& degree : degrees) bench.run(degree);
        for (const std::string& degree : degrees_in_double) bench.run_double(std::atoi(degree.c_str()));
      }
  } catch (const farfield::Error& e) {
    std::fprintf(stderr, "gpu_m2l: %s\n", e.what());
    return static_cast<int>(e.code());
  }
}
