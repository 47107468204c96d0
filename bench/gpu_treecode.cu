// The treecode on a device, positions, strengths and results in its memory, tree rebuilt: a JSON line per case with
// points per second, seconds per stage, and the errors of the gradient at 4096 targets against direct sums in double:
// L2, median, 99th percentile and largest, relative to each target's own. Strengths are equal.
//   gpu_treecode --log2n 24 --cloud plummer --degree 3,4 --theta 0.5,0.6 --leaf 32,64 [--method fmm]
//   gpu_treecode ... --softening 0.001 [--softening-kind spline] [--lengths two]   two: of every third point 0.4 of it
//   gpu_treecode ... --kernel yukawa3d --kappa 3        or laplace2d, vortex, cauchy: the same points in the plane
// Degree -1 and theta 0 follow --tolerance; a degree without theta accepts boxes by error. Method fmm (theta is then
// left out) gives the same figures for comparison.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <map>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

struct Field {
  Field(const std::string& cloud, std::int64_t count, bool flat) : n(count), xyz(make_points(cloud, count)) {
    if (flat) cuda::require(cudaMemset2D(xyz.data() + 2, 12, 0, 4, static_cast<std::size_t>(n)), "lay flat");
    const std::vector<float> ones(static_cast<std::size_t>(n), 1.0f / static_cast<float>(n));
    cuda::upload(q, ones.data(), n, nullptr);
    potential.resize(n), gradient.resize(3 * n);
    at = on_device(xyz);
    strength = strengths(static_cast<const float*>(q.data()), n);
    strength.space = MemorySpace::device;
    out = {potential.data(), gradient.data(), nullptr, nullptr, Scalar::float32, MemorySpace::device, nullptr};
  }
  std::int64_t n;
  cuda::DeviceArray<float> xyz, q, potential, gradient;
  std::vector<double> lengths;  ///< what Points::softening points to
  Points at;
  Strengths strength;
  Outputs out;
};

/// Every n/samples-th vector of three numbers.
std::vector<double> sampled(const cuda::DeviceArray<float>& vectors, std::int64_t n, std::int64_t samples) {
  std::vector<float> some(static_cast<std::size_t>(3 * samples));
  cuda::require(cudaMemcpy2D(some.data(), 12, vectors.data(), static_cast<std::size_t>(n / samples) * 12, 12,
                             static_cast<std::size_t>(samples), cudaMemcpyDeviceToHost),
                "sample");
  return {some.begin(), some.end()};
}

/// Errors at the sampled targets, relative to their own gradients, in ascending order, and over all of them in L2.
struct Errors {
  std::vector<double> own;
  double l2 = 0;
  double at(double share) const { return own[static_cast<std::size_t>(share * static_cast<double>(own.size() - 1))]; }
};
Errors errors_of(const std::vector<double>& found, const std::vector<double>& exact) {
  Errors e;
  double all = 0;
  for (std::size_t i = 0; i < exact.size(); i += 3) {
    double error = 0, size = 0;
    for (std::size_t a = i; a < i + 3; ++a)
      error += (found[a] - exact[a]) * (found[a] - exact[a]), size += exact[a] * exact[a];
    e.own.push_back(std::sqrt(error / size));
    e.l2 += error, all += size;
  }
  std::sort(e.own.begin(), e.own.end());
  e.l2 = std::sqrt(e.l2 / all);
  return e;
}

std::vector<double> exact_gradient(const Field& f, std::int64_t samples, const Options& sum) {
  const std::vector<double> targets = sampled(f.xyz, f.n, samples);
  cuda::DeviceArray<double> where;
  cuda::upload(where, targets.data(), 3 * samples, nullptr);
  cuda::DeviceArray<double> potential, gradient;
  potential.resize(samples), gradient.resize(3 * samples);
  Options o = sum;
  o.method = Method::direct, o.backend = Backend::cuda, o.precision = Precision::double_, o.gradient = true;
  Points targets_at = on_device(where);
  std::vector<double> lengths;
  for (std::int64_t i = 0; i < samples && !f.lengths.empty(); ++i)
    lengths.push_back(f.lengths[static_cast<std::size_t>(i * (f.n / samples))]);
  if (!lengths.empty()) targets_at.softening = lengths.data();
  Plan plan(f.at, targets_at, o);
  const bool vector = sum.kernel == Kernel::vortex || sum.kernel == Kernel::cauchy;
  plan.evaluate(f.strength, {vector ? nullptr : potential.data(), gradient.data(), nullptr, nullptr, Scalar::float64,
                             MemorySpace::device, nullptr});
  std::vector<double> exact(static_cast<std::size_t>(3 * samples));
  cuda::download(exact.data(), gradient.data(), 3 * samples, nullptr);
  cuda::require(cudaDeviceSynchronize(), "direct sums");
  return exact;
}

