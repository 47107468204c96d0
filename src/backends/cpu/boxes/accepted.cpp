// The lists of a treecode: every target leaf walks the tree from the root and takes boxes as small as it must.
#include <vector>

#include "backends/cpu/boxes/list_parts.hpp"
#include "backends/cpu/boxes/lists.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu {
namespace {

/// One target leaf's walk.
struct Walk {
  const TreeView& tree;
  const Acceptance& rule;
  const Expandable& expandable;
  std::int64_t m2p_sources;
  BoxId leaf;
  Cuboid targets;
  ListPart &near, &m2p;

  /// Puts a box into m2p or near, or its children one by one. Boxes that hold the targets are divided as far as they
  /// go, so that the leaf itself is an item of its own.
  void take(BoxId source) const {
    const std::int64_t sources = tree.source_count(source);
    if (sources == 0) return;
    if (sources > m2p_sources && accepts(rule, tree, source, targets)) {
      if (tree.lattice.edge(tree.level[source]) <= expandable.widest) return m2p.push(source);
      if (accepts({rule.theta, expandable.beyond, rule.axes}, tree, source, targets)) return;  // it gives nothing
    }
    if (tree.is_leaf(source) || (sources <= m2p_sources && !holds(tree, source, leaf))) return near.push(source);
    const BoxId first = tree.first_child[source];
    for (BoxId child = first; child < first + tree.child_count(source); ++child) take(child);
  }
};

}  // namespace

void build_accepted(Lists<Array>& lists, const TreeView& tree, const double* const target[3], const Acceptance& rule,
                    const Expandable& expandable, const ListThresholds& thresholds, int threads) {
  const auto chunks = static_cast<std::size_t>(chunk_count(tree.boxes, tuning::listed_per_chunk));
  std::vector<ListPart> near(chunks), m2p(chunks);
  for_chunks(tree.boxes, tuning::listed_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, auto chunk) {
    const auto c = static_cast<std::size_t>(chunk);
    for (std::int64_t b = begin; b < end; ++b) {
      const BoxId box = static_cast<BoxId>(b);
      if (tree.is_leaf(box) && tree.target_count(box) > 0)
        Walk{tree,       rule,
             expandable, thresholds.m2p_sources,
             box,        cuboid_around(target, tree.target_begin[box], tree.target_end[box]),
             near[c],    m2p[c]}
            .take(0);
      near[c].end_row_of(box);
      m2p[c].end_row();
    }
  });
  join(lists.near, near, tree.boxes, threads);
  join(lists.m2p, m2p, tree.boxes, threads);
  lists.p2l.items.resize(0);
  lists.p2l.begin.resize(tree.boxes + 1);
  std::fill_n(lists.p2l.begin.begin(), tree.boxes + 1, 0);
}

}  // namespace farfield::cpu
