// What the evaluators of one distributed plan share.
#pragma once
#include <memory>

#include "distributed/evaluation/lengths.hpp"
#include "distributed/judging/aligned.hpp"
#include "distributed/judging/direct_sums.hpp"

namespace farfield::distributed {

/// The points and trees of this rank. Where they are in device memory, `share` holds the rank's own points and their
/// routes alone, once they have been asked for.
struct RankPlaced {
  virtual ~RankPlaced() = default;
  Ranks* ranks = nullptr;
  Order order = Order::given;        ///< of the caller's arrays in this call
  bool at_sources = false;           ///< targets apart from the sources end with these
  std::vector<Capacity> capacities;  ///< of all ranks
  struct {
    bool alike = true;
  } tree;
  int exponent = 0;   ///< of the scaling of coordinates
  double least = 0;   ///< smallest scaled |coordinate| that is not 0
  Geometry geometry;  ///< of all points
  std::unique_ptr<Share> share;
  std::unique_ptr<JudgedTree> judged;
  std::unique_ptr<DirectSums> direct_sums;
  Lengths lengths;  ///< where points have softening lengths of their own
  Aligned norm_pieces;

  Given given(const Points& sources, const Points* targets) const {
    return {sources, targets, order, at_sources, capacities};
  }
  void build(const Given& given, const Geometry& of_all, const Decision& decision, int threads);

  virtual bool has_points() const { return share != nullptr; }
  /// The rank's own points and their routes in host memory.
  virtual const Share& on_host() { return *share; }
  /// The routes, the order of the points and how many there are; perhaps not where they are.
  virtual const Share& routes() { return *share; }
  /// Of this rank's points in the owned order.
  virtual std::int64_t owned(Set set) const;
  /// What the rank holds.
  virtual void count(RankReport& report) const;
};

}  // namespace farfield::distributed
