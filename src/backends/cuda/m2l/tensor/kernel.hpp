// The kernel of m2l on tensor cores: a tile of 128 or 256 parents times the columns of up to eight of their children. A
// step is one colleague and 64 products per sum; only steps that some row and some child of the tile needs are done.
// Rows are gathered by 16-byte copies, zeros where a source is absent, into tiles of 128 bytes per row whose 16-byte
// pieces are swizzled (piece index xor row mod 8): the layout that both engines read without bank conflicts.
//
// An Engine multiplies: wgmma.hpp for Hopper, mma.hpp for the others.
#pragma once
#include "backends/cuda/m2l/tensor/operands.hpp"
#include "backends/cuda/m2l/tensor/view.hpp"
#include "tree/far.hpp"

namespace farfield::cuda {

inline constexpr int tensor_threads = 256;
inline constexpr int tensor_row_bytes = 2 * tensor_chunk;

struct TensorProduct {
  TensorPass pass;
  const std::uint32_t* most_sources;
  float operator_scale;
  float* out;
  int stride;
  bool reduced, add;
  int splits;
  float* parts;
  std::int64_t part_pitch;
  const BoxId* first_source;  ///< [boxes]: TreeView::first_child, or where the operands of images are (ImageBoxes)

  /// Where this block of those that share a tile sums.
  __device__ float* sums() const { return blockIdx.y == 0 ? out : parts + (blockIdx.y - 1) * part_pitch; }
};

/// A row of the block's tile: a parent and its children.
struct TensorRow {
  BoxId first_child;
  std::uint8_t children, wanted;  ///< masks: all that exist; those of the class with targets
  float scale;                    ///< from sums to locals
};

/// All of a tile but its pipeline stages. `first` and `mask`: children of the colleague at each slot of each row.
template <int rows>
struct TensorTile {
  BoxId first[rows][colleagues_per_box];
  std::uint8_t mask[rows][colleagues_per_box];
  TensorRow row[rows];
  BoxId parent[rows];
  unsigned sources[colleagues_per_box], members, targets;
  int count;                               ///< of rows that exist
  int steps, wide;                         ///< of all, those with all columns, which come first
  std::int32_t begin[colleagues_per_box];  ///< TensorInner::begin
  std::uint16_t step[colleagues_per_box * TensorInner::most_chunks];  ///< chunk * 32 + slot; narrow ones from the end
  std::uint32_t column[256];                                          ///< child << 16 | coefficient

  __device__ int step_at(int i) const {
    return step[i < wide ? i : colleagues_per_box * TensorInner::most_chunks - 1 - (i - wide)];
  }
};

/// No memory clobber: the compiler may start the copies of a thread back to back; readers of the copies wait first.
__device__ inline void copy_16(void* to, const void* from, bool exists) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from), "r"(exists ? 16 : 0));
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Children of the colleague at `slot` that are far from child `target`.
__device__ inline unsigned far_children(int slot, int target, bool reduced) {
  const BoxOffset d = colleague_offset(slot);
  return ~touching_children(d, target) & 0xffu & (reduced ? ~children_for_parent(d) : ~0u);
}

/// Those of a box's `children` (a mask; the first is box `first`) that are among `members` and have targets.
__device__ inline unsigned children_with_targets(const TreeView& tree, BoxId first, unsigned children,
                                                 unsigned members) {
  unsigned wanted = children & members;
  if (tree.target_begin == tree.source_begin) return wanted;  // the same points: no box is empty
  for (unsigned left = wanted; left; left &= left - 1) {
    const unsigned bit = left & (0u - left);
    if (tree.target_count(first + __popc(children & (bit - 1))) == 0) wanted &= ~bit;
  }
  return wanted;
}

