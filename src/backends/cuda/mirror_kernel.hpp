// The kernel of m2l by mirror images: 64 boxes of any octants by up to 40 coefficients of each parity. A warp sums one
// parity; a step gives it the eight coefficients of its own input parity, with the operator's elements straight from
// global memory, one step ahead, in the order of the instruction's registers.
//
// Threads produce the transformed sources of the next step while others multiply those of this one: of two warps that
// share a tensor core one begins with the one, one with the other.
#pragma once
#include "backends/cuda/mirror.hpp"
#include "tree/far.hpp"

namespace farfield::cuda {

inline constexpr int mirror_threads = 256;
inline constexpr int mirror_stages = 2;  ///< of sources on their way

struct MirrorProduct {
  MirrorView view;
  double* out;
  int stride;
  bool reduced;
};

/// 16 bytes of a row: two of the eight coefficients of a step. Four threads serve a row.
using MirrorPair = double2;

struct MirrorTile {
  MirrorPair raw[mirror_stages][8][mirror_threads];  ///< by source, as copied; each thread reads what it copied
  MirrorPair sums[2][8][4 * mirror_rows];            ///< transformed: [parity of the transform][row][pair]
  BoxId source[8][mirror_rows];                      ///< of the orbit whose copies are being started
  BoxId first[mirror_rows][colleagues_per_box];
  std::uint8_t mask[mirror_rows][colleagues_per_box], far[mirror_rows][colleagues_per_box];
  BoxId box[mirror_rows];
  std::uint8_t octant[mirror_rows];
  std::int32_t begin[mirror_orbits + 1];
  unsigned used[2];
};

/// 1 where an odd number of the three bits is set.
__device__ inline unsigned odd_bits(unsigned bits) { return 0x96u >> bits & 1u; }

__device__ inline double with_sign(double x, unsigned negative) {
  return __hiloint2double(__double2hiint(x) ^ static_cast<int>(negative << 31), __double2loint(x));
}

/// sum += left (16 x 4) right (4 x 8): a lane holds rows lane / 4 and 8 more.
__device__ inline void multiply_add(double (&sum)[4], double upper, double lower, double right) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(upper), "d"(lower), "d"(right));
#elif __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(upper), "d"(right));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[2]), "+d"(sum[3])
      : "d"(lower), "d"(right));
#endif
}

/// A place in the list of steps; goes on to the next one of an orbit that the tile has.
struct MirrorCursor {
  int at;
  MirrorStep step;
  __device__ void set(const MirrorView& view, int to) {
    at = to;
    if (at < view.steps) step.word = __ldg(&view.step[at].word);
  }
  __device__ static int orbit_from(const MirrorTile& tile, int orbit) {
    const unsigned long long used = (static_cast<unsigned long long>(tile.used[1]) << 32 | tile.used[0]) >> orbit;
    return used ? orbit + __ffsll(static_cast<long long>(used)) - 1 : mirror_orbits;
  }
  __device__ void advance(const MirrorView& view, const MirrorTile& tile) {
    if (at >= view.steps) return;
    const int orbit = step.orbit();
    set(view, at + 1 < tile.begin[orbit + 1] ? at + 1 : tile.begin[orbit_from(tile, orbit + 1)]);
  }
};

/// The source of a row in the orbit of `step`, on the sides `sides` (bits: the negative one, seen from octant 0).
__device__ inline BoxId mirror_source(const MirrorTile& tile, int row, MirrorStep step, unsigned sides) {
  const unsigned octant = tile.octant[row];
  int slot = 0, child = 0;
#pragma unroll
  for (int axis = 2; axis >= 0; --axis) {
    const int offset = sides >> axis & 1u ? -step.offset(axis) : step.offset(axis);
    const int at = octant >> axis & 1u ? 1 - offset : offset;  // in boxes from the parent's corner
    slot = slot * 3 + (at >> 1) + 1;
    child = child * 2 + (at & 1);
  }
  if (!(tile.far[row][slot] >> child & 1u)) return no_box;
  return tile.first[row][slot] + __popc(tile.mask[row][slot] & ((1u << child) - 1u));
}

/// Rows of the block's tile and the children around their parents. False: no rows.
__device__ inline bool read_mirror_rows(const TreeView& tree, const MirrorProduct& p, int tile_number,
                                        MirrorTile& tile) {
  const int thread = static_cast<int>(threadIdx.x), begin = tile_number * mirror_rows;
  const int rows = p.view.row ? *p.view.rows : p.view.most_rows;
  if (begin >= rows) return false;
  for (int i = thread; i <= mirror_orbits; i += mirror_threads) tile.begin[i] = p.view.begin[i];
  if (thread < 2) tile.used[thread] = 0;
  if (thread < mirror_rows) {
    BoxId box = no_box;
    if (begin + thread < rows) box = p.view.row ? p.view.row[begin + thread] : p.view.first_row + begin + thread;
    tile.box[thread] = box;
    tile.octant[thread] = box == no_box ? std::uint8_t(0) : tree.octant[box];
  }
  __syncthreads();
  for (int i = thread; i < mirror_rows * colleagues_per_box; i += mirror_threads) {
    const int row = i / colleagues_per_box, slot = i % colleagues_per_box;
    const BoxId box = tile.box[row];
    const BoxId colleague =
        box == no_box ? no_box : tree.colleague[std::int64_t(tree.parent[box]) * colleagues_per_box + slot];
    unsigned mask = 0;
    if (colleague != no_box) mask = tree.child_mask[colleague];
    tile.first[row][slot] = mask ? tree.first_child[colleague] : 0;
    tile.mask[row][slot] = static_cast<std::uint8_t>(mask);
    if (p.reduced) mask &= ~children_for_parent(slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1);
    tile.far[row][slot] = static_cast<std::uint8_t>(mask);
  }
  __syncthreads();
  return true;
}

