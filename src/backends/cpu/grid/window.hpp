// GridWindow: the window's polynomials and the taps, in the precision of the grid.
#pragma once
#include "backends/cpu/cells/place.hpp"

namespace farfield::cpu {

template <class Real>
class GridWindow {
 public:
  void make(const Decision& decision);
  GridView<Real> view(const PlacedCells& cells) const;

 private:
  int width_ = 0, degree_ = 0, taps_ = 0;
  Array<Real> value_, slope_, value_terms_, slope_terms_, tap_;
};

}  // namespace farfield::cpu
