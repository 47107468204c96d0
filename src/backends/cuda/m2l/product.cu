// The gathered matrix product: 128 rows by 64 or 96 columns per block (few rows or columns: 32 by 32), shared-memory
// tiles of 64 bytes of every row, filled through registers while the previous tile is multiplied. In single the
// products of a link are summed on their own and then added to the total: rounding grows with the number of links, not
// with links times coefficients. Ceiling: the FMA units; 2 (d+1)^4 flops per link.
#include "backends/cuda/m2l/product.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

template <class Real>
struct RowsOf {
  ClassRows classes;
  int first_level = 0, last_level = 0;
  BoxId first = 0, last = 0;  ///< rows [first, last) if classes.box is null
  Operators<Real> operators;
  Reach reach;
  int stride, pitch, columns;
  const Real* in;
  Real* out;
  bool add;
};

/// 16 bytes of Reals.
template <class Real>
struct alignas(16) Pack {
  static constexpr int size = 16 / static_cast<int>(sizeof(Real));
  Real value[size];
};

template <int rows_>
struct TileRows {
  BoxId box[rows_];
  BoxId source[2][rows_];
};

/// The block's tile: `count` rows of class c from `begin` on. False: this block has no tile.
template <class Real>
__device__ bool find_tile(const RowsOf<Real>& p, int tile_rows, int& c, int& begin, int& count) {
  int tile = static_cast<int>(blockIdx.x);
  if (!p.classes.box) {
    c = 0;
    begin = p.first + tile * tile_rows;
    count = p.last - begin < tile_rows ? p.last - begin : tile_rows;
    return count > 0;
  }
  for (c = 0; c < 8; ++c) {
    const std::int32_t* level = p.classes.begin + c * (p.classes.levels + 1);
    const int first = level[p.first_level], last = level[p.last_level],
              tiles = (last - first + tile_rows - 1) / tile_rows;
    if (tile < tiles) {
      begin = first + tile * tile_rows;
      count = last - begin < tile_rows ? last - begin : tile_rows;
      return true;
    }
    tile -= tiles;
  }
  return false;
}

/// First child and child mask of one of up to 27 boxes around a row.
struct Neighbours {
  BoxId first_child;
  unsigned mask;
};

/// Is `box` a row? Only if it has children, and sources (m2m) or targets (all others).
__device__ inline bool wanted(const TreeView& tree, Reach reach, BoxId box) {
  return !tree.is_leaf(box) && (reach == Reach::child ? tree.source_count(box) : tree.target_count(box)) > 0;
}

template <class Real>
__device__ BoxId source_of(const RowsOf<Real>& p, const TreeView& tree, BoxId box, const Link& link,
                           const Neighbours* around, int pitch) {
  if (box == no_box) return no_box;
  if (p.reach == Reach::parent) return tree.parent[box];
  const Neighbours a = around[p.reach == Reach::child ? 0 : link.slot * pitch];
  const unsigned bit = 1u << link.octant;
  return a.mask & bit ? a.first_child + count_bits(a.mask & (bit - 1)) : no_box;
}