/// Which orbits some row has a source in.
__device__ inline void find_mirror_orbits(const MirrorView& view, MirrorTile& tile) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int orbit = warp; orbit < mirror_orbits; orbit += mirror_threads / 32) {
    MirrorCursor at;
    at.set(view, tile.begin[orbit]);
    bool found = false;
    for (unsigned sides = 0; sides < 8 && !found; ++sides) {
      if (sides & ~at.step.two_sided()) continue;
      for (int row = lane; row < mirror_rows; row += 32) found |= mirror_source(tile, row, at.step, sides) != no_box;
      found = __any_sync(~0u, found);
    }
    if (found && lane == 0) atomicOr(&tile.used[orbit / 32], 1u << orbit % 32);
  }
  __syncthreads();
}

/// What a thread does for the sources: copies of its row and pair, and their transforms.
class MirrorSources {
 public:
  __device__ MirrorSources(const MirrorView& view, MirrorTile& tile)
      : view_(view), tile_(tile), thread_(static_cast<int>(threadIdx.x)), octant_(tile.octant[thread_ / 4]) {}

  /// Starts the copies of a step.
  __device__ void start(const MirrorCursor& at, int stage) {
    asm volatile("" ::: "memory");  // the last readers of the stage are this thread's own loads
    if (at.at < view_.steps) {
      if (at.step.orbit() != orbit_) find(at.step);
      const unsigned own = at.step.parity(), none = at.step.one_sided();
#pragma unroll
      for (unsigned e = 0; e < 8; ++e) {
        if (e & none) continue;
        const unsigned parity = own | (e & at.step.zero());
        const BoxId box = tile_.source[e & ~at.step.zero()][thread_ / 4];
        const bool exists = box != no_box && at.step.chunk() * 8 < view_.shape.count[parity];
        const std::int64_t place =
            (std::int64_t(exists ? box : 0) * view_.shape.chunks + view_.shape.first[parity] + at.step.chunk()) * 8;
        copy(&tile_.raw[stage][e][thread_], view_.multipole + place + thread_ % 4 * 2, exists);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  /// Transforms what was copied for a step.
  __device__ void transform(const MirrorCursor& at, int stage, MirrorPair (*sums)[4 * mirror_rows]) const {
    asm volatile("cp.async.wait_group %0;" ::"n"(mirror_stages - 1) : "memory");
    if (at.at >= view_.steps) return;
    const unsigned none = at.step.one_sided(), zero = at.step.zero();
    MirrorPair x[8];
#pragma unroll
    for (unsigned e = 0; e < 8; ++e) x[e] = e & none ? MirrorPair{0, 0} : tile_.raw[stage][e][thread_];
#pragma unroll
    for (unsigned axis = 1; axis < 8; axis *= 2)
      if (at.step.two_sided() & axis) {
#pragma unroll
        for (unsigned e = 0; e < 8; ++e)
          if (!(e & axis)) {
            const MirrorPair a = x[e], b = x[e | axis];
            x[e] = {a.x + b.x, a.y + b.y};
            x[e | axis] = {a.x - b.x, a.y - b.y};
          }
      }
#pragma unroll
    for (unsigned e = 0; e < 8; ++e)
      if (!(e & none)) {
        const unsigned negative = odd_bits(octant_ & (at.step.parity() | (e & zero)));
        sums[e][thread_] = {with_sign(x[e].x, negative), with_sign(x[e].y, negative)};
      }
  }

 private:
  __device__ void find(MirrorStep step) {
    orbit_ = step.orbit();
    __syncwarp();
    for (unsigned sides = thread_ % 4; sides < 8; sides += 4)
      if (!(sides & ~step.two_sided()))
        tile_.source[sides][thread_ / 4] = mirror_source(tile_, thread_ / 4, step, sides);
    __syncwarp();
  }
  __device__ static void copy(void* to, const void* from, bool exists) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(from), "r"(exists ? 16 : 0));
  }

  const MirrorView& view_;
  MirrorTile& tile_;
  int thread_, orbit_ = -1;
  unsigned octant_;
};

/// A warp's sums: 64 rows by eight coefficients of one parity in each of `groups` groups.
class MirrorSums {
 public:
  __device__ MirrorSums(const MirrorView& view, int split)
      : view_(view), lane_(static_cast<int>(threadIdx.x) % 32), parity_(view.shape.parity_of_warp[threadIdx.x / 32]) {
    const int all = (view.shape.count[parity_] + 7) / 8, before = all * split / view.splits;
    first_ = view.shape.first[parity_] + before;
    groups_ = all * (split + 1) / view.splits - before;
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < mirror_columns; ++j)
#pragma unroll
        for (int k = 0; k < 4; ++k) sum_[i][j][k] = 0;
  }

