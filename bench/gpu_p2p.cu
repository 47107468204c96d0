// Pairs per second of p2p by mean leaf, precision, outputs and form (tiles of 64 or 128 threads, families, and what p2p
// chooses), and of direct sums: a JSON line each, the median of seven launches. Uniform trees have random (Poisson)
// leaves. `difference` is the relative L2 distance of the results from those of narrow tiles. What counts as close is
// what it is beside expansions of degree 5. `moments`: p2p with dipoles, Hessians and three densities beside that of
// charges with gradient. Usage: gpu_p2p [single|double|clouds|direct|moments]...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <farfield/error.hpp>
#include <string>
#include <vector>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/judge/accounts.hpp"
#include "backends/cuda/near/families/p2p_families.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda {
namespace {

constexpr cudaStream_t stream = nullptr;

/// A cloud in a tree, strengths and room for results.
template <class Real>
class Field {
 public:
  Field(const std::string& cloud, std::int64_t n, const TreeOptions* options) : n_(n) {
    const DeviceArray<float> xyz = bench::make_points(cloud, n);
    tree_.use(memory_);
    const DevicePoints points(bench::on_device(xyz), memory_);
    const Geometry geometry = survey(points.view(), nullptr, memory_);
    if (options)
      build(tree_, points.view(), nullptr, geometry, *options);
    else
      read_points(tree_, points.view(), nullptr, geometry, true);
    strength_ = bench::make_strengths<Real>(densities * n, true);
    for (DeviceArray<Real>& result : result_) result.resize(densities * n);
    for (int a = 0; a < 3; ++a) work_.source[a] = work_.target[a] = tree_.sources.axis[a].data();
    work_.strength = strength_.data();
    want_gradient(false);
    work_.source_curve = work_.target_curve = tree_.source_curve.data();
    work_.tree = tree_.tree.view(), work_.lists = tree_.lists.view();
    require(cudaDeviceSynchronize(), "a tree");
  }

  const Report& count() {
    Accounts(memory_).count(work_.tree, work_.lists, report_);
    return report_;
  }
  void want_gradient(bool wanted) {
    for (int part = 0; part < most_parts; ++part)
      work_.result.part[part] = part < parts_with(wanted) ? result_[part].data() : nullptr;
  }
  /// `parts` of the result, of sources with so many moments, of several densities.
  void want(int parts, int moments, int together) {
    for (int part = 0; part < most_parts; ++part)
      work_.result.part[part] = part < parts ? result_[part].data() : nullptr;
    for (const Real*& axis : work_.dipole) axis = moments == with_dipole ? strength_.data() : nullptr;
    work_.densities = together, work_.strength_pitch = work_.result_pitch = n_;
  }
  double time_p2p(const P2pLimits<Real>& limits) {
    const double building = bench::milliseconds([&] { near_.build(work_.tree, work_.lists, n_, n_, stream, limits); });
    work_.near = near_.view();
    work_.close_square = tuning::close_square<Real>(5);
    rows_ms = building;
    return bench::milliseconds([&] { p2p<Laplace3d>(work_); });
  }
  double time_direct() {
    return bench::milliseconds([&] { direct<Laplace3d>(work_, n_, n_); });
  }

  /// Results of one p2p: potential, then gradient.
  std::vector<Real> results() {
    const int parts = work_.result.parts();
    std::vector<Real> found(static_cast<std::size_t>(parts * n_));
    for (int i = 0; i < parts; ++i)
      require(cudaMemsetAsync(result_[i].data(), 0, static_cast<std::size_t>(n_) * sizeof(Real), stream), "memset");
    p2p<Laplace3d>(work_);
    for (int i = 0; i < parts; ++i) download(found.data() + i * n_, result_[i].data(), n_, stream);
    require(cudaDeviceSynchronize(), "p2p");
    return found;
  }
  double rows_ms = 0;

 private:
  static constexpr int densities = 3;

  std::int64_t n_;
  DeviceMemory memory_;
  CudaTree tree_;
  P2pWork near_{memory_};
  DeviceArray<Real> strength_, result_[most_parts];
  Work<Real> work_;
  Report report_;
};

template <class Real>
double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  double square = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    square += std::pow(double(a[i]) - double(b[i]), 2), size += std::pow(double(b[i]), 2);
  return std::sqrt(square / size);
}

template <class Real>
std::vector<std::pair<const char*, P2pLimits<Real>>> forms() {
  P2pLimits<Real> narrow, wide, families;
  narrow.family_mean = wide.family_mean = 0;
  narrow.narrow_mean = 1'000'000, wide.narrow_mean = 0;
  families.family_mean = tuning::family_leaf;
  return {{"narrow tiles", narrow}, {"wide tiles", wide}, {"families", families}, {"p2p", {}}};
}

