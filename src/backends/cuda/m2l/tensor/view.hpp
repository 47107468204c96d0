// Dense m2l in single precision on tensor cores, as plain pointers. All far lists together are one matrix product. Its
// rows are parents, its columns the coefficients of the row's own children, its inner dimension those of the 26
// colleagues' children side by side. Rows are gathered, box by box, from compact arrays of 16-bit floats. All levels in
// one launch.
//
// Graded precision: products of two degrees below `low` are summed in three terms (low x high, high x low, high x high,
// each part 11 bits) with sums promoted to single every 64 products; all others in one term. Tensor cores truncate when
// they add, so the large coefficients of low degrees must not pass through one long sum.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "tree/tree.hpp"

namespace farfield::cuda {

inline constexpr int tensor_chunk = 64;  ///< products per step: 128 bytes of 16-bit floats

/// Rows [begin, end) of one class; `members`: its set of children, one bit each. begin == end: no tile.
struct TensorTileRange {
  std::int32_t begin, end;
  unsigned members;
};

/// Parents by class: a set of `group` children, whose columns a tile has. Every child with targets is in one class.
struct TensorRows {
  int group = 0, tile_rows = 0;  ///< 128 or 256 parents per tile
  const BoxId* parent = nullptr;
  const TensorTileRange* tile = nullptr;
  std::int64_t most_tiles = 0;
};

/// Eight coefficients of a source child: 16 bytes of a row.
struct TensorPiece {
  std::uint8_t child;   ///< octant; 8: none, zeros
  std::uint8_t eighth;  ///< coefficients 8 * eighth ... 8 * eighth + 7
};

/// The inner dimension of a product, of tiles with one child of their rows by that child, else alike for all: what the
/// pieces of each step are. A step is a chunk of eight pieces of one slot of colleagues. Products by one child hold no
/// child that is near, and of the others as many coefficients as the fit asks for; those that need all columns first.
struct TensorInner {
  static constexpr int most_chunks = 32, most_pieces = 8 * most_chunks;  ///< of a slot: coefficients up to 256
  TensorPiece piece[8][colleagues_per_box][most_pieces];
  std::uint8_t children[8][colleagues_per_box][most_chunks];  ///< in each chunk
  std::uint8_t wide[8][colleagues_per_box];                   ///< chunks with all columns, before the narrow ones
  std::int32_t begin[colleagues_per_box + 1];                 ///< chunks of the slots before, for any child
};

/// One product over all parents. Parts: [0] high, [1] low (three terms only).
struct TensorPass {
  int width = 0;   ///< numbers of a box in `in`: coefficients rounded up to a multiple of 8
  int count = 0;   ///< coefficients
  int terms = 0;   ///< 1 or 3; 0: no such pass
  int narrow = 0;  ///< columns of the steps in which locals get lower degrees alone; 0: there are none
  const __half* in[2] = {};
  const TensorInner* inner = nullptr;
  /// [chunk of TensorInner][child][width][64]: element (out, in) of the children's matrices; the eight pieces of a row
  /// have the order of shared memory (kernel.hpp).
  const __half* operators[2] = {};
  TensorRows rows = {};
};

struct TensorView {
  bool ready = false;
  bool warpgroups = true;   ///< by wgmma.cu, else by mma.cu
  int low = 0;              ///< degrees below it have three terms
  TensorPass full, graded;  ///< full: one term, all products but those of `graded`
  /// [boxes][width of the pass]: operands of levels 2 and deeper, written by p2m and m2m (operands.hpp)
  __half *high = nullptr, *graded_high = nullptr, *graded_low = nullptr;
  const std::uint32_t* most_sources = nullptr;  ///< [levels]: of a box; gives the operands' scale
  float operator_scale = 1;                     ///< factor in the operators
  /// Blocks that share the steps of a tile: block s takes every splits-th colleague and sums into part s - 1, but for
  /// the first, which sums into the locals; [splits - 1][part_pitch].
  int splits = 1;
  float* parts = nullptr;
  std::int64_t part_pitch = 0;
  /// Where `graded` sums if both passes run at the same time, its blocks for a tile one after another; [splits]
  /// [graded_pitch], width numbers a box. Null: it adds to what `full` has summed.
  float* graded_sums = nullptr;
  std::int64_t graded_pitch = 0;
  cudaStream_t beside = nullptr;  ///< its stream then
};

/// Rounded up to a multiple of 8 halfs, so that a 16-byte piece belongs to one box.
inline int tensor_width(int coefficients) { return (coefficients + 7) / 8 * 8; }

}  // namespace farfield::cuda
