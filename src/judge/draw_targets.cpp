#include "judge/draw_targets.hpp"

#include "model/box_sample.hpp"

namespace farfield {

/// What one target misses of the local of its leaf and of the multipoles of finer boxes.
static Truncation missed_at(const TreeView& tree, const ListsView& lists, BoxId leaf, double local_power,
                            const double* power, const double* const target[3], std::int64_t i,
                            const TailMeans& means) {
  const double a = tree.lattice.edge(tree.level[leaf]);
  Truncation sum = inner_tail(local_power, square_from_centre(tree, leaf, target, i, a), a, means.n);
  for (std::int64_t k = lists.m2p.begin[leaf]; k < lists.m2p.begin[leaf + 1]; ++k) {
    const BoxId source = lists.m2p.items[k];
    const double edge = tree.lattice.edge(tree.level[source]);
    sum += outer_tail(power[source], square_from_centre(tree, source, target, i, edge), edge, means.n);
  }
  return sum;
}

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
  std::vector<Truncation> missed(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (BoxId box = 0; box < tree.boxes; ++box) {
    if (!tree.is_leaf(box)) continue;
    const double local = tree.level[box] < 2 ? 0 : next_power(e.local + box * e.stride, e.degree);
    for (std::int64_t i = tree.target_begin[box]; i < tree.target_end[box]; ++i)
      missed[static_cast<std::size_t>(i)] = missed_at(tree, lists, box, local, power, target, i, means);
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
