// EarlyStart: of a step that is captured in a graph, a move and an evaluation, what can begin while the near plan still
// takes the points.
#pragma once
#include <optional>

#include "backends/cuda/own_event.hpp"
#include "backends/cuda/runtime/capture.hpp"

namespace farfield::cuda {

/// Far images need points in place and charges alone. The evaluation's work on them waits for no more than that if
/// its capture holds the move, too, and nothing between the two, which might give the charges. An H200, 1.1e6 atoms:
/// near images and targets are put into the tree for 66 us, bound by memory, and p2m of blocks runs beside them.
class EarlyStart {
 public:
  /// With the work that `main` holds, points are in place.
  void placed(cudaStream_t main) {
    placed_.record(main);
    moved_.reset();
  }
  /// The move ends here.
  void moved(cudaStream_t main) { moved_.emplace(main); }
  /// Once after each move: does `beside` wait for the points alone?
  bool begin(cudaStream_t beside, cudaStream_t main) {
    const bool early = moved_ && *moved_ == CapturePoint(main);
    moved_.reset();
    if (early) placed_.wait_on(beside);
    return early;
  }
  /// When points were in place: if begin(), the charges were, too.
  cudaEvent_t in_place() const { return placed_; }

 private:
  OwnEvent placed_;
  std::optional<CapturePoint> moved_;
};

}  // namespace farfield::cuda
