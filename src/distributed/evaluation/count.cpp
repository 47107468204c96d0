#include "distributed/evaluation/count.hpp"

#include "backends/cpu/near/heaps.hpp"
#include "kernels/traits.hpp"
#include "model/accounts.hpp"

namespace farfield::distributed {

/// Pairs of points that coincide, which are not counted.
static std::int64_t pairs_in_own_heaps(const Essential& e) {
  const auto &source = e.sources.axis, &target = e.target_points().axis;
  const double* const from[3] = {source[0].data(), source[1].data(), source[2].data()};
  const double* const to[3] = {target[0].data(), target[1].data(), target[2].data()};
  return cpu::pairs_in_heaps(e.tree.view(), from, to);
}

void count_over_ranks(const RankPlaced& placed, const Decision& decision, farfield::Report& report) {
  const Essential& e = placed.share->essential;
  count_work_of(e.summed, e.tree.view(), e.lists.view(), decision, report);
  const bool lacks_heaps = traits(decision.kernel).singular && !counts_coincident(decision);
  const std::int64_t in_heaps = lacks_heaps ? pairs_in_own_heaps(e) : 0;
  std::vector<std::int64_t> counts{report.leaves,    report.near_pairs, report.p2p_boxes, report.m2l_boxes,
                                   report.m2p_boxes, report.p2l_boxes,  in_heaps};
  placed.ranks->add(counts);
  report.leaves = counts[0], report.near_pairs = counts[1], report.p2p_boxes = counts[2], report.m2l_boxes = counts[3],
  report.m2p_boxes = counts[4], report.p2l_boxes = counts[5];
  report.boxes = placed.judged->order().count();
  report.levels = placed.judged->order().levels();
  report.far_fraction = far_fraction(report);
  report.near_pairs -= counts[6];
}

}  // namespace farfield::distributed
