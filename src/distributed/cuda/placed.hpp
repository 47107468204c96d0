// What the evaluators of one distributed plan share on the device of a rank.
#pragma once
#include "backends/cuda/runtime/streams.hpp"
#include "distributed/cuda/boxes/box_rows.hpp"
#include "distributed/cuda/share.hpp"
#include "distributed/cuda/transport.hpp"
#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

struct DevicePlaced final : RankPlaced {
  /// On the current device; called by all ranks.
  explicit DevicePlaced(Ranks& of_plan);
  ~DevicePlaced() override { memory.stream = stream; }

  /// In the order of memory.stream. `mark`: is told the names of stages.
  void build(const Given& given, const Geometry& of_all, const Decision& decision,
             const std::function<void(const char*)>& mark);

  bool has_points() const override { return on_device != nullptr; }
  const Share& on_host() override;
  const Share& routes() override;
  std::int64_t owned(Set set) const override;
  void count(RankReport& report) const override;

  std::int64_t own_sources() const { return on_device->own.sources.count; }
  std::int64_t own_targets() const { return on_device->own.target_points().count; }
  /// Targets of the tree that are not sources.
  std::int64_t own_apart() const { return own_targets() - (at_sources && !tree.alike ? own_sources() : 0); }
  /// Of targets counted as they arrived, as their `order` does, the first one that is a source, too: source 0 of those
  /// that arrived. Of the ranks' targets only a rank's own are its sources: a ghost's `order` is no target's
  /// (merge.cu).
  std::int64_t self_from() const { return tree.alike ? 0 : at_sources ? own_apart() : std::int64_t(1) << 40; }
  /// Of the own targets among those of the essential tree.
  std::int64_t first_target() const { return tree.alike ? on_device->first : 0; }

  int device = 0;
  farfield::cuda::OwnStream stream;  ///< outlives the arrays: a caller's may be gone when they are given back
  farfield::cuda::SideStream travel{
      farfield::cuda::Urgency::urgent};  ///< rows on their way: their few blocks run before those of work beside them
  farfield::cuda::DeviceMemory memory;
  Transport transport;
  std::unique_ptr<DeviceShare> on_device;
  BoxRows box_rows;
  std::int64_t boxes_of_all = 0;  ///< of the whole tree
  int levels_of_all = 0;
  std::vector<BoxId> boxes_of_ranks;  ///< [ranks][max_levels + 1]: boxes of each level that are the rank's
  bool has_m2p = false, has_p2l = false;
  bool has_lengths = false;  ///< do points have softening lengths of their own?
  /// These, scaled, as NearWork has them: of the sources of the essential tree, and of targets apart.
  OnDevice<double> source_length, target_length;
  const double* target_lengths() const { return tree.alike ? source_length.data() : target_length.data(); }

 private:
  void settle_sizes();
};

/// Values of `count` elements of device memory. Waits for the stream.
template <class T>
std::vector<T> downloaded(const T* from, std::int64_t count, cudaStream_t stream) {
  std::vector<T> values(static_cast<std::size_t>(count));
  farfield::cuda::download(values.data(), from, count, stream);
  farfield::cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return values;
}

}  // namespace farfield::distributed
