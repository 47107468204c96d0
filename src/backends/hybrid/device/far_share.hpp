// FarShare: the far field of the first targets of a tree on a device, in the precision itself.
#pragma once
#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cuda/bound_stages.hpp"
#include "backends/cuda/far/translations.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/hybrid/device/place.hpp"
#include "methods/fmm.hpp"

namespace farfield::hybrid {

/// Ends the ranges of targets at the first target that is not in the share.
struct ClipTargets {
  const std::int64_t *begin, *end;
  std::int64_t last;
  std::int64_t *clipped_begin, *clipped_end;
  __device__ void operator()(std::int64_t box) const {
    clipped_begin[box] = begin[box] < last ? begin[box] : last;
    clipped_end[box] = end[box] < last ? end[box] : last;
  }
};

template <class Real>
class FarShare {
 public:
  explicit FarShare(DevicePlace& place) : place_(place), translations_(place.memory) {
    use_all(place.memory, begin_, end_, multipole_, local_);
  }

  std::int64_t targets() const { return targets_; }

  /// Of `targets` targets and so many densities. false: there is no memory for it, and no share.
  bool take(const Decision& decision, std::int64_t targets, int densities, int threads) {
    targets_ = 0;
    if (targets == 0) return release(), true;
    try {
      clip(targets);
      build(decision, densities, threads);
    } catch (const Error& error) {
      release();
      if (error.code() != ErrorCode::memory) throw;
      return false;
    }
    targets_ = targets;
    return true;
  }

  /// Adds to the results of `near`, in the order of its stream.
  template <class K>
  void sum(const cuda::Work<Real>& near, cuda::StageEvents& events) {
    cuda::Work<Real> far = near;
    far.tree = clipped_;
    far.alike = false;  // stages leave out boxes without targets, of which there are some
    far.has_m2p = place_.tree.lists.m2p.entries() > 0;
    far.has_p2l = place_.tree.lists.p2l.entries() > 0;
    far.rotation = decision_.rotation, far.reduced = decision_.reduced;
    translations_.bind(far);
    far.multipole = multipole_.data(), far.local = local_.data();
    far.expansion_pitch = pitch();
    for (int v = 0; v < near.densities; ++v) sum_one<K>(far.of(v), events);
  }

  /// Copies the locals of the share's boxes to those of `to`. Waits.
  void fetch_locals(const cpu::Work<Real>& to) const {
    for (int v = 0; v < to.densities; ++v)
      for (int level = coarsest; level < to.tree.levels; ++level) fetch_level(to, v, level);
    cuda::require(cudaStreamSynchronize(place_.stream), "locals (cudaStreamSynchronize)");
  }

 private:
  std::int64_t pitch() const { return std::int64_t(clipped_.boxes) * translations_.stride(); }

  void clip(std::int64_t targets) {
    clipped_ = place_.tree.tree.view();
    begin_.resize(clipped_.boxes), end_.resize(clipped_.boxes);
    cuda::for_each_index(clipped_.boxes,
                         ClipTargets{clipped_.target_begin, clipped_.target_end, targets, begin_.data(), end_.data()},
                         place_.stream, "targets of a share");
    clipped_.target_begin = begin_.data(), clipped_.target_end = end_.data();
  }

  /// No 16-bit operands: the judges of the cores' far field know nothing of what these lose.
  void build(const Decision& decision, int densities, int threads) {
    decision_ = decision;
    decision_.exact_operands = true;
    Report unread;
    translations_.build(decision_, clipped_, threads, place_.stream, unread);
    multipole_.resize(densities * pitch()), local_.resize(densities * pitch());
  }

  template <class K>
  void sum_one(const cuda::Work<Real>& work, cuda::StageEvents& events) {
    if constexpr (ScaleInvariant<typename K::Basis>)
      run<K>(work, events);
    else
      run<K>(cuda::LevelWork<Real>{work, translations_.levels()}, events);
  }
  template <class K, class StageWork>
  static void run(const StageWork& work, cuda::StageEvents& events) {
    cuda::BoundStages<K, Real, StageWork> bound(work, events, nullptr);
    upward(bound, events);
    downward(bound, events);
  }

  /// Boxes of a level stand in the order of their targets: those of the share are the first.
  void fetch_level(const cpu::Work<Real>& to, int density, int level) const {
    const BoxId first = to.tree.level_begin[level], end = to.tree.level_begin[level + 1];
    BoxId last = first;
    while (last < end && to.tree.target_begin[last] < targets_) ++last;
    if (first == last) return;
    const auto width = static_cast<std::size_t>(to.tables.coefficients) * sizeof(Real),
               to_pitch = static_cast<std::size_t>(to.tables.stride) * sizeof(Real),
               from_pitch = static_cast<std::size_t>(translations_.stride()) * sizeof(Real);
    cuda::require(
        cudaMemcpy2DAsync(to.local + density * to.expansion_pitch + first * to.tables.stride, to_pitch,
                          local_.data() + density * pitch() + std::int64_t(first) * translations_.stride(), from_pitch,
                          width, static_cast<std::size_t>(last - first), cudaMemcpyDeviceToHost, place_.stream),
        "locals (cudaMemcpy2DAsync)");
  }

  void release() {
    for (cuda::DeviceArray<Real>* array : {&multipole_, &local_}) array->release();
    for (cuda::DeviceArray<std::int64_t>* array : {&begin_, &end_}) array->release();
  }

  DevicePlace& place_;
  std::int64_t targets_ = 0;
  Decision decision_;
  TreeView clipped_;
  cuda::Translations<Real> translations_;
  cuda::DeviceArray<std::int64_t> begin_, end_;  ///< of targets, [boxes]
  cuda::DeviceArray<Real> multipole_, local_;
};

}  // namespace farfield::hybrid
