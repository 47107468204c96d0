#include "distributed/evaluation/placed.hpp"

#include "core/units.hpp"
#include "judge/norms.hpp"

namespace farfield::distributed {

void RankPlaced::build(const Given& given, const Geometry& of_all, const Decision& decision, int threads) {
  direct_sums.reset(), judged.reset();  // which look at the share
  geometry = of_all;
  tree.alike = of_all.alike;
  share = std::make_unique<Share>(make_share(*ranks, given, of_all, decision, threads));
  lengths = {};
  if (decision.lengths)
    lengths = gather_lengths(*ranks, *share, given, reach_over_length(decision.softening_kind), of_all.exponent);
  judged = std::make_unique<JudgedTree>(*ranks, *share, of_all.targets);
  direct_sums = std::make_unique<DirectSums>(*ranks, share->own);
  norm_pieces = Aligned(*ranks, share->targets(), norm_grain);
}

std::int64_t RankPlaced::owned(Set set) const {
  return (set == Set::sources ? share->source_carrier(Order::owned) : share->target_carrier(Order::owned)).count();
}

void RankPlaced::count(RankReport& report) const {
  report.owned = share->targets();
  report.ghosts = share->essential.ghosts;
  report.boxes = share->essential.tree.boxes;
  report.migrants = share->source_route.migrants() + share->target_route_apart.migrants();
}

}  // namespace farfield::distributed
