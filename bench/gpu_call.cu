// What a call costs from C++ where there is little to compute: 100 points in device memory, results too, potential and
// gradient in double. One line for the tree's method that is chosen and one for direct sums, medians of 1000 calls;
// python/bench/device.py prints it beside the same call from Python.
#include <cstdio>
#include <farfield/farfield.hpp>
#include <random>
#include <vector>

#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

constexpr std::int64_t count = 100;

cuda::DeviceArray<double> copied(const std::vector<double>& host) {
  cuda::DeviceArray<double> device;
  cuda::upload(device, host.data(), static_cast<std::int64_t>(host.size()), nullptr);
  return device;
}

std::vector<double> coordinates() {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> xyz(3 * count);
  for (double& x : xyz) x = uniform(generator);
  return xyz;
}

/// Median seconds of call().
template <class Call>
double seconds_of(const Call& call) {
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) {
    const double start = now();
    call();
    times.push_back(now() - start);
  }
  return median(times);
}

void run(const char* name, Method method) {
  const cuda::DeviceArray<double> xyz = copied(coordinates()), q = copied(std::vector<double>(count, 1.0));
  cuda::DeviceArray<double> potential, gradient;
  potential.resize(count);
  gradient.resize(3 * count);
  Options options;
  options.gradient = true;
  options.method = method;
  Plan plan(on_device(xyz), options);
  Strengths strengths{q.data(), count};
  strengths.space = MemorySpace::device;
  Outputs outputs;
  outputs.potential = potential.data();
  outputs.gradient = gradient.data();
  outputs.scalar = Scalar::float64;
  outputs.space = MemorySpace::device;
  const double seconds = seconds_of([&] { plan.evaluate(strengths, outputs); });
  std::printf("100 points: C++ plan.evaluate, method %-7s %7.1f us, of which its stages %7.1f us\n", name,
              1e6 * seconds, 1e6 * plan.report().evaluate_seconds());
}

}  // namespace
}  // namespace farfield::bench

int main() {
  try {
    farfield::bench::run("auto", farfield::Method::automatic);
    farfield::bench::run("direct", farfield::Method::direct);
  } catch (const farfield::Error& error) {
    std::printf("gpu_call: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
