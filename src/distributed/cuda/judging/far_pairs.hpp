// FarPairsOfRank: how sources and targets lie in pairs of far boxes (backends/cuda/judge/placement/), for the drawn
// target boxes that are one rank's.
#pragma once
#include "backends/cuda/judge/placement/placement.hpp"
#include "distributed/cuda/judging/numbering.hpp"

namespace farfield::distributed {

/// Sources and targets of a rank among those of its essential tree.
struct PointsOfRank {
  PlacedPoints sources, targets;
};

/// The sums over the pairs of this rank, from `degree` on; of `softened` sums fewer are looked at. All ranks call it;
/// waits for memory.stream.
std::vector<double> far_pairs_of_rank(DevicePlaced& placed, const BoxNumbering& numbering, const PointsOfRank& points,
                                      int degree, bool softened);

}  // namespace farfield::distributed