template <class Real, int rows, int columns, int row_tile, int column_tile>
__global__ void __launch_bounds__(rows / row_tile * columns / column_tile,
                                  rows / row_tile * columns / column_tile <= 256 ? 2 : 1)
    product_kernel(TreeView tree, RowsOf<Real> p) {
  constexpr int threads = rows / row_tile * columns / column_tile;
  constexpr int depth = 64 / static_cast<int>(sizeof(Real)), pack = Pack<Real>::size, packs = depth / pack;
  constexpr int row_pitch = rows + pack;
  constexpr int a_loads = (rows * packs + threads - 1) / threads;
  constexpr int b_loads = (depth * columns / pack + threads - 1) / threads;
  static_assert(threads >= rows, "a thread finds the source of one row");
  extern __shared__ __align__(16) unsigned char shared[];
  Real* a = reinterpret_cast<Real*>(shared);  // [2][depth][row_pitch]
  Real* b = a + 2 * depth * row_pitch;        // [2][depth][columns]
  TileRows<rows>& tile = *reinterpret_cast<TileRows<rows>*>(b + 2 * depth * columns);
  Neighbours* around = reinterpret_cast<Neighbours*>(&tile + 1);  // [27][rows] or [1][rows]

  const int thread = static_cast<int>(threadIdx.x);
  int c, begin, count;
  if (!find_tile(p, rows, c, begin, count)) return;

  // The rows and the boxes around them.
  if (thread < rows) {
    BoxId box = no_box;
    if (thread < count) box = p.classes.box ? p.classes.box[begin + thread] : begin + thread;
    if (box != no_box && !p.classes.box && !wanted(tree, p.reach, box)) box = no_box;
    tile.box[thread] = box;
  }
  __syncthreads();
  if (p.reach == Reach::child) {
    if (thread < rows && tile.box[thread] != no_box)
      around[thread] = {tree.first_child[tile.box[thread]], tree.child_mask[tile.box[thread]]};
  } else if (p.reach != Reach::parent) {
    for (int i = thread; i < rows * colleagues_per_box; i += threads) {
      const int row = i % rows, slot = i / rows;
      const BoxId box = tile.box[row];
      Neighbours found{0, 0};
      if (box != no_box) {
        const BoxId centre = p.reach == Reach::cousin ? tree.parent[box] : box;
        const BoxId colleague = tree.colleague[static_cast<std::int64_t>(centre) * colleagues_per_box + slot];
        if (colleague != no_box) found = {tree.first_child[colleague], tree.child_mask[colleague]};
      }
      around[slot * rows + row] = found;
    }
  }
  __syncthreads();

  const int last_link = p.operators.begin[c + 1];
  int parity = 0;
  const auto next_link = [&](int link) {  // the next that some row has; puts its sources into `tile`
    for (; link < last_link; ++link) {
      BoxId source = no_box;
      if (thread < rows) {
        source = source_of(p, tree, tile.box[thread], p.operators.link[link], around + thread, rows);
        tile.source[parity][thread] = source;
      }
      if (__syncthreads_or(source != no_box)) break;
    }
    return link;
  };

  const int column = static_cast<int>(blockIdx.y) * columns;
  const int chunks = p.stride / depth;
  Pack<Real> a_next[a_loads], b_next[b_loads];
  const auto load = [&](int link, int chunk) {
#pragma unroll
    for (int l = 0; l < a_loads; ++l) {
      const int i = thread + l * threads, row = i / packs;
      a_next[l] = {};
      if (row < rows) {
        const BoxId source = tile.source[parity][row];
        if (source != no_box)
          a_next[l] = *reinterpret_cast<const Pack<Real>*>(p.in + static_cast<std::int64_t>(source) * p.stride +
                                                           chunk * depth + i % packs * pack);
      }
    }
    const Real* matrix =
        p.operators.matrix +
        (static_cast<std::int64_t>(p.operators.link[link].matrix) * p.stride + chunk * depth) * p.pitch + column;
#pragma unroll
    for (int l = 0; l < b_loads; ++l) {
      const int i = (thread + l * threads) * pack, k = i / columns, n = i % columns;
      b_next[l] = {};
      if (k < depth && column + n < p.pitch)
        b_next[l] = *reinterpret_cast<const Pack<Real>*>(matrix + static_cast<std::int64_t>(k) * p.pitch + n);
    }
  };
  const auto store = [&](int buffer) {
    Real* a_to = a + buffer * depth * row_pitch;
    Real* b_to = b + buffer * depth * columns;
#pragma unroll
    for (int l = 0; l < a_loads; ++l) {
      const int i = thread + l * threads, row = i / packs, k = i % packs * pack;
      if (row < rows)
#pragma unroll
        for (int e = 0; e < pack; ++e) a_to[(k + e) * row_pitch + row] = a_next[l].value[e];
    }
#pragma unroll
    for (int l = 0; l < b_loads; ++l) {
      const int i = (thread + l * threads) * pack;
      if (i < depth * columns) *reinterpret_cast<Pack<Real>*>(b_to + i) = b_next[l];
    }
  };

  constexpr bool by_link = sizeof(Real) == 4;
  Real sum[row_tile][column_tile] = {}, total[by_link ? row_tile : 1][by_link ? column_tile : 1] = {};
  const int my_row = thread / (columns / column_tile) * row_tile,
            my_column = thread % (columns / column_tile) * column_tile;
  int link = next_link(p.operators.begin[c]), chunk = 0, buffer = 0;
  if (link < last_link) {
    load(link, 0);
    store(0);
    __syncthreads();
    while (true) {
      int following = link, next_chunk = chunk + 1;
      if (next_chunk == chunks) {
        next_chunk = 0;
        parity ^= 1;
        following = next_link(link + 1);
      }
      const bool more = following < last_link;
      if (more) load(following, next_chunk);
      const Real* a_from = a + buffer * depth * row_pitch + my_row;
      const Real* b_from = b + buffer * depth * columns + my_column;
#pragma unroll
      for (int k = 0; k < depth; ++k) {
        Pack<Real> left[row_tile / pack], right[column_tile / pack];
#pragma unroll
        for (int i = 0; i < row_tile / pack; ++i)
          left[i] = *reinterpret_cast<const Pack<Real>*>(a_from + k * row_pitch + i * pack);
#pragma unroll
        for (int i = 0; i < column_tile / pack; ++i)
          right[i] = *reinterpret_cast<const Pack<Real>*>(b_from + k * columns + i * pack);
#pragma unroll
        for (int i = 0; i < row_tile; ++i)
#pragma unroll
          for (int j = 0; j < column_tile; ++j)
            sum[i][j] += left[i / pack].value[i % pack] * right[j / pack].value[j % pack];
      }
      if (by_link && following != link) {
#pragma unroll
        for (int i = 0; i < row_tile; ++i)
#pragma unroll
          for (int j = 0; j < column_tile; ++j) {
            total[by_link ? i : 0][by_link ? j : 0] += sum[i][j];
            sum[i][j] = 0;
          }
      }
      if (!more) break;
      buffer ^= 1;
      store(buffer);
      __syncthreads();
      link = following;
      chunk = next_chunk;
    }
  } else if (p.add) {
    return;
  }

#pragma unroll
  for (int i = 0; i < row_tile; ++i) {
    const BoxId box = tile.box[my_row + i];
    if (box == no_box) continue;
    Real* out = p.out + static_cast<std::int64_t>(box) * p.stride;
#pragma unroll
    for (int j = 0; j < column_tile; ++j) {
      const int n = column + my_column + j;
      if (n >= p.columns) continue;
      const Real value = by_link ? total[by_link ? i : 0][by_link ? j : 0] : sum[i][j];
      out[n] = p.add ? out[n] + value : value;
    }
  }
}

