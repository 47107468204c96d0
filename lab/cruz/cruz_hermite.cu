// Tables 4 and 5 of Cruz, Layton & Barba 2011 today: the series of 64 clusters at N points of the plane, p = 5, 9, 12,
// single precision, on the device and on 1, 2, ... threads of the CPU (one million points at most there). One JSON line
// per row. Usage: cruz_hermite [most threads]
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>

#include "hermite_device.hpp"
#include "timing.hpp"

namespace farfield::lab {
namespace {

void print_row(const char* what, int size, const SeriesCase& from, double seconds, double call, double error) {
  const double n = static_cast<double>(from.x.size()), evaluations = n * cluster_count;
  std::printf(
      "{\"paper\": \"cruz\", \"table\": \"4, 5\", \"what\": \"%s\", \"%s\": %d, \"n\": %lld, \"p\": %d, "
      "\"precision\": \"single\", \"clusters\": %d, \"seconds\": %.4g, \"call_seconds\": %.4g, "
      "\"points_per_second\": %.4g, \"evaluations_per_second\": %.4g, \"flops_per_second\": %.4g, \"error\": %.3g}\n",
      what, *what == 'C' ? "threads" : "groups", size, static_cast<long long>(from.x.size()), from.p, cluster_count,
      seconds, call, n / seconds, evaluations / seconds, series_flops(from.p) * evaluations / seconds, error);
  std::fflush(stdout);
}

void measure_device(const SeriesCase& from) {
  DeviceSeries series(from);
  for (const int points : {1, 2, 4}) {
    const double call = host_seconds([&] { series.run(points, nullptr); });
    const double error = from.error(series.result(), 300);
    const double seconds = Twenty([&](cudaStream_t stream) { series.run(points, stream); }).seconds();
    print_row("GPU", points, from, seconds, call, error);
  }
}

void measure_cpu(const SeriesCase& from, int threads) {
  std::vector<float> result(from.x.size());
  evaluate_on_cpu(from, threads, result);
  std::vector<double> times;
  for (int run = 0; run < 3; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    evaluate_on_cpu(from, threads, result);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  print_row("CPU", threads, from, median(times), median(times), from.error(result, 300));
}

}  // namespace
}  // namespace farfield::lab

int main(int count, char** arguments) {
  using namespace farfield;
  const int most = count > 1 ? std::atoi(arguments[1]) : 4;
  int devices = 0;
  const bool device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  try {
    for (const int p : {5, 9, 12})
      for (std::int64_t n = 25600; n <= 6553600; n *= 4) {
        const lab::SeriesCase from(p, n);
        if (device) lab::measure_device(from);
        for (int threads = 1; threads <= most && n <= 1638400; threads *= 2) lab::measure_cpu(from, threads);
      }
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
