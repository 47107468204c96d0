// What a treecode's walks find, for the report and the judge; both look at some groups of targets that stand for all.
#pragma once
#include <farfield/report.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"
#include "judge/truncation.hpp"
#include "tree/expandable.hpp"

namespace farfield::cuda {

/// Groups that are looked at: every k-th of them.
struct GroupSample {
  std::int64_t every, groups;
};
GroupSample sample_groups(std::int64_t targets);

/// Fills boxes, leaves, near_pairs, m2p_boxes, p2p_boxes and far_fraction of the report, those of walks from the
/// sample: before an evaluation those about centres of boxes. Waits for the stream.
void count_walks(const TreeWork& work, const Expandable& expandable, DeviceMemory& memory, Report& report);

/// Squared truncation errors of the sample's targets: sums per block in `part`, [blocks][width], of which the first two
/// numbers are potential and gradient, the others 0. `by_level`: the means of each level, of a kernel with a length, in
/// device memory; else null. `power`: room for [boxes]. Returns the number of blocks.
template <class Real>
int launch_accepted_tails(const Work<Real>& work, const TailMeans* by_level, double* power, double* part, int width);

}  // namespace farfield::cuda