  /// Loads the elements of a step.
  __device__ void load(const MirrorCursor& at) {
#pragma unroll
    for (int j = 0; j < mirror_columns; ++j)
      if (j < groups_) right_[j] = __ldg(elements(at) + j * 32);
  }

  /// Adds the products of a step, loads the elements of the one after.
  __device__ void multiply(const MirrorCursor& at, const MirrorCursor& next,
                           const MirrorPair (*sums)[4 * mirror_rows]) {
    const unsigned zero = at.step.zero(), input = at.step.parity() | (parity_ & zero);
    const unsigned from = ((at.step.parity() ^ parity_) & at.step.two_sided()) | (parity_ & zero);
    add<mirror_columns>(sums[from] + lane_, view_.shape.count[input] - at.step.chunk() * 8);
    load(next);
  }

  /// Sums to locals.
  __device__ void write(const MirrorProduct& p, const MirrorTile& tile) const {
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 16 * i + 8 * half + lane_ / 4;
        const BoxId box = tile.box[row];
        if (box == no_box) continue;
        const unsigned negative = odd_bits(tile.octant[row] & parity_);
        double* out = p.out + std::int64_t(box) * p.stride;
#pragma unroll
        for (int j = 0; j < mirror_columns; ++j)
          if (j < groups_)
#pragma unroll
            for (int k = 0; k < 2; ++k) {
              const int n = view_.column[(first_ + j) * 8 + lane_ % 4 * 2 + k];
              if (n >= 0) out[n] = with_sign(sum_[i][j][2 * half + k], negative);
            }
      }
  }

 private:
  static constexpr int row_tiles = mirror_rows / 16;

  /// `left`: coefficients of the input from this step on; up to four fill every other place.
  template <int groups>
  __device__ void add(const MirrorPair* rows, int left) {
    if constexpr (groups > 1)
      if (groups > groups_) return add<groups - 1>(rows, left);
    if (left <= 0) return;
#pragma unroll
    for (int i = 0; i < row_tiles; ++i) {
      const MirrorPair upper = rows[64 * i], lower = rows[64 * i + 32];
#pragma unroll
      for (int j = 0; j < groups; ++j) multiply_add(sum_[i][j], upper.x, lower.x, right_[j].x);
      if (left > 4) {
#pragma unroll
        for (int j = 0; j < groups; ++j) multiply_add(sum_[i][j], upper.y, lower.y, right_[j].y);
      }
    }
  }

  __device__ const double2* elements(const MirrorCursor& at) const {
    const int step = at.at < view_.steps ? at.at : 0;
    return reinterpret_cast<const double2*>(view_.operators) + (std::int64_t(step) * view_.shape.chunks + first_) * 32 +
           lane_;
  }

  const MirrorView& view_;
  int lane_, first_, groups_;
  unsigned parity_;
  double2 right_[mirror_columns] = {};
  double sum_[row_tiles][mirror_columns][4];
};

static __global__ void __launch_bounds__(mirror_threads, 1)
    mirror_kernel(TreeView tree, const __grid_constant__ MirrorProduct p) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(16) unsigned char shared[];
  MirrorTile& tile = *reinterpret_cast<MirrorTile*>(shared);
  const int split = static_cast<int>(blockIdx.x) % p.view.splits;
  if (!read_mirror_rows(tree, p, static_cast<int>(blockIdx.x) / p.view.splits, tile)) return;
  find_mirror_orbits(p.view, tile);

  const bool early = threadIdx.x < mirror_threads / 2;
  MirrorSources sources(p.view, tile);
  MirrorSums sums(p.view, split);
  MirrorCursor multiplied, transformed, started;
  started.set(p.view, tile.begin[MirrorCursor::orbit_from(tile, 0)]);
  multiplied = transformed = started;
  for (int stage = 0; stage < mirror_stages; ++stage) {
    sources.start(started, stage);
    started.advance(p.view, tile);
  }
  int stage = 0, buffer = 0;
  const auto produce = [&] {
    sources.transform(transformed, stage, tile.sums[buffer]);
    transformed.advance(p.view, tile);
    sources.start(started, stage);
    started.advance(p.view, tile);
    stage = stage + 1 == mirror_stages ? 0 : stage + 1;
  };
  sums.load(multiplied);
  produce();
  __syncthreads();
  while (multiplied.at < p.view.steps) {
    buffer ^= 1;
    MirrorCursor next = multiplied;
    next.advance(p.view, tile);
#pragma unroll 1
    for (int half = 0; half < 2; ++half)
      if (early == (half == 0))
        sums.multiply(multiplied, next, tile.sums[buffer ^ 1]);
      else
        produce();
    multiplied = next;
    __syncthreads();
  }
  sums.write(p, tile);
#endif
}

}  // namespace farfield::cuda
