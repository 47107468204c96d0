// follow: points that have moved a little keep their boxes; their places in the tree's arrays become the new ones.
#pragma once
#include "backends/cuda/boxes/tree.hpp"
#include "backends/drift.hpp"

namespace farfield::cuda {

/// `sources` and `targets` (null: the sources) are those of the tree, as many, moved; `scale` is that of its build.
/// false, and nothing has changed: one of them has gone too far. Waits for the stream.
bool follow(CudaTree& built, const Points& sources, const Points* targets, const Scaling& scale, const Drift& drift);

}  // namespace farfield::cuda
