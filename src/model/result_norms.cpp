// The size of results for random strengths (placement.hpp): sums of 1/r^2, 1/r^4 and, for Hessians and dipoles, 1/r^6
// and 1/r^8 at a sample of targets, but those of close pairs at all targets, since a few of these may carry most of
// either sum: on a line of 1e5 points all of it.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/loops/widest_vectors.hpp"
#include "model/placement.hpp"
#include "model/placement_terms.hpp"

namespace farfield {

/// Sums of 1/r^2, 1/r^4, 1/r^6 and 1/r^8.
struct PowerSums {
  double of[edge_powers] = {};
  PowerSums& operator+=(const PowerSums& other) {
    for (int k = 0; k < edge_powers; ++k) of[k] += other.of[k];
    return *this;
  }
};

/// Loops are compiled for two powers and for four.
struct Wanted {
  double soft2;  ///< square of the softening
  int powers;
};
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

static PowerSums sums_at(const PlacedPoints& sources, std::int64_t begin, std::int64_t end, const double x[3],
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

/// The leaves of a tree, for sums in which the sources of most leaves count as if they lay at the centre.
struct Leaves {
  std::vector<BoxId> box;
  std::vector<double> x, y, z, count, reach;  ///< reach: square of two edges; closer sources are summed singly

  Leaves(const TreeView& tree, const PlacedPoints& sources) {
    for (BoxId b = 0; b < tree.boxes; ++b) {
      if (!tree.is_leaf(b) || sources.end[b] == sources.begin[b]) continue;
      const double edge = tree.lattice.edge(tree.level[b]);
      box.push_back(b);
      x.push_back(tree.coordinate(b, 0)), y.push_back(tree.coordinate(b, 1)), z.push_back(tree.coordinate(b, 2));
      count.push_back(static_cast<double>(sources.end[b] - sources.begin[b]));
      reach.push_back(4 * edge * edge);
    }
  }
};

/// Over those of the leaves [begin, end) that lie beyond their reach; `r2` receives the squared distances of all these.
template <int powers>
FARFIELD_WIDEST_VECTORS static PowerSums beyond_reach(const Leaves& leaves, std::size_t begin, std::size_t end,
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

/// At one target: over sources outside its own leaf, and over those in leaves more than two of their edges away.
struct SumsAtTarget {
  PowerSums outside, far;
};
static SumsAtTarget sums_at_target(const Leaves& leaves, const PlacedPoints& sources, BoxId own, const double x[3],
                                   const Wanted& wanted) {
  constexpr std::size_t at_once = 256;
  double r2[at_once];
  SumsAtTarget sums;
  for (std::size_t begin = 0; begin < leaves.box.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, leaves.box.size());
    sums.far += with_powers(wanted, [&](auto powers) { return beyond_reach<powers()>(leaves, begin, end, x, r2); });
    for (std::size_t k = begin; k < end; ++k) {
      const BoxId box = leaves.box[k];
      if (r2[k - begin] <= leaves.reach[k] && box != own)
        sums.outside += sums_at(sources, sources.begin[box], sources.end[box], x, wanted);
    }
  }
  sums.outside += sums.far;
  return sums;
}

/// The mean over `all` targets from a sample. The largest of eight or more parts counts for itself alone: a single
/// close pair may carry it.
class RobustMean {
 public:
  void add(const PowerSums& sums, double targets) {
    sum_ += sums, targets_ += targets, ++parts_;
    for (int k = 0; k < edge_powers; ++k) largest_.of[k] = std::max(largest_.of[k], sums.of[k]);
  }
  PowerSums over(double all) const {
    PowerSums mean;
    for (int k = 0; k < edge_powers; ++k) mean.of[k] = over(sum_.of[k], largest_.of[k], all);
    return mean;
  }

 private:
  double over(double sum, double largest, double all) const {
    if (parts_ < 8) largest = 0;
    return targets_ > 0 ? (sum - largest) / targets_ + largest / all : 0;
  }
  PowerSums sum_, largest_;
  double targets_ = 0;
  int parts_ = 0;
};

/// The means of these sums over all targets, from the middle targets of 32 to 63 leaves.
static SumsAtTarget mean_at_targets(const TreeView& tree, const std::vector<BoxId>& with_targets,
                                    const PlacedPoints& sources, const PlacedPoints& targets, int threads,
                                    const Wanted& wanted) {
  const auto all = static_cast<double>(tree.target_count(0));
  constexpr std::size_t sampled = 32;
  const Leaves leaves(tree, sources);
  const std::size_t step = std::max<std::size_t>(1, with_targets.size() / sampled);
  std::vector<SumsAtTarget> at((with_targets.size() + step - 1) / step);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t k = 0; k < at.size(); ++k) {
    const BoxId leaf = with_targets[k * step];
    const std::int64_t t = (targets.begin[leaf] + targets.end[leaf]) / 2;
    const double x[3] = {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]};
    at[k] = sums_at_target(leaves, sources, leaf, x, wanted);
  }
  RobustMean outside, far;
  for (const SumsAtTarget& s : at) outside.add(s.outside, 1), far.add(s.far, 1);
  return {outside.over(all), far.over(all)};
}

