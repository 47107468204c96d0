// m2m of few parents: a block has Parents<Real>::size boxes and every so many-th warp of their coefficients.
#pragma once
#include "backends/cuda/far/few/parents.hpp"
#include "backends/cuda/m2l/tensor/operands.hpp"

namespace farfield::cuda {

inline constexpr int summing_warps = 4;  ///< of a block; the others only fetch children

/// A warp's columns of the matrix, passing through shared memory sixteen rows at a time: 48 rows are under way while it
/// sums, as many as it sums in the time that one needs to arrive.
template <class Real>
struct MatrixRing {
  static constexpr int rows = 16, held = 4 * rows, numbers = 16 / static_cast<int>(sizeof(Real));
  using Held = Real[held][few_columns];
  const Real* column;  ///< the warp's first
  int pitch, end;      ///< rows up to `end`
  Held& row_of;

  __device__ void fetch(int from) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, at = lane * numbers % few_columns;
#pragma unroll
    for (int r = lane * numbers / few_columns; r < rows; r += numbers)
      if (from + r < end) __pipeline_memcpy_async(&row_of[(from + r) % held][at], column + (from + r) * pitch + at, 16);
    __pipeline_commit();
  }
  __device__ void start() const {
    for (int from = 0; from < held - rows; from += rows) fetch(from);
  }
  /// Waits for the sixteen rows from `from` on and has those fetched whose place the sixteen before leave free.
  __device__ const Real* wait(int from) const {
    __pipeline_wait_prior(held / rows - 2);
    __syncwarp();
    fetch(from + held - rows);
    return row_of[from % held];
  }
};

/// The block's boxes, or what a thread needs of them.
struct FewBoxes {
  BoxId first_child;  ///< of box threadIdx.x % size
  unsigned masks;     ///< of children, eight bits of each box; 0 for leaves
  __device__ unsigned mask(int p) const { return masks >> 8 * p & 0xffu; }
};
template <class Real>
__device__ FewBoxes few_boxes(const Work<Real>& work, BoxId begin, BoxId last) {
  constexpr int size = Parents<Real>::size;
  const TreeView& tree = work.tree;
  const BoxId own = begin + static_cast<BoxId>(threadIdx.x) % size;
  FewBoxes boxes{own < last ? tree.first_child[work.box_at(own)] : no_box, 0};
#pragma unroll
  for (int p = 0; p < size; ++p)
    if (begin + p < last) boxes.masks |= static_cast<unsigned>(tree.child_mask[work.box_at(begin + p)]) << 8 * p;
  return boxes;
}

/// H_w(i) of the parents at x[(w ^ c(i)) * pitch + i]: those that coefficient j sums, w = c(i) ^ c(j), stand side by
/// side.
template <class Real>
__device__ void transform_few(const Work<Real>& work, const FewBoxes& boxes, int pitch, Parents<Real>* x) {
  constexpr int size = Parents<Real>::size, step = few_threads / size, together = size;
  const int p = static_cast<int>(threadIdx.x) % size, count = work.tables.coefficients;
  const unsigned mask = boxes.mask(p);
  const auto has = [&](int i, int octant) { return i < count && (mask >> octant & 1u); };
  BoxId child[8];
#pragma unroll
  for (int octant = 0; octant < 8; ++octant) {
    child[octant] = boxes.first_child + __popc(mask & ((1u << octant) - 1u));
    if (mask >> octant & 1u) child[octant] = work.expanded(child[octant]);
  }
  for (int from = static_cast<int>(threadIdx.x) / size; from < count; from += together * step) {
    Real value[together][8];
    int parity[together];
#pragma unroll
    for (int n = 0; n < together; ++n) {
      const int i = from + n * step;
      parity[n] = i < count ? work.octants.parity[i] : 0;
#pragma unroll
      for (int octant = 0; octant < 8; ++octant)
        value[n][7 - octant] =
            has(i, octant) ? work.multipole[std::int64_t(child[octant]) * work.tables.stride + i] : 0;
    }
#pragma unroll
    for (int n = 0; n < together; ++n) {
      const int i = from + n * step;
      if (i >= count) break;
      walsh_hadamard(value[n]);
#pragma unroll
      for (int w = 0; w < 8; ++w) x[(w ^ parity[n]) * pitch + i].value[p] = value[n][w];
    }
  }
}

