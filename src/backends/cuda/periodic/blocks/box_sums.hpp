// Blocks of a cell and the boxes of a tree that fill them: multipoles of blocks from those of boxes, and their local
// expansions added to those of boxes, from which l2l and l2p of the tree bring them to the points.
#pragma once
#include "backends/cuda/periodic/blocks/field.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// A box of the tree, the block that it is in, and where it stands there (BoxShifts::place).
struct BlockBox {
  BoxId box;
  std::int32_t block, place;
};

/// All boxes of one level that fill blocks and hold points, those of a block behind those of the block before.
struct BlockBoxes {
  const BlockBox* box;
  int count;
  const std::int32_t* begin;           ///< [block], the first of its boxes
  const double *power, *unit_charge;   ///< see BoxShifts
  double ratio;                        ///< the same
  double root_centre[3], root_factor;  ///< of the cell, in the tree's coordinates; one over FieldView::root_edge there
  double* part;                        ///< [box][numbers_of_part]: what the block gets of it
};
/// Complex numbers of its coefficients m >= 0, the sum of charges and FieldView::second.
FARFIELD_HD constexpr int numbers_of_part(int degree) { return 2 * convolution::orders(degree) + 2; }

/// FieldView::multipole and .second from the tree's multipoles and charges, in their unit. Sums are in double; the
/// charge of a block is that of its points, not of its boxes' multipoles, which are rounded to single.
void blocks_from_boxes(const FieldView& field, const BlockBoxes& boxes, const Work<float>& work);
/// Adds FieldView::local, of the tree's strengths, to the local expansions of the boxes.
void boxes_from_blocks(const FieldView& field, const BlockBoxes& boxes, const Work<float>& work);
/// Adds to the results what a net charge gives beyond local expansions, FieldView::charge times |u|^2: no harmonic.
void add_net_charge(const FieldView& field, const BlockBoxes& boxes, const Work<float>& work);

}  // namespace farfield::cuda
