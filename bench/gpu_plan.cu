// Milliseconds of every stage of a plan with positions in device memory, tree rebuilt by `move`: one JSON line per
// cloud, precision, N and leaf size, medians of 5. "move" is the host's clock around the call; what the stages do not
// add up to is the host's share. Usage: gpu_plan CLOUD(uniform|plummer|sphere) LOG2_N[,LOG2_N ...] MEAN[,MEAN ...]
// [single|double]; a LOG2_N may be a fraction.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <farfield/farfield.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "backends/cuda/parallel.hpp"

namespace farfield {
namespace {

enum class Shape { uniform, plummer, sphere };

/// SplitMix64's finaliser: the i-th of a stream of random numbers in [0, 1).
__device__ double random_number(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

struct MakePoint {
  Shape shape;
  float* xyz;
  __device__ void operator()(std::int64_t i) const {
    const std::uint64_t first = 4 * static_cast<std::uint64_t>(i);
    double p[3] = {random_number(first), random_number(first + 1), random_number(first + 2)};
    if (shape != Shape::uniform) {
      const double mass = 0.9998 * random_number(first + 3) + 1e-9;  // r below 100
      const double r = shape == Shape::sphere ? 1 : 1 / sqrt(pow(mass, -2.0 / 3) - 1);
      const double z = 2 * p[0] - 1, angle = 6.283185307179586 * p[1], s = sqrt(1 - z * z);
      p[0] = r * s * cos(angle), p[1] = r * s * sin(angle), p[2] = r * z;
    }
    for (int a = 0; a < 3; ++a) xyz[3 * i + a] = static_cast<float>(p[a]);
  }
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void print(const char* cloud, double log2_n, double mean, const Report& r, double move,
           const std::map<std::string, std::vector<double>>& stages) {
  double all = 0;
  for (const auto& [name, times] : stages) all += median(times);
  std::printf(
      "{\"cloud\": \"%s\", \"log2_n\": %g, \"precision\": \"%s\", \"mean\": %g, \"leaf\": %.1f, \"degree\": %d, "
      "\"boxes\": %lld, \"levels\": %d, \"near\": %lld, \"m2l\": %lld, \"bytes_per_point\": %.1f, \"move\": %.3f, "
      "\"stages\": %.3f, \"stages_ms\": {",
      cloud, log2_n, r.precision.c_str(), mean,
      static_cast<double>(r.sources) / static_cast<double>(std::max<std::int64_t>(1, r.leaves)), r.degree,
      static_cast<long long>(r.boxes), static_cast<int>(r.levels), static_cast<long long>(r.p2p_boxes),
      static_cast<long long>(r.m2l_boxes), static_cast<double>(r.memory_bytes) / static_cast<double>(r.sources),
      1e3 * move, 1e3 * all);
  const char* comma = "";
  for (const auto& [name, times] : stages) {
    std::printf("%s\"%s\": %.3f", comma, name.c_str(), 1e3 * median(times));
    comma = ", ";
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

void run(const char* cloud, Shape shape, double log2_n, double mean, Precision precision) {
  const std::int64_t n = std::llround(std::exp2(log2_n));
  cuda::DeviceArray<float> positions;
  positions.resize(3 * n);
  cuda::for_each_index(n, MakePoint{shape, positions.data()}, nullptr, "points");
  Points p = points(static_cast<const float*>(positions.data()), n);
  p.space = MemorySpace::device;
  Options o;
  o.precision = precision;
  o.tolerance = precision == Precision::single_ ? 1e-5 : 1e-9;
  o.gradient = true;
  o.method = Method::fmm;
  o.leaf_size = std::llround(1.6 * mean);
  Plan plan(p, o);
  std::vector<double> moves;
  std::map<std::string, std::vector<double>> stages;
  for (int i = 0; i < 6; ++i) {
    cudaDeviceSynchronize();
    const auto start = std::chrono::steady_clock::now();
    plan.move(p);
    cudaDeviceSynchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i == 0) continue;
    moves.push_back(seconds);
    for (const StageReport& stage : plan.report().stages) stages[stage.name].push_back(stage.seconds);
  }
  print(cloud, log2_n, mean, plan.report(), median(moves), stages);
}

std::vector<double> numbers(const char* text) {
  std::vector<double> values;
  std::stringstream from(text);
  for (std::string value; std::getline(from, value, ',');) values.push_back(std::stod(value));
  return values;
}

}  // namespace
}  // namespace farfield

int main(int count, char** arguments) {
  using namespace farfield;
  if (count < 4) return std::fprintf(stderr, "usage: gpu_plan CLOUD LOG2_N,... MEAN,... [single|double]\n"), 2;
  const std::string cloud = arguments[1];
  const Shape shape = cloud == "plummer" ? Shape::plummer : cloud == "sphere" ? Shape::sphere : Shape::uniform;
  const bool twice = count > 4 && std::strcmp(arguments[4], "double") == 0;
  try {
    for (const double log2_n : numbers(arguments[2]))
      for (const double mean : numbers(arguments[3]))
        run(cloud.c_str(), shape, log2_n, mean, twice ? Precision::double_ : Precision::single_);
  } catch (const Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
