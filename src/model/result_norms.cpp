// The size of results for random strengths (placement.hpp): sums of 1/r^2, 1/r^4 and, for Hessians and dipoles, 1/r^6
// and 1/r^8 at a sample of targets, but those of close pairs at all targets, since a few of these may carry most of
// either sum: on a line of 1e5 points all of it.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/loops/widest_vectors.hpp"
#include "model/placement/norms.hpp"
#include "model/placement_terms.hpp"

namespace farfield {

template <class F>
static PowerSums with_powers(const Wanted& wanted, F&& f) {
  if (wanted.powers > 2) return f(std::integral_constant<int, 4>{});
  return f(std::integral_constant<int, 2>{});
}

/// Over `count` sources at one target; a source at the target itself counts nothing.
template <int powers>
FARFIELD_WIDEST_VECTORS static PowerSums sums_of(const double* xs, const double* ys, const double* zs,
                                                 std::int64_t count, double x, double y, double z, double soft2) {
  double square = 0, fourth = 0, sixth = 0, eighth = 0;
#pragma omp simd reduction(+ : square, fourth, sixth, eighth)
  for (std::int64_t s = 0; s < count; ++s) {
    const double dx = x - xs[s], dy = y - ys[s], dz = z - zs[s];
    const double r2 = dx * dx + dy * dy + dz * dz, inverse = r2 > 0 ? 1 / (r2 + soft2) : 0.0;
    square += inverse;
    fourth += inverse * inverse;
    if constexpr (powers > 2) sixth += inverse * inverse * inverse;
    if constexpr (powers > 3) eighth += (inverse * inverse) * (inverse * inverse);
  }
  return {{square, fourth, sixth, eighth}};
}

PowerSums sums_at(const PlacedPoints& sources, std::int64_t begin, std::int64_t end, const double x[3],
                  const Wanted& wanted) {
  return with_powers(wanted, [&](auto powers) {
    return sums_of<powers()>(sources.axis[0] + begin, sources.axis[1] + begin, sources.axis[2] + begin, end - begin,
                             x[0], x[1], x[2], wanted.soft2);
  });
}

/// Over the pairs of points `step` apart in their order, each pair in both directions.
template <int powers>
FARFIELD_WIDEST_VECTORS static PowerSums sums_in_order(const double* xs, const double* ys, const double* zs,
                                                       std::int64_t count, std::int64_t step, double soft2) {
  double square = 0, fourth = 0, sixth = 0, eighth = 0;
#pragma omp simd reduction(+ : square, fourth, sixth, eighth)
  for (std::int64_t s = 0; s < count - step; ++s) {
    const double dx = xs[s + step] - xs[s], dy = ys[s + step] - ys[s], dz = zs[s + step] - zs[s];
    const double r2 = dx * dx + dy * dy + dz * dz, inverse = r2 > 0 ? 2 / (r2 + soft2) : 0.0;
    square += inverse;
    fourth += 0.5 * inverse * inverse;
    if constexpr (powers > 2) sixth += 0.25 * inverse * inverse * inverse;
    if constexpr (powers > 3) eighth += (0.5 * inverse * inverse) * (0.25 * inverse * inverse);
  }
  return {{square, fourth, sixth, eighth}};
}

constexpr std::int64_t neighbours = 2;  // of a point in the order of its leaf, on either side

static PowerSums of_neighbours(const PlacedPoints& points, std::int64_t begin, std::int64_t end, const Wanted& wanted) {
  PowerSums sum;
  for (std::int64_t step = 1; step <= neighbours; ++step)
    sum += with_powers(wanted, [&](auto powers) {
      return sums_in_order<powers()>(points.axis[0] + begin, points.axis[1] + begin, points.axis[2] + begin,
                                     end - begin, step, wanted.soft2);
    });
  return sum;
}

template <int powers>
FARFIELD_WIDEST_VECTORS static PowerSums sums_beyond(const Leaves& leaves, std::size_t begin, std::size_t end,
                                                     const double at[3], double* r2) {
  const double *xs = leaves.x.data(), *ys = leaves.y.data(), *zs = leaves.z.data(), *count = leaves.count.data(),
               *reach = leaves.reach.data(), x = at[0], y = at[1], z = at[2];
  double square = 0, fourth = 0, sixth = 0, eighth = 0;
#pragma omp simd reduction(+ : square, fourth, sixth, eighth)
  for (std::size_t k = begin; k < end; ++k) {
    const double dx = x - xs[k], dy = y - ys[k], dz = z - zs[k], distance2 = dx * dx + dy * dy + dz * dz;
    const double inverse = distance2 > reach[k] ? 1 / distance2 : 0.0;
    r2[k - begin] = distance2;
    square += count[k] * inverse;
    fourth += count[k] * inverse * inverse;
    if constexpr (powers > 2) sixth += count[k] * inverse * inverse * inverse;
    if constexpr (powers > 3) eighth += count[k] * (inverse * inverse) * (inverse * inverse);
  }
  return {{square, fourth, sixth, eighth}};
}

PowerSums beyond_reach(const Leaves& leaves, std::size_t begin, std::size_t end, const double at[3], double* r2,
                       const Wanted& wanted) {
  return with_powers(wanted, [&](auto powers) { return sums_beyond<powers()>(leaves, begin, end, at, r2); });
}

/// `box`: of the leaves.
static SumsAtTarget sums_at_target(const Leaves& leaves, const std::vector<BoxId>& box, const PlacedPoints& sources,
                                   BoxId own, const double x[3], const Wanted& wanted) {
  double r2[Leaves::at_once];
  SumsAtTarget sums;
  for (std::size_t begin = 0; begin < box.size(); begin += Leaves::at_once) {
    const std::size_t end = std::min(begin + Leaves::at_once, box.size());
    sums.far += beyond_reach(leaves, begin, end, x, r2, wanted);
    for (std::size_t k = begin; k < end; ++k)
      if (r2[k - begin] <= leaves.reach[k] && box[k] != own)
        sums.outside += sums_at(sources, sources.begin[box[k]], sources.end[box[k]], x, wanted);
  }
  sums.outside += sums.far;
  return sums;
}

SumsAtTarget mean_of_targets(const std::vector<SumsAtTarget>& at, double all) {
  RobustMean outside, far;
  for (const SumsAtTarget& s : at) outside.add(s.outside, 1), far.add(s.far, 1);
  return {outside.over(all), far.over(all)};
}

/// From the middle targets of some leaves.
static SumsAtTarget mean_at_targets(const TreeView& tree, const std::vector<BoxId>& with_targets,
                                    const PlacedPoints& sources, const PlacedPoints& targets, int threads,
                                    const Wanted& wanted) {
  Leaves leaves;
  std::vector<BoxId> box;
  for (BoxId b = 0; b < tree.boxes; ++b) {
    if (!tree.is_leaf(b) || sources.end[b] == sources.begin[b]) continue;
    const double centre[3] = {tree.coordinate(b, 0), tree.coordinate(b, 1), tree.coordinate(b, 2)};
    leaves.add(centre, tree.lattice.edge(tree.level[b]), static_cast<double>(sources.end[b] - sources.begin[b]));
    box.push_back(b);
  }
  const auto step = static_cast<std::size_t>(step_of_targets(std::ssize(with_targets)));
  std::vector<SumsAtTarget> at((with_targets.size() + step - 1) / step);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t k = 0; k < at.size(); ++k) {
    const BoxId leaf = with_targets[k * step];
    const std::int64_t t = (targets.begin[leaf] + targets.end[leaf]) / 2;
    const double x[3] = {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]};
    at[k] = sums_at_target(leaves, box, sources, leaf, x, wanted);
  }
  return mean_of_targets(at, static_cast<double>(tree.target_count(0)));
}