template <class Real, int rows, int columns, int row_tile, int column_tile>
static void launch_shape(const Work<Real>& work, const RowsOf<Real>& p, std::int64_t boxes) {
  constexpr int threads = rows / row_tile * columns / column_tile;
  constexpr int depth = 64 / static_cast<int>(sizeof(Real));
  const int slots = p.reach == Reach::parent ? 0 : p.reach == Reach::child ? 1 : colleagues_per_box;
  const std::size_t bytes = sizeof(Real) * 2 * depth * (rows + Pack<Real>::size + columns) + sizeof(TileRows<rows>) +
                            sizeof(Neighbours) * static_cast<std::size_t>(slots) * rows;
  const dim3 grid(static_cast<unsigned>((boxes + rows - 1) / rows + (p.classes.box ? 8 : 0)),
                  static_cast<unsigned>((p.columns + columns - 1) / columns));
  launch_kernel("product", product_kernel<Real, rows, columns, row_tile, column_tile>, {grid, threads, bytes},
                work.stream, work.tree, p);
}

template <class Real>
static void launch(const Work<Real>& work, const RowsOf<Real>& p, std::int64_t boxes) {
  if (boxes <= 0) return;
  const std::int64_t tiles = boxes / 128 * ((p.columns + 63) / 64);
  if (p.columns <= 32 || tiles < tuning::product_tiles * device_limits().multiprocessors)
    return launch_shape<Real, 32, 32, 4, 4>(work, p, boxes);
  const int waste64 = (p.columns + 63) / 64 * 64, waste96 = (p.columns + 95) / 96 * 96;
  if (waste96 < waste64) return launch_shape<Real, 128, 96, 8, 4>(work, p, boxes);
  launch_shape<Real, 128, 64, 8, 4>(work, p, boxes);
}

template <class Real>
static RowsOf<Real> rows_of(const Product<Real>& product) {
  RowsOf<Real> p{};
  p.operators = *product.operators;
  p.reach = product.reach;
  p.stride = product.tables->stride;
  p.pitch = product.tables->pitch;
  p.columns = product.tables->coefficients;
  p.in = product.in;
  p.out = product.out;
  p.add = product.add;
  return p;
}

template <class Real>
void product_of_classes(const Work<Real>& work, const Product<Real>& product, int first_level, int last_level) {
  if (first_level >= last_level) return;
  RowsOf<Real> p = rows_of(product);
  p.classes = work.classes;
  p.first_level = first_level;
  p.last_level = last_level;
  launch(work, p, std::int64_t(work.tree.level_begin[last_level]) - work.tree.level_begin[first_level]);
}

template <class Real>
void product_of_parents(const Work<Real>& work, const Product<Real>& product, BoxId first, BoxId last) {
  RowsOf<Real> p = rows_of(product);
  p.first = first;
  p.last = last;
  launch(work, p, std::int64_t(last) - first);
}

template void product_of_classes<float>(const Work<float>&, const Product<float>&, int, int);
template void product_of_classes<double>(const Work<double>&, const Product<double>&, int, int);
template void product_of_parents<float>(const Work<float>&, const Product<float>&, BoxId, BoxId);
template void product_of_parents<double>(const Work<double>&, const Product<double>&, BoxId, BoxId);

}  // namespace farfield::cuda
