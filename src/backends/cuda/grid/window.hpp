// GridWindow: the window's polynomials and the taps, in the precision of the grid, in device memory.
#pragma once
#include "backends/cuda/cells/place.hpp"

namespace farfield::cuda {

template <class Real>
class GridWindow {
 public:
  explicit GridWindow(DeviceMemory& memory) : value_(memory), slope_(memory), tap_(memory) {}
  void make(const Decision& decision, cudaStream_t stream);
  GridView<Real> view(const PlacedCells& cells) const;

 private:
  int width_ = 0, degree_ = 0, taps_ = 0;
  DeviceArray<Real> value_, slope_, tap_;
};

}  // namespace farfield::cuda
