// How points occupy the corners of boxes, and how boxes face each other (model/placement.hpp), by warps: what sums over
// one tree and over those of several ranks are made of.
#pragma once
#include <algorithm>
#include <cstdint>

#include "backends/cuda/judge/placement/placement.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "model/placement_terms.hpp"

namespace farfield::cuda {

inline constexpr unsigned all_lanes = ~0u;
inline constexpr int looks_at_once = 4;          // by a lane, so that their loads overlap
inline constexpr int places = 1 + facing_boxes;  // a box as target, and those that face it as sources
static_assert(corners * degrees_at_once == 32);

/// What is sampled. Of a small tree: everything. Of others: as many boxes per level, and points in each, as spread 2^22
/// looks at points evenly over the levels; a look costs a memory sector per axis. 200 boxes of 128 points or 1400 of 16
/// tell the facing sum of random points to some percent, and a degree more divides the error by 1.5. Boxes are drawn in
/// proportion to their targets, since in clusters few boxes carry the sums. Softened sums, which as a rule move bodies
/// and are planned anew in every step, take 2^19 looks at most, in fewer blocks: those at all of 60,000 bodies took
/// 0.13 ms.
struct Looks {
  std::int64_t at_all;  ///< everything is summed where it takes no more looks than this
  std::int64_t most;
  std::int64_t parts;  ///< of a level, at least, unless a box had more than 16
};
inline constexpr Looks usual_looks{1 << 24, 1 << 22, 1024}, softened_looks{1 << 19, 1 << 19, 256};

/// Of one level: how many of its boxes are sampled, and at how many points of a box is looked.
struct LevelLooks {
  std::int64_t sampled, points;
};
/// `points`: targets of a tree of so many levels, `boxes`: of this level.
inline LevelLooks looks_of_level(std::int64_t points, int levels, std::int64_t boxes, const Looks& allowed) {
  const int far = std::max(1, levels - 2);
  const bool all = points * far * facing_boxes <= allowed.at_all;
  const std::int64_t looks = allowed.most / facing_boxes / far;
  const std::int64_t most = all ? points : std::max<std::int64_t>(128, looks / boxes);
  const std::int64_t mean = std::clamp<std::int64_t>(points / boxes, 16, most);
  return {all ? boxes : std::min(boxes, looks / mean), most};
}

/// A pseudo-random number in [0, 1), a function of a and b.
__device__ inline double jitter(std::uint32_t a, std::uint32_t b) {
  std::uint32_t h = a * 0x9e3779b9u + b * 0x85ebca6bu + 0x165667b1u;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return (h ^ h >> 16) * 0x1p-32;
}

/// `chosen` indices out of `count`, one from each of `chosen` equal parts.
struct Choice {
  std::int64_t count, chosen;
  double step;
  std::uint32_t salt;
  __device__ Choice(std::int64_t from, std::int64_t most, std::uint32_t which)
      : count(from),
        chosen(from < most ? from : most),
        step(chosen < count ? static_cast<double>(count) / static_cast<double>(chosen) : 1),
        salt(which) {}
  __device__ std::int64_t operator[](std::int64_t j) const {
    if (chosen == count) return j;
    const auto i =
        static_cast<std::int64_t>((static_cast<double>(j) + jitter(salt, static_cast<std::uint32_t>(j))) * step);
    return i < count ? i : count - 1;
  }
};

/// How the weight of a charge decays with the distance from its corner, for every degree.
struct Decay {
  float rate[degrees_at_once], least[degrees_at_once];  ///< `least`: distance from the centre; rises with the degree
  /// Of the degrees from this one on.
  static Decay from(int degree) {
    Decay decay{};
    for (int k = 0; k < degrees_at_once; ++k) {
      const double rate = 1.5 * std::max(1, degree + k);
      decay.rate[k] = static_cast<float>(rate);
      decay.least[k] = static_cast<float>(1.5 - reach_of(rate));
    }
    return decay;
  }
  __device__ float operator()(float distance, int k) const {
    return distance > least[k] ? __expf(-rate[k] * fmaxf(0.f, 1.5f - distance)) : 0.f;
  }
};

/// Lane i returns the warp's sum of values[i]: halves are exchanged, 31 shuffles in all.
__device__ inline float sum_of_lanes(float (&values)[32]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int half = 16; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const bool upper = lane & half;
      const float sent = upper ? values[i] : values[i + half], kept = upper ? values[i + half] : values[i];
      values[i] = kept + __shfl_xor_sync(all_lanes, sent, half);
    }
  return values[0];
}

