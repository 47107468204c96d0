#include "backends/cpu/boxes/boxes.hpp"

#include <algorithm>
#include <farfield/error.hpp>
#include <limits>
#include <string>
#include <vector>

#include "backends/cpu/boxes/sort.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"

namespace farfield::cpu {
namespace {

constexpr std::int64_t most_boxes = std::numeric_limits<BoxId>::max();

/// A box while the tree grows. Ranges [0] are of sources, [1] of targets.
struct Node {
  std::int64_t corner[3];  // lattice index of the lowest corner
  std::int64_t begin[2], end[2];
  BoxId parent, first_child;
  std::uint8_t octant, child_mask;
};

/// Where the children of a box begin in its two ranges; [8] is the end.
struct Cuts {
  std::int64_t at[2][9];
  unsigned mask;
};

class TreeBuilder {
 public:
  TreeBuilder(Cloud& sources, Cloud* targets, const TreeOptions& options)
      : lattice_(sources.lattice),
        options_(options),
        sets_(targets ? 2 : 1),
        clouds_{&sources, targets},
        finest_(finest_relative_edge(lattice_)) {}

  void grow();
  void store(Tree<Array>& tree) const;

 private:
  bool splits(const Node& node, int level) const;
  bool all_coincide(const Node& node) const;
  void renew_keys(const std::vector<BoxId>& splitting, int level);
  Cuts cut(const Node& node, int level) const;
  void add_children(BoxId parent, const Cuts& cuts, int level);
  std::vector<BoxId> splitting_boxes(BoxId begin, BoxId end, int level) const;
  void add_level(const std::vector<BoxId>& splitting, int level);

