// What the programs of this folder share: clouds, whole evaluations timed, a JSON line for each. Points, strengths and
// results are in device memory; sources and targets are apart, as in the papers.
#pragma once
#include <cstdio>
#include <farfield/farfield.hpp>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "bench/timing.hpp"

namespace farfield::papers {

using bench::median, bench::now;

struct Cloud {
  std::vector<double> sources, targets, strengths;
};

/// n sources with strengths in (0, 1) and m other targets, uniform in the unit cube.
/// The last one is kept: rows of a table share it.
inline const Cloud& uniform_cloud(std::int64_t n, std::int64_t m) {
  static Cloud cloud;
  if (cloud.strengths.size() == static_cast<std::size_t>(n) && cloud.targets.size() == static_cast<std::size_t>(3 * m))
    return cloud;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  cloud.sources.resize(3 * n), cloud.targets.resize(3 * m), cloud.strengths.resize(n);
  for (auto* values : {&cloud.sources, &cloud.targets, &cloud.strengths})
    for (double& v : *values) v = unit(random);
  return cloud;
}

/// A cloud on the device in the numbers of one precision, with room for the results.
template <class T>
class DeviceCloud {
 public:
  DeviceCloud(const Cloud& cloud, bool gradient) {
    store(sources_, cloud.sources), store(targets_, cloud.targets), store(strengths_, cloud.strengths);
    potential_.resize(targets_.size() / 3);
    if (gradient) gradient_.resize(targets_.size());
  }
  Points sources() const { return bench::on_device(sources_); }
  Points targets() const { return bench::on_device(targets_); }
  Strengths strengths() const {
    Strengths s = farfield::strengths(static_cast<const T*>(strengths_.data()), strengths_.size());
    s.space = MemorySpace::device;
    return s;
  }
  Outputs results() {
    return {potential_.data(), gradient_.data(), nullptr, nullptr, scalar_of<T>, MemorySpace::device, nullptr};
  }
  std::vector<T> potential() const {
    std::vector<T> out(static_cast<std::size_t>(potential_.size()));
    cuda::download(out.data(), potential_.data(), potential_.size(), nullptr);
    cudaDeviceSynchronize();
    return out;
  }

 private:
  static void store(cuda::DeviceArray<T>& to, const std::vector<double>& from) {
    const std::vector<T> rounded(from.begin(), from.end());
    cuda::upload(to, rounded.data(), static_cast<std::int64_t>(rounded.size()), nullptr);
    cudaDeviceSynchronize();
  }
  cuda::DeviceArray<T> sources_, targets_, strengths_, potential_, gradient_;
};

/// Medians of five runs after a warm-up, fewer of runs that take more than a second.
struct Times {
  double all = 0, evaluation = 0;  ///< with the tree built again, and without
  std::map<std::string, double> stages;
};

template <class T>
Times time_runs(Plan& plan, DeviceCloud<T>& cloud) {
  std::vector<double> all, evaluation;
  bench::StageTimes stages;
  for (int run = 0; run < 6; ++run) {
    cudaDeviceSynchronize();
    const double begin = now();
    plan.move(cloud.sources(), cloud.targets());
    const double built = now();
    plan.evaluate(cloud.strengths(), cloud.results());
    cudaDeviceSynchronize();
    const double end = now();
    if (run == 0) continue;
    all.push_back(end - begin), evaluation.push_back(end - built);
    stages.add(plan.report());
    if (end - begin > 1 && run >= 2) break;
  }
  const auto run = [&] {
    plan.move(cloud.sources(), cloud.targets());
    plan.evaluate(cloud.strengths(), cloud.results());
  };
  return {median(all), median(evaluation), bench::stages_apart(plan, stages, run)};
}

/// Prints the line of one row. `p` is the papers' truncation number; `error` of 0 means not measured.
inline void print_row(const std::string& paper, const std::string& table, const char* setting, int p, const Options& o,
                      const Report& r, const Times& times, const ErrorReport& error) {
  std::printf(
      "{\"paper\": \"%s\", \"table\": \"%s\", \"setting\": \"%s\", \"n\": %lld, \"m\": %lld, \"p\": %d, \"depth\": %d, "
      "\"precision\": \"%s\", \"gradient\": %s, \"method\": \"%s\", \"m2l\": \"%s\", \"stencil\": \"%s\", "
      "\"leaf_size\": %lld, \"levels\": %d, \"boxes\": %lld, \"m2l_boxes\": %lld, \"near_pairs\": %lld, "
      "\"seconds\": %.4g, \"evaluation_seconds\": %.4g, \"error_potential\": %.3g, \"error_gradient\": %.3g, "
      "\"device\": \"%s\", \"stages_ms\": {",
      paper.c_str(), table.c_str(), setting, static_cast<long long>(r.sources), static_cast<long long>(r.targets), p,
      o.depth, r.precision.c_str(), o.gradient ? "true" : "false", r.method.c_str(), r.m2l.c_str(), r.stencil.c_str(),
      static_cast<long long>(r.leaf_size), r.levels, static_cast<long long>(r.boxes),
      static_cast<long long>(r.m2l_boxes), static_cast<long long>(r.near_pairs), times.all, times.evaluation,
      error.potential, error.gradient, r.device.c_str());
  bench::print_stages(times.stages, 5);
  std::printf("}}\n");
  std::fflush(stdout);
}

/// Times a row in the precision of its options; `samples` targets for the error, 0 for none. p = 0: direct sums.
template <class T>
void measure_as(const std::string& paper, const std::string& table, const char* setting, int p, const Cloud& cloud,
                Options o, std::int64_t samples) {
  DeviceCloud<T> there(cloud, o.gradient);
  ErrorReport error;
  if (samples) {
    o.check = samples;
    Plan plan(there.sources(), there.targets(), o);
    error = plan.evaluate(there.strengths(), there.results()).error.value();
    o.check = 0;
  }
  Plan plan(there.sources(), there.targets(), o);
  const Times times = time_runs(plan, there);
  print_row(paper, table, setting, p, o, plan.report(), times, error);
}

inline void measure(const std::string& paper, const std::string& table, const char* setting, int p, const Cloud& cloud,
                    const Options& options, std::int64_t samples = 0) {
  if (options.precision == Precision::single_)
    measure_as<float>(paper, table, setting, p, cloud, options, samples);
  else
    measure_as<double>(paper, table, setting, p, cloud, options, samples);
}

/// The papers' p counts degrees from 0: degree p - 1, p^2 coefficients. depth -1: Farfield's own tree.
inline Options fmm_options(int p, int depth, bool gradient, Precision precision = Precision::single_) {
  Options o;
  o.method = Method::fmm;
  o.backend = Backend::cuda;
  o.precision = precision;
  o.degree = p - 1;
  o.depth = depth;
  o.gradient = gradient;
  return o;
}

/// Runs `work` for main: errors become a line and an exit status.
inline int run_program(const std::function<void()>& work) try {
  work();
  return 0;
} catch (const Error& error) {
  std::printf("{\"error\": \"%s\"}\n", error.what());
  return static_cast<int>(error.code());
}

}  // namespace farfield::papers
