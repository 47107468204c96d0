// Tailed: the boxes whose tails are summed (judge/truncation.hpp), and their targets as one tree over all points
// numbers them: of a plan on one device, and of a rank, whose tree holds a part of the targets.
#pragma once
#include "backends/cuda/work.hpp"
#include "judge/truncation.hpp"

namespace farfield::cuda {

/// Every so many-th box of the tree.
struct TailedOfTree {
  BoxId every;

  __host__ __device__ std::int64_t count(const TreeView& tree) const { return (tree.boxes + every - 1) / every; }
  __device__ BoxId operator[](std::int64_t k) const { return static_cast<BoxId>(k * every); }
  __device__ BoxTargets targets(const TreeView& tree, BoxId box) const { return targets_in(tree, box); }
  template <class Real>
  __device__ const double* const* coordinates(const Work<Real>& work) const {
    return work.target;
  }
};

/// Coordinates by a target's number: of a rank's own targets, and of a few of others.
struct TailedTargets {
  const double* own[3];
  std::int64_t first, count;   ///< numbers of the own ones
  const std::int64_t* number;  ///< [others], ascending
  const double* place;         ///< [3][pitch]
  std::int64_t others, pitch;

  struct Axis {
    const TailedTargets& all;
    int axis;
    __device__ double operator[](std::int64_t target) const { return all.at(axis, target); }
  };
  __device__ Axis operator[](int axis) const { return {*this, axis}; }
  __device__ double at(int axis, std::int64_t target) const {
    if (const std::int64_t i = target - first; i >= 0 && i < count) return own[axis][i];
    std::int64_t low = 0, high = others;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (number[middle] <= target ? low : high) = middle;
    }
    return place[axis * pitch + low];
  }
};

/// The boxes of a rank's list: those among every so many-th box of all ranks whose first targets are its own.
struct TailedOfRank {
  BoxId every = 1;
  const BoxId* box = nullptr;
  std::int64_t boxes = 0;
  const std::int64_t (*held)[2] = nullptr;  ///< [boxes of the tree]: the first target of all ranks, and how many
  std::int64_t of_all = 0;                  ///< targets
  TailedTargets at{};

  __host__ __device__ std::int64_t count(const TreeView&) const { return boxes; }
  __device__ BoxId operator[](std::int64_t k) const { return box[k]; }
  __device__ BoxTargets targets(const TreeView&, BoxId of) const { return {held[of][0], held[of][1], of_all}; }
  template <class Real>
  __device__ const TailedTargets& coordinates(const Work<Real>&) const {
    return at;
  }
};

}  // namespace farfield::cuda
