// The kernel of m2l by mirror images: 64 boxes of any octants by up to 40 coefficients of each parity. Each of the
// eight warps sums the results of one parity. A step adds the products with eight coefficients of the input parity that
// the warp needs. It loads the operator's elements straight from global memory, one step ahead, in the order of the
// instruction's registers.
//
// In each step a warp multiplies the sources of this step and transforms its share of those of the next. Of two warps
// that share a tensor core one begins with the product, the other with the transform.
#pragma once
#include "backends/cuda/m2l/mirror/view.hpp"
#include "backends/cuda/tuning.hpp"
#include "tree/far.hpp"

namespace farfield::cuda {

inline constexpr int mirror_threads = 256;

struct MirrorProduct {
  MirrorView view;
  double* out;
  int stride;
  bool reduced;
};

/// What a block computes: of a tile the columns of one split, summed over the steps from `begin` to `end`.
struct MirrorShare {
  int tile, split, part, begin, end;
  __device__ MirrorShare(const MirrorView& view, int block)
      : tile(block / view.splits / view.parts),
        split(block % view.splits),
        part(block / view.splits % view.parts),
        begin(view.steps * part / view.parts),
        end(view.steps * (part + 1) / view.parts) {}
};

/// 16 bytes of a row: two of the eight coefficients of a step. Four threads serve a row.
using MirrorPair = double2;

/// A place in the list of steps.
struct alignas(16) MirrorCursor {
  int at;
  MirrorStep step;
};

struct MirrorTile {
  MirrorPair raw[tuning::mirror_stages][8][mirror_threads];  ///< by source, as copied; a thread reads its own copies
  MirrorPair sums[2][8][4 * mirror_rows];                    ///< transformed: [parity of the transform][row][pair]
  MirrorCursor queue[8];                                     ///< ring of steps: the one multiplied and the next
  BoxId source[mirror_rows][8];                              ///< in the orbit whose copies are being started
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

/// sum += left (16 x 4) right (4 x 8): a lane holds rows lane / 4 and lane / 4 + 8.
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

/// A row's source in the orbit of `step`; `sides`: bits of the axes with negative offset, seen from octant 0.
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

/// Reads the rows of the block's tile and the children of their parents' colleagues.
__device__ inline void read_mirror_rows(const TreeView& tree, const MirrorProduct& p, int tile_number,
                                        MirrorTile& tile) {
  const int thread = static_cast<int>(threadIdx.x), begin = tile_number * mirror_rows;
  for (int i = thread; i <= mirror_orbits; i += mirror_threads) tile.begin[i] = p.view.begin[i];
  if (thread < 2) tile.used[thread] = 0;
  if (thread < mirror_rows) {
    BoxId box = no_box;
    if (begin + thread < p.view.rows) box = p.view.row ? p.view.row[begin + thread] : p.view.first_row + begin + thread;
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
    if (p.reduced) mask &= ~children_for_parent(colleague_offset(slot));
    tile.far[row][slot] = static_cast<std::uint8_t>(mask);
  }
  __syncthreads();
}

/// At the step `at`; from `end` on at the end of the list.
__device__ inline MirrorCursor cursor_at(const MirrorView& view, int at, int end) {
  MirrorCursor cursor{at < end ? at : view.steps, {}};
  if (at < end) {
    const uint2 step = __ldg(reinterpret_cast<const uint2*>(view.step) + at);
    cursor.step.word = step.x, cursor.step.filled = step.y;
  }
  return cursor;
}

/// The first orbit, from `orbit` on, in which some row of the tile has a source.
__device__ inline int used_orbit(const MirrorTile& tile, int orbit) {
  const unsigned long long used = (static_cast<unsigned long long>(tile.used[1]) << 32 | tile.used[0]) >> orbit;
  return used ? orbit + __ffsll(static_cast<long long>(used)) - 1 : mirror_orbits;
}

/// The first step of a share, without orbits in which no row of the tile has a source.
__device__ inline MirrorCursor first_cursor(const MirrorView& view, const MirrorTile& tile, const MirrorShare& share) {
  const MirrorCursor first = cursor_at(view, share.begin, share.end);
  const int orbit = first.step.orbit(), used = used_orbit(tile, orbit);
  return used == orbit ? first : cursor_at(view, tile.begin[used], share.end);
}

/// The step after `cursor`, without such orbits.
__device__ inline MirrorCursor cursor_after(const MirrorView& view, const MirrorTile& tile, MirrorCursor cursor,
                                            int end) {
  if (cursor.at >= view.steps) return cursor;
  const int orbit = cursor.step.orbit(), next = cursor.at + 1;
  return cursor_at(view, next < tile.begin[orbit + 1] ? next : tile.begin[used_orbit(tile, orbit + 1)], end);
}

/// Marks the orbits of the share in which some row has a source.
__device__ inline void find_mirror_orbits(const MirrorView& view, const MirrorShare& share, MirrorTile& tile) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int orbit = warp; orbit < mirror_orbits; orbit += mirror_threads / 32) {
    if (tile.begin[orbit + 1] <= share.begin || tile.begin[orbit] >= share.end) continue;
    const MirrorCursor at = cursor_at(view, tile.begin[orbit], view.steps);
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

/// A thread's share of the sources: it copies one pair of coefficients of one row's sources and transforms them.
class MirrorSources {
 public:
  __device__ MirrorSources(const MirrorView& view, MirrorTile& tile)
      : view_(view), tile_(tile), thread_(static_cast<int>(threadIdx.x)), octant_(tile.octant[thread_ / 4]) {}

  /// Starts the copies of a step. Chunks of 64 bytes have 32-bit numbers; the eight boxes are read before any address
  /// is formed.
  __device__ void start(const MirrorCursor& at, int stage) {
    asm volatile("" ::: "memory");  // the stage was last read by this thread's own loads
    if (at.at < view_.steps) {
      if (at.step.orbit() != orbit_) find(at.step);
      const auto deep = static_cast<unsigned>(view_.shape.deep);
      const unsigned none = at.step.one_sided(), zero = at.step.zero();
      const unsigned own = at.step.parity() * deep + static_cast<unsigned>(at.step.chunk());
      const int4* source = reinterpret_cast<const int4*>(tile_.source[thread_ / 4]);
      const int4 low = source[0], high = source[1];
      const BoxId box[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
      const double* from = view_.multipole + thread_ % 4 * 2;
#pragma unroll
      for (unsigned e = 0; e < 8; ++e) {
        const unsigned number = (box[e] < 0 ? 0u : static_cast<unsigned>(box[e]) * 8 * deep) + own + (e & zero) * deep;
        if (!(e & none)) copy(&tile_.raw[stage][e][thread_], from + std::int64_t(number) * 8, box[e] >= 0);
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  /// Transforms the copied sources of a step into `sums`.
  __device__ void transform(const MirrorCursor& at, int stage, MirrorPair (*sums)[4 * mirror_rows]) const {
    asm volatile("cp.async.wait_group %0;" ::"n"(tuning::mirror_stages - 1) : "memory");
    if (at.at >= view_.steps) return;
    const unsigned none = at.step.one_sided(), zero = at.step.zero(), own = odd_bits(octant_ & at.step.parity());
    MirrorPair x[8];
#pragma unroll
    for (unsigned e = 0; e < 8; ++e)
      if (!(e & none)) x[e] = tile_.raw[stage][e][thread_];
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
        const unsigned negative = own ^ odd_bits(octant_ & e & zero);
        sums[e][thread_] = {with_sign(x[e].x, negative), with_sign(x[e].y, negative)};
      }
  }

 private:
  __device__ void find(MirrorStep step) {
    orbit_ = step.orbit();
    __syncwarp();
    for (unsigned e = thread_ % 4; e < 8; e += 4)
      tile_.source[thread_ / 4][e] =
          e & step.one_sided() ? no_box : mirror_source(tile_, thread_ / 4, step, e & step.two_sided());
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

/// A warp's sums: 64 rows by `groups_` groups of eight coefficients of one parity, at most `columns`.
template <int columns>
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
      for (int j = 0; j < columns; ++j)
#pragma unroll
        for (int k = 0; k < 4; ++k) sum_[i][j][k] = 0;
  }

  /// Loads the operator's elements of step `at`.
  __device__ void load(int at) {
    const double2* from = elements(at);
#pragma unroll
    for (int j = 0; j < columns; ++j)
      if (j < groups_) right_[j] = __ldcg(from + j * 32);
  }

  /// Brings the operator's elements of step `at` into the second-level cache: a line of 128 bytes per lane. Operators
  /// of 33 MB (degree 16) are no longer there when the next evaluation begins.
  __device__ void fetch(int at) const {
    if (at >= view_.steps || lane_ >= 4 * groups_) return;
    const double2* line = elements(at) + 7 * lane_;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
  }

  /// Adds the products of `step`, then loads the operator's elements of step `next`.
  __device__ void multiply(MirrorStep step, int next, const MirrorPair (*sums)[4 * mirror_rows]) {
    const unsigned zero = step.zero(), input = step.parity() | (parity_ & zero);
    const unsigned from = ((step.parity() ^ parity_) & step.two_sided()) | (parity_ & zero);
    add<columns>(sums[from] + lane_, step.filled >> 2 * input & 3u);
    load(next);
    fetch(next + tuning::mirror_ahead);
  }

  /// Writes the sums to the locals, or where there are several parts, to this one.
  __device__ void write(const MirrorProduct& p, const MirrorShare& share, const MirrorTile& tile) const {
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 16 * i + 8 * half + lane_ / 4;
        const BoxId box = tile.box[row];
        if (box == no_box) continue;
        const unsigned negative = odd_bits(tile.octant[row] & parity_);
        double* out = p.out + std::int64_t(box) * p.stride;
        double2* part =
            reinterpret_cast<double2*>(view_.part) +
            ((std::int64_t(share.part) * view_.rows + share.tile * mirror_rows + row) * view_.shape.chunks + first_) *
                4 +
            lane_ % 4;
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          if (j >= groups_) continue;
          const double x = with_sign(sum_[i][j][2 * half], negative), y = with_sign(sum_[i][j][2 * half + 1], negative);
          if (view_.parts > 1) {
            part[4 * j] = {x, y};
            continue;
          }
          const int place = (first_ + j) * 8 + lane_ % 4 * 2;
          if (const int n = view_.column[place]; n >= 0) out[n] = x;
          if (const int n = view_.column[place + 1]; n >= 0) out[n] = y;
        }
      }
  }

 private:
  static constexpr int row_tiles = mirror_rows / 16;

  /// `filled`: see MirrorStep. Up to four coefficients lie at even places (x), so that odd ones (y) are left out.
  template <int groups>
  __device__ void add(const MirrorPair* rows, unsigned filled) {
    if constexpr (groups > 1)
      if (groups > groups_) return add<groups - 1>(rows, filled);
    if (filled == 0) return;
#pragma unroll
    for (int i = 0; i < row_tiles; ++i) {
      const MirrorPair upper = rows[64 * i], lower = rows[64 * i + 32];
#pragma unroll
      for (int j = 0; j < groups; ++j) multiply_add(sum_[i][j], upper.x, lower.x, right_[j].x);
      if (filled == 2) {
#pragma unroll
        for (int j = 0; j < groups; ++j) multiply_add(sum_[i][j], upper.y, lower.y, right_[j].y);
      }
    }
  }

  __device__ const double2* elements(int at) const {
    const int step = at < view_.steps ? at : 0;
    return reinterpret_cast<const double2*>(view_.operators) + (std::int64_t(step) * view_.shape.chunks + first_) * 32 +
           lane_;
  }

  const MirrorView& view_;
  int lane_, first_, groups_;
  unsigned parity_;
  double2 right_[columns] = {};
  double sum_[row_tiles][columns][4];
};

#if CUDART_VERSION >= 12040
#define FARFIELD_MIRROR_BOUNDS(registers) __maxnreg__(registers)
#else
#define FARFIELD_MIRROR_BOUNDS(registers) __launch_bounds__(mirror_threads, 1)
#endif

/// With few columns registers remain for a block of p2p in double beside it: 128 threads with 96 each. By itself the
/// compiler takes 210 of a thread.
template <int columns>
static __global__ void FARFIELD_MIRROR_BOUNDS(columns > mirror_few_columns ? 255 : 200)
    mirror_kernel(TreeView tree, const __grid_constant__ MirrorProduct p) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(16) unsigned char shared[];
  MirrorTile& tile = *reinterpret_cast<MirrorTile*>(shared);
  const MirrorShare share(p.view, static_cast<int>(blockIdx.x));
  read_mirror_rows(tree, p, share.tile, tile);
  find_mirror_orbits(p.view, share, tile);

  constexpr int ahead = tuning::mirror_stages + 2;  // steps in the queue at any time
  const bool early = threadIdx.x < mirror_threads / 2, first = threadIdx.x == 0;
  MirrorCursor last = first_cursor(p.view, tile, share);
  for (int i = 0; i < ahead; ++i) {
    if (first) tile.queue[i] = last;
    if (first) last = cursor_after(p.view, tile, last, share.end);
  }
  __syncthreads();
  MirrorSources sources(p.view, tile);
  MirrorSums<columns> sums(p.view, share.split);
  for (int stage = 0; stage < tuning::mirror_stages; ++stage) sources.start(tile.queue[stage], stage);
  int at = 0;
  const auto produce = [&](int step) {
    sources.transform(tile.queue[step % 8], step % tuning::mirror_stages, tile.sums[step % 2]);
    sources.start(tile.queue[(step + tuning::mirror_stages) % 8], step % tuning::mirror_stages);
  };
  MirrorCursor current = tile.queue[0];
  for (int i = 0; i < tuning::mirror_ahead; ++i) sums.fetch(current.at + 1 + i);
  sums.load(current.at);
  produce(0);
  __syncthreads();
  while (current.at < p.view.steps) {
    const MirrorCursor next = tile.queue[(at + 1) % 8];
#pragma unroll 1
    for (int half = 0; half < 2; ++half)
      if (early == (half == 0))
        sums.multiply(current.step, next.at, tile.sums[at % 2]);
      else
        produce(at + 1);
    if (first) {
      tile.queue[(at + ahead) % 8] = last;
      last = cursor_after(p.view, tile, last, share.end);
    }
    current = next;
    ++at;
    __syncthreads();
  }
  sums.write(p, share, tile);
#endif
}

}  // namespace farfield::cuda
