// The single-GPU rows of Hu, Gumerov & Duraiswami 2011 (doi 10.1145/2063384.2063432) on today's device: N random
// sources and N other random targets, uniform in a cube, whole evaluations with the data structures. The paper gives
// times "in optimal settings" of the depth, so three depths are run, and Farfield's own tree. Its table 1 is
// bench/gpu_tree. One JSON line per row. Usage: hu [largest log2 N, default 24]
#include <cstdlib>

#include "measure.hpp"

namespace farfield::papers {
namespace {

constexpr std::int64_t samples = 1000;

void run(const char* table, int log2_n, int p, int depth, bool gradient, Precision precision, bool with_error) {
  const std::int64_t n = std::int64_t(1) << log2_n;
  measure("hu", table, depth < 0 ? "own" : "uniform", p, uniform_cloud(n, n),
          fmm_options(p, depth, gradient, precision), with_error ? samples : 0);
}

/// Table 2: p = 8, potential and force, and potential alone; leaves of 1 to 512 sources.
void performance(int largest) {
  for (int log2_n = 20; log2_n <= largest; ++log2_n)
    for (const bool gradient : {true, false})
      for (const int depth : {-1, (log2_n - 7) / 3, (log2_n - 4) / 3, (log2_n - 1) / 3})
        run("2", log2_n, 8, depth, gradient, Precision::single_, true);
}

/// Table 3: errors and times of single and double precision, potential, N = 2^20.
void precisions() {
  for (const Precision precision : {Precision::single_, Precision::double_})
    for (const int p : {4, 8, 12, 16})
      for (const int depth : {-1, 4, 5}) run("3", 20, p, depth, false, precision, true);
}

}  // namespace
}  // namespace farfield::papers

int main(int count, char** arguments) {
  const int largest = count > 1 ? std::atoi(arguments[1]) : 24;
  return farfield::papers::run_program([&] { farfield::papers::precisions(), farfield::papers::performance(largest); });
}
