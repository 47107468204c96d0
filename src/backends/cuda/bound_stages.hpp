// BoundStages: the stages bound to one evaluator's arrays, in the form that methods/fmm.hpp requires.
#pragma once
#include <algorithm>
#include <type_traits>

#include "backends/addend.hpp"
#include "backends/cuda/clear_results.hpp"
#include "backends/cuda/far/moments/moments.hpp"
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/near/in_leaf.hpp"
#include "backends/cuda/periodic/home_boxes.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/stage_events.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/tuning.hpp"
#include "kernels/concept.hpp"

namespace farfield::cuda {

/// p2p takes all of the device, and what leads to m2l would wait for it. Does the far field take longer than p2p even
/// so? Then p2p begins with m2l (tuning.hpp).
template <class Real>
bool far_field_first(const Work<Real>& work) {
  if (sizeof(Real) != 4) return tuning::is_p2p_late_in_double(work.tree.boxes, work.sources, work.targets);
  const bool high = work.tables.degree >= tuning::late_p2p_degree;
  return work.tree.boxes >= (high ? tuning::late_p2p_boxes_of_high_degrees : tuning::late_p2p_boxes);
}

/// Of sources that carry charges, or dipoles, too.
template <class Kernel, class StageWork>
void p2m_of_moments(const StageWork& work) {
  if constexpr (Differentiates<Kernel>)
    if (work.moments() == with_dipole) return p2m_of_dipoles<Kernel>(work);
  p2m<Kernel>(work);
}

/// `StageWork`: Work, or LevelWork where tables depend on the level.
template <class Kernel, class Real, class StageWork = Work<Real>>
class BoundStages {
 public:
  /// `side`: stream of the far field up to l2p, while p2p runs on `work.stream`; null: all stages run on the latter.
  /// `forked`: it waits for what that stream held before the p2p of other densities, and p2p is not called.
  /// `addend`: other work of the device, see begin_p2p, and far images that are added to local expansions; null: none.
  BoundStages(const StageWork& work, StageEvents& events, SideStream* side, bool forked = false,
              const Addend* addend = nullptr)
      : near_(work),
        far_(work),
        events_(events),
        side_(side),
        has_p2p_(!forked),
        crowded_until_(addend ? static_cast<cudaEvent_t>(addend->crowded_until) : nullptr),
        boxes_(addend ? addend->boxes : nullptr) {
    if (side && forked) far_.stream = *side;
  }

  int levels() const { return near_.tree.levels; }
  void p2p() {
    if (!p2p_is_late()) place_in_leaves();
    if (side_) far_.stream = side_->fork(near_.stream);
    if (!p2p_is_late()) return cuda::p2p<Kernel>(near_);
    clear_locals(near_.stream);  // which has nothing else to do yet
    clear_results(static_cast<const NearWork<Real>&>(near_));
  }
  void p2m() {
    if (side_) events_.go_to(far_.stream);
    p2m_of_moments<Kernel>(far_);
    if (p2p_is_late()) {
      order(far_.stream, near_.stream);
      place_in_leaves();
    }
    begin_boxes(levels() - 1);
  }
  void m2m(int level) {
    cuda::m2m(far_, level);
    begin_boxes(level);
  }
  void exchange() {}
  void m2l() {
    if constexpr (sizeof(Real) == 4)
      if (far_.images.home) copy_operands(far_);
    if (p2p_is_late()) {
      begin_p2p();
    } else {
      clear_locals(far_.stream);
      if (side_) order(far_.stream, near_.stream);  // m2p reads multipoles
    }
    cuda::m2l(far_);
  }
  void p2l() {
    if (far_.has_p2l) p2l_of_moments();
    of_boxes([&](const Work<float>& work) { boxes_->finish(work); }, far_);
  }
  void l2l(int level) { cuda::l2l(far_, level); }
  /// Behind p2p, beside what leads to l2p.
  void m2p() {
    if (side_) events_.go_to(near_.stream);
    if (!near_.has_m2p) return;
    cuda::m2p<Kernel>(near_);
    if (has_hessian()) with_moments([&](auto k) { m2p_of_hessians<decltype(k)>(near_); });
  }
  void l2p() {
    if (side_) {
      side_->join(near_.stream);
      events_.go_to(near_.stream);
    }
    cuda::l2p<Kernel>(near_);
    if (has_hessian()) with_moments([&](auto k) { l2p_of_hessians<decltype(k)>(near_); });
    of_boxes([&](const Work<float>& work) { boxes_->complete(work); }, near_);
  }