template <class Real>
void run(const std::string& cloud, double mean, std::int64_t n, const TreeOptions& options) {
  Field<Real> field(cloud, n, &options);
  const Report& report = field.count();
  for (const bool gradient : {true, false}) {
    field.want_gradient(gradient);
    std::vector<Real> reference;
    for (const auto& [form, limits] : forms<Real>()) {
      const double ms = field.time_p2p(limits);
      const std::vector<Real> found = field.results();
      if (reference.empty()) reference = found;
      std::printf(
          "{\"measured\": \"p2p\", \"cloud\": \"%s\", \"n\": %lld, \"mean\": %g, \"leaf_size\": %lld, \"precision\": "
          "\"%s\", \"gradient\": %s, \"form\": \"%s\", \"pairs\": %.6g, \"ms\": %.4f, \"pairs_per_second\": %.4g, "
          "\"ns_per_pair\": %.3g, \"difference\": %.2g, \"work_ms\": %.3f}\n",
          cloud.c_str(), static_cast<long long>(n), mean, static_cast<long long>(options.leaf_size),
          sizeof(Real) == 4 ? "single" : "double", gradient ? "true" : "false", form,
          static_cast<double>(report.near_pairs), ms, static_cast<double>(report.near_pairs) / ms * 1e3,
          ms * 1e6 / static_cast<double>(report.near_pairs), difference(found, reference), field.rows_ms);
    }
  }
  std::fflush(stdout);
}

template <class Real>
void run_uniform() {
  for (const int mean : {8, 12, 16, 20, 24, 26, 28, 30, 32, 48, 64, 96, 128, 256, 512}) {
    TreeOptions options;
    options.depth = mean <= 30 ? 6 : mean <= 256 ? 5 : 4;
    run<Real>("uniform", mean, std::int64_t(mean) << 3 * options.depth, options);
  }
}

/// Sums that are not plain go by tiles alone.
template <class Real>
void run_moments() {
  struct Sum {
    const char* name;
    int parts, moments, densities;
  };
  for (const int mean : {16, 32, 64, 128}) {
    TreeOptions options;
    options.depth = mean <= 24 ? 6 : 5;
    Field<Real> field("uniform", std::int64_t(mean) << 3 * options.depth, &options);
    const double pairs = static_cast<double>(field.count().near_pairs);
    double plain = 0;
    for (const Sum& sum : {Sum{"charges", 4, 1, 1}, Sum{"dipoles", 4, 4, 1}, Sum{"Hessian", 10, 1, 1},
                           Sum{"dipoles and Hessian", 10, 4, 1}, Sum{"three densities", 4, 1, 3}}) {
      P2pLimits<Real> limits;
      if (sum.parts == with_hessian || sum.moments == with_dipole) limits.family_mean = 0;
      field.want(sum.parts, sum.moments, sum.densities);
      const double ms = field.time_p2p(limits);
      if (plain == 0) plain = ms;
      std::printf(
          "{\"measured\": \"p2p\", \"sum\": \"%s\", \"mean\": %d, \"precision\": \"%s\", \"pairs\": %.6g, \"ms\": "
          "%.4f, "
          "\"ns_per_pair\": %.3g, \"times\": %.3f}\n",
          sum.name, mean, sizeof(Real) == 4 ? "single" : "double", pairs, ms, ms * 1e6 / pairs, ms / plain);
    }
  }
}

template <class Real>
void run_clouds() {
  for (const char* cloud : {"uniform", "plummer", "sphere"})
    for (const int leaf_size : {16, 40, 100}) {
      TreeOptions options;
      options.leaf_size = leaf_size;
      run<Real>(cloud, 0, std::int64_t(1) << 21, options);
    }
}

template <class Real>
void run_direct(const char* cloud) {
  const std::int64_t n = sizeof(Real) == 4 ? std::int64_t(1) << 19 : std::int64_t(1) << 18;
  Field<Real> field(cloud, n, nullptr);
  for (const bool gradient : {true, false}) {
    field.want_gradient(gradient);
    const double ms = field.time_direct();
    std::printf(
        "{\"measured\": \"direct\", \"cloud\": \"%s\", \"n\": %lld, \"precision\": \"%s\", \"gradient\": %s, \"ms\": "
        "%.3f, \"pairs_per_second\": %.4g}\n",
        cloud, static_cast<long long>(n), sizeof(Real) == 4 ? "single" : "double", gradient ? "true" : "false", ms,
        static_cast<double>(n) * static_cast<double>(n) / ms * 1e3);
  }
}

void run(const std::string& part) {
  if (part == "single") run_uniform<float>();
  if (part == "double") run_uniform<double>();
  if (part == "clouds") run_clouds<float>(), run_clouds<double>();
  if (part == "moments") run_moments<float>(), run_moments<double>();
  if (part == "direct")
    for (const char* cloud : {"uniform", "plummer"}) run_direct<float>(cloud), run_direct<double>(cloud);
}

}  // namespace
}  // namespace farfield::cuda

int main(int count, char** arguments) {
  std::vector<std::string> parts(arguments + 1, arguments + count);
  if (parts.empty()) parts = {"single", "double", "clouds", "direct", "moments"};
  try {
    for (const std::string& part : parts) farfield::cuda::run(part);
  } catch (const farfield::Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
