// GridWindow: the window's polynomials and the taps, in the precision of the grid.
#pragma once
#include "backends/cpu/cells/place.hpp"

namespace farfield::cpu {

/// The blocks on each side that the taps of a decision for method grid reach.
int reach_in_blocks(const Decision& decision, int side);

template <class Real>
class GridWindow {
 public:
  void make(const Decision& decision);
  GridView<Real> view(const PlacedCells& cells) const;

 private:
  int width_ = 0, degree_ = 0, taps_ = 0;
  Array<Real> value_, slope_, tap_;
};

}  // namespace farfield::cpu
