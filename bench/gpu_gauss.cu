// Kernel gauss on a device, positions, strengths and results in its memory: a JSON line per bandwidth and method with
// the milliseconds of plan and evaluation, those of an evaluation alone, the stages, and the error at 1,000 targets
// relative to the sum of |strengths|, against direct sums in double. h is sqrt(2) times the bandwidth.
//   gpu_gauss --n 1000000 --h 0.02,0.05,0.2 --method direct,cutoff,grid,hermite,auto [--tolerance 1e-6] [--gradient]
//     [--double]
// Method tiled is the plain loop that a code generator makes: a thread per target, sources through shared memory.
#include <cmath>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

struct Field {
  explicit Field(std::int64_t count)
      : n(count), xyz(make_points("uniform", count)), q(make_strengths<float>(count, false)) {
    potential.resize(n), gradient.resize(3 * n);
    at = on_device(xyz);
    strength = strengths(static_cast<const float*>(q.data()), n);
    strength.space = MemorySpace::device;
    out = {potential.data(), gradient.data(), nullptr, nullptr, Scalar::float32, MemorySpace::device, nullptr};
    std::vector<float> all(static_cast<std::size_t>(n));
    cuda::download(all.data(), q.data(), n, nullptr);
    cuda::require(cudaDeviceSynchronize(), "strengths");
    for (const float each : all) sizes += std::fabs(static_cast<double>(each));
  }
  std::int64_t n;
  cuda::DeviceArray<float> xyz, q, potential, gradient;
  double sizes = 0;
  Points at;
  Strengths strength;
  Outputs out;
};

constexpr std::int64_t samples = 1000;

/// Potentials of every n/samples-th target, to be compared with `exact`.
std::vector<double> exact_potential(const Field& f, double bandwidth) {
  std::vector<float> some(3 * samples);
  cuda::require(cudaMemcpy2D(some.data(), 12, f.xyz.data(), static_cast<std::size_t>(f.n / samples) * 12, 12, samples,
                             cudaMemcpyDeviceToHost),
                "sample");
  Options o;
  o.kernel = Kernel::gauss, o.bandwidth = bandwidth, o.method = Method::direct, o.backend = Backend::cuda;
  o.precision = Precision::double_;
  cuda::DeviceArray<float> where;
  cuda::DeviceArray<double> potential;
  cuda::upload(where, some.data(), 3 * samples, nullptr);
  potential.resize(samples);
  Plan plan(f.at, on_device(where), o);
  plan.evaluate(f.strength,
                {potential.data(), nullptr, nullptr, nullptr, Scalar::float64, MemorySpace::device, nullptr});
  std::vector<double> exact(samples);
  cuda::download(exact.data(), potential.data(), samples, nullptr);
  cuda::require(cudaDeviceSynchronize(), "direct sums");
  return exact;
}

double error_of(const Field& f, const std::vector<double>& exact) {
  std::vector<float> found(static_cast<std::size_t>(f.n));
  cuda::download(found.data(), f.potential.data(), f.n, nullptr);
  cuda::require(cudaDeviceSynchronize(), "results");
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    worst =
        std::max(worst, std::fabs(static_cast<double>(found[i * static_cast<std::size_t>(f.n / samples)]) - exact[i]));
  return worst / f.sizes;
}

constexpr int tile = 256;

__global__ void __launch_bounds__(tile)
    tiled_kernel(const float* xyz, const float* q, int n, float minus_half_inverse_square, float* potential) {
  __shared__ float4 source[tile];
  const int i = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x), own = min(i, n - 1);
  const float x = xyz[3 * own], y = xyz[3 * own + 1], z = xyz[3 * own + 2];
  float sum = 0;
  for (int first = 0; first < n; first += tile) {
    const int j = first + static_cast<int>(threadIdx.x), at = min(j, n - 1);
    __syncthreads();
    source[threadIdx.x] = {xyz[3 * at], xyz[3 * at + 1], xyz[3 * at + 2], j < n ? q[at] : 0.0f};
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      const float4 s = source[k];
      const float dx = x - s.x, dy = y - s.y, dz = z - s.z;
      sum += s.w * __expf(minus_half_inverse_square * (dx * dx + dy * dy + dz * dz));
    }
  }
  if (i < n) potential[i] = sum;
}

