// RunningSum: the sum over all tiles before a tile, found while these tiles run, by decoupled look-back (Merrill &
// Garland 2016), so that counting, summing and writing are one launch.
#pragma once
#include <cstdint>

#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

/// One word per tile: a sum below 2^40, its kind, and the launch it belongs to. Tiles must be taken in ascending order
/// by blocks that run (see TileQueue), or the wait for an earlier tile never ends.
struct RunningSum {
  unsigned long long* word;  ///< [tiles], zero before the first launch
  unsigned launch;           ///< 1 ... 2^22 - 1, another one for every launch that uses the same words

  /// Sum over the tiles before `tile`; `own` is the sum of `tile` itself. For a whole warp.
  __device__ std::int64_t before(std::int64_t tile, std::int64_t own) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (lane == 0) publish(tile, own, tile == 0 ? complete : of_tile);
    std::int64_t sum = 0;
    for (std::int64_t at = tile - 1 - lane; tile > 0; at -= 32) {
      unsigned long long found = 0;
      while (__any_sync(~0u, !known(found = at < 0 ? nothing_before() : look(at)))) {
      }
      const unsigned ends = __ballot_sync(~0u, (found >> 40 & 3u) == complete);
      const int last = ends ? __ffs(static_cast<int>(ends)) - 1 : 31;
      sum += sum_of_warp(lane <= last ? static_cast<std::int64_t>(found & (1ull << 40) - 1) : 0);
      if (ends) break;
    }
    if (lane == 0 && tile > 0) publish(tile, sum + own, complete);
    return sum;
  }

 private:
  enum Kind : unsigned { none = 0, of_tile = 1, complete = 2 };  // of the tile alone, or with all before

  __device__ unsigned long long look(std::int64_t tile) const {
    return *const_cast<volatile unsigned long long*>(word + tile);
  }
  __device__ unsigned long long tag(Kind kind) const {
    return static_cast<unsigned long long>(launch) << 42 | static_cast<unsigned long long>(kind) << 40;
  }
  __device__ unsigned long long nothing_before() const { return tag(complete); }
  __device__ bool known(unsigned long long found) const { return found >> 42 == launch && (found >> 40 & 3u) != none; }
  __device__ void publish(std::int64_t tile, std::int64_t sum, Kind kind) const {
    *const_cast<volatile unsigned long long*>(word + tile) = tag(kind) | static_cast<unsigned long long>(sum);
  }
};

/// Hands tiles to blocks in ascending order; every launch leaves the ticket at 0 again.
struct TileQueue {
  unsigned* ticket;  ///< 0

  /// The next tile for this block, or `tiles`: then the block must not ask again. All threads call it: it has barriers.
  __device__ std::int64_t take(std::int64_t tiles) const {
    __shared__ unsigned taken;
    __syncthreads();  // no thread still reads the tile before
    if (threadIdx.x == 0) {
      taken = atomicAdd(ticket, 1u);
      if (taken == tiles + gridDim.x - 1) *ticket = 0;  // the last block that finds none
    }
    __syncthreads();
    return taken < tiles ? taken : tiles;
  }
};

/// Boxes per tile, each worked on by a warp: small tiles where boxes are few, so that all multiprocessors work.
__device__ inline int boxes_per_tile(std::int64_t boxes) { return boxes <= 1 << 14 ? 8 : boxes <= 1 << 17 ? 32 : 128; }
inline std::int64_t most_tiles(std::int64_t boxes) { return (1 << 14) / 8 + (1 << 17) / 32 + boxes / 128 + 1; }

}  // namespace farfield::cuda
