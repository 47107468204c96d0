#include "backends/hybrid/share.hpp"

#include <algorithm>
#include <cmath>

#include "core/chunks.hpp"
#include "kernels/traits.hpp"
#include "model/cost_model.hpp"

namespace farfield::hybrid {

namespace {

/// A smaller share gains less than the device's upward pass may cost more than expected.
constexpr double least_share = 1.0 / 32;
/// Boxes of the level whose edges a share ends at: fine enough for a share to be within half a percent of the best.
constexpr BoxId boxes_to_end_at = 256;

/// Nanoseconds of p2m and m2m of all sources.
double upward_cost(const CostConstants& c, const TreeCounts& n, double count) {
  return n.sources / 2 * count * c.coefficient + n.boxes / 2 * (c.box + count * count * c.shift);
}
double downward_cost(const CostConstants& c, const Decision& d, const TreeCounts& n, double count) {
  return n.targets / 2 * count * c.coefficient + n.boxes / 2 * count * count * c.shift +
         n.translations * translation_cost(c, d.degree, d.rotation);
}

}  // namespace

Pace expected_pace(const Decision& d, const TreeCounts& n, int threads) {
  const CostConstants cores = cost_constants(d.kernel, d.simd, d.precision, d.gradient);
  CostConstants device = device_cost_constants(d.kernel, d.precision, d.gradient);
  if (d.precision == Precision::single_) device.tensor = nullptr;  // m2l of a share has no 16-bit operands
  const double count = traits(d.kernel).coefficients(d.degree), of_cores = 1e-9 / team_size(threads), of_device = 1e-9;
  return {of_device * n.near_pairs * device.pair, of_device * upward_cost(device, n, count),
          of_device * downward_cost(device, d, n, count), of_cores * upward_cost(cores, n, count),
          of_cores * downward_cost(cores, d, n, count)};
}

double best_share(const Pace& p) {
  const double left = p.cores_up + p.cores_down - p.near - p.device_up, both = p.cores_down + p.device_down;
  const double share = both > 0 ? std::clamp(left / both, 0.0, 1.0) : 0;
  return share < least_share ? 0 : share;
}

/// The coarsest level with some hundreds of boxes; the last one of small trees.
static int level_to_end_at(const TreeView& tree) {
  int level = 0;
  while (level + 1 < tree.levels && tree.level_begin[level + 1] - tree.level_begin[level] < boxes_to_end_at) ++level;
  return level;
}

std::int64_t share_of_targets(const TreeView& tree, double share) {
  if (tree.boxes == 0 || share <= 0) return 0;
  const std::int64_t all = tree.target_count(0), wanted = std::llround(share * static_cast<double>(all));
  std::int64_t nearest = wanted < all - wanted ? 0 : all;
  const int level = level_to_end_at(tree);
  for (BoxId b = tree.level_begin[level]; b < tree.level_begin[level + 1]; ++b)
    for (const std::int64_t edge : {tree.target_begin[b], tree.target_end[b]})
      if (std::abs(edge - wanted) < std::abs(nearest - wanted)) nearest = edge;
  return nearest;
}

TreeView ClippedTree::of(const TreeView& tree, std::int64_t first, std::int64_t last, int threads) {
  constexpr std::int64_t boxes_per_chunk = 4096;
  begin_.resize(tree.boxes), end_.resize(tree.boxes);
  for_each_index(tree.boxes, boxes_per_chunk, threads, [&](std::int64_t b) {
    begin_[b] = std::clamp(tree.target_begin[b], first, last);
    end_[b] = std::clamp(tree.target_end[b], first, last);
  });
  TreeView clipped = tree;
  clipped.target_begin = begin_.data(), clipped.target_end = end_.data();
  return clipped;
}

}  // namespace farfield::hybrid
