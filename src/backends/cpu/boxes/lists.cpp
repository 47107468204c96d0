#include "backends/cpu/boxes/lists.hpp"

#include <vector>

#include "backends/cpu/boxes/list_parts.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu {
namespace {

using Part = ListPart;

/// Rows appended level by level; the rows of a level are made from those of the level above.
struct ChunkRows {
  std::vector<std::int64_t> begin{0};
  std::vector<BoxId> items;
  void append(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      const std::int64_t base = begin.back();
      for (const std::int64_t end : part.ends) begin.push_back(base + end);
      items.insert(items.end(), part.items.begin(), part.items.end());
    }
  }
};

class ListBuilder {
 public:
  ListBuilder(const TreeView& tree, const ListThresholds& thresholds) : tree_(tree), thresholds_(thresholds) {}

  void find_coarser(std::vector<Part>& p2l, int threads);
  void find_finer(std::vector<Part>& near, std::vector<Part>& m2p, int threads) const;

 private:
  void coarser_row(BoxId target, Part& adjacent, Part& p2l) const;
  void finer_rows(BoxId target, Part& near, Part& m2p) const;
  void take(BoxId target, BoxId source, Part& near, Part& m2p) const;
  const BoxId* colleagues(BoxId b) const { return tree_.colleague + std::int64_t(colleagues_per_box) * b; }

  const TreeView& tree_;
  ListThresholds thresholds_;
  /// For each box with targets: the coarser leaves with sources that touch the box; for a leaf of few targets
  /// (p2l_targets) also those that reach it by p2p in place of p2l.
  ChunkRows adjacent_;
};

/// Divides the coarser leaves that touch the target's parent (the parent's own row and those of its colleagues that are
/// leaves): `adjacent` gets those that touch the target, too, from which its children choose in turn; `p2l` gets the
/// others, unless the target is a leaf with few targets.
void ListBuilder::coarser_row(BoxId target, Part& adjacent, Part& p2l) const {
  const BoxId parent = tree_.parent[target];
  if (parent != no_box && tree_.target_count(target) > 0) {
    const bool by_pairs = tree_.is_leaf(target) && tree_.target_count(target) <= thresholds_.p2l_targets;
    const auto place = [&](BoxId leaf) { (by_pairs || touch(tree_, leaf, target) ? adjacent : p2l).push(leaf); };
    const std::size_t row = static_cast<std::size_t>(parent);
    for (std::int64_t i = adjacent_.begin[row]; i < adjacent_.begin[row + 1]; ++i)
      place(adjacent_.items[static_cast<std::size_t>(i)]);
    for (int slot = 0; slot < colleagues_per_box; ++slot) {
      const BoxId c = colleagues(parent)[slot];
      if (c != no_box && tree_.is_leaf(c) && tree_.source_count(c) > 0) place(c);
    }
  }
  adjacent.end_row();
  p2l.end_row();
}

void ListBuilder::find_coarser(std::vector<Part>& p2l, int threads) {
  for (int level = 0; level < tree_.levels; ++level) {
    const BoxId first = tree_.level_begin[level], count = tree_.level_begin[level + 1] - first;
    const std::size_t before = p2l.size();
    std::vector<Part> adjacent(static_cast<std::size_t>(chunk_count(count, tuning::listed_per_chunk)));
    p2l.resize(before + adjacent.size());
    for_chunks(count, tuning::listed_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
      const std::size_t c = static_cast<std::size_t>(chunk);
      for (std::int64_t i = begin; i < end; ++i)
        coarser_row(static_cast<BoxId>(first + i), adjacent[c], p2l[before + c]);
    });
    adjacent_.append(adjacent);
  }
}

/// Puts a source box whose parent touches the target leaf undivided into near or m2p, or its children one by one.
void ListBuilder::take(BoxId target, BoxId source, Part& near, Part& m2p) const {
  const std::int64_t sources = tree_.source_count(source);
  if (sources == 0) return;
  if (sources <= thresholds_.m2p_sources) return near.push(source);  // all its descendants would go to near
  if (!touch(tree_, target, source)) return m2p.push(source);
  if (tree_.is_leaf(source)) return near.push(source);
  const BoxId first = tree_.first_child[source];
  for (BoxId child = first; child < first + tree_.child_count(source); ++child) take(target, child, near, m2p);
}

void ListBuilder::finer_rows(BoxId target, Part& near, Part& m2p) const {
  if (tree_.is_leaf(target) && tree_.target_count(target) > 0) {
    const std::size_t row = static_cast<std::size_t>(target);
    for (std::int64_t i = adjacent_.begin[row]; i < adjacent_.begin[row + 1]; ++i)
      near.push(adjacent_.items[static_cast<std::size_t>(i)]);
    for (int slot = 0; slot < colleagues_per_box; ++slot)
      if (const BoxId c = colleagues(target)[slot]; c != no_box) take(target, c, near, m2p);
    near.end_row_of(target);
  } else {
    near.end_row();
  }
  m2p.end_row();
}

void ListBuilder::find_finer(std::vector<Part>& near, std::vector<Part>& m2p, int threads) const {
  near.resize(static_cast<std::size_t>(chunk_count(tree_.boxes, tuning::listed_per_chunk)));
  m2p.resize(near.size());
  for_chunks(tree_.boxes, tuning::listed_per_chunk, threads,
             [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
               const std::size_t c = static_cast<std::size_t>(chunk);
               for (std::int64_t b = begin; b < end; ++b) finer_rows(static_cast<BoxId>(b), near[c], m2p[c]);
             });
}

}  // namespace

void build_lists(Lists<Array>& lists, const TreeView& tree, const ListThresholds& thresholds, int threads) {
  ListBuilder builder(tree, thresholds);
  std::vector<Part> near, m2p, p2l;
  builder.find_coarser(p2l, threads);
  builder.find_finer(near, m2p, threads);
  join(lists.near, near, tree.boxes, threads);
  join(lists.m2p, m2p, tree.boxes, threads);
  join(lists.p2l, p2l, tree.boxes, threads);
}

}  // namespace farfield::cpu
