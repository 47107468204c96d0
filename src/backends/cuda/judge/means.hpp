// Means of a level of the tree (judge/truncation.hpp): the same for all levels, or, of a kernel with a length, its own.
#pragma once
#include "judge/truncation.hpp"

namespace farfield::cuda {

struct MeansOfLevels {
  const TailMeans* by_level;
};
__device__ inline const TailMeans& means_of(const TailMeans& all, int /*level*/) { return all; }
__device__ inline const TailMeans& means_of(const MeansOfLevels& levels, int level) { return levels.by_level[level]; }

}  // namespace farfield::cuda
