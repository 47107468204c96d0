// Figures 15, 16 and 18 of Kohnke et al. 2021 on today's device: seconds of 8^depth x 189 transformations by each
// variant and by the two bounding microkernels, depths 3 and 4, p = 1 ... 20, one JSON line each (median of 3 to 25
// runs; the paper: average of 100). Farfield's own m2l beside them: bench/papers/kohnke.cu. Usage: kohnke [largest p
// [variant]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>
#include <string>

#include "trial.hpp"

namespace farfield::lab {
namespace {

struct Variant {
  const char* name;
  void (Trial::*run)();
  double flops;  ///< floating point operations of a complex product with its addition, mean over the transformations
};

/// Eq. 30: a group of n needs 4 products and 4 n additions; 189 transformations in groups of 1, 2, 4 and 8.
constexpr double symmetric_flops = (7 * (4 + 4) + 21 * (4 + 8) + 21 * (4 + 16) + 7 * (4 + 32)) / 189.0;
constexpr Variant variants[] = {{"memory bound", &Trial::memory_bound, 6},
                                {"compute bound", &Trial::compute_bound, 8},
                                {"naive", &Trial::naive, 8},
                                {"dynamic", &Trial::dynamic, 8},
                                {"persistent", &Trial::persistent, 8},
                                {"symmetric", &Trial::symmetric, symmetric_flops}};

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

void measure(int depth, int degree, const std::string& only) {
  Trial trial(depth, degree, 1);
  const double products = static_cast<double>(trial.transformations() * trial.products());
  for (const Variant& variant : variants) {
    if (!only.empty() && only != variant.name) continue;
    const double time = seconds(trial, variant);
    std::printf(
        "{\"paper\": \"kohnke\", \"variant\": \"%s\", \"depth\": %d, \"p\": %d, \"precision\": \"single\", "
        "\"transformations\": %lld, \"seconds\": %.4g, \"flops_per_second\": %.4g, \"nominal_flops_per_second\": "
        "%.4g}\n",
        variant.name, depth, degree, static_cast<long long>(trial.transformations()), time,
        variant.flops * products / time, 8 * products / time);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace farfield::lab

int main(int count, char** arguments) {
  const int largest = count > 1 ? std::atoi(arguments[1]) : 20;
  const std::string only = count > 2 ? arguments[2] : "";
  try {
    for (const int depth : {3, 4})
      for (int degree = 1; degree <= std::min(largest, 20); ++degree) farfield::lab::measure(depth, degree, only);
  } catch (const farfield::Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
