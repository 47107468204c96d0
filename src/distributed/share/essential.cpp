#include "distributed/share/essential.hpp"

#include <algorithm>

namespace farfield::distributed {

void unite(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const Interval& one : intervals) {
    if (one.begin == one.end) continue;
    if (kept > 0 && one.begin <= intervals[kept - 1].end)
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, one.end);
    else
      intervals[kept++] = one;
  }
  intervals.resize(kept);
}

std::vector<Place> corners_of(const TreeView& tree) {
  std::vector<Place> corners(static_cast<std::size_t>(tree.boxes));
  for (BoxId b = 1; b < tree.boxes; ++b)
    corners[static_cast<std::size_t>(b)] =
        child_of(corners[static_cast<std::size_t>(tree.parent[b])], tree.lattice, tree.level[b] - 1, tree.octant[b]);
  return corners;
}

std::vector<Needed> needed_by_others(const TreeView& tree, const std::vector<Place>& corners,
                                     const Partition& partition, int own_rank, std::int64_t few) {
  std::vector<Needed> needed(partition.ranges.size());
  // the ranks that need the children of each box; boxes deep within a rank have none
  std::vector<std::vector<std::int32_t>> around(static_cast<std::size_t>(tree.boxes));
  for (BoxId b = 0; b < tree.boxes; ++b) {
    const auto i = static_cast<std::size_t>(b);
    std::vector<std::int32_t> all;
    if (b == 0)
      for (std::size_t r = 0; r < needed.size(); ++r)
        if (static_cast<int>(r) != own_rank && !partition.ranges[r].empty) all.push_back(static_cast<std::int32_t>(r));
    const std::vector<std::int32_t>& to = b == 0 ? all : around[static_cast<std::size_t>(tree.parent[b])];
    if (to.empty()) continue;
    const bool shared = partition.shared_box(corners[i], tree.level[b]) >= 0;
    const std::int64_t sources = tree.source_count(b);
    for (const std::int32_t r : to) {
      Needed& by = needed[static_cast<std::size_t>(r)];
      const bool touches =
          meets_around(partition.ranges[static_cast<std::size_t>(r)], corners[i], tree.lattice, tree.level[b]);
      if (touches && !tree.is_leaf(b)) around[i].push_back(r);
      if (shared) continue;
      const bool with_points = sources > 0 && (sources <= few || (touches && tree.is_leaf(b)));
      by.boxes.push_back(b);
      by.with_points.push_back(with_points);
      if (with_points) by.intervals.push_back({tree.source_begin[b], tree.source_end[b]});
    }
  }
  for (Needed& by : needed) unite(by.intervals);
  return needed;
}

}  // namespace farfield::distributed
