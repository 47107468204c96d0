// Dense m2l by itself, in single precision: by FMA and on tensor cores, on trees over uniform, Plummer and sphere
// points, multipoles of random strengths. A JSON line per tree, degree and engine: milliseconds (median of 7),
// translations per second, relative L2 difference of the locals from those by FMA. Usage: gpu_m2l [log2 N [leaf sizes,
// as 16,32 [degrees, as 3,5 [clouds, as uniform,plummer]]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>
#include <string>
#include <vector>

#include "backends/cuda/accounts.hpp"
#include "backends/cuda/octants.hpp"
#include "backends/cuda/points.hpp"
#include "backends/cuda/rows.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tables.hpp"
#include "backends/cuda/tensor_m2l.hpp"
#include "backends/cuda/tree.hpp"
#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/laplace3d.hpp"

namespace farfield::cuda {
namespace {

/// Sums of (a - b)^2 and b^2.
__global__ void compare_kernel(const float* a, const float* b, std::int64_t count, double* sums) {
  double difference = 0, size = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t(gridDim.x) * blockDim.x) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    difference += (x - y) * (x - y), size += y * y;
  }
  atomicAdd(sums, difference);
  atomicAdd(sums + 1, size);
}

double difference(const DeviceArray<float>& a, const DeviceArray<float>& b) {
  DeviceArray<double> sums;
  sums.resize(2);
  require(cudaMemset(sums.data(), 0, 16), "cudaMemset");
  compare_kernel<<<512, 256>>>(a.data(), b.data(), a.size(), sums.data());
  double found[2];
  require(cudaMemcpy(found, sums.data(), 16, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return std::sqrt(found[0] / found[1]);
}

/// Milliseconds of the row lists (part of a build), the split pass, the passes of one term and of three.
struct Parts {
  double rows = 0, split = 0, full = 0, graded = 0;
};

class Bench {
 public:
  Bench(const std::string& cloud, int log2_n, std::int64_t leaf_size)
      : cloud_(cloud), log2_n_(log2_n), leaf_size_(leaf_size) {
    const DeviceArray<float> xyz = bench::make_points(cloud, std::int64_t(1) << log2_n);
    Points at = points(static_cast<const float*>(xyz.data()), std::int64_t(1) << log2_n);
    at.space = MemorySpace::device;
    const DevicePoints sources(at, memory_);
    tree_.use(memory_);
    const Geometry geometry = survey(sources.view(), nullptr, memory_);
    // full leaves: the volume's root edge makes them about 0.6 of the limit
    const double along =
        std::cbrt(static_cast<double>(std::int64_t(1) << log2_n) / (0.625 * static_cast<double>(leaf_size)));
    int m = 1, k = 0;
    if (cloud == "uniform")
      for (m = static_cast<int>(std::lround(along / std::exp2(std::floor(std::log2(along / 8))))); 1 << k < m;) ++k;
    build(tree_, sources.view(), nullptr, geometry, {m, k, leaf_size, -1, {64, 64}, {}}, memory_.stream);
    rows_.build(tree_.tree.view(), memory_.stream);
    strength_ = bench::make_strengths<float>(tree_.sources.count, false);
    work_.tree = tree_.tree.view();
    work_.lists = tree_.lists.view();
    for (int axis = 0; axis < 3; ++axis) work_.source[axis] = work_.target[axis] = tree_.sources.axis[axis].data();
    work_.strength = strength_.data();
    work_.classes = rows_.classes();
    work_.sources = work_.targets = tree_.sources.count;
    Report report;
    count_work(work_.tree, work_.lists, Decision{}, memory_, report);
    translations_ = report.m2l_boxes, leaves_ = report.leaves;
  }

  void run(int degree) {
    tables_.build<LaplaceBasis>(degree, false, false, memory_.stream);
    work_.tables = tables_.view();
    octants_.build(work_.tables, memory_.stream);
    work_.octants = octants_.view();
    const std::int64_t numbers = std::int64_t(work_.tree.boxes) * work_.tables.stride;
    for (DeviceArray<float>* a : {&multipole_, &local_, &by_fma_}) {
      a->resize(numbers);
      require(cudaMemset(a->data(), 0, static_cast<std::size_t>(numbers) * 4), "cudaMemset");
    }
    work_.multipole = multipole_.data();
    p2m<Laplace3d>(work_);
    for (int level = work_.tree.levels - 2; level >= 2; --level) m2m(work_, level);
    work_.tensor.ready = false;
    work_.local = by_fma_.data();
    m2l(work_);
    if (log2_n_ <= 20) print(degree, "fma", bench::milliseconds([&] { m2l(work_); }), 0);
    require(cudaMemset(by_fma_.data(), 0, static_cast<std::size_t>(numbers) * 4), "cudaMemset");
    m2l(work_);
    work_.local = local_.data();
    for (const TensorEngine engine : {TensorEngine::warpgroup, TensorEngine::warp}) {
      if (tensor_engine(degree) == TensorEngine::none) continue;
      if (engine == TensorEngine::warpgroup && tensor_engine(degree) != engine) continue;
      tensor_.build(work_.tables, work_.tree, engine, memory_.stream);
      const double building =
          bench::milliseconds([&] { tensor_.build(work_.tables, work_.tree, engine, memory_.stream); });
      work_.tensor = tensor_.view();
      m2l(work_);
      const double error = difference(local_, by_fma_);
      const double all = bench::milliseconds([&] { m2l(work_); });
      work_.tensor.full.terms = work_.tensor.graded.terms = 0;  // the split pass by itself
      const double split = bench::milliseconds([&] { m2l(work_); });
      work_.tensor.full = tensor_.view().full;
      const double full = bench::milliseconds([&] { m2l(work_); }) - split;
      print(degree, engine == TensorEngine::warp ? "warp" : "warpgroup", all, error,
            {building, split, full, all - split - full});
      require(cudaMemset(local_.data(), 0, static_cast<std::size_t>(numbers) * 4), "cudaMemset");
    }
  }

 private:
  void print(int degree, const char* engine, double ms, double error, const Parts& parts = {}) const {
    const double numbers = std::pow(degree + 1, 4);
    std::printf(
        "{\"cloud\": \"%s\", \"log2_n\": %d, \"leaf_size\": %lld, \"leaves\": %lld, \"boxes\": %d, \"degree\": %d, "
        "\"engine\": \"%s\", \"ms\": %.3f, \"translations_per_second\": %.3g, \"tflops\": %.1f, \"difference\": "
        "%.2g, \"rows_ms\": %.3f, \"split_ms\": %.3f, \"full_ms\": %.3f, \"graded_ms\": %.3f}\n",
        cloud_.c_str(), log2_n_, static_cast<long long>(leaf_size_), static_cast<long long>(leaves_), work_.tree.boxes,
        degree, engine, ms, static_cast<double>(translations_) / ms * 1e3,
        2e-9 * numbers * static_cast<double>(translations_) / ms, error, parts.rows, parts.split, parts.full,
        parts.graded);
    std::fflush(stdout);
  }

  std::string cloud_;
  int log2_n_;
  std::int64_t leaf_size_, translations_ = 0, leaves_ = 0;
  DeviceMemory memory_;
  CudaTree tree_;
  Rows rows_{memory_};
  Tables<float> tables_{memory_};
  Octants octants_{memory_};
  TensorM2l tensor_{memory_};
  DeviceArray<float> strength_, multipole_, local_, by_fma_;
  Work<float> work_;
};

}  // namespace
}  // namespace farfield::cuda

int main(int argc, char** argv) {
  using namespace farfield::cuda;
  try {
    const int log2_n = argc > 1 ? std::atoi(argv[1]) : 20;
    const auto leaf_sizes = farfield::bench::listed(argc > 2 ? argv[2] : "16,32,64"),
               degrees = farfield::bench::listed(argc > 3 ? argv[3] : "3,4,5,6,7,10,12");
    for (const std::string& cloud : farfield::bench::listed(argc > 4 ? argv[4] : "uniform,plummer,sphere"))
      for (const std::string& leaf_size : leaf_sizes) {
        Bench bench(cloud, log2_n, std::atoll(leaf_size.c_str()));
        for (const std::string& degree : degrees) bench.run(std::atoi(degree.c_str()));
      }
  } catch (const farfield::Error& e) {
    std::fprintf(stderr, "gpu_m2l: %s\n", e.what());
    return static_cast<int>(e.code());
  }
}
