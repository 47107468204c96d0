#include "judge/draw_targets.hpp"

#include "tree/box_sample.hpp"
#include "tree/far.hpp"

namespace farfield {

/// For every box with targets: the far box whose multipole has the largest truncation error there, or no_box.
static std::vector<BoxId> most_missed(const TreeView& tree, const double* power, const LevelMeans& means, int threads) {
  std::vector<BoxId> most(static_cast<std::size_t>(tree.boxes), no_box);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (BoxId box = 0; box < tree.boxes; ++box) {
    if (tree.target_count(box) == 0 || tree.level[box] < 2) continue;
    double largest = 0;
    for_each_far(tree, box, [&](BoxId source, int dx, int dy, int dz) {
      const double missed = power[source] * means[tree.level[source]].far(dx, dy, dz).mean;
      if (missed > largest) largest = missed, most[static_cast<std::size_t>(box)] = source;
    });
  }
  return most;
}

/// Squared truncation errors at single targets of one leaf: of the locals of the leaf and its ancestors, of the
/// multipoles of finer boxes, and of the multipole in most_missed of the leaf and of each ancestor. Allocates nothing.
class MissedAt {
 public:
  template <class Real>
  MissedAt(const TreeView& tree, const ListsView& lists, BoxId leaf, const Expansions<Real>& e, const double* power,
           const std::vector<BoxId>& most, const LevelMeans& means)
      : tree_(tree), m2p_(lists.m2p), leaf_(leaf), power_(power), means_(means) {
    for (BoxId box = leaf; box != no_box && tree.level[box] >= 2; box = tree.parent[box]) {
      inner_[count_] = {box, next_power(e, e.local + box * e.stride)};
      far_[count_++] = most[static_cast<std::size_t>(box)];
    }
  }
  Truncation operator()(const double* const target[3], std::int64_t i) const {
    Truncation sum;
    for (int k = 0; k < count_; ++k) {
      const double a = edge(inner_[k].box);
      const TailMeans& means = means_[tree_.level[inner_[k].box]];
      sum += inner_tail(inner_[k].power, square_from_centre(tree_, inner_[k].box, target, i, a, means.decay), a, means);
      if (far_[k] != no_box) sum += outer(far_[k], target, i);
    }
    for (std::int64_t k = m2p_.begin[leaf_]; k < m2p_.begin[leaf_ + 1]; ++k) sum += outer(m2p_.items[k], target, i);
    return sum;
  }

 private:
  struct Inner {
    BoxId box;
    double power;
  };
  double edge(BoxId box) const { return tree_.lattice.edge(tree_.level[box]); }
  Truncation outer(BoxId source, const double* const target[3], std::int64_t i) const {
    const double a = edge(source);
    const TailMeans& means = means_[tree_.level[source]];
    return outer_tail(power_[source], square_from_centre(tree_, source, target, i, a, means.decay), a, means);
  }
  const TreeView& tree_;
  const ListView& m2p_;
  BoxId leaf_;
  const double* power_;
  const LevelMeans& means_;
  Inner inner_[max_levels + 1];
  BoxId far_[max_levels + 1];
  int count_ = 0;
};

/// Draws about `most` targets with the probabilities chance_of(i), which add up to 1.
template <class Chance>
static std::vector<DrawnTarget> draw(std::int64_t count, std::int64_t most, Chance&& chance_of) {
  std::vector<DrawnTarget> drawn;
  EqualSteps steps(1, most);
  for (std::int64_t i = 0; i < count; ++i)
    if (const double times = steps.times(chance_of(i)); times > 0) drawn.push_back({i, times});
  return drawn;
}

std::vector<DrawnTarget> draw_anywhere(std::int64_t count, std::int64_t most) {
  return draw(count, std::min(most, count), [&](std::int64_t) { return 1 / static_cast<double>(count); });
}

double chance_of(const Truncation& own, const Truncation& all, double count, int judged) {
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  double shares = 0;
  for (int k = 0; k < judged; ++k) shares += share(own.order[k], all.order[k]);
  return 0.5 / count + 0.5 / judged * shares;
}

template <class Real>
std::vector<Truncation> missed_at_targets(const TreeView& tree, const ListsView& lists, const Expansions<Real>& e,
                                          const double* const target[3], const double* power, int threads) {
  const LevelMeans means(e, tree.levels);
  const std::vector<BoxId> most_missed_of = most_missed(tree, power, means, threads);
  const std::int64_t first = tree.target_begin[0];
  std::vector<Truncation> missed(static_cast<std::size_t>(tree.target_count(0)));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (BoxId box = 0; box < tree.boxes; ++box) {
    if (!tree.is_leaf(box) || tree.target_count(box) == 0) continue;
    const MissedAt missed_at(tree, lists, box, e, power, most_missed_of, means);
    for (std::int64_t i = tree.target_begin[box]; i < tree.target_end[box]; ++i)
      missed[static_cast<std::size_t>(i - first)] = missed_at(target, i);
  }
  return missed;
}

template <class Real>
std::vector<DrawnTarget> draw_targets(const TreeView& tree, const ListsView& lists, const Expansions<Real>& e,
                                      const double* const target[3], const double* power, std::int64_t most,
                                      int threads) {
  const std::int64_t count = tree.target_count(0);
  // those of a treecode, whose rows are too long to predict every target's error, are drawn anywhere
  if (!e.local || most >= count) return draw_anywhere(count, most);
  const std::vector<Truncation> missed = missed_at_targets(tree, lists, e, target, power, threads);
  Truncation all;
  for (const Truncation& m : missed) all += m;
  return draw(count, most, [&](std::int64_t i) {
    return chance_of(missed[static_cast<std::size_t>(i)], all, static_cast<double>(count), e.judged);
  });
}

#define FARFIELD_DRAW(Real)                                                                                            \
  template std::vector<Truncation> missed_at_targets<Real>(const TreeView&, const ListsView&, const Expansions<Real>&, \
                                                           const double* const[3], const double*, int);                \
  template std::vector<DrawnTarget> draw_targets<Real>(const TreeView&, const ListsView&, const Expansions<Real>&,     \
                                                       const double* const[3], const double*, std::int64_t, int);
FARFIELD_DRAW(float)
FARFIELD_DRAW(double)

}  // namespace farfield
