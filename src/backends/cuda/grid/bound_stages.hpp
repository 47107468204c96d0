// BoundGrid: the stages bound to one evaluator's arrays, as methods/grid.hpp calls them; each works from the one grid
// into the other.
#pragma once
#include "backends/cuda/grid/view.hpp"

namespace farfield::cuda {

template <class Real>
class BoundGrid {
 public:
  BoundGrid(const NearWork<Real>& work, const GridView<Real>& grid, Real* even, Real* odd)
      : work_(work), grid_(grid), grids_{even, odd} {}

  int axes() const { return grid_.lattice.axes; }
  void spread() {
    grid_.to = grids_[0];
    cuda::spread(work_, grid_);
  }
  void convolve(int axis) {
    grid_.from = grids_[axis % 2], grid_.to = grids_[1 - axis % 2];
    cuda::convolve(grid_, axis, work_.stream);
  }
  void interpolate() {
    grid_.from = grids_[axes() % 2];
    cuda::interpolate(work_, grid_);
  }

 private:
  const NearWork<Real>& work_;
  GridView<Real> grid_;
  Real* grids_[2];
};

}  // namespace farfield::cuda
