// Colleagues: a colleague of a box is a child of a colleague of its parent, so one look-up per slot finds it.
#include <algorithm>

#include "backends/cpu/boxes/boxes.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"

namespace farfield::cpu {
namespace {

/// For each octant and slot of a colleague: slot of that colleague's parent among the parent's colleagues, and its
/// octant.
struct ColleagueTable {
  std::uint8_t parent_slot[8][colleagues_per_box], octant[8][colleagues_per_box];
  ColleagueTable() {
    for (int o = 0; o < 8; ++o)
      for (int slot = 0; slot < colleagues_per_box; ++slot) {
        const BoxOffset d = colleague_offset(slot);
        const int x[3] = {(o & 1) + d.x, (o >> 1 & 1) + d.y, (o >> 2) + d.z};  // -1 ... 2
        parent_slot[o][slot] = static_cast<std::uint8_t>(colleague_slot(x[0] >> 1, x[1] >> 1, x[2] >> 1));
        octant[o][slot] = static_cast<std::uint8_t>((x[0] & 1) | (x[1] & 1) << 1 | (x[2] & 1) << 2);
      }
  }
};

}  // namespace

void find_colleagues(Tree<Array>& tree, int threads) {
  static const ColleagueTable table;
  tree.colleague.resize(std::int64_t(colleagues_per_box) * tree.boxes);
  if (tree.boxes == 0) return;
  std::fill_n(tree.colleague.begin(), colleagues_per_box, no_box);
  tree.colleague[colleague_slot(0, 0, 0)] = 0;
  const TreeView view = tree.view();
  for (int level = 1; level < tree.levels; ++level) {
    const std::int64_t first = tree.level_begin[level];
    for_each_index(tree.level_begin[level + 1] - first, tuning::found_per_chunk, threads, [&](std::int64_t i) {
      const std::int64_t b = first + i;
      const int o = tree.octant[b];
      const BoxId* parents = tree.colleague.data() + std::int64_t(colleagues_per_box) * tree.parent[b];
      BoxId* row = tree.colleague.data() + colleagues_per_box * b;
      for (int slot = 0; slot < colleagues_per_box; ++slot) {
        const BoxId parent = parents[table.parent_slot[o][slot]];
        row[slot] = parent == no_box ? no_box : view.child(parent, table.octant[o][slot]);
      }
    });
  }
}

}  // namespace farfield::cpu
