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

/// All boxes of one level that fill blocks and hold points.
struct BlockBoxes {
  const BlockBox* box;
  int count;
  const BoxId* at;  ///< [place][block], the box there; no_box: it holds no points
  int places, pitch, blocks;
  const float *m2m, *l2l;              ///< see BoxShifts
  double root_centre[3], root_factor;  ///< of the cell, in the tree's coordinates; one over FieldView::root_edge there
  // What blocks get of their boxes, zeros of those that hold no points:
  float* part;     ///< [place][block][coefficient]
  double* charge;  ///< [place][block][sum of charges, FieldView::second]
};

/// BlockBoxes::charge, from the tree's charges.
void charges_of_boxes(const BlockBoxes& boxes, const Work<float>& work);
/// FieldView::multipole and .second from these and the tree's multipoles, in their unit. Products are in single, sums
/// over the boxes of a block in double; the charge of a block is that of its points, not of its boxes' multipoles,
/// which are rounded to single.
void blocks_from_boxes(const FieldView& field, const BlockBoxes& boxes, const Work<float>& work);
/// Adds FieldView::potential, of the tree's strengths, to the local expansions of the boxes.
void boxes_from_blocks(const FieldView& field, const BlockBoxes& boxes, const Work<float>& work);
/// Adds to the results what a net charge gives beyond local expansions, FieldView::charge times |u|^2: no harmonic.
void add_net_charge(const FieldView& field, const BlockBoxes& boxes, const Work<float>& work);

}  // namespace farfield::cuda
