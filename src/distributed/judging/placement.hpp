// RankPlacement: the sums from which the degree is settled (model/degree.hpp), over the ranks' trees, with the bits
// that one plan finds.
#pragma once
#include <optional>

#include "distributed/judging/targets.hpp"
#include "model/degree.hpp"

namespace farfield::distributed {

/// All its functions are called by all ranks.
class RankPlacement final : public PlacementSums {
 public:
  RankPlacement(Ranks& ranks, const Share& share, const JudgedTree& tree, const NormsOf& norms, int threads);
  int levels() const override { return tree_.order().levels(); }
  double targets() const override { return static_cast<double>(tree_.targets()); }
  bool in_planes() override;
  double finest_edge() const override { return share_.partition.lattice.edge(levels() - 1); }
  bool heaped(std::int64_t most) override;
  ResultNorms norms() override;
  Placement typical(const ResultNorms& norms, int degree) override;
  Placement facing(const ResultNorms& norms, int degree) override;

 private:
  void sum_far_pairs();
  /// This rank's points of one kind.
  struct Kind {
    PlacedPoints points;  ///< of its own tree
    Held CoarseBox::*of_coarse;
    std::int64_t first, count;  ///< first: in the order of one tree over all points
  };
  static Kind kind_of(const cpu::SortedPoints& points, Held CoarseBox::*of_coarse, std::int64_t first,
                      const std::int64_t* begin, const std::int64_t* end);
  std::vector<float> occupations(const Kind& kind, int degree);
  std::vector<float> of_shared(const Kind& kind, int degree, std::int64_t most);
  void fetch(const std::vector<float>& own, std::vector<float>& corner);

  Ranks& ranks_;
  const Share& share_;
  const JudgedTree& tree_;
  NormsOf norms_;
  int threads_;
  TreeView own_;            ///< the rank's own tree
  Kind sources_, targets_;  ///< the same where targets are the sources
  struct Far {
    Placement beside, beyond;
  };
  std::optional<Far> far_;  ///< sums over typical pairs, once they were wanted
};

/// Sources and targets of the rank's own tree, and the number of targets of all ranks.
struct PlacedOfRank {
  const TreeView& tree;
  const PlacedPoints &sources, &targets;
  std::int64_t all_targets;
};
/// The norms of results for random strengths (model/placement.hpp).
ResultNorms result_norms(Ranks& ranks, const PlacedOfRank& own, const NormsOf& of, int threads);

}  // namespace farfield::distributed