void run(const std::string& cloud, double log2_n, const Field& f, const std::vector<double>& exact,
         const Options& o) try {
  Plan plan(f.at, o);
  StageTimes stages;
  std::vector<double> all, again;
  const auto build_and_evaluate = [&] {
    plan.move(f.at);
    plan.evaluate(f.strength, f.out);
    cudaDeviceSynchronize();
  };
  for (int run = 0; run < 4; ++run) {
    const double begin = now();
    build_and_evaluate();
    if (run == 0) continue;
    all.push_back(now() - begin);
    stages.add(plan.report());
  }
  for (int run = 0; run < 3; ++run) {
    const double begin = now();
    plan.evaluate(f.strength, f.out);
    cudaDeviceSynchronize();
    again.push_back(now() - begin);
  }
  const Errors e = errors_of(sampled(f.gradient, f.n, static_cast<std::int64_t>(exact.size()) / 3), exact);
  const Report& r = plan.report();
  std::printf(
      "{\"cloud\": \"%s\", \"log2_n\": %g, \"method\": \"%s\", \"precision\": \"%s\", \"degree\": %d, \"theta\": %g, "
      "\"leaf_size\": %lld, \"seconds\": %.6f, \"again\": %.6f, \"points_per_second\": %.4g, \"l2\": %.3g, \"median\": "
      "%.3g, \"p99\": %.3g, \"largest\": %.3g, \"estimated\": %.3g, \"pairs_per_target\": %.4g, \"m2p_boxes\": "
      "%lld, \"memory_bytes\": %lld, \"stages_ms\": {",
      cloud.c_str(), log2_n, r.method.c_str(), r.precision.c_str(), r.degree, o.theta,
      static_cast<long long>(r.leaf_size), median(all), median(again), static_cast<double>(f.n) / median(all), e.l2,
      e.at(0.5), e.at(0.99), e.own.back(), r.estimated_error,
      static_cast<double>(r.near_pairs) / static_cast<double>(f.n), static_cast<long long>(r.m2p_boxes),
      static_cast<long long>(r.memory_bytes));
  print_stages(stages_apart(plan, stages, build_and_evaluate), 3);
  std::printf("}}\n");
  std::fflush(stdout);
} catch (const Error& error) {
  std::printf("{\"cloud\": \"%s\", \"log2_n\": %g, \"error\": \"%s\"}\n", cloud.c_str(), log2_n, error.what());
  std::fflush(stdout);
  cudaGetLastError();
}

/// The values behind --name, separated by commas.
std::vector<std::string> values(const std::vector<std::string>& words, const std::string& name,
                                const std::string& otherwise) {
  const auto at = std::find(words.begin(), words.end(), "--" + name);
  return listed(at == words.end() || at + 1 == words.end() ? otherwise : *(at + 1));
}

Kernel kernel_of(const std::string& word) {
  if (word == "yukawa3d") return Kernel::yukawa3d;
  if (word == "laplace2d") return Kernel::laplace2d;
  if (word == "vortex") return Kernel::vortex;
  return word == "cauchy" ? Kernel::cauchy : Kernel::laplace3d;
}

void run_all(const std::vector<std::string>& words) {
  const auto of = [&](const char* name, const char* otherwise) { return values(words, name, otherwise); };
  for (const std::string& cloud : of("cloud", "plummer"))
    for (const std::string& n : of("log2n", "24")) {
      Options sum;
      sum.kernel = kernel_of(of("kernel", "laplace3d")[0]);
      sum.kappa = std::stod(of("kappa", "0")[0]);
      sum.softening = std::stod(of("softening", "0")[0]);
      sum.softening_kind =
          of("softening-kind", "plummer")[0] == "spline" ? SofteningKind::spline : SofteningKind::plummer;
      const bool flat = sum.kernel != Kernel::laplace3d && sum.kernel != Kernel::yukawa3d,
                 vector = flat && sum.kernel != Kernel::laplace2d;
      Field field(cloud, std::llround(std::exp2(std::stod(n))), flat);
      if (vector) field.out.potential = nullptr;
      if (of("lengths", "one")[0] == "two") {
        for (std::int64_t i = 0; i < field.n; ++i) field.lengths.push_back(sum.softening * (i % 3 ? 1 : 0.4));
        field.at.softening = field.lengths.data();
      }
      const std::vector<double> exact = exact_gradient(field, std::min<std::int64_t>(field.n, 4096), sum);
      for (const std::string& degree : of("degree", "3"))
        for (const std::string& theta : of("theta", "0.6"))
          for (const std::string& leaf : of("leaf", "0")) {
            Options o = sum;
            o.method = of("method", "treecode")[0] == "fmm" ? Method::fmm : Method::treecode;
            o.backend = Backend::cuda;
            o.precision = of("precision", "single")[0] == "single" ? Precision::single_ : Precision::double_;
            o.tolerance = std::stod(of("tolerance", "1e-3")[0]);
            o.gradient = true;
            o.degree = std::stoi(degree), o.leaf_size = std::stoll(leaf);
            if (o.method == Method::treecode) o.theta = std::stod(theta);
            run(cloud, std::stod(n), field, exact, o);
          }
    }
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  farfield::bench::run_all({arguments + 1, arguments + count});
  return 0;
}