/// Which points of a box are looked at: at most `most`, of which a warp takes one slice. `salt`: the box's number in
/// the whole tree.
struct Looked {
  std::int64_t most;
  int slice, slices;
  std::uint32_t salt;
};

/// Lane 4 c + k returns the occupation of corner c of the box at the k-th degree, from one slice of the sampled points.
__device__ inline float occupation(const TreeView& tree, const PlacedPoints& points, BoxId box, const Looked& looked,
                                   const Decay& decay) {
  const double per_edge = 1 / tree.lattice.edge(tree.level[box]);
  const std::int64_t begin = points.begin[box];
  const Choice choice(points.end[box] - begin, looked.most, looked.salt);
  float sum[corners * degrees_at_once] = {};
  const auto add = [&](const CornerPlace& place) {
    const float distance = static_cast<float>(place.distance);
    if (!(distance > decay.least[0])) return;
#pragma unroll
    for (int k = 0; k < degrees_at_once; ++k) {
      const float weight = decay(distance, k);
#pragma unroll
      for (int c = 0; c < corners; ++c) sum[c * degrees_at_once + k] += place.octant == c ? weight : 0.f;
    }
  };
  const std::int64_t step = 32 * looked.slices;
  std::int64_t j = 32 * looked.slice + threadIdx.x % 32;
  for (; j + (looks_at_once - 1) * step < choice.chosen; j += looks_at_once * step) {
    CornerPlace place[looks_at_once];
#pragma unroll
    for (int i = 0; i < looks_at_once; ++i)
      place[i] = corner_place(tree, box, points, begin + choice[j + i * step], per_edge);
#pragma unroll
    for (int i = 0; i < looks_at_once; ++i) add(place[i]);
  }
  for (; j < choice.chosen; j += step) add(corner_place(tree, box, points, begin + choice[j], per_edge));
  return sum_of_lanes(sum) * static_cast<float>(choice.step);
}

/// Sum over the boxes that face a target box, by a warp: lane k of the first four returns that of the k-th degree.
/// occupied(place): the lane's occupation of the target box, 0, or of the boxes that face it. `own`: shared memory.
template <class Occupied>
__device__ float facing_sum(const Occupied& occupied, float* own) {
  const int lane = static_cast<int>(threadIdx.x % 32), octant = lane / degrees_at_once;
  own[lane] = occupied(0);
  __syncwarp();
  float sum = 0;
  for (int which = 0; which < facing_boxes; ++which)
    sum += occupied(1 + which) * faced_by(own + lane % degrees_at_once, degrees_at_once, octant, which);
  for (int other = degrees_at_once; other < 32; other *= 2) sum += __shfl_xor_sync(all_lanes, sum, other);
  return sum;
}

/// Sources in this lane's share of the far list: in boxes with one box between, and in others.
struct FarCounts {
  std::int64_t beside = 0, beyond = 0;
};
__device__ inline FarCounts count_far(const TreeView& tree, const PlacedPoints& sources, BoxId box) {
  FarCounts counts;
  const int slot = static_cast<int>(threadIdx.x % 32);
  if (slot >= colleagues_per_box) return counts;
  for_each_far_around(tree, box, colleague_offset(slot), [&](BoxId source, int dx, int dy, int dz) {
    const bool near = dx < 3 && dx > -3 && dy < 3 && dy > -3 && dz < 3 && dz > -3;
    (near ? counts.beside : counts.beyond) += sources.end[source] - sources.begin[source];
  });
  return counts;
}

}  // namespace farfield::cuda
