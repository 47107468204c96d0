// Merge: the essential tree, put together from the rank's own boxes, the shared ones and those that came from others.
#pragma once
#include "distributed/share/share.hpp"

namespace farfield::distributed {

/// What came from the others.
struct Received {
  std::vector<BoxRecord> boxes;
  std::vector<Interval> intervals;  ///< of sources, in the order of one tree over all points
  std::vector<double> x;            ///< [sources][3], scaled
  Begins box_begin, interval_begin;
};

/// Makes share.essential, but for targets apart from the sources, and what share.receives says of it.
void merge(Share& share, const Received& received, int rank, const ListThresholds& thresholds, int threads);

}  // namespace farfield::distributed
