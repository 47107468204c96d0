#include "distributed/judging/placement.hpp"

#include "model/placement/sums.hpp"

namespace farfield::distributed {

RankPlacement::RankPlacement(Ranks& ranks, const Share& share, const JudgedTree& tree, const NormsOf& norms,
                             int threads)
    : ranks_(ranks),
      share_(share),
      tree_(tree),
      norms_(norms),
      threads_(threads),
      own_(share.own.tree.view()),
      sources_(
          kind_of(share.own.sources, &CoarseBox::sources, share.own.first_source, own_.source_begin, own_.source_end)),
      targets_(kind_of(share.own.target_points(), &CoarseBox::targets, share.own.first_target, own_.target_begin,
                       own_.target_end)) {}

RankPlacement::Kind RankPlacement::kind_of(const cpu::SortedPoints& points, Held CoarseBox::*of_coarse,
                                           std::int64_t first, const std::int64_t* begin, const std::int64_t* end) {
  const auto& x = points.axis;
  return {{{x[0].data(), x[1].data(), x[2].data()}, begin, end}, of_coarse, first, points.count};
}

/// The first leaf of each stretch of boxes, whichever rank holds it.
bool RankPlacement::in_planes() {
  const std::vector<BoxId>& mine = share_.essential.mine;
  const std::int64_t stretch = stretch_of_planes(tree_.order().count());
  std::vector<std::int64_t> first(static_cast<std::size_t>(tree_.order().count() / stretch + 1), tree_.order().count());
  const auto shows = [&](std::size_t k) {
    const BoxId own = share_.essential.from_own[static_cast<std::size_t>(mine[k])];
    return own != no_box && may_show_planes(own_, sources_.points, own);
  };
  for (std::size_t k = mine.size(); k-- > 0;)
    if (shows(k)) first[static_cast<std::size_t>(tree_.order().number(k) / stretch)] = tree_.order().number(k);
  ranks_.least(first);
  int looked_at = 0;
  std::vector<std::int64_t> in_planes(1, 0);
  for (const std::int64_t number : first) {
    looked_at += number < tree_.order().count();
    if (const BoxId box = tree_.find(number); box != no_box)
      in_planes[0] += shows_planes(sources_.points, share_.essential.from_own[static_cast<std::size_t>(box)]);
  }
  ranks_.add(in_planes);
  return are_planes(looked_at, static_cast<int>(in_planes[0]));
}

bool RankPlacement::heaped(std::int64_t most) {
  std::vector<int> light(1, 1);
  for (BoxId box = 0; box < own_.boxes; ++box)
    if (own_.is_leaf(box) && std::max(own_.source_count(box), own_.target_count(box)) > most) light[0] = 0;
  ranks_.least(light);
  return light[0] == 0;
}

ResultNorms RankPlacement::norms() {
  return result_norms(ranks_, {own_, sources_.points, targets_.points, tree_.targets()}, norms_, threads_);
}

void RankPlacement::sum_far_pairs() {
  const BoxOrder& order = tree_.order();
  const TreeView essential = share_.essential.tree.view();
  std::vector<double> counts;
  for (const BoxId box : share_.essential.mine) counts.push_back(static_cast<double>(tree_.view().target_count(box)));
  const std::int64_t first = order.level_begin(2);
  BoxDrawing drawing(order.count() - first, boxes_to_draw(tree_.targets()), powers_drawn(norms_.derivatives));
  const auto edge = [&](std::int64_t number) { return share_.partition.lattice.edge(order.level_of(number)); };
  order.each(ranks_, counts, [&](std::int64_t number, double count) {
    if (number >= first) drawing.count(count, edge(number));
  });
  order.each(ranks_, counts, [&](std::int64_t number, double count) {
    if (number >= first) drawing.offer(static_cast<BoxId>(number), count, edge(number));
  });
  const std::vector<DrawnBox>& drawn = drawing.sample().boxes;
  struct Pairs {
    std::size_t drawn;
    FarSources far;
  };
  std::vector<Pairs> pairs;
  const PlacedPoints sources{{}, essential.source_begin, essential.source_end};
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (const BoxId box = tree_.find(drawn[i].box); box != no_box)
      pairs.push_back({i, far_sources(essential, box, sources)});
  std::vector<FarSources> far(drawn.size());
  for (const Pairs& one : ranks_.gather_all(pairs)) far[one.drawn] = one.far;
  far_.emplace();
  for (std::size_t i = 0; i < far.size(); ++i) add_far(far_->beside, far_->beyond, drawn[i], far[i]);
}

Placement RankPlacement::typical(const ResultNorms& norms, int degree) {
  if (!far_) sum_far_pairs();
  return relative(typical_sums(far_->beside, far_->beyond, degree), tree_.targets(), norms);
}

/// Of the shared boxes, whose points several ranks hold: each adds its own, rank after rank.
std::vector<float> RankPlacement::of_shared(const Kind& kind, int degree, std::int64_t most) {
  const TreeView top = share_.top.tree.view();
  const CornerWeights decay = CornerWeights::of_degree(degree);
  std::vector<float> corner(static_cast<std::size_t>(top.boxes) * corners);
  ranks_.one_by_one(corner, [&](std::vector<float>& sums) {
    for (BoxId box = 0; box < top.boxes; ++box) {
      const auto i = static_cast<std::size_t>(box);
      if (!share_.top.shared[i] || top.level[box] < 2) continue;
      const Held& held = share_.partition.boxes[share_.top.coarse[i]].*kind.of_coarse;
      const double per_edge = 1 / top.lattice.edge(top.level[box]);
      const EvenlySpaced looked_at(held.begin, held.count, most);
      looked_at.each_in(kind.first, kind.first + kind.count, [&](std::int64_t number) {
        const CornerPlace place = corner_place(top, box, kind.points, number - kind.first, per_edge);
        occupy(place, looked_at.each_for(), decay, &sums[i * corners]);
      });
    }
  });
  return corner;
}

/// Those of ghosts, from their owners.
void RankPlacement::fetch(const std::vector<float>& own, std::vector<float>& corner) {
  std::vector<std::int64_t> sent, received;
  std::vector<float> out;
  for (const Halo& halo : share_.sends) {
    sent.push_back(std::ssize(halo.boxes));
    for (const BoxId box : halo.boxes) {
      const auto from = own.begin() + static_cast<std::ptrdiff_t>(box) * corners;
      out.insert(out.end(), from, from + corners);
    }
  }
  for (const Halo& halo : share_.receives) received.push_back(std::ssize(halo.boxes));
  const Begins received_from = begins_of(received);
  std::vector<float> in(static_cast<std::size_t>(received_from.back()) * corners);
  ranks_.exchange(out.data(), begins_of(sent), in.data(), received_from, corners);
  auto from = in.begin();
  for (const Halo& halo : share_.receives)
    for (const BoxId box : halo.boxes) {
      std::copy_n(from, corners, corner.begin() + static_cast<std::ptrdiff_t>(box) * corners);
      from += corners;
    }
}

/// Of the boxes of the essential tree from level 2 on; ghosts have sources alone.
std::vector<float> RankPlacement::occupations(const Kind& kind, int degree) {
  const std::int64_t most = points_looked_at(degree);
  const CornerWeights decay = CornerWeights::of_degree(degree);
  std::vector<float> own(static_cast<std::size_t>(own_.boxes) * corners);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_)
  for (BoxId box = 0; box < own_.boxes; ++box)
    if (own_.level[box] >= 2)
      occupy(own_, box, kind.points, decay, most, &own[static_cast<std::size_t>(box) * corners]);
  const std::vector<float> shared = of_shared(kind, degree, most);
  const Essential& e = share_.essential;
  std::vector<float> corner(static_cast<std::size_t>(e.tree.boxes) * corners);
  for (std::size_t box = 0; box < e.from_own.size(); ++box) {
    const bool of_top = e.from_top[box] != no_box;
    const BoxId at = of_top ? e.from_top[box] : e.from_own[box];
    if (at == no_box) continue;
    const auto from = (of_top ? shared : own).begin() + static_cast<std::ptrdiff_t>(at) * corners;
    std::copy_n(from, corners, corner.begin() + static_cast<std::ptrdiff_t>(box) * corners);
  }
  if (&kind == &sources_) fetch(own, corner);
  return corner;
}

Placement RankPlacement::facing(const ResultNorms& norms, int degree) {
  const std::vector<float> from = occupations(sources_, degree),
                           apart = share_.own.alike ? std::vector<float>() : occupations(targets_, degree);
  const float* const to = share_.own.alike ? from.data() : apart.data();
  const std::vector<BoxId>& mine = share_.essential.mine;
  const TreeView essential = share_.essential.tree.view();
  std::vector<double> pairs(mine.size(), 0);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_)
  for (std::size_t k = 0; k < mine.size(); ++k)
    if (essential.level[mine[k]] >= 2) pairs[k] = facing_pairs(essential, mine[k], to, from.data());
  Placement sum;
  tree_.order().each(ranks_, pairs, [&](std::int64_t number, double own) {
    add_over_edges(sum, own, share_.partition.lattice.edge(tree_.order().level_of(number)));
  });
  return relative(sum, tree_.targets(), norms);
}

}  // namespace farfield::distributed