/// Reads the rows and columns of the block's tile. False: the block has no tile.
template <int rows, int columns>
__device__ bool read_rows(const TreeView& tree, const TensorProduct& p, TensorTile<rows>& tile) {
  const int thread = static_cast<int>(threadIdx.x);
  const TensorTileRange range = p.pass.rows.tile[blockIdx.x];
  if (range.begin == range.end) return false;
  if (thread == 0) tile.members = range.members, tile.targets = 0, tile.count = range.end - range.begin;
  if (thread < colleagues_per_box) tile.begin[thread] = p.pass.inner->begin[thread];
  __syncthreads();
  for (int r = thread; r < rows; r += static_cast<int>(blockDim.x)) {
    const BoxId parent = range.begin + r < range.end ? p.pass.rows.parent[range.begin + r] : no_box;
    TensorRow own{0, 0, 0, 0};
    if (parent != no_box) {
      own.first_child = tree.first_child[parent];
      own.children = tree.child_mask[parent];
      own.scale = power_of_two(-operand_exponent(p.most_sources[tree.level[parent] + 1])) / p.operator_scale;
      own.wanted = static_cast<std::uint8_t>(children_with_targets(tree, own.first_child, own.children, range.members));
    }
    tile.row[r] = own;
    tile.parent[r] = parent;
    atomicOr(&tile.targets, own.wanted);
  }
  for (int n = thread; n < columns; n += static_cast<int>(blockDim.x)) {
    unsigned left = range.members;
    for (int g = n / p.pass.width; g > 0; --g) left &= left - 1;
    tile.column[n] =
        left ? static_cast<std::uint32_t>(first_octant(left)) << 16 | static_cast<std::uint32_t>(n % p.pass.width)
             : ~0u;
  }
  __syncthreads();
  return true;
}

/// Reads the children of every row's colleagues. All loads of a thread are in flight at once.
template <int rows>
__device__ void read_colleagues(const TreeView& tree, const BoxId* first_source, TensorTile<rows>& tile) {
  constexpr int numbers = rows * colleagues_per_box, loads = (numbers + tensor_threads - 1) / tensor_threads;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < tensor_threads) {
    BoxId colleague[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l) {
      const int i = thread + l * tensor_threads, row = i / colleagues_per_box;
      const BoxId parent = i < numbers ? tile.parent[row] : no_box;
      colleague[l] = no_box;
      if (parent != no_box)
        colleague[l] = tree.colleague[static_cast<std::int64_t>(parent) * colleagues_per_box + i % colleagues_per_box];
    }
    BoxId first[loads];
    std::uint8_t mask[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l) {
      first[l] = colleague[l] == no_box ? 0 : first_source[colleague[l]];
      mask[l] = colleague[l] == no_box ? std::uint8_t(0) : tree.child_mask[colleague[l]];
    }
#pragma unroll
    for (int l = 0; l < loads; ++l) {
      const int i = thread + l * tensor_threads;
      if (i >= numbers) break;
      (&tile.first[0][0])[i] = mask[l] ? first[l] : 0;
      (&tile.mask[0][0])[i] = mask[l];
    }
  }
  __syncthreads();
}

/// Lists the steps that some row and some child of the tile needs, of the colleagues that are this block's. Which these
/// are does not depend on the tile, so that a box's sums have one order, whatever boxes share its tile.
template <int rows>
__device__ void find_steps(const TensorPass& pass, bool reduced, int splits, TensorTile<rows>& tile) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int slot = warp; slot < colleagues_per_box; slot += static_cast<int>(blockDim.x) / 32) {
    unsigned sources = 0, far = tile.targets >> (lane % 8) & 1u ? far_children(slot, lane % 8, reduced) : 0u;
    for (int row = lane; row < rows; row += 32) sources |= tile.mask[row][slot];
    for (int other = 16; other > 0; other /= 2) {
      sources |= __shfl_xor_sync(~0u, sources, other);
      far |= __shfl_xor_sync(~0u, far, other);
    }
    if (lane == 0) tile.sources[slot] = sources & far;
  }
  __syncthreads();
  if (warp == 0) {
    int count[2] = {};  // of wide and of narrow steps
    const bool own = lane < colleagues_per_box && lane % splits == static_cast<int>(blockIdx.y);
    const unsigned sources = own ? tile.sources[lane] : 0u, before = (1u << lane) - 1;
    const int child = first_octant(tile.members), slot = own ? lane : 0, wide = pass.inner->wide[child][slot];
    const std::uint8_t* children = pass.inner->children[child][slot];
    std::uint16_t* const end = tile.step + colleagues_per_box * TensorInner::most_chunks - 1;
#pragma unroll 4
    for (int chunk = 0; chunk < pass.width / 8; ++chunk) {
      const bool needed = sources & children[chunk];
      const unsigned of[2] = {__ballot_sync(~0u, needed && chunk < wide), __ballot_sync(~0u, needed && chunk >= wide)};
      const auto step = static_cast<std::uint16_t>(chunk * 32 + lane);
      if (needed && chunk < wide) tile.step[count[0] + __popc(of[0] & before)] = step;
      if (needed && chunk >= wide) *(end - count[1] - __popc(of[1] & before)) = step;
      for (int narrow = 0; narrow < 2; ++narrow) count[narrow] += __popc(of[narrow]);
    }
    if (lane == 0) tile.wide = count[0], tile.steps = count[0] + count[1];
  }
  __syncthreads();
}

