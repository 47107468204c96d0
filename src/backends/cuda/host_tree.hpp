// HostTree: a copy in host memory of a tree and its points, for what is decided there.
#pragma once
#include <vector>

#include "backends/cuda/tree.hpp"
#include "plan/placement.hpp"

namespace farfield::cuda {

class HostTree {
 public:
  /// Waits for the stream.
  HostTree(const CudaTree& from, cudaStream_t stream);

  const TreeView& view() const { return view_; }
  PlacedPoints sources() const { return {{at(0), at(1), at(2)}, view_.source_begin, view_.source_end}; }
  PlacedPoints targets() const {
    return alike_ ? sources() : PlacedPoints{{at(3), at(4), at(5)}, view_.target_begin, view_.target_end};
  }

 private:
  const double* at(int i) const { return reinterpret_cast<const double*>(axis_[i].data()); }

  bool alike_;
  TreeView view_;
  std::vector<std::vector<unsigned char>> kept_;
  std::vector<unsigned char> axis_[6];
};

}  // namespace farfield::cuda
