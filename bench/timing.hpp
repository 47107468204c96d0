// Medians, device events and lists of arguments, for the programs beside this file.
#pragma once
#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "backends/cuda/check.hpp"

namespace farfield::bench {

template <class Number>
Number median(std::vector<Number> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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
