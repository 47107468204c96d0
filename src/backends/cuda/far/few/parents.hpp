// What m2m and l2l of few parents share. The levels next to the root are a few blocks of far/m2m.cu and far/l2l.cu, in
// which each thread waits for one number of the matrix after another: 12 to 22 us a level at degree 14 (one H200), of
// which arithmetic is a tenth. Here several blocks share a parent's coefficients, a warp has 32 consecutive ones, and
// all that a block reads is under way before it waits for any of it: parents are taken where they stand instead of
// being sought. Every coefficient is the same sum in the same order as there: the same bits, so that parts of a tree
// may choose by their own numbers of boxes.
#pragma once
#include <cuda_pipeline_primitives.h>

#include "backends/cuda/far/octants.hpp"

namespace farfield::cuda {

inline constexpr int few_threads = 256;
inline constexpr int few_columns = 32;  ///< coefficients of a warp: columns of the matrix

/// How a level is divided: blocks of `groups` groups of Parents<Real>::size boxes times ranges of coefficients; groups
/// == 0: it has too many boxes, or its degree no need.
struct FewShape {
  int groups = 0;
  dim3 blocks;
  std::size_t bytes = 0;  ///< shared memory of a block
};

/// The shape with the fewest groups per block, up to `most`, for which not too many blocks are left.
template <class Real, class BytesOf>
FewShape few_shape(std::int64_t boxes, int ranges, int most, const BytesOf& bytes_of) {
  if (boxes <= 0) return {};
  const std::int64_t room = tuning::few_parents_blocks * device_limits().multiprocessors;
  for (int groups = 1; groups <= most; groups *= 2) {
    const std::int64_t per_block = groups * Parents<Real>::size, across = (boxes + per_block - 1) / per_block;
    const std::size_t bytes = bytes_of(groups);
    if (bytes + 1024 > static_cast<std::size_t>(device_limits().shared_bytes)) break;  // of arrays of fixed size beside
    if (across * ranges <= room)
      return {groups, dim3(static_cast<unsigned>(across), static_cast<unsigned>(ranges)), bytes};
  }
  return {};
}

/// Of the columns from `column` on, rows first, first + step ... last - 1 into the level-2 cache: m2l, which passes
/// through hundreds of MB of operators, has driven the matrix out.
template <class Real>
__device__ void prefetch_rows(const Real* column, int pitch, int first, int step, int last) {
  constexpr int line = 128 / static_cast<int>(sizeof(Real));
#pragma unroll 1  // here and below: short code, whose instructions are fetched, too
  for (int row = first; row < last; row += step)
#pragma unroll
    for (int at = 0; at < few_columns; at += line)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(column + row * pitch + at));
}

}  // namespace farfield::cuda
