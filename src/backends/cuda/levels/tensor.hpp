// LevelTensor: m2l on tensor cores with operators for each level, in single.
#pragma once
#include <memory>
#include <vector>

#include "backends/cuda/levels/view.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"

namespace farfield::cuda {

/// Tables of each level in host memory.
struct LevelSets {
  const TablesView<float>* tables;
  int count;  ///< the tree's levels, or more, where it is part of one that has more
};

class LevelTensor {
 public:
  explicit LevelTensor(DeviceMemory& memory) : memory_(memory), operands_(memory) {}

  /// `root`: the edge of the tree's root in the kernel's length.
  void build(const LevelSets& levels, double root, const TreeView& tree, TensorEngine engine, cudaStream_t stream);
  void release();
  /// For p2m and m2m, which write the operands of all levels.
  const TensorView& view() const { return operands_.view(); }
  /// By level; not ready where it has none.
  const TensorView* by_level() const { return views_.empty() ? nullptr : views_.data(); }
  /// The views of all levels read its scale.
  TensorM2l& operands() { return operands_; }
  std::string arithmetic() const { return operands_.arithmetic(); }

 private:
  DeviceMemory& memory_;
  TensorM2l operands_;
  std::vector<std::unique_ptr<TensorM2l>> levels_;
  std::vector<TensorView> views_;
};

}  // namespace farfield::cuda
