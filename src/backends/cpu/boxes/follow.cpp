#include "backends/cpu/boxes/follow.hpp"

#include <algorithm>
#include <atomic>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {
namespace {

bool any_beyond(const SortedPoints& sorted, const Points& points, const Scaling& scale, const Drift& drift,
                int threads) {
  const auto& then = sorted.origin[0].empty() ? sorted.axis : sorted.origin;
  std::atomic<bool> any{false};
  with_reader(points, scale, [&](const auto& read) {
    for_each_index(sorted.count, tuning::points_per_chunk, threads, [&](std::int64_t i) {
      double now[3];
      read.read(sorted.order[i], now);
      const double before[3] = {then[0][i], then[1][i], then[2][i]};
      if (drift.beyond(now, before)) any.store(true, std::memory_order_relaxed);
    });
  });
  return any;
}

/// From the first time on where they were is kept.
void replace(SortedPoints& sorted, const Points& points, const Scaling& scale, int threads) {
  if (sorted.count == 0) return;
  for (int d = 0; d < 3 && sorted.origin[2].empty(); ++d) {
    sorted.origin[d].resize(sorted.axis[d].size());
    std::copy_n(sorted.axis[d].data(), sorted.axis[d].size(), sorted.origin[d].data());
  }
  with_reader(points, scale, [&](const auto& read) {
    for_each_index(sorted.count, tuning::points_per_chunk, threads, [&](std::int64_t i) {
      for (int d = 0; d < 3; ++d) sorted.axis[d][i] = read(sorted.order[i], d);
    });
  });
  pad(sorted);
}

}  // namespace

bool follow(CpuTree& built, const Points& sources, const Points* targets, const Scaling& scale, const Drift& drift,
            int threads) {
  if (any_beyond(built.sources, sources, scale, drift, threads)) return false;
  if (targets && any_beyond(built.targets, *targets, scale, drift, threads)) return false;
  replace(built.sources, sources, scale, threads);
  if (targets) replace(built.targets, *targets, scale, threads);
  return true;
}

}  // namespace farfield::cpu