std::int64_t step_of_measured(bool alike, double targets) {
  const double enough = alike ? std::clamp(targets / 8, 500.0, 8000.0) : 20000;
  return static_cast<std::int64_t>(1 + (targets - 1) / enough);
}

OfLeaf sums_in_leaf(const PlacedPoints& sources, const PlacedPoints& targets, BoxId leaf, bool measured,
                    const Wanted& wanted) {
  const std::int64_t begin = targets.begin[leaf], end = targets.end[leaf], first = sources.begin[leaf],
                     last = sources.end[leaf];
  OfLeaf sums;
  if (sources.begin == targets.begin) sums.neighbours = of_neighbours(sources, first, last, wanted);
  if (!measured) return sums;
  sums.looked_at = std::min<std::int64_t>(end - begin, 2048);
  for (std::int64_t t = begin; t < begin + sums.looked_at; ++t) {
    const double x[3] = {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]};
    sums.measured += sums_at(sources, first, last, x, wanted);
  }
  return sums;
}

void OwnLeafMean::add(const OfLeaf& leaf) {
  PowerSums other;
  for (int e = 0; e < edge_powers; ++e) {
    mean_.of[e] += leaf.neighbours.of[e] / all_;
    other.of[e] = std::max(0.0, leaf.measured.of[e] - leaf.neighbours.of[e]);
  }
  if (leaf.looked_at > 0) others_.add(other, static_cast<double>(leaf.looked_at));
}

PowerSums OwnLeafMean::result() const {
  PowerSums mean = mean_;
  return mean += others_.over(all_);
}

static PowerSums mean_in_own_leaf(const std::vector<BoxId>& with_targets, const PlacedPoints& sources,
                                  const PlacedPoints& targets, double all, int threads, const Wanted& wanted) {
  const auto step = static_cast<std::size_t>(step_of_measured(sources.begin == targets.begin, all));
  std::vector<OfLeaf> of(with_targets.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t k = 0; k < of.size(); ++k)
    of[k] = sums_in_leaf(sources, targets, with_targets[k], k % step == 0, wanted);
  OwnLeafMean mean(all);
  for (const OfLeaf& leaf : of) mean.add(leaf);
  return mean.result();
}

ResultNorms norms_from(const SumsAtTarget& at, const PowerSums& own) {
  ResultNorms mean;
  for (int k = 0; k < edge_powers; ++k) mean.order[k] = at.outside.of[k] + own.of[k];
  if (mean.order[1] > 0) mean.near_share = 1 - at.far.of[1] / mean.order[1];
  return mean;
}

ResultNorms result_norms(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads,
                         const NormsOf& norms) {
  std::vector<BoxId> with_targets;
  for (BoxId box = 0; box < tree.boxes; ++box)
    if (tree.is_leaf(box) && targets.end[box] > targets.begin[box]) with_targets.push_back(box);
  if (with_targets.empty()) return {};
  const double all = static_cast<double>(tree.target_count(0));
  const Wanted wanted(norms);
  const SumsAtTarget at = mean_at_targets(tree, with_targets, sources, targets, threads, wanted);
  return norms_from(at, mean_in_own_leaf(with_targets, sources, targets, all, threads, wanted));
}

}  // namespace farfield
