// bind_points: what of a tree's sorted points stages read.
#pragma once
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// Whole lines of memory: arrays of all densities are aligned alike.
inline std::int64_t padded(std::int64_t count) { return (count + 31) / 32 * 32; }

template <class Real>
void bind_points(const CudaTree& tree, Work<Real>& work) {
  const SortedPoints& targets = tree.target_points();
  work.alike = tree.alike;
  work.sources = tree.sources.count;
  work.targets = targets.count;
  for (int axis = 0; axis < 3; ++axis) {
    work.source[axis] = tree.sources.axis[axis].data();
    work.target[axis] = targets.axis[axis].data();
  }
  work.source_order = tree.sources.order.data();
  work.target_order = targets.order.data();
}

}  // namespace farfield::cuda