/// Locals of a tile without steps: no source is far from its boxes.
template <int rows, int columns>
__device__ void write_zeros(const TensorProduct& p, const TensorTile<rows>& tile) {
  for (int place = static_cast<int>(threadIdx.x); place < rows * columns; place += static_cast<int>(blockDim.x)) {
    const TensorRow row = tile.row[place / columns];
    const std::uint32_t column = tile.column[place % columns], child = column >> 16 & 31u, n = column & 0xffffu;
    if (!(row.wanted >> child & 1u) || static_cast<int>(n) >= p.pass.count) continue;
    const std::int64_t box = row.first_child + __popc(row.children & ((1u << child) - 1));
    p.sums()[box * p.stride + n] = 0;
  }
}

/// Fills the block's tile. False: there is nothing to multiply.
template <int rows, int columns>
__device__ bool read_tile(const TreeView& tree, const TensorProduct& p, TensorTile<rows>& tile) {
  if (!read_rows<rows, columns>(tree, p, tile)) return false;
  read_colleagues(tree, p.first_source, tile);
  find_steps(p.pass, p.reduced, p.splits, tile);
  if (tile.steps == 0 && !p.add) write_zeros<rows, columns>(p, tile);
  return tile.steps > 0;
}

/// Starts the copies of a step's rows by `threads` threads: each copies one 16-byte piece of every `stride`-th row.
template <int rows, int threads, int parts>
class RowCopies {
 public:
  __device__ RowCopies(const TensorPass& pass, const TensorTile<rows>& tile, int thread)
      : pass_(pass),
        tile_(tile),
        pieces_(pass.inner->piece[first_octant(tile.members)]),
        row_(thread / 8),
        piece_(thread % 8) {}

  /// Reads what the pieces of the next step are, which takes a while.
  __device__ void look_up(int step) {
    const TensorPiece piece = pieces_[step % 32][step / 32 * 8 + piece_];
    bit_ = 1u << piece.child, offset_ = 8 * piece.eighth;
  }
  /// The step that was looked up; `half`: only the first half of the rows.
  __device__ void start(int step, unsigned char* stage, bool half = false) const {
    unsigned char* to = stage + row_ * tensor_row_bytes + (piece_ ^ row_ % 8) * 16;
    if (half)
      copy<rows / 2>(step % 32, to);
    else
      copy<rows>(step % 32, to);
  }

 private:
  static constexpr int stride = threads / 8;
  static_assert(stride % 8 == 0, "pieces of all rows of a thread are exchanged in the same way");

  template <int count>
  __device__ void copy(int slot, unsigned char* to) const {
    constexpr int batch = count / stride < 8 ? count / stride : 8;  // all loads of a batch in flight
    for (int r = 0; r < count; r += batch * stride) {
      BoxId first[batch];
      unsigned mask[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        first[i] = tile_.first[row_ + r + i * stride][slot];
        mask[i] = tile_.mask[row_ + r + i * stride][slot];
      }
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const std::int64_t from =
            static_cast<std::int64_t>(first[i] + __popc(mask[i] & (bit_ - 1))) * pass_.width + offset_;
#pragma unroll
        for (int part = 0; part < parts; ++part)
          copy_16(to + (part * rows + r + i * stride) * tensor_row_bytes, pass_.in[part] + from, mask[i] & bit_);
      }
    }
  }

  const TensorPass& pass_;
  const TensorTile<rows>& tile_;
  const TensorPiece (*pieces_)[TensorInner::most_pieces];
  int row_, piece_, offset_ = 0;
  unsigned bit_ = 0;
};

/// Where a step's operators begin: [child][width][64]. Those of all steps are 2^27 numbers at most.
template <int rows>
__device__ unsigned operators_of(const TensorPass& pass, const TensorTile<rows>& tile, int step) {
  const auto chunk = static_cast<unsigned>(tile.begin[step % 32] + step / 32);
  return chunk * 8 * static_cast<unsigned>(pass.width) * tensor_chunk;
}

