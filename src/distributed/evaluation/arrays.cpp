#include "distributed/evaluation/arrays.hpp"

#include <algorithm>

#include "backends/cpu/transfer/transfer.hpp"

namespace farfield::distributed {

template <class Real>
std::int64_t RankArrays<Real>::strength_pitch(const Share& share) {
  return share.essential.sources.count + cpu::strength_padding;
}

template <class Real>
std::vector<Real*> RankArrays<Real>::moments_at(int place, int moments, int densities, const Share& share) {
  std::vector<Real*> at;
  for (int m = 0; m < moments; ++m) {
    arrays_.strength[m].resize(densities * strength_pitch(share));
    at.push_back(arrays_.strength[m].data() + place * strength_pitch(share));
  }
  return at;
}

template <class Real>
void RankArrays<Real>::resize(const Share& share, const Decision& decision, int densities, std::int64_t stride) {
  const std::int64_t results = share.essential.target_points().count;
  arrays_.resize_results(decision.parts(), std::max<std::int64_t>(1, densities * results));
  arrays_.multipole.resize(densities * share.essential.tree.boxes * stride);
  arrays_.local.resize(densities * share.essential.tree.boxes * stride);
  own_multipole_.resize(densities * share.own.tree.boxes * stride);
  top_multipole_.resize(densities * share.top.tree.boxes * stride);
}

template <class Real>
void RankArrays<Real>::bind_tree(cpu::Work<Real>& of, const Tree<Array>& tree, Array<Real>& multipole) const {
  of.tree = tree.view();
  of.expansion_pitch = tree.boxes * of.tables.stride;
  of.multipole = multipole.data();
}

template <class Real>
void RankArrays<Real>::bind_points(const Essential& essential) {
  for (int axis = 0; axis < 3; ++axis) {
    work.source[axis] = essential.sources.axis[axis].data();
    work.target[axis] = essential.target_points().axis[axis].data();
  }
  work.source_order = essential.sources.order.data();
  work.target_order = essential.target_points().order.data();
}

/// Of the ranks' targets only a rank's own are its sources: a ghost is nobody (merge.cpp).
static std::int64_t first_self(const Owned& own) {
  if (own.alike) return 0;
  return own.both ? std::ssize(own.both->targets) : std::int64_t(1) << 40;
}

template <class Real>
void RankArrays<Real>::bind_softening(const Share& share, const Lengths& lengths, const Summing<Real>& s) {
  work.softening = s.softening;
  work.source_length = s.decision.lengths ? lengths.sources.data() : nullptr;
  work.target_length = s.decision.lengths ? lengths.target_lengths(share.own.alike) : nullptr;
  work.wide_leaves = s.decision.least_edge > 0;
  work.self_from = first_self(share.own);
}

template <class Real>
void RankArrays<Real>::bind(const Share& share, const Lengths& lengths, const Summing<Real>& s) {
  const Essential& e = share.essential;
  work = {};
  work.threads = s.threads;
  if (s.tables) work.tables = s.tables->view(), work.level_tables = s.tables->by_level();
  work.strength_pitch = strength_pitch(share);
  work.result_pitch = e.target_points().count;
  work.densities = s.densities;
  work.expansion_pitch = e.tree.boxes * work.tables.stride;
  arrays_.point_at(0, s.moments, s.decision.parts(), work);
  bind_tree(work, e.tree, arrays_.multipole);
  work.lists = e.lists.view();
  bind_points(e);
  bind_softening(share, lengths, s);
  work.parameters = s.decision.parameters;
  work.rotation = s.decision.rotation;
  work.reduced = s.decision.reduced;
  work.pair_terms = s.decision.pair_terms;
  work.decay_error = s.decision.decay_error;
  own = top = work;
  bind_tree(own, share.own.tree, own_multipole_);
  bind_tree(top, share.top.tree, top_multipole_);
  if (own.strength) own.strength += e.first;
  for (const Real*& axis : own.dipole)
    if (axis) axis += e.first;
  for (const double*& axis : own.source) axis += e.first;
}

template <class Real>
void RankArrays<Real>::show(int place, int moments, const Decision& decision) {
  arrays_.point_at(place, moments, decision.parts(), work);
  work.densities = 1;
}

template <class Real>
void RankArrays<Real>::clear_results() {
  for (Array<Real>& part : arrays_.result) std::fill(part.begin(), part.end(), Real(0));
}

template <class Real>
ResultArrays<Real> RankArrays<Real>::own_results(const Share& share) const {
  ResultArrays<Real> results = work.result;
  for (Real*& part : results.part)
    if (part) part += share.essential.first_target();
  return results;
}

template class RankArrays<float>;
template class RankArrays<double>;

}  // namespace farfield::distributed
