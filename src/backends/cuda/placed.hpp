// Placed: points in boxes or cells on a device.
#pragma once
#include <memory>

#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/cells/place.hpp"
#include "backends/cuda/runtime/capture.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/lengths.hpp"
#include "core/units.hpp"
#include "model/decision.hpp"

namespace farfield::cuda {

/// The tree or the cells that evaluators share, and the memory of them all.
struct Placed {
  int device = current_device();
  OwnStream stream;  // outlives the arrays: a caller's stream may be gone when they are given back
  DeviceMemory memory;
  CudaTree tree;
  PlacedCells cells;
  DeviceArray<double> source_lengths{memory}, target_lengths{memory};  ///< Work::source_length and target_length
  int exponent = 0;
  double least = 0;
  bool has_m2p = false, has_p2l = false;
  ImagesInTree images{memory};            ///< where the sources are images
  std::unique_ptr<MetByReplays> replays;  ///< from the first captured call on
  Placed() { tree.use(memory), cells.use(memory); }
  ~Placed() { memory.stream = stream; }

  /// Softening lengths, if points bring them along, in their order.
  void place_lengths(const Points& sources, const Points* targets, const Decision& d) {
    if (!d.lengths) return;
    const double factor = reach_over_length(d.softening_kind);
    gather_lengths(sources, tree.sources.order.data(), factor, exponent, source_lengths, memory);
    if (targets) gather_lengths(*targets, tree.targets.order.data(), factor, exponent, target_lengths, memory);
  }
};

}  // namespace farfield::cuda
