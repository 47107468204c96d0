// Medians, seconds per stage, device events, arrays as points and lists of arguments, for the programs beside this
// file.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <farfield/farfield.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::bench {

template <class Number>
Number median(std::vector<Number> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds per stage over several runs.
class StageTimes {
 public:
  void add(const std::string& name, double seconds) { times_[name].push_back(seconds); }
  /// All stages of a report; those of a build get a star.
  void add(const Report& report) {
    for (const StageReport& s : report.stages) add(s.name + (s.building ? "*" : ""), s.seconds);
  }
  std::map<std::string, double> medians() const {
    std::map<std::string, double> found;
    for (const auto& [name, values] : times_) found[name] = median(values);
    return found;
  }

 private:
  std::map<std::string, std::vector<double>> times_;
};

/// Seconds of the stages of run(), which builds and evaluates `plan`: those in `beside`, or, in trees whose near and
/// far field ran beside one another, the medians of three runs that keep them apart.
template <class Run>
std::map<std::string, double> stages_apart(const Plan& plan, const StageTimes& beside, const Run& run) {
  const std::int64_t boxes = plan.report().boxes;  // of a direct sum none
  if (boxes == 0 || boxes > cuda::tuning::most_boxes_beside) return beside.medians();
  StageTimes apart;
  cuda::keep_stages_apart(true);
  for (int i = 0; i < 3; ++i) {
    run();
    apart.add(plan.report());
  }
  cuda::keep_stages_apart(false);
  return apart.medians();
}

/// "name": milliseconds of every stage, by commas, with so many decimals.
inline void print_stages(const std::map<std::string, double>& seconds, int decimals) {
  const char* comma = "";
  for (const auto& [name, value] : seconds)
    std::printf("%s\"%s\": %.*f", comma, name.c_str(), decimals, 1e3 * value), comma = ", ";
}

/// An array of T in device memory, and back.
template <class T>
cuda::DeviceArray<T> copied(const std::vector<double>& host) {
  const std::vector<T> values(host.begin(), host.end());
  cuda::DeviceArray<T> device;
  cuda::upload(device, values.data(), std::ssize(values), nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "copy");
  return device;
}
template <class T>
std::vector<double> read(const cuda::DeviceArray<T>& device) {
  std::vector<T> values(static_cast<std::size_t>(device.size()));
  cuda::download(values.data(), device.data(), device.size(), nullptr);
  cuda::require(cudaStreamSynchronize(nullptr), "copy");
  return {values.begin(), values.end()};
}

/// Relative L2 error.
inline double error(const std::vector<double>& found, const std::vector<double>& exact) {
  double square = 0, size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    square += (found[i] - exact[i]) * (found[i] - exact[i]), size += exact[i] * exact[i];
  return std::sqrt(square / size);
}

/// What a report says of a choice.
inline std::string chosen(const Report& report, const char* name, const std::string& otherwise) {
  for (const Choice& c : report.choices)
    if (c.name == name) return c.value;
  return otherwise;
}

/// Points of an interleaved array in device memory.
template <class T>
Points on_device(const cuda::DeviceArray<T>& xyz) {
  Points p = points(static_cast<const T*>(xyz.data()), xyz.size() / 3);
  p.space = MemorySpace::device;
  return p;
}

/// Milliseconds of `launch` on the device, the median of seven after two.
template <class Launch>
double milliseconds(const Launch& launch, cudaStream_t stream = nullptr) {
  cudaEvent_t begin, end;
  cuda::require(cudaEventCreate(&begin), "cudaEventCreate");
  cuda::require(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int run = 0; run < 9; ++run) {
    cuda::require(cudaEventRecord(begin, stream), "cudaEventRecord");
    launch();
    cuda::require(cudaEventRecord(end, stream), "cudaEventRecord");
    cuda::require(cudaEventSynchronize(end), "cudaEventSynchronize");
    float time = 0;
    cuda::require(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
    if (run >= 2) times.push_back(time);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return static_cast<double>(median(times));
}

/// "a,b,c"
inline std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

}  // namespace farfield::bench