/// Starts the copies of a step's operators by all threads.
template <int rows, int columns, int parts>
__device__ void copy_operators(const TensorPass& pass, const TensorTile<rows>& tile, int step, unsigned char* b) {
  const int thread = static_cast<int>(threadIdx.x), piece = thread % 8;
  const unsigned image = operators_of(pass, tile, step);
#pragma unroll
  for (int r = 0; r < columns; r += tensor_threads / 8) {
    const int row = r + thread / 8;
    if (columns % (tensor_threads / 8) != 0 && row >= columns) break;
    const std::uint32_t column = tile.column[row];
    if (column == ~0u) break;
    const unsigned from =
        image + ((column >> 16) * static_cast<unsigned>(pass.width) + (column & 0xffffu)) * tensor_chunk;
#pragma unroll
    for (int part = 0; part < parts; ++part)
      copy_16(b + (part * columns + row) * tensor_row_bytes + piece * 16, pass.operators[part] + from + piece * 8,
              true);
  }
}

/// Writes the tile's sums to the locals of children that have targets, up to four pairs at a time: all old values are
/// in flight before the first new one is written.
template <class Engine>
__device__ void write_locals(const TensorProduct& p, const TensorTile<Engine::rows>& tile, const Engine& engine) {
  constexpr int batch = Engine::pairs % 4 == 0 ? 4 : 2;
  static_assert(Engine::pairs % batch == 0, "no batch is cut");
  float* const sums = p.sums();
#pragma unroll
  for (int from = 0; from < Engine::pairs; from += batch) {
    float* out[batch];
    float2 value[batch];
    bool both[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const TensorRow row = tile.row[engine.row(from + i)];
      const std::uint32_t place = tile.column[engine.column(from + i)], child = place >> 16 & 31u, n = place & 0xffffu;
      const bool wanted = (row.wanted >> child & 1u) && static_cast<int>(n) < p.pass.count;
      const std::int64_t box = row.first_child + __popc(row.children & ((1u << child) - 1));
      out[i] = wanted ? sums + box * p.stride + n : nullptr;
      both[i] = static_cast<int>(n) + 1 < p.pass.count;
      value[i] = p.add && wanted ? *reinterpret_cast<const float2*>(out[i]) : float2{0, 0};
      const float2 sum = engine.pair(from + i);
      value[i].x += sum.x * row.scale, value[i].y += sum.y * row.scale;
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      if (out[i] && both[i]) *reinterpret_cast<float2*>(out[i]) = value[i];
      if (out[i] && !both[i]) *out[i] = value[i].x;
    }
  }
}

template <class Engine>
constexpr std::size_t tensor_shared_bytes() {
  return 1024 + static_cast<std::size_t>(Engine::staging_bytes) + sizeof(TensorTile<Engine::rows>);
}

template <class Engine>
__global__ void __launch_bounds__(tensor_threads, 1) tensor_kernel(TreeView tree, TensorProduct p) {
#if __CUDA_ARCH__ >= 800  // compute capability 7.5 has no asynchronous copies: m2l is by FMA there
  constexpr int rows = Engine::rows, columns = Engine::columns, parts = Engine::parts, stages = Engine::stages;
  constexpr int stage_bytes = parts * (rows + columns) * tensor_row_bytes, ahead = stages - Engine::lag;
  static_assert(ahead >= 1, "a step is loaded while another is multiplied");
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = static_cast<unsigned>(__cvta_generic_to_shared(raw)) % 1024;
  unsigned char* stage = raw + (misaligned ? 1024 - misaligned : 0);
  auto& tile = *reinterpret_cast<TensorTile<rows>*>(stage + stages * stage_bytes);
  if (!read_tile<rows, columns>(tree, p, tile)) return;

  const int steps = __shfl_sync(~0u, tile.steps, 0);
  RowCopies<rows, tensor_threads, parts> row_copies(p.pass, tile, static_cast<int>(threadIdx.x));
  const auto load = [&](int i, unsigned char* to) {
    if (i < steps) {
      const int step = tile.step_at(i);
      row_copies.look_up(step);
      row_copies.start(step, to);
      copy_operators<rows, columns, parts>(p.pass, tile, step, to + parts * rows * tensor_row_bytes);
    }
    commit_copies();
  };
  for (int i = 0; i < ahead; ++i) load(i, stage + i * stage_bytes);
  Engine engine;
  int at = 0, next = ahead % stages;
  for (int i = 0; i < steps; ++i) {
    wait_for_copies<ahead - 1>();
    engine.see_copies();
    __syncthreads();
    engine.start(stage + at * stage_bytes);
    load(i + ahead, stage + next * stage_bytes);
    engine.finish();
    at = at + 1 == stages ? 0 : at + 1;
    next = next + 1 == stages ? 0 : next + 1;
  }
  engine.finish_all();

  write_locals(p, tile, engine);
#endif
}

}  // namespace farfield::cuda
