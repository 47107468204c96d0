#include <cmath>

#include "backends/cuda/levels/tensor.hpp"

namespace farfield::cuda {

/// Up to this edge in the kernel's length a level's m2l is done on tensor cores: there its operators are below 3, which
/// their scale leaves in the range of 16-bit floats (10 at an edge of 3), and the terms of high degrees, whose products
/// have 11 bits, weigh at most twice as much beside those of degree 0 as for 1/r, while the far field itself weighs
/// half as much beside near pairs. Levels of larger boxes hold few of them.
static constexpr double largest_edge = 2;

void LevelTensor::build(const LevelSets& levels, double root, const TreeView& tree, TensorEngine engine,
                        cudaStream_t stream) {
  operands_.build_operands(levels.tables->degree, tree, engine, stream);
  views_.assign(static_cast<std::size_t>(levels.count), TensorView{});
  levels_.resize(views_.size());
  for (int level = 2; level < tree.levels; ++level) {
    if (std::ldexp(root, -level) > largest_edge || !translates(levels.tables[level])) continue;
    auto& own = levels_[static_cast<std::size_t>(level)];
    if (!own) own = std::make_unique<TensorM2l>(memory_);
    own->build_level(levels.tables[level], tree, level, operands_.view(), stream);
    views_[static_cast<std::size_t>(level)] = own->view();
  }
}

void LevelTensor::release() {
  operands_.release();
  levels_.clear(), views_.clear();
}

}  // namespace farfield::cuda
