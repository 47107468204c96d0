// DeviceShare: what share/share.hpp describes, in device memory: the rank's own tree, the top and the essential tree.
// Box for box and point for point it is the Share of the same points; what is small and what ranks settle together is
// on the host.
#pragma once
#include <functional>

#include "backends/cuda/boxes/tree.hpp"
#include "distributed/share/share.hpp"

namespace farfield::distributed {

template <class T>
using OnDevice = farfield::cuda::DeviceArray<T>;

/// Boxes and points that go to other ranks, or come from them, one rank's behind the other's.
struct DeviceHalo {
  Begins box_begin, point_begin;   ///< [ranks + 1]
  OnDevice<BoxId> boxes;           ///< those with multipoles; in the own tree, or in the essential one
  OnDevice<std::uint32_t> points;  ///< among the own sources, or among those of the essential tree
};

/// A Route (route/route.hpp) whose rows are in device memory.
struct DeviceRoute {
  /// [points given]: the caller's indices in the order in which rows are sent; none where that is the caller's.
  OnDevice<std::uint32_t> given;
  Begins sent, received;      ///< [ranks + 1]
  std::int64_t migrants = 0;  ///< of this rank
  bool any_migrants = false;  ///< of any
  bool single = false;        ///< do all ranks pass floats?
  int rank = 0;

  std::int64_t points() const { return sent.back(); }  ///< given
  /// Points that stay: their rows among those sent and among those received.
  struct Stay {
    std::int64_t sent, received, count;
  };
  Stay stay() const {
    const auto r = static_cast<std::size_t>(rank);
    return {sent[r], received[r], sent[r + 1] - sent[r]};
  }
  /// `sent` without rows that stay.
  Begins leaving() const {
    Begins begins = sent;
    for (auto r = static_cast<std::size_t>(rank) + 1; r < begins.size(); ++r) begins[r] -= stay().count;
    return begins;
  }
};

/// Boxes of the essential tree that follow one another.
struct BoxRun {
  BoxId begin, count;
};

/// A box that several ranks share; `own`: in the own tree, or no_box.
struct SharedPlace {
  BoxId essential, top, own;
};

struct DeviceShare {
  Partition partition;  ///< without owners of single points
  DeviceRoute source_route, target_route_apart;
  farfield::cuda::CudaTree own;                     ///< no lists; its points are among those of `essential`
  farfield::cuda::CudaTree essential;               ///< targets, where apart: the own ones
  Top top;                                          ///< on the host
  farfield::cuda::CudaTree top_tree;                ///< the same boxes on the device, no points
  std::int64_t first = 0;                           ///< the own sources among those of the essential tree
  std::int64_t first_source = 0, first_target = 0;  ///< in the order of one tree over all points
  std::int64_t ghosts = 0;                          ///< points of others
  OnDevice<BoxId> from_own, from_top;               ///< [boxes of essential]: in the own tree, in the top, or no_box
  OnDevice<Held> held;                              ///< [boxes of essential]: targets of all ranks
  OnDevice<BoxId> mine, summed;                     ///< see Essential
  std::vector<BoxRun> mine_runs;                    ///< `mine`, a run for each level; none without own boxes
  std::vector<SharedPlace> shared;                  ///< of the essential tree, ascending
  DeviceHalo sends, receives;

  /// order()[i]: which of the rows that arrived is point i of the own tree.
  const std::uint32_t* source_order() const { return essential.sources.order.data() + first; }
  const std::uint32_t* target_order() const { return own.alike ? source_order() : essential.targets.order.data(); }

  /// Makes all arrays come from `memory`.
  void use(farfield::cuda::DeviceMemory& memory) {
    for (farfield::cuda::CudaTree* tree : {&own, &essential, &top_tree}) tree->use(memory);
    for (DeviceHalo* halo : {&sends, &receives}) use_all(memory, halo->boxes, halo->points);
    use_all(memory, source_route.given, target_route_apart.given, from_own, from_top, held, mine, summed);
  }
};

class Transport;

/// What is called on the way, unless it is empty. `mark`: before the first part and after the launches of each, which
/// are partition, redistribution, tree, needs (of others), gather, ghosts, essential, lists. `meanwhile`: where the
/// host has time; perhaps never.
struct ShareSteps {
  std::function<void(const char*)> mark;
  std::function<void()> meanwhile;
};

/// Called by all ranks, each on its device. Points may be in host or device memory; `geometry`: of all points. Arrays
/// come from `memory`, in the order of its stream.
DeviceShare make_device_share(Ranks& ranks, Transport& transport, const Given& given, const Geometry& geometry,
                              const Decision& decision, farfield::cuda::DeviceMemory& memory,
                              const ShareSteps& steps = {});

}  // namespace farfield::distributed
