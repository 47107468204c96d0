// Seconds per step of a motion whose arrays lie on the device: one JSON line per cloud, number of bodies and kind of
// softening. A step is kick, drift, the tree anew, forces, kick; energies every 10 steps. "move" and "evaluate" are the
// host's clock around the plan's part of it. Usage: gpu_simulate CLOUD(galaxies|plummer) N STEPS DT SOFTENING KIND
// [TOLERANCE [PRECISION [DEGREE]]]; galaxies are those of `farfield generate`, to 100,000 bodies; beyond, repeated
// without velocities.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <farfield/farfield.hpp>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"
#include "motion/cuda/device_arrays.hpp"
#include "motion/diagnostics.hpp"
#include "motion/leapfrog.hpp"

namespace farfield::bench {
namespace {

motion::HostArrays bodies(const std::string& cloud, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  if (cloud == "galaxies" && n <= 100'000) {
    io::Bodies galaxies;
    io::make_galaxies(n, 1, galaxies);
    std::vector<double> velocities(3 * size);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < size; ++i) velocities[3 * i + c] = galaxies.extra[c].values[i];
    return {galaxies.positions, velocities, galaxies.strengths};
  }
  const cuda::DeviceArray<float> made = make_points(cloud, n);
  std::vector<float> xyz(3 * size);
  cuda::download(xyz.data(), made.data(), 3 * n, nullptr);
  cuda::require(cudaDeviceSynchronize(), "points");
  return {
      {xyz.begin(), xyz.end()}, std::vector<double>(3 * size), std::vector<double>(size, 1 / static_cast<double>(n))};
}

struct Trial {
  std::string cloud;
  std::int64_t n;
  int steps;
  double dt;
  Options options;
};

/// Kick and drift by an eighth of nothing: the plan's two calls alone.
void print_parts(motion::DeviceArrays& arrays, const Trial& t) {
  Plan plan(arrays.points(), motion::with_gravity(t.options, 1));
  std::vector<double> moves, evaluations;
  StageTimes stages;
  for (int i = 0; i < 12; ++i) {
    const double start = now();
    plan.move(arrays.points());
    cuda::require(cudaDeviceSynchronize(), "move");
    const double moved = now();
    plan.evaluate(arrays.strengths(), arrays.outputs());
    cuda::require(cudaDeviceSynchronize(), "evaluate");
    if (i < 2) continue;
    moves.push_back(moved - start), evaluations.push_back(now() - moved);
    stages.add(plan.report());
  }
  std::printf("\"move_ms\": %.3f, \"evaluate_ms\": %.3f, \"stages_ms\": {", 1e3 * median(moves),
              1e3 * median(evaluations));
  print_stages(stages.medians(), 3);
  const Report& r = plan.report();
  std::printf("}, \"near\": %lld, \"far\": %.3f, \"boxes\": %lld, ", static_cast<long long>(r.near_pairs),
              r.far_fraction, static_cast<long long>(r.boxes));
}

void run(const Trial& t) {
  const motion::HostArrays host = bodies(t.cloud, t.n);
  motion::DeviceArrays arrays(host);
  motion::Leapfrog leapfrog(arrays, t.options, {t.dt, 1});
  const motion::Diagnostics first = motion::diagnose(arrays.sums());
  for (int i = 0; i < 3; ++i) leapfrog.step();
  const double start = now();
  double change = 0;
  for (int i = 1; i <= t.steps; ++i) {
    leapfrog.step();
    if (i % 10 == 0) change = motion::energy_change(motion::diagnose(arrays.sums()), first);
  }
  arrays.sums();
  const double seconds = now() - start;
  const Report& r = leapfrog.report();
  std::printf(
      "{\"simulate\": \"%s\", \"n\": %lld, \"steps\": %d, \"seconds\": %.3f, \"softening\": \"%s %g\", "
      "\"tolerance\": %g, \"method\": \"%s\", \"precision\": \"%s\", \"degree\": %d, \"leaf_size\": %lld, "
      "\"energy_change\": %.2e, ",
      t.cloud.c_str(), static_cast<long long>(t.n), t.steps, seconds, r.softening_kind.c_str(), r.softening,
      r.tolerance, r.method.c_str(), r.precision.c_str(), r.degree, static_cast<long long>(r.leaf_size), change);
  print_parts(arrays, t);
  Options checked = motion::with_gravity(t.options, 1);
  checked.check = 1000;
  Plan plan(arrays.points(), checked);
  const ErrorReport error = *plan.evaluate(arrays.strengths(), arrays.outputs()).error;
  std::printf("\"potential_error\": %.2e, \"force_error\": %.2e}\n", error.potential, error.gradient);
  std::fflush(stdout);
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield;
  if (count < 7) {
    std::fprintf(
        stderr, "usage: gpu_simulate CLOUD N STEPS DT SOFTENING plummer|spline [TOLERANCE [single|double [DEGREE]]]\n");
    return 2;
  }
  Options o;
  o.backend = Backend::cuda;
  o.softening = std::atof(arguments[5]);
  o.softening_kind = std::strcmp(arguments[6], "spline") == 0 ? SofteningKind::spline : SofteningKind::plummer;
  o.tolerance = count > 7 ? std::atof(arguments[7]) : 1e-3;
  if (count > 8) o.precision = std::strcmp(arguments[8], "double") == 0 ? Precision::double_ : Precision::single_;
  if (count > 9) o.degree = std::atoi(arguments[9]);
  try {
    bench::run({arguments[1], std::atoll(arguments[2]), std::atoi(arguments[3]), std::atof(arguments[4]), o});
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
