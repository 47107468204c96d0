#include "backends/cpu/near/heaps.hpp"

#include <algorithm>

#include "backends/cpu/tuning.hpp"

namespace farfield::cpu {

bool is_heap(const TreeView& tree, const double* const source[3], const double* const target[3], BoxId box) {
  if (!tree.is_leaf(box) || std::min(tree.source_count(box), tree.target_count(box)) < tuning::fewest_in_heap)
    return false;
  const auto all_at = [](const double* x, std::int64_t begin, std::int64_t end, double at) {
    return std::all_of(x + begin, x + end, [&](double other) { return other == at; });
  };
  for (int axis = 0; axis < 3; ++axis) {
    const double at = source[axis][tree.source_begin[box]];
    if (!all_at(target[axis], tree.target_begin[box], tree.target_end[box], at)) return false;
    if (!all_at(source[axis], tree.source_begin[box], tree.source_end[box], at)) return false;
  }
  return true;
}

std::int64_t pairs_in_heaps(const TreeView& tree, const double* const source[3], const double* const target[3]) {
  std::int64_t pairs = 0;
  for (BoxId box = 0; box < tree.boxes; ++box)
    if (is_heap(tree, source, target, box)) pairs += tree.source_count(box) * tree.target_count(box);
  return pairs;
}

}  // namespace farfield::cpu
