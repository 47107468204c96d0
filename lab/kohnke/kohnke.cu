// Figures 15, 16, 18, 19 (a), 21 and 23 of Kohnke et al. 2021 on today's device: seconds of 8^depth x 189
// transformations by each variant and by the two bounding microkernels, depths 3 and 4, p = 1 ... 20, one JSON line
// each (median of 3 to 25 runs; the paper: average of 100). Farfield's own m2l beside them: bench/papers/kohnke.cu.
//   kohnke [largest p [variant,variant...]]
//   kohnke profile variant,variant... depth p,p,...    each once between the profiler's start and stop, for figures 17,
//   19,
//                                                   20 and 22: bench/papers/kohnke/counters.py
#include <cuda_profiler_api.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <farfield/error.hpp>
#include <sstream>
#include <string>

#include "trial.hpp"

namespace farfield::lab {
namespace {

struct Variant {
  const char* name;
  void (Trial::*run)();
  double flops;  ///< floating point operations of a complex product with its addition, mean over the transformations
  int per_box = interactions;  ///< transformations of each box
};

/// Eq. 30: a group of n needs 4 products and 4 n additions; 189 transformations in groups of 1, 2, 4 and 8.
constexpr double symmetric_flops = (7 * (4 + 4) + 21 * (4 + 8) + 21 * (4 + 16) + 7 * (4 + 32)) / 189.0;
constexpr double flops_of_group(int n) { return 4.0 * (n + 1) / n; }
constexpr Variant variants[] = {{"memory bound", &Trial::memory_bound, 6},
                                {"compute bound", &Trial::compute_bound, 8},
                                {"naive", &Trial::naive, 8},
                                {"dynamic", &Trial::dynamic, 8},
                                {"children", &Trial::children, 8},
                                {"launches", &Trial::launches, 0, 0},
                                {"persistent", &Trial::persistent, 8},
                                {"symmetric", &Trial::symmetric, symmetric_flops},
                                {"apart", &Trial::apart, 8},
                                {"groups of 2", &Trial::group<1>, flops_of_group(2), 42},
                                {"groups of 4", &Trial::group<2>, flops_of_group(4), 84},
                                {"groups of 8", &Trial::group<3>, flops_of_group(8), 56},
                                {"groups of 2 apart", &Trial::group_apart<1>, 8, 42},
                                {"groups of 4 apart", &Trial::group_apart<2>, 8, 84},
                                {"groups of 8 apart", &Trial::group_apart<3>, 8, 56}};

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

int between(int least, int most, const std::string& text) {
  int x = least - 1;
  std::from_chars(text.data(), text.data() + text.size(), x);
  if (x < least || x > most)
    throw Error(ErrorCode::usage, "kohnke cannot take '" + text + "': give a number from " + std::to_string(least) +
                                      " to " + std::to_string(most));
  return x;
}

/// All of them where none is named.
std::vector<Variant> chosen(const std::string& names) {
  std::vector<Variant> found(std::begin(variants), std::end(variants));
  if (names.empty()) return found;
  found.clear();
  for (const std::string& name : listed(names)) {
    const auto* v =
        std::find_if(std::begin(variants), std::end(variants), [&](const Variant& x) { return name == x.name; });
    if (v == std::end(variants))
      throw Error(ErrorCode::usage, "kohnke has no variant '" + name + "'; kohnke.cu lists them");
    found.push_back(*v);
  }
  return found;
}

/// Milliseconds of one run.
float once(Trial& trial, const Variant& variant) {
  cudaEvent_t begin, end;
  cuda::require(cudaEventCreate(&begin), "cudaEventCreate");
  cuda::require(cudaEventCreate(&end), "cudaEventCreate");
  trial.clear();
  cuda::require(cudaEventRecord(begin), "cudaEventRecord");
  (trial.*variant.run)();
  cuda::require(cudaEventRecord(end), "cudaEventRecord");
  cuda::require(cudaEventSynchronize(end), variant.name);
  float milliseconds = 0;
  cuda::require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return milliseconds;
}

/// The median after one warm-up; more runs while they are short.
double seconds(Trial& trial, const Variant& variant) {
  once(trial, variant);
  std::vector<float> runs;
  float spent = 0;
  while (runs.size() < 3 || (runs.size() < 25 && spent < 50)) {
    runs.push_back(once(trial, variant));
    spent += runs.back();
  }
  std::nth_element(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2), runs.end());
  return 1e-3 * runs[runs.size() / 2];
}

void measure(int depth, int degree, const std::vector<Variant>& wanted) {
  Trial trial(depth, degree, 1);
  for (const Variant& variant : wanted) {
    const double time = seconds(trial, variant);
    const auto transformations = std::int64_t(variant.per_box) * trial.level().boxes;
    const double products = static_cast<double>(transformations * trial.products());
    std::printf(
        "{\"paper\": \"kohnke\", \"variant\": \"%s\", \"depth\": %d, \"p\": %d, \"precision\": \"single\", "
        "\"transformations\": %lld, \"seconds\": %.4g, \"flops_per_second\": %.4g, \"nominal_flops_per_second\": "
        "%.4g}\n",
        variant.name, depth, degree, static_cast<long long>(transformations), time, variant.flops * products / time,
        8 * products / time);
    std::fflush(stdout);
  }
}

/// Runs after a first one, when the device is warm and streams exist.
void profile(int depth, int degree, const Variant& variant, int times) {
  Trial trial(depth, degree, 1);
  once(trial, variant);
  trial.clear();
  cuda::require(cudaDeviceSynchronize(), "the run before the profiled one");
  cuda::require(cudaProfilerStart(), "cudaProfilerStart");
  for (int i = 0; i < times; ++i) (trial.*variant.run)();
  cuda::require(cudaDeviceSynchronize(), variant.name);
  cuda::require(cudaProfilerStop(), "cudaProfilerStop");
}

void run(const std::vector<std::string>& arguments) {
  const auto at = [&](std::size_t i, const char* otherwise) { return i < arguments.size() ? arguments[i] : otherwise; };
  if (at(0, "") == "profile") {
    for (const Variant& variant : chosen(at(1, "")))
      for (const std::string& degree : listed(at(3, "2,4,6,8,10,12,14,16,18,20")))
        profile(between(2, 5, at(2, "3")), between(0, 20, degree), variant, between(1, 1000, at(4, "1")));
    return;
  }
  const std::vector<Variant> wanted = chosen(at(1, ""));
  const int largest = between(1, 20, at(0, "20"));
  for (const int depth : {3, 4})
    for (int degree = 1; degree <= largest; ++degree) measure(depth, degree, wanted);
}

}  // namespace
}  // namespace farfield::lab

int main(int count, char** arguments) {
  try {
    farfield::lab::run({arguments + 1, arguments + count});
  } catch (const farfield::Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
