// HybridStages: the stages of both halves, in the form that methods/fmm.hpp requires. Far stages are those of the
// cores; p2p starts the device's sums, which join() adds behind all stages.
#pragma once
#include "backends/cpu/bound_stages.hpp"
#include "backends/hybrid/half.hpp"
#include "core/chunks.hpp"

namespace farfield::hybrid {

/// `BoundStages::work` has the targets whose far field the cores sum, `all` has all targets.
template <class Real>
struct HybridStages : cpu::BoundStages<Real> {
  HalfSums<Real>& half;
  const cpu::Work<Real>& all;
  std::int64_t targets;

  void p2p() {
    half.start(all);
    for (int part = 0; part < most_parts; ++part)
      for (int v = 0; v < all.densities && all.result.any(part); ++v)
        clear(all.result.any(part) + v * all.result_pitch);
  }
  HalfSeconds join() { return half.join(all); }

 private:
  void clear(Real* result) const {
    constexpr std::int64_t numbers_per_chunk = 1 << 16;
    for_each_index(targets, numbers_per_chunk, all.threads, [&](std::int64_t t) { result[t] = 0; });
  }
};

}  // namespace farfield::hybrid