void print_tiled(Field& f, double h, const std::vector<double>& exact) {
  const auto n = static_cast<int>(f.n);
  const double ms = milliseconds([&] {
    tiled_kernel<<<static_cast<unsigned>((n + tile - 1) / tile), tile>>>(
        f.xyz.data(), f.q.data(), n, static_cast<float>(-1 / (h * h)), f.potential.data());
  });
  std::printf(
      "{\"n\": %d, \"h\": %g, \"method\": \"tiled\", \"ms\": %.3f, \"pairs_per_second\": %.4g, \"error\": %.3g}\n", n,
      h, ms, 1e3 * double(n) * double(n) / ms, error_of(f, exact));
  std::fflush(stdout);
}

void run(const Field& f, double h, const std::vector<double>& exact, const Options& o) try {
  Plan plan(f.at, o);
  Outputs out = f.out;
  if (!o.gradient) out.gradient = nullptr;
  StageTimes stages;
  std::vector<double> all, again;
  for (int run = 0; run < 5; ++run) {
    cudaDeviceSynchronize();
    const double begin = now();
    plan.move(f.at);
    const double between = now();
    plan.evaluate(f.strength, out);
    cudaDeviceSynchronize();
    if (run == 0) continue;
    all.push_back(now() - begin), again.push_back(now() - between);
    stages.add(plan.report());
  }
  const Report& r = plan.report();
  std::printf(
      "{\"n\": %lld, \"h\": %g, \"tolerance\": %g, \"method\": \"%s\", \"asked\": \"%s\", \"precision\": \"%s\", "
      "\"gradient\": %d, \"ms\": %.3f, \"evaluate_ms\": %.3f, \"expected_ms\": %.3f, \"error\": %.3g, "
      "\"pairs_per_second\": %.4g, \"memory_bytes\": %lld, \"stages_ms\": {",
      static_cast<long long>(f.n), h, o.tolerance, r.method.c_str(), word_of(o.method), r.precision.c_str(),
      static_cast<int>(o.gradient), 1e3 * median(all), 1e3 * median(again), 1e3 * r.expected_seconds,
      error_of(f, exact), static_cast<double>(f.n) * static_cast<double>(f.n) / median(again),
      static_cast<long long>(r.memory_bytes));
  print_stages(stages.medians(), 3);
  std::printf("}}\n");
  std::fflush(stdout);
} catch (const Error& error) {
  std::printf("{\"n\": %lld, \"h\": %g, \"asked\": \"%s\", \"error\": \"%s\"}\n", static_cast<long long>(f.n), h,
              word_of(o.method), error.what());
  std::fflush(stdout);
  cudaGetLastError();
}

Method method_of(const std::string& word) {
  for (const Method method : {Method::direct, Method::cutoff, Method::grid, Method::hermite})
    if (word == word_of(method)) return method;
  return Method::automatic;
}

void run_all(const std::vector<std::string>& words) {
  const auto has = [&](const char* name) { return std::find(words.begin(), words.end(), name) != words.end(); };
  const auto of = [&](const char* name, const char* otherwise) {
    const auto at = std::find(words.begin(), words.end(), name);
    return listed(at == words.end() || at + 1 == words.end() ? otherwise : *(at + 1));
  };
  for (const std::string& n : of("--n", "1000000")) {
    Field field(std::stoll(n));
    for (const std::string& h : of("--h", "0.02,0.05,0.2")) {
      Options o;
      o.kernel = Kernel::gauss, o.backend = Backend::cuda;
      o.bandwidth = std::stod(h) / std::sqrt(2.0);
      o.tolerance = std::stod(of("--tolerance", "1e-6")[0]);
      o.gradient = has("--gradient");
      o.precision = has("--double") ? Precision::double_ : Precision::automatic;
      const std::vector<double> exact = exact_potential(field, o.bandwidth);
      for (const std::string& method : of("--method", "tiled,direct,cutoff,grid,auto")) {
        if (method == "tiled") {
          print_tiled(field, std::stod(h), exact);
          continue;
        }
        o.method = method_of(method);
        run(field, std::stod(h), exact, o);
      }
    }
  }
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  farfield::bench::run_all({arguments + 1, arguments + count});
  return 0;
}
