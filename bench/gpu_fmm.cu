// Particles per second of whole evaluations, positions, strengths and results in device memory, tree rebuilt: one JSON
// line per case with seconds per stage and the error measured on 1000 targets, and the seconds of an evaluation of
// other strengths with the same plan. Usage: gpu_fmm [largest log2 N], or chosen cases, one for every combination:
//   gpu_fmm --log2n 20,24 --cloud uniform,plummer --degree 3,5 --leaf 8,16 [--precision double] [--outputs potential]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backends/cuda/array.hpp"

namespace farfield {
namespace {

struct Case {
  const char* cloud;
  Precision precision;
  double tolerance;
  int degree;  ///< -1: from the tolerance
  bool gradient, mixed;
  std::int64_t leaf_size = 0;
  M2l m2l = M2l::automatic;
};

std::vector<float> make_points(const std::string& cloud, std::int64_t n) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<float> xyz(static_cast<std::size_t>(3 * n));
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    double p[3] = {unit(random), unit(random), unit(random)};
    if (cloud != "uniform") {
      double r = 1;
      while (cloud == "plummer" && (r = 1 / std::sqrt(std::pow(unit(random), -2.0 / 3) - 1)) > 100) {
      }
      const double z = 2 * p[0] - 1, angle = 6.283185307179586 * p[1], s = std::sqrt(1 - z * z);
      p[0] = r * s * std::cos(angle), p[1] = r * s * std::sin(angle), p[2] = r * z;
    }
    for (std::size_t a = 0; a < 3; ++a) xyz[i + a] = static_cast<float>(p[a]);
  }
  return xyz;
}

