// The stages of the CPU backend for one kernel, precision and instruction set: a table of functions.
#pragma once
#include <farfield/options.hpp>

#include "backends/cpu/exponentials/work.hpp"
#include "backends/cpu/hermite/work.hpp"
#include "backends/cpu/work.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::cpu {

template <class Real>
struct Stages {
  Simd simd = Simd::baseline;  ///< the level these functions were compiled for
  void (*p2m)(const Work<Real>&) = nullptr;
  void (*m2m)(const Work<Real>&, int level) = nullptr;  ///< parents of `level` from their children
  void (*m2l)(const Work<Real>&) = nullptr;             ///< all levels; overwrites the locals
  void (*p2l)(const Work<Real>&) = nullptr;
  void (*l2l)(const Work<Real>&, int level) = nullptr;  ///< boxes of `level` from their parents
  void (*l2p)(const Work<Real>&) = nullptr;
  void (*m2p)(const Work<Real>&) = nullptr;
  void (*m2p_boxes)(const Work<Real>&) = nullptr;  ///< of a treecode
  void (*p2p)(const Work<Real>&) = nullptr;        ///< overwrites the results
  /// Every target with every source, no tree: sums for targets [begin, end).
  void (*direct)(const Work<Real>&, std::int64_t sources, std::int64_t targets) = nullptr;
  void (*cutoff)(const Work<Real>&) = nullptr;  ///< pairs within NearView::reach; overwrites the results
  void (*spread)(const Work<Real>&) = nullptr;
  void (*convolve)(const Work<Real>&, int axis) = nullptr;
  void (*interpolate)(const Work<Real>&) = nullptr;     ///< overwrites the results
  void (*hermite)(const HermiteWork<Real>&) = nullptr;  ///< the fast Gaussian transform; overwrites the results
  void (*exponentials)(const SweepWork&) = nullptr;     ///< Gaussians on a line
  /// Adds direct sums in double at `count` targets to `sums`. Sources may come in parts of whole blocks
  /// (tuning::checked_sources), one after the other.
  void (*direct_sums)(const DirectInput&, const std::int64_t* targets, std::int64_t count, DirectSum* sums) = nullptr;
};

/// `wanted` itself; for `automatic` the best level of this machine.
/// Throws Error(device) when a level is forced that the machine or this build does not have.
Simd resolve_simd(Simd wanted);

template <class Real>
Stages<Real> stages(Kernel kernel, Simd simd);

}  // namespace farfield::cpu
