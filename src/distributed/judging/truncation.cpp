#include "distributed/judging/truncation.hpp"

#include "judge/truncation_terms.hpp"

namespace farfield::distributed {

/// Squared errors at far targets from the terms that the multipoles lack.
template <class Real>
static Truncation far_tails(Ranks& ranks, const JudgedTree& tree, const Share& share, const Expansions<Real>& e,
                            const double* power, int threads) {
  const BoxOrder& order = tree.order();
  const TreeView& view = tree.view();
  const Lattice& lattice = share.partition.lattice;
  std::vector<double> powers;
  for (const BoxId box : share.essential.mine) powers.push_back(power[box]);
  const std::int64_t first = order.level_begin(2);
  BoxDrawing drawing(order.count() - first, far_tails_drawn, e.judged);
  const auto edge = [&](std::int64_t number) { return lattice.edge(order.level_of(number)); };
  order.each(ranks, powers, [&](std::int64_t number, double own) {
    if (number >= first) drawing.count(own, edge(number));
  });
  order.each(ranks, powers, [&](std::int64_t number, double own) {
    if (number >= first) drawing.offer(static_cast<BoxId>(number), own, edge(number));
  });
  const BoxSample& sample = drawing.sample();
  if (!sample.finite(e.judged)) return {{sample.sum[0], sample.sum[1], sample.sum[2]}};
  const LevelMeans means(e, order.levels());
  struct Missed {
    std::size_t drawn;
    double squares;
  };
  std::vector<Missed> missed;
  for (std::size_t i = 0; i < sample.boxes.size(); ++i)
    if (tree.find(sample.boxes[i].box) != no_box) missed.push_back({i, 0});
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t k = 0; k < missed.size(); ++k) {
    const BoxId box = tree.find(sample.boxes[missed[k].drawn].box);
    missed[k].squares = far_targets(view, box, tree.coordinates(), means[view.level[box]]);
  }
  std::vector<double> squares(sample.boxes.size());
  for (const Missed& one : ranks.gather_all(missed)) squares[one.drawn] = one.squares;
  Truncation sum;
  for (std::size_t i = 0; i < squares.size(); ++i)
    add_far_tail(sum, sample.boxes[i], squares[i], e.judged, means[order.level_of(sample.boxes[i].box)]);
  return sum;
}

/// The terms of this rank's boxes. Of a shared box it has them only where it owns targets in it, so that they come from
/// another rank as a rule.
template <class Real>
static std::vector<Truncation> own_tails(Ranks& ranks, const JudgedTree& tree, const Share& share,
                                         const Expansions<Real>& e, const double* power, const LevelMeans& means,
                                         int threads) {
  const Essential& essential = share.essential;
  const ListsView lists = essential.lists.view();
  std::vector<Truncation> of_box(static_cast<std::size_t>(essential.tree.boxes));
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (std::size_t k = 0; k < essential.summed.size(); ++k) {
    const BoxId box = essential.summed[k];
    of_box[static_cast<std::size_t>(box)] = box_tail(tree.view(), lists.m2p, box, e, power, tree.coordinates(), means);
  }
  struct OfShared {
    BoxId top;
    Truncation tail;
  };
  std::vector<OfShared> shared;
  for (const BoxId box : essential.summed)
    if (const auto i = static_cast<std::size_t>(box); essential.from_top[i] != no_box)
      shared.push_back({essential.from_top[i], of_box[i]});
  std::vector<Truncation> of_top(static_cast<std::size_t>(share.top.tree.boxes)), own;
  for (const OfShared& one : ranks.gather_all(shared)) of_top[static_cast<std::size_t>(one.top)] = one.tail;
  for (const BoxId box : essential.mine) {
    const BoxId top = essential.from_top[static_cast<std::size_t>(box)];
    own.push_back(top == no_box ? of_box[static_cast<std::size_t>(box)] : of_top[static_cast<std::size_t>(top)]);
  }
  return own;
}

template <class Real>
Truncation truncation(Ranks& ranks, const JudgedTree& tree, const Share& share, const Expansions<Real>& e,
                      double* power, int threads) {
  if (tree.order().levels() <= 2) return {};
  const LevelMeans means(e, tree.order().levels());
  find_powers(tree.view(), e, 2, power, threads);
  const std::vector<Truncation> tails = own_tails(ranks, tree, share, e, power, means, threads);
  BoxTails all;
  tree.order().each(ranks, tails, [&](std::int64_t, const Truncation& own) { all.add(own); });
  Truncation sum = all.sum();
  return sum += far_tails(ranks, tree, share, e, power, threads);
}

/// The running sums of the drawing go from rank to rank, since they decide which targets are drawn.
template <class Real>
std::vector<DrawnTarget> draw_targets(Ranks& ranks, const JudgedTree& tree, const Share& share,
                                      const Expansions<Real>& e, const double* power, std::int64_t most, int threads) {
  if (most >= tree.targets()) return draw_anywhere(tree.targets(), most);
  std::vector<Truncation> missed;
  const Essential& essential = share.essential;
  if (share.targets() > 0) {
    const auto& x = essential.target_points().axis;
    const double* const target[3] = {x[0].data(), x[1].data(), x[2].data()};
    missed = missed_at_targets(essential.tree.view(), essential.lists.view(), e, target, power, threads);
  }
  std::vector<Truncation> all(1);
  ranks.one_by_one(all, [&](std::vector<Truncation>& sum) {
    for (const Truncation& own : missed) sum[0] += own;
  });
  std::vector<DrawnTarget> drawn;
  std::vector<EqualSteps> steps(1, EqualSteps(1, most));
  ranks.one_by_one(steps, [&](std::vector<EqualSteps>& running) {
    for (std::size_t i = 0; i < missed.size(); ++i) {
      const double chance = chance_of(missed[i], all[0], static_cast<double>(tree.targets()), e.judged);
      if (const double times = running[0].times(chance); times > 0)
        drawn.push_back({share.own.first_target + static_cast<std::int64_t>(i), times});
    }
  });
  return ranks.gather_all(drawn);
}

#define FARFIELD_OVER_RANKS(Real)                                                                                 \
  template Truncation truncation<Real>(Ranks&, const JudgedTree&, const Share&, const Expansions<Real>&, double*, \
                                       int);                                                                      \
  template std::vector<DrawnTarget> draw_targets<Real>(Ranks&, const JudgedTree&, const Share&,                   \
                                                       const Expansions<Real>&, const double*, std::int64_t, int);
FARFIELD_OVER_RANKS(float)
FARFIELD_OVER_RANKS(double)

}  // namespace farfield::distributed
