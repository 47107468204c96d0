// Softened potential and gradient beside those of 1/r: a JSON line per cloud, N, softening and setting, with the time
// of a move and an evaluation (median of seven; points, masses and results in device memory, in single) and the error
// on 2,000 targets against direct sums in double. The clouds are those of compare/gpu_compare.py; lengths are in units
// of N^(-1/3), as jz-fmm's there. Usage: gpu_softened N[,N ...]
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

struct Setting {
  double tolerance;
  int degree;  ///< -1: as the tolerance needs
};

void run(const std::string& cloud, std::int64_t n, const Options& base, const Setting& setting) {
  const cuda::DeviceArray<float> xyz = make_points(cloud, n), q = make_strengths<float>(n, false);
  cuda::DeviceArray<float> potential, gradient;
  potential.resize(n), gradient.resize(3 * n);
  const Points p = on_device(xyz);
  Strengths s = strengths(static_cast<const float*>(q.data()), n);
  Outputs out{potential.data(), gradient.data(), nullptr, nullptr, Scalar::float32};
  s.space = out.space = MemorySpace::device;
  Options o = base;
  o.backend = Backend::cuda, o.method = Method::fmm, o.precision = Precision::single_, o.gradient = true;
  o.tolerance = setting.tolerance, o.degree = setting.degree;
  Plan plan(p, o);
  plan.evaluate(s, out);
  std::vector<double> times;
  StageTimes stages;
  for (int i = 0; i < 7; ++i) {
    const double start = now();
    plan.move(p);
    plan.evaluate(s, out);
    times.push_back(now() - start);
    stages.add(plan.report());
  }
  o.check = 2000;
  Plan checked(p, o);
  const ErrorReport error = *checked.evaluate(s, out).error;
  const Report& r = plan.report();
  std::printf(
      "{\"cloud\": \"%s\", \"n\": %lld, \"softening\": \"%s %.3g\", \"tolerance\": %g, \"asked\": %d, \"degree\": %d, "
      "\"ms\": %.3f, \"gradient_error\": %.2e, \"potential_error\": %.2e, \"near\": %.3g, \"leaves\": %lld, "
      "\"again\": %d, \"stages_ms\": {",
      cloud.c_str(), static_cast<long long>(n), r.softening_kind.c_str(), r.softening, r.tolerance, setting.degree,
      r.degree, 1e3 * median(times), error.gradient, error.potential, static_cast<double>(r.near_pairs),
      static_cast<long long>(r.leaves), r.choices.back().name == "evaluated again");
  print_stages(stages.medians(), 3);
  std::printf("}}\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield;
  if (count < 2) return std::fprintf(stderr, "usage: gpu_softened N[,N ...]\n"), 2;
  constexpr bench::Setting settings[] = {{1e-2, -1}, {1e-3, -1}, {1e-3, 3}, {1e-3, 4}, {1e-3, 5}, {1e-4, 6}};
  try {
    for (const std::string& n : bench::listed(arguments[1]))
      for (const char* cloud : {"uniform", "plummer"})
        for (const double length : {0.0, 1e-6, 1e-4, 1e-2, 0.1})
          for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline})
            for (const bench::Setting& setting : settings) {
              if (length == 0 && kind == SofteningKind::spline) continue;
              Options o;
              o.softening = length / std::cbrt(std::atof(n.c_str())), o.softening_kind = kind;
              bench::run(cloud, std::atoll(n.c_str()), o, setting);
            }
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