/// The mean over targets of the sums over their own leaf, whose close pairs carry most of the gradient: measured in
/// some leaves, and corrected by the sums over neighbours in the order of points, in those leaves and in all.
static PowerSums mean_in_own_leaf(const std::vector<BoxId>& with_targets, const PlacedPoints& sources,
                                  const PlacedPoints& targets, double all, int threads, const Wanted& wanted) {
  struct OfLeaf {
    PowerSums measured, neighbours;
    std::int64_t looked_at = 0;
  };
  const bool alike = sources.begin == targets.begin;
  const double enough = alike ? std::clamp(all / 8, 500.0, 8000.0) : 20000;
  const std::size_t stride = static_cast<std::size_t>(1 + (all - 1) / enough);
  std::vector<OfLeaf> of(with_targets.size());
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t k = 0; k < of.size(); ++k) {
    const std::int64_t begin = targets.begin[with_targets[k]], end = targets.end[with_targets[k]],
                       first = sources.begin[with_targets[k]], last = sources.end[with_targets[k]];
    if (alike) of[k].neighbours = of_neighbours(sources, first, last, wanted);
    if (k % stride) continue;
    of[k].looked_at = std::min<std::int64_t>(end - begin, 2048);
    for (std::int64_t t = begin; t < begin + of[k].looked_at; ++t) {
      const double x[3] = {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]};
      of[k].measured += sums_at(sources, first, last, x, wanted);
    }
  }
  PowerSums mean;
  RobustMean others;
  for (const OfLeaf& leaf : of) {
    PowerSums other;
    for (int e = 0; e < edge_powers; ++e) {
      mean.of[e] += leaf.neighbours.of[e] / all;
      other.of[e] = std::max(0.0, leaf.measured.of[e] - leaf.neighbours.of[e]);
    }
    if (leaf.looked_at > 0) others.add(other, static_cast<double>(leaf.looked_at));
  }
  return mean += others.over(all);
}

ResultNorms result_norms(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets, int threads,
                         const NormsOf& norms) {
  std::vector<BoxId> with_targets;
  for (BoxId box = 0; box < tree.boxes; ++box)
    if (tree.is_leaf(box) && targets.end[box] > targets.begin[box]) with_targets.push_back(box);
  if (with_targets.empty()) return {};
  const double all = static_cast<double>(tree.target_count(0));
  const Wanted wanted{norms.softening * norms.softening, norms.derivatives > 1 ? 4 : 2};
  const SumsAtTarget at = mean_at_targets(tree, with_targets, sources, targets, threads, wanted);
  const PowerSums own = mean_in_own_leaf(with_targets, sources, targets, all, threads, wanted);
  ResultNorms mean;
  for (int k = 0; k < edge_powers; ++k) mean.order[k] = at.outside.of[k] + own.of[k];
  if (mean.order[1] > 0) mean.near_share = 1 - at.far.of[1] / mean.order[1];
  return mean;
}

}  // namespace farfield
