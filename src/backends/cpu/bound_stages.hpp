// BoundStages, BoundGrid: the stages bound to one evaluator's arrays, in the form that methods/fmm.hpp and
// methods/grid.hpp require.
#pragma once
#include "backends/cpu/stages.hpp"

namespace farfield::cpu {

/// The stages as methods/fmm.hpp calls them: the functions of the table `stage`, applied to one `work`.
template <class Real>
struct BoundStages {
  const Stages<Real>& stage;
  const Work<Real>& work;

  int levels() const { return work.tree.levels; }
  void p2m() { stage.p2m(work); }
  void m2m(int level) { stage.m2m(work, level); }
  void m2l() { stage.m2l(work); }
  void p2l() { stage.p2l(work); }
  void l2l(int level) { stage.l2l(work, level); }
  void l2p() { stage.l2p(work); }
  void m2p() { stage.m2p(work); }
  void m2p_boxes() { stage.m2p_boxes(work); }
  void settle_centres() {}
  void p2p() { stage.p2p(work); }
  void exchange() {}
};

/// The stages as methods/grid.hpp calls them; each works from the one grid into the other.
template <class Real>
struct BoundGrid {
  const Stages<Real>& stage;
  Work<Real>& work;
  Real* grids[2];

  int axes() const { return work.grid.lattice.axes; }
  void spread() {
    work.grid.to = grids[0];
    stage.spread(work);
  }
  void convolve(int axis) {
    work.grid.from = grids[axis % 2], work.grid.to = grids[1 - axis % 2];
    stage.convolve(work, axis);
  }
  void interpolate() {
    work.grid.from = grids[axes() % 2];
    stage.interpolate(work);
  }
};

}  // namespace farfield::cpu
