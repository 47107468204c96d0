// Tables of expansions that depend on the level (families that are not ScaleInvariant) as plain pointers: a set for
// each level, in place of the one in Work.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Real>
struct LevelsView {
  const TablesView<Real>* host = nullptr;    ///< of every level, in host memory: what launches are made with
  const TablesView<Real>* device = nullptr;  ///< the same in device memory
  const TensorView* tensor = nullptr;        ///< m2l on tensor cores, of the levels where it is ready; null: none
};

/// Has a level expansions? Else they are 0, and it has no tables of m2l.
template <class Real>
bool translates(const TablesView<Real>& tables) {
  return tables.rotation.shift || tables.far.matrix;
}

/// Work of stages whose tables depend on the level. `tables`: what all levels share.
template <class Real>
struct LevelWork : Work<Real> {
  LevelsView<Real> levels;
  /// With the tables of one level, for stages that serve one.
  Work<Real> of(int level) const {
    Work<Real> own = *this;
    own.tables = levels.host[level];
    if (levels.tensor) own.tensor = levels.tensor[level];
    return own;
  }
};

/// The tables of a box, in kernels with and without those of each level in device memory.
template <class Real>
__device__ const TablesView<Real>& tables_of(const Work<Real>& work, BoxId /*box*/) {
  return work.tables;
}
template <class Real>
__device__ const TablesView<Real>& tables_of(const Work<Real>& work, BoxId box, const TablesView<Real>* levels) {
  return levels[work.tree.level[box]];
}

}  // namespace farfield::cuda
