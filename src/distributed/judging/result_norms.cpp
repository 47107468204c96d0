#include <array>

#include "distributed/judging/placement.hpp"
#include "model/placement/norms.hpp"

namespace farfield::distributed {
namespace {

/// The leaves of all ranks that hold some of these points, as this rank sees them.
struct AllLeaves {
  std::vector<BoxId> own;  ///< in its own tree
  BoxOrder order;

  AllLeaves(Ranks& ranks, const TreeView& tree, const PlacedPoints& points) {
    std::vector<int> level;
    for (BoxId box = 0; box < tree.boxes; ++box)
      if (tree.is_leaf(box) && points.end[box] > points.begin[box])
        own.push_back(box), level.push_back(tree.level[box]);
    order = BoxOrder(ranks, level);
  }
  /// The number of a leaf, or -1.
  std::int64_t number(BoxId box) const {
    const auto found = std::lower_bound(own.begin(), own.end(), box);
    return found != own.end() && *found == box ? order.number(static_cast<std::size_t>(found - own.begin())) : -1;
  }
};

/// A target at which sums are formed, in the leaf of this number among those with targets.
struct Sampled {
  std::int64_t leaf;
  std::int64_t source_leaf;  ///< the leaf's number among those with sources, or -1
  double x[3];
};
std::vector<Sampled> sampled_targets(Ranks& ranks, const AllLeaves& leaves, const AllLeaves& source_leaves,
                                     const PlacedPoints& points) {
  const std::int64_t step = step_of_targets(leaves.order.count());
  std::vector<Sampled> own;
  for (std::size_t k = 0; k < leaves.own.size(); ++k) {
    const BoxId box = leaves.own[k];
    if (leaves.order.number(k) % step != 0) continue;
    const std::int64_t t = (points.begin[box] + points.end[box]) / 2;
    own.push_back(
        {leaves.order.number(k), source_leaves.number(box), {points.axis[0][t], points.axis[1][t], points.axis[2][t]}});
  }
  std::vector<Sampled> all = ranks.gather_all(own);
  std::sort(all.begin(), all.end(), [](const Sampled& a, const Sampled& b) { return a.leaf < b.leaf; });
  return all;
}

/// A leaf whose sources are summed singly at a target.
struct Near {
  std::size_t target;
  std::int64_t leaf;
};

/// The sums at some targets over leaves that come in order, each as if its sources lay at the centre.
class FarSums {
 public:
  FarSums(const std::vector<Sampled>& targets, std::vector<std::size_t> own, const Wanted& wanted)
      : targets_(targets), own_(std::move(own)), wanted_(wanted), far_(targets.size()) {}

  void add(std::int64_t number, const std::array<double, 5>& leaf) {
    if (leaves_.size() == 0) first_ = number;
    leaves_.add(leaf.data(), leaf[3], leaf[4]);
    if (leaves_.size() == Leaves::at_once) sum();
  }
  void sum() {
    double r2[Leaves::at_once];
    for (const std::size_t t : own_) {
      far_[t] += beyond_reach(leaves_, 0, leaves_.size(), targets_[t].x, r2, wanted_);
      for (std::size_t k = 0; k < leaves_.size(); ++k)
        if (const std::int64_t leaf = first_ + static_cast<std::int64_t>(k);
            r2[k] <= leaves_.reach[k] && leaf != targets_[t].source_leaf)
          near_.push_back({t, leaf});
    }
    leaves_.clear();
  }
  const PowerSums& far(std::size_t target) const { return far_[target]; }
  const std::vector<Near>& near() const { return near_; }

 private:
  const std::vector<Sampled>& targets_;
  std::vector<std::size_t> own_;
  Wanted wanted_;
  std::vector<PowerSums> far_;
  std::vector<Near> near_;
  Leaves leaves_;
  std::int64_t first_ = 0;
};

/// Each rank sums at some of the targets over the centres of all leaves; the owners of near leaves over their sources.
SumsAtTarget mean_at_sampled(Ranks& ranks, const AllLeaves& with_targets, const PlacedOfRank& placed,
                             const Wanted& wanted) {
  const PlacedPoints& points = placed.sources;
  const TreeView& tree = placed.tree;
  const AllLeaves leaves(ranks, tree, points);
  const std::vector<Sampled> targets = sampled_targets(ranks, with_targets, leaves, placed.targets);
  std::vector<std::size_t> own;
  for (auto t = static_cast<std::size_t>(ranks.rank()); t < targets.size(); t += static_cast<std::size_t>(ranks.size()))
    own.push_back(t);
  std::vector<std::array<double, 5>> centres;
  for (const BoxId box : leaves.own)
    centres.push_back({tree.coordinate(box, 0), tree.coordinate(box, 1), tree.coordinate(box, 2),
                       tree.lattice.edge(tree.level[box]), static_cast<double>(points.end[box] - points.begin[box])});
  FarSums sums(targets, own, wanted);
  leaves.order.each(ranks, centres, [&](std::int64_t number, const auto& leaf) { sums.add(number, leaf); });
  sums.sum();
  struct Term {
    Near of;
    PowerSums sum;
  };
  std::vector<Term> terms, far;
  for (const Near& near : ranks.gather_all(sums.near()))
    if (const std::int64_t k = leaves.order.find(near.leaf); k >= 0) {
      const BoxId box = leaves.own[static_cast<std::size_t>(k)];
      terms.push_back({near, sums_at(points, points.begin[box], points.end[box], targets[near.target].x, wanted)});
    }
  for (const std::size_t t : own) far.push_back({{t, 0}, sums.far(t)});
  terms = ranks.gather_all(terms);
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.of.leaf < b.of.leaf; });
  std::vector<SumsAtTarget> at(targets.size());
  for (const Term& term : terms) at[term.of.target].outside += term.sum;
  for (const Term& term : ranks.gather_all(far)) {
    at[term.of.target].far += term.sum;
    at[term.of.target].outside += term.sum;
  }
  return mean_of_targets(at, static_cast<double>(placed.all_targets));
}

PowerSums mean_in_own(Ranks& ranks, const AllLeaves& leaves, const PlacedOfRank& placed, int threads,
                      const Wanted& wanted) {
  const auto all = static_cast<double>(placed.all_targets);
  const std::int64_t step = step_of_measured(placed.sources.begin == placed.targets.begin, all);
  std::vector<OfLeaf> of(leaves.own.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t k = 0; k < of.size(); ++k)
    of[k] = sums_in_leaf(placed.sources, placed.targets, leaves.own[k], leaves.order.number(k) % step == 0, wanted);
  OwnLeafMean mean(all);
  leaves.order.each(ranks, of, [&](std::int64_t, const OfLeaf& leaf) { mean.add(leaf); });
  return mean.result();
}

}  // namespace

ResultNorms result_norms(Ranks& ranks, const PlacedOfRank& own, const NormsOf& of, int threads) {
  const AllLeaves leaves(ranks, own.tree, own.targets);
  if (leaves.order.count() == 0) return {};
  const Wanted wanted(of);
  const SumsAtTarget at = mean_at_sampled(ranks, leaves, own, wanted);
  return norms_from(at, mean_in_own(ranks, leaves, own, threads, wanted));
}

}  // namespace farfield::distributed
