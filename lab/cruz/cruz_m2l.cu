// Tables 2 and 3 of Cruz, Layton & Barba 2011 on today's device, and sizes beyond them whose boxes do not fit into its
// cache: seconds of all translations of levels 2 ... 3 to 2 ... 10, p = 8, 12, 16, single precision. One JSON line per
// row and variant. Usage: cruz_m2l [last level [variant]]
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>
#include <functional>
#include <string>

#include "backends/cuda/runtime/check.hpp"
#include "plane_m2l.hpp"

namespace farfield::lab {
namespace {

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// The median of nine after one that warms up, in seconds by the host's clock.
double host_seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int run = 0; run < 10; ++run) {
    cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto begin = std::chrono::steady_clock::now();
    work();
    cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (run) times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

/// Twenty launches, one after another, replayed as one graph.
class Twenty {
 public:
  Twenty(PlaneM2l& m2l, const PlaneVariant& variant) {
    m2l.run(variant);  // attributes of the kernel are set outside the capture
    cuda::require(cudaStreamCreate(&stream_), "cudaStreamCreate");
    cuda::require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < count; ++i) m2l.run(variant, stream_);
    cudaGraph_t graph;
    cuda::require(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    cuda::require(cudaGraphInstantiate(&launches_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  ~Twenty() { cudaGraphExecDestroy(launches_), cudaStreamDestroy(stream_); }
  Twenty(const Twenty&) = delete;
  /// Seconds of one launch of the twenty, the median of nine.
  double seconds() {
    cudaEvent_t begin, end;
    cuda::require(cudaEventCreate(&begin), "cudaEventCreate");
    cuda::require(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<double> times;
    for (int run = 0; run < 11; ++run) {
      cuda::require(cudaEventRecord(begin, stream_), "cudaEventRecord");
      cuda::require(cudaGraphLaunch(launches_, stream_), "cudaGraphLaunch");
      cuda::require(cudaEventRecord(end, stream_), "cudaEventRecord");
      cuda::require(cudaEventSynchronize(end), "orbit_kernel");
      float milliseconds = 0;
      cuda::require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
      if (run > 1) times.push_back(1e-3 * static_cast<double>(milliseconds) / count);
    }
    cudaEventDestroy(begin), cudaEventDestroy(end);
    return median(times);
  }

 private:
  static constexpr int count = 20;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t launches_ = nullptr;
};

/// Flops by three counts: as kernels.md asks (a complex multiply-add per entry), as Pascal's form of one translation,
/// and as this variant does them.
void print_row(const PlaneLevels& levels, const PlaneVariant& variant, double seconds, double call, double error,
               double to_device, double to_host) {
  const auto n = static_cast<double>(levels.translations());
  const int p = levels.p();
  const double done = variant.name == "matrix"
                          ? 8.0 * p * p
                          : static_cast<double>(target_flops(p, variant.name == "orbits")) / source_count;
  std::printf(
      "{\"paper\": \"cruz\", \"table\": \"2, 3\", \"variant\": \"%s\", \"groups\": %d, \"n\": %lld, \"p\": %d, "
      "\"precision\": \"single\", \"seconds\": %.4g, \"call_seconds\": %.4g, \"to_device_seconds\": %.4g, "
      "\"to_host_seconds\": %.4g, \"translations_per_second\": %.4g, \"flops_per_second\": %.4g, "
      "\"pascal_flops_per_second\": %.4g, \"done_flops_per_second\": %.4g, \"bytes_per_second\": %.4g, "
      "\"compulsory_bytes_per_second\": %.4g, \"error\": %.3g}\n",
      variant.name.c_str(), variant.groups, static_cast<long long>(levels.translations()), p, seconds, call, to_device,
      to_host, n / seconds, 8.0 * p * p * n / seconds, (4.0 * p * p + 16 * p) * n / seconds, done * n / seconds,
      8.0 * p * n / seconds, 16.0 * p * static_cast<double>(levels.boxes()) / seconds, error);
  std::fflush(stdout);
}

void measure(int last_level, int p, const std::string& only) {
  const PlaneLevels levels(last_level, p, 1);
  PlaneM2l m2l(levels);
  const double to_device = host_seconds([&] { m2l.copy_multipoles_to_device(); });
  const double to_host = host_seconds([&] { m2l.copy_locals_to_host(); });
  for (const PlaneVariant& variant : PlaneM2l::variants()) {
    if (!only.empty() && only != variant.name) continue;
    m2l.clear();
    const double call = host_seconds([&] { m2l.run(variant); });
    m2l.copy_locals_to_host();
    const double error = local_error(levels, m2l.locals(), 300);
    print_row(levels, variant, Twenty(m2l, variant).seconds(), call, error, to_device, to_host);
  }
}

}  // namespace
}  // namespace farfield::lab

int main(int count, char** arguments) {
  const int last = count > 1 ? std::atoi(arguments[1]) : 10;
  try {
    for (const int p : {8, 12, 16})
      for (int level = 3; level <= last; ++level) farfield::lab::measure(level, p, count > 2 ? arguments[2] : "");
  } catch (const farfield::Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
