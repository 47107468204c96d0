// The stages of a device as methods/fmm.hpp calls them, for one rank of several: upward in the rank's own tree,
// downward in the essential one, and between them the exchange of multipoles. Several vectors of strengths go side by
// side.
#pragma once
#include <deque>

#include "backends/cuda/bound_stages.hpp"
#include "distributed/cuda/evaluation/multipoles.hpp"
#include "methods/fmm.hpp"

namespace farfield::distributed {

/// What the stages of a rank work with.
template <class Real>
struct RankWork {
  farfield::cuda::Work<Real> own, top;
  farfield::cuda::Work<Real> essential;
  /// Of each vector, with the operands of m2l that are its own; none where there are no boxes.
  std::vector<farfield::cuda::Work<Real>> of_vector;
};

/// What runs beside p2p: the far field up to l2p, or in large trees, where the two fields hinder each other, only what
/// leads to the exchange, and that.
enum class BesideP2p { far_field, exchange };

template <class Kernel, class Real>
class DeviceRankStages {
  static constexpr bool one_set = ScaleInvariant<typename Kernel::Basis>;  ///< of tables, for all levels
  using StageWork = std::conditional_t<one_set, farfield::cuda::Work<Real>, farfield::cuda::LevelWork<Real>>;

 public:
  /// `side`: stream of what runs beside p2p, which runs on the stream of the work. `levels`: tables of each level of
  /// the tree of all points, where these depend on it.
  DeviceRankStages(const RankWork<Real>& work, const farfield::cuda::LevelsView<Real>& levels,
                   Multipoles<Real>& multipoles, farfield::cuda::StageEvents& events, farfield::cuda::SideStream& side,
                   BesideP2p beside)
      : work_(work), levels_(levels), multipoles_(multipoles), events_(events), side_(side), beside_(beside) {
    farfield::cuda::SideStream* const of_far_field = beside == BesideP2p::far_field ? &side : nullptr;
    for (const auto& one : work.of_vector) of_vector_.push_back(with_tables(one));
    for (const StageWork& one : of_vector_) downward_.emplace_back(one, events, of_far_field, true);
  }

  int levels() const { return std::max(work_.own.tree.levels, work_.essential.tree.levels); }
  void p2p() {
    far_ = side_.fork(work_.essential.stream);
    if (holds()) farfield::cuda::p2p<Kernel>(work_.essential);
  }
  void p2m() {
    events_.go_to(far_);
    if (holds()) each(work_.own, [](const StageWork& one) { farfield::cuda::p2m_of_moments<Kernel>(one); });
  }
  void m2m(int level) {
    if (level + 1 < work_.own.tree.levels)
      each(work_.own, [level](const StageWork& one) { farfield::cuda::m2m(one, level); });
  }
  /// Multipoles of ghosts come from their owners. Those of the shared boxes every rank makes from their children's.
  void exchange() {
    if constexpr (!one_set) clear_top();
    multipoles_.fetch(work_.own, work_.top, work_.essential, far_);
    for (int level = work_.top.tree.levels - 2; level >= coarsest; --level)
      each(work_.top, [level](const StageWork& one) { farfield::cuda::m2m(one, level); });
    for (int v = 0; v < std::ssize(work_.of_vector); ++v)
      multipoles_.join(work_.own, work_.top, work_.of_vector[static_cast<std::size_t>(v)], v, far_);
    events_.mark("exchange");
    if (beside_ == BesideP2p::far_field) return;
    side_.join(work_.essential.stream);
    events_.go_to(work_.essential.stream);
  }
  void m2l() {
    const cudaStream_t stream = beside_ == BesideP2p::far_field ? far_ : work_.essential.stream;
    for (const auto& one : work_.of_vector)
      if (one.tensor.ready) multipoles_.clear_locals(one, stream);
    for (auto& stages : downward_) stages.m2l();
  }
  void p2l() {
    for (auto& stages : downward_) stages.p2l();
  }
  void l2l(int level) {
    if (level < work_.essential.tree.levels)
      for (auto& stages : downward_) stages.l2l(level);
  }
  void l2p() {
    for (auto& stages : downward_) stages.l2p();
  }
  void m2p() {
    for (auto& stages : downward_) stages.m2p();
  }

 private:
  bool holds() const { return work_.essential.tree.boxes > 0; }
  StageWork with_tables(const farfield::cuda::Work<Real>& work) const {
    if constexpr (one_set)
      return work;
    else
      return {work, levels_};
  }
  /// m2m leaves out levels without expansions.
  void clear_top() const {
    const auto& top = work_.top;
    const std::int64_t numbers = top.expansion_pitch * top.densities;
    if (numbers > 0)
      farfield::cuda::require(cudaMemsetAsync(top.multipole, 0, static_cast<std::size_t>(numbers) * sizeof(Real), far_),
                              "cudaMemsetAsync");
  }
  template <class Stage>
  void each(const farfield::cuda::Work<Real>& work, const Stage& stage) const {
    for (int v = 0; v < work.densities; ++v) {
      StageWork one = with_tables(work.of(v));
      one.stream = far_;
      stage(one);
    }
  }

  const RankWork<Real>& work_;
  const farfield::cuda::LevelsView<Real> levels_;
  Multipoles<Real>& multipoles_;
  farfield::cuda::StageEvents& events_;
  farfield::cuda::SideStream& side_;
  BesideP2p beside_;
  cudaStream_t far_ = nullptr;
  std::deque<StageWork> of_vector_;
  std::deque<farfield::cuda::BoundStages<Kernel, Real, StageWork>> downward_;
};

}  // namespace farfield::distributed