  Lattice lattice_;
  const TreeOptions& options_;
  int sets_;
  Cloud* clouds_[2];
  double finest_;
  std::vector<Node> nodes_;
  std::vector<BoxId> level_begin_;
};

bool TreeBuilder::all_coincide(const Node& node) const {
  double x[3];
  const int set = node.begin[0] < node.end[0] ? 0 : 1;
  coordinates(*clouds_[set], clouds_[set]->items[node.begin[set]], x);
  for (int s = set; s < sets_; ++s) {
    const Array<Item>& items = clouds_[s]->items;
    if (node.begin[s] == node.end[s]) continue;
    if (key_of(items[node.begin[s]]) != key_of(items[node.end[s] - 1])) return false;
    if (!coincide(*clouds_[s], node.begin[s], node.end[s], x)) return false;
  }
  return true;
}

bool TreeBuilder::splits(const Node& node, int level) const {
  if (options_.divided.hold(node.corner, level)) return true;
  const bool narrow = level < lattice_.depth && lattice_.edge(level + 1) < options_.least_edge;
  if (options_.depth >= 0) {
    if (level >= options_.depth) return false;
    if (narrow) refuse_narrow_boxes(options_.depth, level);
    if (resolves_children(lattice_, finest_, node.corner, level)) return true;
    throw Error(ErrorCode::usage, "depth " + std::to_string(options_.depth) +
                                      " is finer than the coordinates resolve; the deepest level here is " +
                                      std::to_string(level));
  }
  std::int64_t most = 0;
  for (int s = 0; s < sets_; ++s) most = std::max(most, node.end[s] - node.begin[s]);
  return !narrow && most > options_.leaf_size && resolves_children(lattice_, finest_, node.corner, level) &&
         !all_coincide(node);
}

std::vector<BoxId> TreeBuilder::splitting_boxes(BoxId begin, BoxId end, int level) const {
  std::vector<char> split(static_cast<std::size_t>(end - begin));
  for_each_index(end - begin, tuning::divided_per_chunk, options_.threads, [&](std::int64_t i) {
    split[static_cast<std::size_t>(i)] = splits(nodes_[static_cast<std::size_t>(begin + i)], level);
  });
  std::vector<BoxId> splitting;
  for (BoxId b = begin; b < end; ++b)
    if (split[static_cast<std::size_t>(b - begin)]) splitting.push_back(b);
  return splitting;
}

/// Keys of the next levels for the points of the boxes to be subdivided: large ranges one after another, each by all
/// threads; the others in parallel, each by one thread.
void TreeBuilder::renew_keys(const std::vector<BoxId>& splitting, int level) {
  const auto renew = [&](BoxId b, int s, int threads) {
    const Node& node = nodes_[static_cast<std::size_t>(b)];
    Cloud& cloud = *clouds_[s];
    rekey(cloud, node.begin[s], node.end[s], level, threads);
    sort_items(cloud.items.data() + node.begin[s], cloud.scratch.data() + node.begin[s], node.end[s] - node.begin[s],
               threads);
  };
  const auto is_large = [&](BoxId b, int s) {
    const Node& node = nodes_[static_cast<std::size_t>(b)];
    return node.end[s] - node.begin[s] >= tuning::sorted_together;
  };
  for (int s = 0; s < sets_; ++s) {
    for (const BoxId b : splitting)
      if (is_large(b, s)) renew(b, s, options_.threads);
    for_each_index(static_cast<std::int64_t>(splitting.size()), 1, options_.threads, [&](std::int64_t i) {
      const BoxId b = splitting[static_cast<std::size_t>(i)];
      if (!is_large(b, s)) renew(b, s, 1);
    });
  }
}

Cuts TreeBuilder::cut(const Node& node, int level) const {
  Cuts cuts{};
  for (int s = 0; s < sets_; ++s) {
    const Item* items = clouds_[s]->items.data();
    cuts.at[s][0] = node.begin[s];
    cuts.at[s][8] = node.end[s];
    for (int o = 1; o < 8; ++o)
      cuts.at[s][o] = std::partition_point(items + cuts.at[s][o - 1], items + node.end[s],
                                           [&](Item item) { return child_of_key(key_of(item), level) < o; }) -
                      items;
    for (int o = 0; o < 8; ++o)
      if (cuts.at[s][o] < cuts.at[s][o + 1]) cuts.mask |= 1u << o;
  }
  return cuts;
}

void TreeBuilder::add_children(BoxId parent, const Cuts& cuts, int level) {
  const Node& node = nodes_[static_cast<std::size_t>(parent)];
  const std::int64_t child_edge = std::int64_t(1) << (lattice_.depth - level - 1);
  std::size_t child = static_cast<std::size_t>(node.first_child);
  for (int o = 0; o < 8; ++o) {
    if (!(cuts.mask >> o & 1u)) continue;
    Node& made = nodes_[child++];
    made = {};
    for (int axis = 0; axis < 3; ++axis) made.corner[axis] = node.corner[axis] + (o >> axis & 1) * child_edge;
    for (int s = 0; s < sets_; ++s) {
      made.begin[s] = cuts.at[s][o];
      made.end[s] = cuts.at[s][o + 1];
    }
    made.parent = parent;
    made.first_child = no_box;
    made.octant = static_cast<std::uint8_t>(o);
  }
}

void TreeBuilder::add_level(const std::vector<BoxId>& splitting, int level) {
  const std::int64_t count = static_cast<std::int64_t>(splitting.size());
  std::vector<Cuts> cuts(splitting.size());
  for_each_index(count, tuning::divided_per_chunk, options_.threads, [&](std::int64_t i) {
    const std::size_t k = static_cast<std::size_t>(i);
    cuts[k] = cut(nodes_[static_cast<std::size_t>(splitting[k])], level);
  });
  std::int64_t boxes = static_cast<std::int64_t>(nodes_.size());
  for (std::size_t i = 0; i < splitting.size(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(splitting[i])];
    node.first_child = static_cast<BoxId>(boxes);
    node.child_mask = static_cast<std::uint8_t>(cuts[i].mask);
    boxes += count_bits(cuts[i].mask);
    if (boxes > most_boxes) throw Error(ErrorCode::usage, "the tree has more than 2^31 boxes; use larger leaves");
  }
  nodes_.resize(static_cast<std::size_t>(boxes));
  for_each_index(count, tuning::divided_per_chunk, options_.threads, [&](std::int64_t i) {
    const std::size_t k = static_cast<std::size_t>(i);
    add_children(splitting[k], cuts[k], level);
  });
}

void TreeBuilder::grow() {
  Node root{};
  root.parent = root.first_child = no_box;
  for (int s = 0; s < sets_; ++s) root.end[s] = clouds_[s]->count();
  level_begin_.assign(1, 0);
  if (root.end[0] + root.end[1] > 0) nodes_.push_back(root);
  for (int level = 0; static_cast<std::size_t>(level_begin_.back()) < nodes_.size(); ++level) {
    const BoxId begin = level_begin_.back(), end = static_cast<BoxId>(nodes_.size());
    level_begin_.push_back(end);
    const std::vector<BoxId> splitting = splitting_boxes(begin, end, level);
    if (level > 0 && KeyLayout().levels(level).begin == level) renew_keys(splitting, level);
    add_level(splitting, level);
  }
}

void TreeBuilder::store(Tree<Array>& tree) const {
  const BoxId boxes = static_cast<BoxId>(nodes_.size());
  tree.lattice = lattice_;
  tree.levels = static_cast<int>(level_begin_.size()) - 1;
  std::copy(level_begin_.begin(), level_begin_.end(), tree.level_begin);
  tree.resize(boxes, sets_);
  Array<std::int64_t>* begin[2] = {&tree.source_begin, &tree.target_begin};
  Array<std::int64_t>* end[2] = {&tree.source_end, &tree.target_end};
  for (int level = 0; level < tree.levels; ++level)
    std::fill(tree.level.begin() + tree.level_begin[level], tree.level.begin() + tree.level_begin[level + 1],
              static_cast<std::int8_t>(level));
  for_each_index(boxes, tuning::stored_per_chunk, options_.threads, [&](std::int64_t b) {
    const Node& node = nodes_[static_cast<std::size_t>(b)];
    for (int axis = 0; axis < 3; ++axis)
      tree.centre[axis * std::int64_t(boxes) + b] = lattice_.centre(node.corner[axis], tree.level[b], axis);
    tree.parent[b] = node.parent;
    tree.first_child[b] = node.first_child;
    tree.child_mask[b] = node.child_mask;
    tree.octant[b] = node.octant;
    for (int s = 0; s < sets_; ++s) {
      (*begin[s])[b] = node.begin[s];
      (*end[s])[b] = node.end[s];
    }
  });
}

}  // namespace

void build_boxes(Tree<Array>& tree, Cloud& sources, Cloud* targets, const TreeOptions& options) {
  TreeBuilder builder(sources, targets, options);
  builder.grow();
  builder.store(tree);
  find_colleagues(tree, options.threads);
}

}  // namespace farfield::cpu
