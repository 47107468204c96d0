// follow: points that have moved a little keep their boxes; their places in the tree's arrays become the new ones.
#pragma once
#include "backends/cpu/boxes/tree.hpp"
#include "backends/drift.hpp"

namespace farfield::cpu {

/// `sources` and `targets` (null: the sources) are those of the tree, as many, moved; `scale` is that of its build.
/// false, and nothing has changed: one of them has gone too far.
bool follow(CpuTree& built, const Points& sources, const Points* targets, const Scaling& scale, const Drift& drift,
            int threads);

}  // namespace farfield::cpu