template <class T>
void run(const Case& c, int log2_n) {
  const std::int64_t n = std::int64_t(1) << log2_n;
  std::vector<float> xyz = make_points(c.cloud, n);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(c.mixed ? -0.5 : 0.0, c.mixed ? 0.5 : 1.0);
  std::vector<T> q(static_cast<std::size_t>(n));
  for (T& value : q) value = static_cast<T>(unit(random));
  cuda::DeviceArray<float> positions;
  cuda::DeviceArray<T> strength, potential, gradient;
  cuda::upload(positions, xyz.data(), 3 * n, nullptr);
  cuda::upload(strength, q.data(), n, nullptr);
  potential.resize(n);
  if (c.gradient) gradient.resize(3 * n);
  Points p = points(static_cast<const float*>(positions.data()), n);
  Strengths s = strengths(static_cast<const T*>(strength.data()), n);
  p.space = s.space = MemorySpace::device;
  const Outputs out{potential.data(), gradient.data(), nullptr, nullptr, scalar_of<T>, MemorySpace::device, nullptr};
  Options o;
  o.precision = c.precision;
  o.tolerance = c.tolerance;
  o.degree = c.degree;
  o.gradient = c.gradient;
  o.method = Method::fmm;
  o.leaf_size = c.leaf_size;
  o.m2l = c.m2l;
  o.check = 1000;
  Plan plan(p, o);
  plan.evaluate(s, out);
  const ErrorReport error = *plan.report().error;
  o.check = 0;
  Plan timed(p, o);
  std::vector<double> seconds, again;
  std::map<std::string, std::vector<double>> stages;
  for (int i = 0; i < 4; ++i) {
    cudaDeviceSynchronize();
    const auto start = std::chrono::steady_clock::now();
    timed.move(p);
    timed.evaluate(s, out);
    cudaDeviceSynchronize();
    if (i == 0) continue;
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    for (const StageReport& stage : timed.report().stages)
      stages[stage.name + (stage.building ? "*" : "")].push_back(stage.seconds);
  }
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    timed.evaluate(s, out);
    cudaDeviceSynchronize();
    again.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const auto median = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  const Report& r = timed.report();
  const double all = median(seconds);
  std::printf(
      "{\"cloud\": \"%s\", \"log2_n\": %d, \"precision\": \"%s\", \"tolerance\": %g, \"degree\": %d, \"m2l\": "
      "\"%s\", \"leaf_size\": %lld, \"gradient\": %s, \"mixed\": %s, \"seconds\": %.6f, \"again\": %.6f, "
      "\"particles_per_second\": "
      "%.4g, \"error_potential\": %.3g, \"error_gradient\": %.3g, \"near_pairs\": %lld, \"m2l_boxes\": %lld, "
      "\"boxes\": %lld, \"memory_bytes\": %lld, \"stages_ms\": {",
      c.cloud, log2_n, r.precision.c_str(), c.tolerance, r.degree, r.m2l.c_str(), static_cast<long long>(r.leaf_size),
      c.gradient ? "true" : "false", c.mixed ? "true" : "false", all, median(again), static_cast<double>(n) / all,
      error.potential, error.gradient, static_cast<long long>(r.near_pairs), static_cast<long long>(r.m2l_boxes),
      static_cast<long long>(r.boxes), static_cast<long long>(r.memory_bytes));
  const char* comma = "";
  for (const auto& [name, times] : stages) {
    std::printf("%s\"%s\": %.3f", comma, name.c_str(), 1e3 * median(times));
    comma = ", ";
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

/// The values behind --name, separated by commas.
std::vector<std::string> values(int count, char** arguments, const std::string& name, const std::string& otherwise) {
  std::string text = otherwise;
  for (int i = 1; i + 1 < count; ++i)
    if (arguments[i] == "--" + name) text = arguments[i + 1];
  std::vector<std::string> found;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text.find(',', at);
    found.push_back(text.substr(at, end == std::string::npos ? end : end - at));
  }
  return found;
}

void run_chosen(int count, char** arguments) {
  const auto of = [&](const char* name, const char* otherwise) { return values(count, arguments, name, otherwise); };
  for (const std::string& n : of("log2n", "20"))
    for (const std::string& cloud : of("cloud", "uniform"))
      for (const std::string& precision : of("precision", "single"))
        for (const std::string& outputs : of("outputs", "gradient"))
          for (const std::string& degree : of("degree", "-1"))
            for (const std::string& leaf : of("leaf", "0")) {
              const bool single = precision == "single";
              const Case c{cloud.c_str(),
                           single ? Precision::single_ : Precision::double_,
                           std::atof(of("tolerance", single ? "1e-5" : "1e-9")[0].c_str()),
                           std::atoi(degree.c_str()),
                           outputs == "gradient",
                           true,
                           std::atoll(leaf.c_str())};
              if (single)
                run<float>(c, std::atoi(n.c_str()));
              else
                run<double>(c, std::atoi(n.c_str()));
            }
}

}  // namespace
}  // namespace farfield

int main(int count, char** arguments) {
  using namespace farfield;
  if (count > 2) return run_chosen(count, arguments), 0;
  const int largest = count > 1 ? std::atoi(arguments[1]) : 24;
  constexpr auto single = Precision::single_, both = Precision::double_;
  const Case cases[] = {
      {"uniform", single, 1e-5, 7, false, false}, {"uniform", single, 1e-5, -1, false, false},
      {"uniform", single, 1e-5, -1, true, true},  {"uniform", both, 1e-9, 17, false, false},
      {"uniform", both, 1e-9, -1, false, false},  {"uniform", both, 1e-9, -1, true, true},
      {"plummer", single, 1e-5, -1, true, true},  {"sphere", single, 1e-5, -1, true, true},
  };
  try {
    for (const int log2_n : {16, 20, 24})
      for (const Case& c : cases) {
        if (log2_n > largest) continue;
        if (c.precision == single)
          run<float>(c, log2_n);
        else
          run<double>(c, log2_n);
      }
    for (const M2l m2l : {M2l::dense, M2l::rotation}) {  // what the cost model's constants are taken from
      if (largest < 22) continue;
      run<float>({"uniform", single, 1e-5, 13, true, false, 128, m2l}, 22);
      run<double>({"uniform", both, 1e-9, 13, true, false, 400, m2l}, 22);
      run<double>({"uniform", both, 1e-9, 20, true, false, 400, m2l}, 22);
    }
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
