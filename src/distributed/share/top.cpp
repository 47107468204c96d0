#include "distributed/share/top.hpp"

#include "methods/fmm.hpp"

namespace farfield::distributed {

/// Numbers in the top of the coarse boxes that belong there, else no_box; the coarse tree is level by level already.
static std::vector<BoxId> numbers_of(const Partition& partition, BoxId& count) {
  std::vector<BoxId> number(partition.boxes.size(), no_box);
  count = 0;
  const auto mark = [&](std::size_t b) {
    if (number[b] == no_box) number[b] = 0;
  };
  for (std::size_t b = 0; b < partition.boxes.size(); ++b) {
    const CoarseBox& box = partition.boxes[b];
    if (!box.shared()) continue;
    mark(b);
    for (int c = 0; c < box.children; ++c) mark(static_cast<std::size_t>(box.first_child + c));
  }
  for (BoxId& own : number)
    if (own != no_box) own = count++;
  return number;
}

static void store(Tree<Array>& tree, BoxId id, const CoarseBox& box, const std::vector<BoxId>& number,
                  const Partition& partition) {
  while (tree.levels <= box.level) tree.level_begin[tree.levels++] = id;
  tree.level_begin[tree.levels] = id + 1;
  tree.level[id] = static_cast<std::int8_t>(box.level);
  tree.octant[id] = static_cast<std::uint8_t>(box.level == 0 ? 0 : octant_of(box.corner, tree.lattice, box.level));
  tree.source_begin[id] = 0, tree.source_end[id] = box.sources.count;
  tree.child_mask[id] = 0, tree.first_child[id] = no_box;
  if (box.level == 0) tree.parent[id] = no_box;
  for (int axis = 0; axis < 3; ++axis)
    tree.centre[axis * std::int64_t(tree.boxes) + id] = tree.lattice.centre(box.corner.at[axis], box.level, axis);
  if (!box.shared()) return;
  tree.first_child[id] = number[static_cast<std::size_t>(box.first_child)];
  for (int c = 0; c < box.children; ++c) {
    const CoarseBox& child = partition.boxes[static_cast<std::size_t>(box.first_child + c)];
    tree.child_mask[id] =
        static_cast<std::uint8_t>(tree.child_mask[id] | 1u << octant_of(child.corner, tree.lattice, child.level));
    tree.parent[tree.first_child[id] + c] = id;
  }
}

Top make_top(const Partition& partition) {
  Top top;
  BoxId count = 0;
  const std::vector<BoxId> number = numbers_of(partition, count);
  top.tree.lattice = partition.lattice;
  top.tree.resize(count, 1);
  top.of_rank.resize(partition.ranges.size());
  for (std::size_t b = 0; b < number.size(); ++b) {
    if (number[b] == no_box) continue;
    const CoarseBox& box = partition.boxes[b];
    store(top.tree, number[b], box, number, partition);
    top.corners.push_back(box.corner);
    top.coarse.push_back(b);
    top.shared.push_back(box.shared());
    if (box.shared() || box.level <= coarsest) continue;  // parents above `coarsest` have no multipoles
    top.of_rank[static_cast<std::size_t>(box.first_rank)].push_back(number[b]);
  }
  return top;
}

}  // namespace farfield::distributed
