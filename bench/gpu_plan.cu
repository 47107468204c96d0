// Milliseconds of every stage of a plan with positions in device memory, tree rebuilt by `move`: one JSON line per
// cloud, precision, N and leaf size, medians of 5. "move" is the host's clock around the call; what the stages do not
// add up to is the host's share. Usage: gpu_plan CLOUD(uniform|plummer|sphere|galaxies) LOG2_N[,LOG2_N ...] MEAN[,MEAN
// ...] [single|double]; a LOG2_N may be a fraction.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <farfield/farfield.hpp>
#include <map>
#include <string>
#include <vector>

#include "bench/gpu_clouds.hpp"
#include "bench/timing.hpp"

namespace farfield::bench {
namespace {

void print(const char* cloud, double log2_n, double mean, const Report& r, double move,
           const std::map<std::string, double>& stages) {
  double all = 0;
  for (const auto& [name, seconds] : stages) all += seconds;
  std::printf(
      "{\"cloud\": \"%s\", \"log2_n\": %g, \"precision\": \"%s\", \"mean\": %g, \"leaf\": %.1f, \"degree\": %d, "
      "\"boxes\": %lld, \"levels\": %d, \"near\": %lld, \"m2l\": %lld, \"bytes_per_point\": %.1f, \"move\": %.3f, "
      "\"stages\": %.3f, \"stages_ms\": {",
      cloud, log2_n, r.precision.c_str(), mean,
      static_cast<double>(r.sources) / static_cast<double>(std::max<std::int64_t>(1, r.leaves)), r.degree,
      static_cast<long long>(r.boxes), static_cast<int>(r.levels), static_cast<long long>(r.p2p_boxes),
      static_cast<long long>(r.m2l_boxes), static_cast<double>(r.memory_bytes) / static_cast<double>(r.sources),
      1e3 * move, 1e3 * all);
  print_stages(stages, 3);
  std::printf("}}\n");
  std::fflush(stdout);
}

void run(const char* cloud, double log2_n, double mean, Precision precision) {
  const std::int64_t n = std::llround(std::exp2(log2_n));
  const cuda::DeviceArray<float> positions = make_points(cloud, n);
  const Points p = on_device(positions);
  Options o;
  o.precision = precision;
  o.tolerance = precision == Precision::single_ ? 1e-5 : 1e-9;
  o.gradient = true;
  o.method = Method::fmm;
  o.leaf_size = std::llround(1.6 * mean);
  Plan plan(p, o);
  std::vector<double> moves;
  StageTimes stages;
  for (int i = 0; i < 6; ++i) {
    cudaDeviceSynchronize();
    const double start = now();
    plan.move(p);
    cudaDeviceSynchronize();
    const double seconds = now() - start;
    if (i == 0) continue;
    moves.push_back(seconds);
    for (const StageReport& stage : plan.report().stages) stages.add(stage.name, stage.seconds);
  }
  print(cloud, log2_n, mean, plan.report(), median(moves), stages.medians());
}

}  // namespace
}  // namespace farfield::bench

int main(int count, char** arguments) {
  using namespace farfield;
  using namespace farfield::bench;
  if (count < 4) return std::fprintf(stderr, "usage: gpu_plan CLOUD LOG2_N,... MEAN,... [single|double]\n"), 2;
  const bool twice = count > 4 && std::strcmp(arguments[4], "double") == 0;
  try {
    for (const std::string& log2_n : listed(arguments[2]))
      for (const std::string& mean : listed(arguments[3]))
        run(arguments[1], std::stod(log2_n), std::stod(mean), twice ? Precision::double_ : Precision::single_);
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
