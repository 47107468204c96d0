// Seconds for tree, colleagues and lists of 2^20 uniform sources and as many targets in device memory, by depth: table
// 1 of Hu, Gumerov & Duraiswami 2011 (GTX 480: 7.7, 13.9, 13.0, 34.6, 70.8, 124.9 ms for l_max = 3 ... 8) measured
// anew, and the same for adaptive trees and without targets apart; a JSON line each, the median of 11 builds.
// Usage: gpu_tree [log2 of the number of points]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/transfer/points.hpp"

namespace farfield::cuda {
namespace {

/// An event after every stage, read once at the end.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {}
  ~Stopwatch() {
    for (const auto& [name, event] : events_) cudaEventDestroy(event);
  }
  Stopwatch(const Stopwatch&) = delete;
  void mark(const char* name) {
    cudaEvent_t event;
    require(cudaEventCreate(&event), "cudaEventCreate");
    require(cudaEventRecord(event, stream_), "cudaEventRecord");
    events_.emplace_back(name, event);
  }
  /// Milliseconds per stage and, under "", of all.
  std::map<std::string, float> read() const {
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    std::map<std::string, float> times;
    for (std::size_t i = 1; i < events_.size(); ++i)
      require(cudaEventElapsedTime(&times[events_[i].first], events_[i - 1].second, events_[i].second), "an event");
    require(cudaEventElapsedTime(&times[""], events_.front().second, events_.back().second), "an event");
    return times;
  }

 private:
  cudaStream_t stream_;
  std::vector<std::pair<std::string, cudaEvent_t>> events_;
};

struct Times {
  std::map<std::string, float> milliseconds;  // median build, by stage
  BoxId boxes = 0;
  int levels = 0;
};

/// The median of eleven builds, after two that fill the pool.
Times time_build(const Points& sources, const Points* targets, const TreeOptions& options) {
  DeviceMemory memory;
  CudaTree tree;
  tree.use(memory);
  const Geometry geometry = survey(sources, targets, memory);
  std::vector<std::map<std::string, float>> runs;
  for (int run = 0; run < 13; ++run) {
    Stopwatch watch(memory.stream);
    TreeOptions timed = options;
    timed.mark = [&](const char* name) { watch.mark(name); };
    build(tree, sources, targets, geometry, timed);
    if (run >= 2) runs.push_back(watch.read());
  }
  std::sort(runs.begin(), runs.end(), [](auto& a, auto& b) { return a.at("") < b.at(""); });
  return {runs[runs.size() / 2], tree.tree.boxes, tree.tree.levels};
}

float time_survey(const Points& sources, const Points* targets) {
  DeviceMemory memory;
  std::vector<float> runs;
  for (int run = 0; run < 13; ++run) {
    Stopwatch watch(memory.stream);
    watch.mark("");
    survey(sources, targets, memory);
    watch.mark("survey");
    runs.push_back(watch.read().at("survey"));
  }
  std::sort(runs.begin(), runs.end());
  return runs[runs.size() / 2];
}

std::vector<float> cloud(std::int64_t n, unsigned seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<float> number(0, 1);
  std::vector<float> xyz(static_cast<std::size_t>(3 * n));
  for (float& x : xyz) x = number(bits);
  return xyz;
}

void print(bool apart, const char* what, int value, const Times& t) {
  std::printf(
      "{\"measured\": \"tree\", \"targets_apart\": %s, \"%s\": %d, \"boxes\": %d, \"levels\": %d, \"stages_ms\": {",
      apart ? "true" : "false", what, value, t.boxes, t.levels);
  const char* comma = "";
  for (const auto& [name, milliseconds] : t.milliseconds) {
    std::printf("%s\"%s\": %.3f", comma, name.empty() ? "all" : name.c_str(), static_cast<double>(milliseconds));
    comma = ", ";
  }
  std::printf("}}\n");
}

void run(int log2) {
  const std::vector<float> s = cloud(std::int64_t(1) << log2, 1), t = cloud(std::int64_t(1) << log2, 2);
  DeviceMemory memory;
  const DevicePoints sources(points(s), memory), targets(points(t), memory);
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (const Points* apart : {&targets.view(), static_cast<const Points*>(nullptr)}) {
    TreeOptions options;
    for (options.depth = 3; options.depth <= 8; ++options.depth)
      print(apart, "depth", options.depth, time_build(sources.view(), apart, options));
    options.depth = -1;
    for (const int leaf_size : {32, 64, 128}) {
      options.leaf_size = leaf_size;
      print(apart, "leaf_size", leaf_size, time_build(sources.view(), apart, options));
    }
    std::printf("{\"measured\": \"survey\", \"targets_apart\": %s, \"ms\": %.3f}\n", apart ? "true" : "false",
                static_cast<double>(time_survey(sources.view(), apart)));
  }
}

}  // namespace
}  // namespace farfield::cuda

int main(int argc, char** argv) {
  try {
    farfield::cuda::run(argc > 1 ? std::atoi(argv[1]) : 20);
  } catch (const farfield::Error& e) {
    std::fprintf(stderr, "gpu_tree: %s\n", e.what());
    return static_cast<int>(e.code());
  }
}
