#include "judge/draw_targets.hpp"

#include "tree/box_sample.hpp"
#include "tree/far.hpp"

namespace farfield {

/// Of the far boxes of every box with targets, the one whose multipole they miss most of; no_box where there is none.
static std::vector<BoxId> most_missed(const TreeView& tree, const double* power, const TailMeans& means, int threads) {
  std::vector<BoxId> most(static_cast<std::size_t>(tree.boxes), no_box);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (BoxId box = 0; box < tree.boxes; ++box) {
    if (tree.target_count(box) == 0 || tree.level[box] < 2) continue;
    double largest = 0;
    for_each_far(tree, box, [&](BoxId source, int dx, int dy, int dz) {
      const double missed = power[source] * means.far(dx, dy, dz);
      if (missed > largest) largest = missed, most[static_cast<std::size_t>(box)] = source;
    });
  }
  return most;
}

/// What single targets of one leaf miss: of its local and those of its ancestors, of the multipoles of finer boxes, and
/// of those that it and its ancestors miss most of.
class MissedAt {
 public:
  template <class Real>
  MissedAt(const TreeView& tree, const ListsView& lists, BoxId leaf, const Expansions<Real>& e, const double* power,
           const std::vector<BoxId>& most, const TailMeans& means)
      : tree_(tree), means_(means) {
    for (std::int64_t k = lists.m2p.begin[leaf]; k < lists.m2p.begin[leaf + 1]; ++k)
      add(outer_, lists.m2p.items[k], power[lists.m2p.items[k]]);
    for (BoxId box = leaf; box != no_box && tree.level[box] >= 2; box = tree.parent[box]) {
      add(inner_, box, next_power(e.local + box * e.stride, e.degree));
      const BoxId far = most[static_cast<std::size_t>(box)];
      if (far != no_box) add(outer_, far, power[far]);
    }
  }
  Truncation operator()(const double* const target[3], std::int64_t i) const {
    Truncation sum;
    for (const Tail& t : inner_)
      sum += inner_tail(t.power, square_from_centre(tree_, t.box, target, i, t.edge), t.edge, means_.n);
    for (const Tail& t : outer_)
      sum += outer_tail(t.power, square_from_centre(tree_, t.box, target, i, t.edge), t.edge, means_.n);
    return sum;
  }

 private:
  struct Tail {
    BoxId box;
    double power, edge;
  };
  void add(std::vector<Tail>& tails, BoxId box, double power) const {
    tails.push_back({box, power, tree_.lattice.edge(tree_.level[box])});
  }
  const TreeView& tree_;
  const TailMeans& means_;
  std::vector<Tail> inner_, outer_;
};

/// Draws `most` targets by their chances, which add up to 1.
template <class Chance>
static std::vector<DrawnTarget> draw(std::int64_t count, std::int64_t most, Chance&& chance_of) {
  std::vector<DrawnTarget> drawn;
  EqualSteps steps(1, most);
  for (std::int64_t i = 0; i < count; ++i)
    if (const double times = steps.times(chance_of(i)); times > 0) drawn.push_back({i, times});
  return drawn;
}

template <class Real>
std::vector<DrawnTarget> draw_targets(const TreeView& tree, const ListsView& lists, const Expansions<Real>& e,
                                      const double* const target[3], const double* power, std::int64_t most,
                                      int threads) {
  const TailMeans& means = tail_means(e.degree);
  const std::int64_t count = tree.target_count(0);
  if (most >= count) return draw(count, count, [&](std::int64_t) { return 1 / static_cast<double>(count); });
  const std::vector<BoxId> most_missed_of = most_missed(tree, power, means, threads);
  std::vector<Truncation> missed(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (BoxId box = 0; box < tree.boxes; ++box) {
    if (!tree.is_leaf(box)) continue;
    const MissedAt missed_at(tree, lists, box, e, power, most_missed_of, means);
    for (std::int64_t i = tree.target_begin[box]; i < tree.target_end[box]; ++i)
      missed[static_cast<std::size_t>(i)] = missed_at(target, i);
  }
  Truncation all;
  for (const Truncation& m : missed) all += m;
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  return draw(count, most, [&](std::int64_t i) {
    const Truncation& own = missed[static_cast<std::size_t>(i)];
    return 0.5 / static_cast<double>(count) +
           0.25 * (share(own.potential, all.potential) + share(own.gradient, all.gradient));
  });
}

template std::vector<DrawnTarget> draw_targets<float>(const TreeView&, const ListsView&, const Expansions<float>&,
                                                      const double* const[3], const double*, std::int64_t, int);
template std::vector<DrawnTarget> draw_targets<double>(const TreeView&, const ListsView&, const Expansions<double>&,
                                                       const double* const[3], const double*, std::int64_t, int);

}  // namespace farfield
