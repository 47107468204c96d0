// The evaluator of a distributed plan: the steps of backends/sequence.hpp over the trees of all ranks.
#pragma once
#include <memory>

#include "backends/evaluator.hpp"
#include "distributed/judging/direct_sums.hpp"
#include "distributed/judging/norms.hpp"

namespace farfield::distributed {

/// What evaluators of one plan share: the points and trees of this rank.
struct RankPlaced {
  Ranks* ranks = nullptr;
  struct {
    bool alike = true;
  } tree;
  int exponent = 0;   ///< of the scaling of coordinates
  double least = 0;   ///< smallest scaled |coordinate| that is not 0
  Geometry geometry;  ///< of all points
  std::unique_ptr<Share> share;
  std::unique_ptr<JudgedTree> judged;
  std::unique_ptr<DirectSums> direct_sums;
  Aligned norm_pieces;

  void build(const Given& given, const Geometry& of_all, const Decision& decision, int threads);
};

/// Sums by expansions. `placed`: without points yet.
std::unique_ptr<Evaluator> make_rank_evaluator(std::shared_ptr<RankPlaced> placed, const Decision& decision,
                                               int threads);

}  // namespace farfield::distributed
