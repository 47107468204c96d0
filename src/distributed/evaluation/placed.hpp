// What the evaluators of one distributed plan share.
#pragma once
#include <memory>

#include "distributed/judging/direct_sums.hpp"

namespace farfield::distributed {

/// The points and trees of this rank.
struct RankPlaced {
  Ranks* ranks = nullptr;
  Order order = Order::given;  ///< of the caller's arrays in this call
  bool at_sources = false;     ///< targets apart from the sources end with these
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

}  // namespace farfield::distributed