 private:
  /// Calls step(work) where far images go by boxes: in single, of charges.
  template <class Step>
  void of_boxes([[maybe_unused]] const Step& step, [[maybe_unused]] const StageWork& work) const {
    if constexpr (std::is_same_v<StageWork, Work<float>>)
      if (boxes_) step(work);
  }
  /// The boxes of a level have their multipoles.
  void begin_boxes(int level) const {
    of_boxes([&](const Work<float>& work) { boxes_->begin(work, level); }, far_);
  }
  void p2l_of_moments() {
    if (carries_dipoles()) return with_moments([&](auto k) { p2l_of_dipoles<decltype(k)>(far_); });
    cuda::p2l<Kernel>(far_);
  }
  /// For p2p and p2l; where p2p is late, beside m2m, which leaves the memory idle.
  void place_in_leaves() const {
    if constexpr (std::is_same_v<StageWork, Work<float>>)
      if (near_.in_leaf) cuda::place_in_leaves(near_);
  }
  bool p2p_is_late() const { return side_ && has_p2p_ && far_field_first(near_); }
  /// p2p's blocks are small: while others leave a multiprocessor they fit in, m2l's have to wait for an empty one.
  /// Where blocks of a cell are translated just then, every fifth step of 810,000 atoms took 2.5 ms in place of 1.85.
  void begin_p2p() {
    order(near_.stream, far_.stream);  // locals and results are cleared
    order(far_.stream, near_.stream);
    if (crowded_until_) require(cudaStreamWaitEvent(near_.stream, crowded_until_), "cudaStreamWaitEvent");
    events_.go_to(near_.stream);
    if (sizeof(Real) == 4) give_m2l_a_start();
    StageWork cleared = near_;
    cleared.cleared = true;
    cuda::p2p<Kernel>(cleared);
    events_.mark("p2p");
    events_.go_to(far_.stream);
  }
  /// Some microseconds: a copy of zero onto the root's local, which nothing else writes. Blocks of p2p that come first
  /// keep those of m2l waiting until p2p ends, since an urgent block that finds no room on a multiprocessor is passed
  /// over. One H200, 81,000 atoms of water at degree 14: a step takes 0.43 ms, without it 0.51. In double blocks of m2l
  /// leave room to few of p2p: it had better come first, 1.8 ms for 2.2 at degree 16.
  void give_m2l_a_start() const {
    require(cudaMemsetAsync(far_.local, 0, sizeof(Real), near_.stream), "cudaMemsetAsync");
  }
  bool carries_dipoles() const { return near_.moments() == with_dipole; }
  bool has_hessian() const { return near_.result.part[with_gradient]; }
  /// Calls f(kernel) where the kernel has stages of dipoles and Hessians.
  template <class F>
  static void with_moments(F&& f) {
    if constexpr (Differentiates<Kernel>) f(Kernel{});
  }

  /// Are locals of levels 2 and deeper written, not added to? Tensor cores in single write those of boxes with targets;
  /// images have none, and of their locals nothing is used.
  bool m2l_writes_all() const {
    const bool of_targets = far_.alike || far_.images.home;
    return std::is_same_v<StageWork, Work<Real>> && far_.tensor.ready && !far_.rotation && of_targets;
  }

  void clear_locals(cudaStream_t stream) const {
    const BoxId boxes = m2l_writes_all() ? far_.tree.level_begin[std::min(far_.tree.levels, 2)] : far_.tree.boxes;
    const auto bytes = static_cast<std::size_t>(boxes) * static_cast<std::size_t>(far_.tables.stride) * sizeof(Real);
    require(cudaMemsetAsync(far_.local, 0, bytes, stream), "cudaMemsetAsync");
  }

  const StageWork& near_;
  StageWork far_;
  StageEvents& events_;
  SideStream* side_;
  bool has_p2p_;
  cudaEvent_t crowded_until_;
  HomeBoxes* boxes_;
};

}  // namespace farfield::cuda