/// Sum of the first `below` products of a lane, as in sum_children; `rows` of the warp.
template <class Real>
__device__ Parents<Real> sum_few(const MatrixRing<Real>& ring, const Parents<Real>* x, int below) {
  constexpr int rows = MatrixRing<Real>::rows;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Parents<Real> sum{};
  for (int from = 0; from < ring.end; from += rows) {
    const Real* a = ring.wait(from) + lane;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (from + r < below)
#pragma unroll
        for (int p = 0; p < Parents<Real>::size; ++p) sum.value[p] += a[r * few_columns] * x[from + r].value[p];
  }
  return sum;
}

/// Stores coefficient i of a parent and, in single, its operands for m2l on tensor cores.
template <class Real>
__device__ void write_multipole(const Work<Real>& work, BoxId parent, int i, Real value, float scale) {
  const std::int64_t box = parent;
  work.multipole[box * work.tables.stride + i] = value;
  if constexpr (sizeof(Real) == 4)
    if (work.tensor.ready) store_operands(work.tensor, box, i, value, scale);
}

/// An odd number of 16-byte words, as EightFold's, that whole batches of rows may be read from.
__host__ __device__ constexpr int few_pitch(int count) { return ((count + 15) / 16 * 16) | 1; }

/// `coupled`: the matrix maps degrees to lower ones, too.
template <class Real>
__global__ void __launch_bounds__(few_threads, 2)
    m2m_few_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, bool coupled) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int size = Parents<Real>::size;
  const int count = work.tables.coefficients, pitch = few_pitch(count), lane = static_cast<int>(threadIdx.x) % 32,
            warp_of = static_cast<int>(threadIdx.x) / 32;
  auto* x = reinterpret_cast<Parents<Real>*>(shared);
  auto* held = reinterpret_cast<typename MatrixRing<Real>::Held*>(x + 8 * pitch);
  const int column = few_columns * static_cast<int>(blockIdx.y + gridDim.y * (warp_of % summing_warps)),
            j = column + lane;
  const auto below = [&](int i) { return coupled ? count : SolidShape::count(SolidShape::degree_of(i)); };
  const int end = column < count ? below(column + 31 < count ? column + 31 : count - 1) : 0;
  const MatrixRing<Real> ring{matrix + column, work.tables.pitch, end, held[warp_of % summing_warps]};
  const bool sums = warp_of < summing_warps && column < count;
  if (sums) ring.start();
  if (!sums && blockIdx.x == 0) prefetch_rows(ring.column, ring.pitch, lane, 32, end);
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * size;
  const FewBoxes boxes = few_boxes(work, begin, last);
  const int parity = j < count ? work.octants.parity[j] : 0;
  const float scale = work.tensor.ready ? operand_scale(work.tensor, work.tree.level[work.box_at(begin)]) : 0;
  if (boxes.masks == 0) return __pipeline_wait_prior(0);
  transform_few(work, boxes, pitch, x);
  __syncthreads();
  if (!sums) return;
  const Parents<Real> sum = sum_few(ring, x + parity * pitch, j < count ? below(j) : 0);
#pragma unroll
  for (int p = 0; p < size; ++p)  // with zeros in the rest of the stride
    if (boxes.mask(p) && j < work.tables.stride) write_multipole(work, work.box_at(begin + p), j, sum.value[p], scale);
}

template <class Real>
FewShape m2m_few_shape(std::int64_t boxes, int coefficients) {
  if (coefficients <= tuning::octant_threads) return {};
  const int warps = (coefficients + few_columns - 1) / few_columns;
  return few_shape<Real>(boxes, (warps + summing_warps - 1) / summing_warps, 1, [&](int) {
    return sizeof(Parents<Real>) * 8 * static_cast<std::size_t>(few_pitch(coefficients)) +
           summing_warps * sizeof(typename MatrixRing<Real>::Held);
  });
}

template <class Real>
void launch_m2m_few(const Work<Real>& work, BoxId first, BoxId last, const FewShape& shape, bool coupled) {
  launch_kernel("m2m", m2m_few_kernel<Real>, {shape.blocks, few_threads, shape.bytes}, work.stream, work,
                octant_matrix(work.tables, work.tables.m2m), first, last, coupled);
}

}  // namespace farfield::cuda
