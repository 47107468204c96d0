// TreecodeStages: the stages bound to one evaluator's arrays, in the form that methods/treecode.hpp requires.
#pragma once
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/places.hpp"
#include "expansions/laplace_recentre.hpp"

namespace farfield::cuda {

/// `StageWork`: Work, or LevelWork where tables depend on the level.
template <class Kernel, class Real, class StageWork = Work<Real>>
class BoundTreecode {
 public:
  /// `memory`: of walk_memory's size; `box_error`: see TreecodeScheme.
  BoundTreecode(StageWork& work, float4* memory, double box_error, const Expandable& expandable)
      : work_(work), memory_(memory), box_error_(box_error), expandable_(expandable) {
    work_.centre = memory;
  }

  int levels() const { return work_.tree.levels; }
  void p2m() { cuda::p2m<Kernel>(work_); }
  void m2m(int level) { cuda::m2m(work_, level); }
  void settle_centres() {
    lay_places(work_, memory_, box_error_, expandable_);
    if constexpr (recentres<typename Kernel::Basis>) {
      find_signs<Real>(work_);
      if (move_centres<Kernel>(work_, memory_) && box_error_ > 0)
        measure_groups(work_, work_.tables.degree, work_.softening);
    }
  }
  void p2p() { cuda::walk_near<Kernel, Real>(work_); }
  void m2p_boxes() { cuda::walk_far<Kernel>(work_); }

 private:
  StageWork& work_;
  float4* memory_;
  double box_error_;
  Expandable expandable_;
};

}  // namespace farfield::cuda
