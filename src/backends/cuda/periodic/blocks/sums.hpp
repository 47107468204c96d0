// Points and the expansions of the blocks they lie in: p2m and l2p in the type of the results, with as many coefficients
// as the field has. Points are in the order of their blocks; a part of them is a block of threads' work.
#pragma once
#include <farfield/views.hpp>

#include "backends/cuda/periodic/blocks/field.hpp"

namespace farfield::cuda {

/// Points first ... last - 1 of the order, every step-th, all in one block.
struct BlockPart {
  std::int32_t block, step;
  std::int64_t first, last;
};

/// Points in the order of their blocks.
struct OrderedPoints {
  const double* axis[3];
  std::int64_t stride;
  const std::uint32_t* order;
  const BlockPart* parts;
  int part_count;
};

/// As many as a block of threads takes in one pass.
inline constexpr std::int64_t sources_of_part = 512, targets_of_part = 256;

/// Charges times `scale`, and the type of number in which the harmonics of 512 of them are summed.
struct SourceCharges {
  const double* charge;
  double scale;
  Scalar scalar;
};
/// Harmonics of each part about the centre of its block. `share`: [part][count + 1].
void p2m_parts_of_blocks(const FieldView& field, const OrderedPoints& sources, const SourceCharges& charges,
                         double* share, cudaStream_t stream);
/// Multipoles of the blocks, the shares of a block's parts one after the other. `begin`: [block], where its parts
/// begin; `onto`: they are added to what is there.
void add_parts_of_blocks(const FieldView& field, const std::int32_t* begin, const double* share, bool onto,
                         cudaStream_t stream);

/// potential[i], gradient[3 i ...] (null: not wanted), and what type of number they are.
struct BlockResults {
  void *potential, *gradient;
  Scalar scalar;
};
/// What the expansions give, summed in that type.
void l2p_blocks(const FieldView& field, const OrderedPoints& targets, const BlockResults& to, cudaStream_t stream);
/// squares: [part][potential, gradient], sums of squares of what the two highest degrees give.
void l2p_highest(const FieldView& field, const OrderedPoints& targets, bool gradient, double* squares,
                 cudaStream_t stream);

}  // namespace farfield::cuda
