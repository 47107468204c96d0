// TreecodeStages: the stages bound to one evaluator's arrays, in the form that methods/treecode.hpp requires.
#pragma once
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
class BoundTreecode {
 public:
  /// `centre`: room for one per box.
  BoundTreecode(Work<Real>& work, float4* centre) : work_(work), centre_(centre) { work_.centre = nullptr; }

  int levels() const { return work_.tree.levels; }
  void p2m() { cuda::p2m<Kernel>(work_); }
  void m2m(int level) { cuda::m2m(work_, level); }
  void settle_centres() {
    if (move_centres<Kernel>(work_, centre_)) work_.centre = centre_;
  }
  bool centres_moved() const { return work_.centre; }
  void p2p() { walk_near<Kernel, Real>(work_); }
  void m2p_boxes() { walk_far<Kernel>(work_); }

 private:
  Work<Real>& work_;
  float4* centre_;
};

}  // namespace farfield::cuda
