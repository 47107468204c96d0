// The tables of Gumerov & Duraiswami 2008 (doi 10.1016/j.jcp.2008.05.023) on today's device: N random sources of
// strengths in (0, 1), M = N + 1 random targets, uniform in a cube, single precision, uniform octree of depth l_max.
// Their GPU's settings are taken; the setting "own" lets Farfield choose its tree. One JSON line per row.
// Usage: gumerov [largest N, default 2^20]
#include <cmath>
#include <cstdlib>

#include "measure.hpp"

namespace farfield::papers {
namespace {

constexpr std::int64_t samples = 1000;  ///< targets of an error; their section 4.4: 100 are enough

void run(const char* table, std::int64_t n, int p, int depth, bool gradient, bool with_error = false) {
  measure("gumerov", table, depth < 0 ? "own" : "theirs", p, uniform_cloud(n, n + 1), fmm_options(p, depth, gradient),
          with_error ? samples : 0);
}

/// Table 1: the direct sum.
void direct_sums(std::int64_t largest) {
  for (std::int64_t n = 1024; n <= largest; n *= 2)
    for (const bool gradient : {false, true}) {
      Options o = fmm_options(1, -1, gradient);
      o.method = Method::direct;
      measure("gumerov", "1", "theirs", 0, uniform_cloud(n, n + 1), o);
    }
}

/// Tables 2 (p2p of the best settings), 3 (p2m at s_max = 60 and 320); l_max is the least with N / 8^l_max <= s_max.
void particle_stages(std::int64_t largest) {
  for (const auto& [n, depth] : {std::pair{32768, 3}, {65536, 3}, {131072, 3}, {262144, 4}, {524288, 4}, {1048576, 4}})
    if (n <= largest) run("2", n, 8, depth, false);
  for (const auto& [n, depth] : {std::pair{16384, 3}, {131072, 4}, {262144, 5}, {1048576, 5}})
    if (n <= largest) run("3 s60", n, 12, depth, false);
  for (const auto& [n, depth] : {std::pair{16384, 2}, {131072, 3}, {262144, 4}, {1048576, 4}})
    if (n <= largest) run("3 s320", n, 12, depth, false);
}

/// Tables 4-7: the translations of full trees, of which the time depends on l_max alone; 16 sources per leaf.
void translations(std::int64_t largest) {
  for (int depth = 2; depth <= 6; ++depth)
    for (const int p : {4, 8, 12})
      if (std::int64_t(1) << (3 * depth) <= largest) run("4-7", std::int64_t(16) << (3 * depth), p, depth, false);
}

/// Tables 8 (and 10, totals of the potential) and 11 (potential and gradient) at N = 2^20, l_max = 4.
void profiles(std::int64_t largest) {
  for (const int p : {4, 8, 12})
    for (const int depth : {4, -1}) {
      run("8", largest, p, depth, false, true);
      run("11", largest, p, depth, true, true);
    }
}

// ---- figure 10: errors against N ----

Cloud grid_cloud(int side) {
  Cloud cloud;
  const auto fill = [](std::vector<double>& xyz, int k) {
    for (int i = 0; i < k * k * k; ++i)
      for (const int a : {i % k, i / k % k, i / k / k}) xyz.push_back((a + 0.5) / k);
  };
  fill(cloud.sources, side), fill(cloud.targets, 9);  // 729 targets; an even side keeps them off the sources
  cloud.strengths.assign(cloud.sources.size() / 3, 1);
  return cloud;
}

std::vector<float> sum_of(const Cloud& cloud, const Options& options) {
  DeviceCloud<float> there(cloud, false);
  Plan plan(there.sources(), there.targets(), options);
  plan.evaluate(there.strengths(), there.results());
  return there.potential();
}

/// The direct sum as in 2008: one running sum in single precision per target.
std::vector<float> running_sum(const Cloud& cloud) {
  const std::vector<float> s(cloud.sources.begin(), cloud.sources.end()), t(cloud.targets.begin(), cloud.targets.end());
  std::vector<float> out(t.size() / 3);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t j = 0; j < s.size() / 3; ++j) {
      const float x = s[3 * j] - t[3 * i], y = s[3 * j + 1] - t[3 * i + 1], z = s[3 * j + 2] - t[3 * i + 2];
      out[i] += 1 / std::sqrt(x * x + y * y + z * z);
    }
  return out;
}

/// Eq. 36 against the direct sum in double of the unrounded grids.
double error_of(const std::vector<float>& found, const std::vector<double>& exact) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) error += std::pow(found[i] - exact[i], 2), norm += exact[i] * exact[i];
  return std::sqrt(error / norm);
}

void errors(std::int64_t largest) {
  for (const int side : {8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 100, 128}) {
    const std::int64_t n = std::int64_t(side) * side * side;
    if (n > 2 * largest) continue;
    const Cloud cloud = grid_cloud(side);
    const std::vector<double> exact =
        direct_sum(points(cloud.sources), std::span<const double>(cloud.strengths), points(cloud.targets)).potential;
    int depth = 2;
    while (n >> 3 * depth > 320) ++depth;
    const auto line = [&](const char* what, int p, const std::vector<float>& found) {
      std::printf(
          "{\"paper\": \"gumerov\", \"table\": \"figure 10\", \"what\": \"%s\", \"p\": %d, \"n\": %lld, \"depth\": %d, "
          "\"error_potential\": %.3g}\n",
          what, p, static_cast<long long>(n), depth, error_of(found, exact));
    };
    for (const int p : {4, 8, 12}) line("fmm", p, sum_of(cloud, fmm_options(p, depth, false)));
    Options direct = fmm_options(1, -1, false);
    direct.method = Method::direct;
    line("direct", 0, sum_of(cloud, direct));
    line("running sum", 0, running_sum(cloud));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace farfield::papers

int main(int count, char** arguments) {
  using namespace farfield::papers;
  const std::int64_t largest = count > 1 ? std::atoll(arguments[1]) : 1 << 20;
  return run_program([&] {
    direct_sums(largest), particle_stages(largest), translations(largest), profiles(largest), errors(largest);
  });
}
