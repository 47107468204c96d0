// P2pWork: which leaves p2p serves by families and which by tiles, made on the device once per build.
#pragma once
#include <algorithm>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/tuning.hpp"
#include "backends/cuda/work.hpp"
#include "kernels/traits.hpp"
#include "model/decision.hpp"
#include "model/options/validate.hpp"

namespace farfield::cuda {

/// What FindCandidates (p2p_work.cu) finds of a leaf.
enum Candidate : std::uint8_t { no_candidate = 0, of_even = 1, taker = 2 };

/// The limits, which bench/gpu_p2p varies.
template <class Real>
struct P2pLimits {
  int family_mean = tuning::family_mean<Real>;  ///< 0: no families
  int narrow_mean = tuning::narrow_mean<Real>;
  int most_targets = 0;    ///< of a tile; 0: as many as its block holds
  std::int64_t boxes = 0;  ///< of the whole tree, of which this is a part; 0: it is the whole
};

/// Most targets of a tile of a softened sum. Leaves that must be wide hold many points in the core of a cluster and few
/// elsewhere: a handful of long tiles took most of the time (two galaxies of 60,000 bodies: 0.9 ms of a step). In large
/// trees other tiles keep the device busy meanwhile, and fewer of them read their sources.
constexpr int softened_tile(std::int64_t targets) { return targets < 1 << 20 ? 32 : 128; }

/// Do vortices have cores, and is their stream function summed?
inline bool sums_blobs(const Decision& d) {
  const double* core = d.parameters.length;
  return traits(d.kernel).core_reach && (core[0] > 0 || core[1] > 0) && first_part(d.parts()) == 0;
}

/// That a plan on one device has.
template <class Real>
P2pLimits<Real> p2p_limits(const Decision& d, std::int64_t targets) {
  P2pLimits<Real> limits;
  const bool derives = d.hessian || d.dipoles, softened = d.softening > 0;
  const bool cored = softened && is_core(d.softening_kind);
  if (d.least_edge > 0 || (softened && (derives || cored))) limits.most_targets = softened_tile(targets);
  if (d.lengths || derives || cored || sums_blobs(d)) limits.family_mean = 0;
  return limits;
}

class P2pWork {
 public:
  explicit P2pWork(DeviceMemory& memory);

  /// `sources`, `targets`: numbers of points in the whole tree, but of a part of one its own targets. `split`: of a
  /// part, in device memory.
  template <class Real>
  void build(const TreeView& tree, const ListsView& lists, std::int64_t sources, std::int64_t targets,
             cudaStream_t stream, const P2pLimits<Real>& limits = {}, const SplitFamilies& split = {}) {
    // in a uniform tree 7/8 of the boxes are leaves
    const double boxes = static_cast<double>(limits.boxes > 0 ? limits.boxes : tree.boxes);
    const double mean = static_cast<double>(sources) / (0.875 * (boxes + 1.0));
    split_ = split;
    wide_ = mean > limits.narrow_mean;
    fives_ = !wide_ && tuning::has_fives(mean);
    const int family_mean = family_mean_of(mean, limits);
    const int threads = wide_ ? tuning::wide_tile : tuning::narrow_tile;
    const int held = tuning::targets_per_thread<Real> * threads;
    build(tree, lists, targets, family_mean, limits.most_targets > 0 ? std::min(held, limits.most_targets) : held,
          stream);
  }

  PairTiles view() const;

  /// Which leaves may be in families, [boxes], in device memory: bits of Candidate. For those who settle split
  /// families.
  const std::uint8_t* find_candidates(const TreeView& tree, const ListsView& lists, cudaStream_t stream);
  /// Most targets per child of a family; 0: there are none. `mean`: sources per leaf.
  template <class Real>
  static int family_mean_of(double mean, const P2pLimits<Real>& limits) {
    return mean > tuning::few_families * limits.family_mean ? 0 : limits.family_mean;
  }

 private:
  void build(const TreeView& tree, const ListsView& lists, std::int64_t targets, int family_mean, int tile,
             cudaStream_t stream);

  std::int64_t most_tiles_ = 0, most_families_ = 0;
  bool wide_ = false, fives_ = false;
  SplitFamilies split_;
  DeviceArray<std::uint8_t> candidate_, scratch_;
  DeviceArray<std::uint64_t> place_;
  DeviceArray<std::int32_t> count_;
  DeviceArray<PairTile> tile_;
  DeviceArray<Family> family_;
};

}  // namespace farfield::cuda
