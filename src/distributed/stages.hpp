// The stages of the CPU as methods/fmm.hpp calls them, for one rank of several: upward in the rank's own tree, downward
// in the essential one, and between them the exchange of multipoles.
#pragma once
#include "backends/cpu/stages.hpp"
#include "distributed/share/share.hpp"

namespace farfield::distributed {

template <class Real>
struct RankStages {
  const cpu::Stages<Real>& stage;
  const cpu::Work<Real>&own, &top, &work;  ///< work: of the essential tree
  Ranks& ranks;
  const Share& share;

  bool holds() const { return work.tree.boxes > 0; }
  int levels() const { return std::max(own.tree.levels, work.tree.levels); }
  void p2m() {
    if (holds()) stage.p2m(own);
  }
  void m2m(int level) {
    if (level + 1 < own.tree.levels) stage.m2m(own, level);
  }
  void m2l() {
    if (holds()) stage.m2l(work);
  }
  void p2l() {
    if (holds()) stage.p2l(work);
  }
  void l2l(int level) {
    if (level < work.tree.levels) stage.l2l(work, level);
  }
  void l2p() {
    if (holds()) stage.l2p(work);
  }
  void m2p() {
    if (holds()) stage.m2p(work);
  }
  void p2p() {
    if (holds()) stage.p2p(work);
  }
  /// Multipoles of ghosts come from their owners. Those of the shared boxes every rank makes from their children's.
  void exchange();

 private:
  std::int64_t width() const { return std::int64_t(own.densities) * own.tables.coefficients; }
  void pack(const Real* from, std::int64_t pitch, BoxId box, Real* row) const;
  void unpack(const Real* row, Real* to, std::int64_t pitch, BoxId box) const;
  void copy(const cpu::Work<Real>& from, BoxId box, BoxId to) const;
  void send_and_receive();
  void sum_top();
  void join() const;
};

}  // namespace farfield::distributed
