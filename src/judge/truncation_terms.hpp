// The terms of truncation.cpp's sums, for those who add them up in other places: host arrays only. target[axis][i]:
// coordinates by the numbers that the tree gives to targets, arrays as a rule.
#pragma once
#include "judge/truncation.hpp"
#include "tree/box_sample.hpp"

namespace farfield {

/// The sample of targets that stands for all targets of a box.
inline EvenlySpaced targets_of_tail(const TreeView& tree, BoxId box, int degree) {
  return {tree.target_begin[box], tree.target_count(box), points_looked_at(degree)};
}
inline Truncation scaled_tail(const Truncation& sum, double times) {
  Truncation all;
  for (int k = 0; k < orders; ++k) all.order[k] = times * sum.order[k];
  return all;
}

/// Squared errors at the targets of a box from the terms that its local lacks.
template <class Coordinates>
Truncation local_tail(const TreeView& tree, BoxId box, double power, const Coordinates& target,
                      const TailMeans& means) {
  if (!tree.is_leaf(box)) return inner_box_tail(tree, box, targets_in(tree, box), power, target, means);
  const double a = tree.lattice.edge(tree.level[box]);
  Truncation sum;
  const EvenlySpaced targets = targets_of_tail(tree, box, means.n - 1);
  targets.each([&](std::int64_t i) {
    sum += inner_tail(power, square_from_centre(tree, box, target, i, a, means.decay), a, means);
  });
  return scaled_tail(sum, targets.each_for());
}

/// Squared errors at the targets of a leaf from the terms that the multipoles of finer boxes lack.
template <class Coordinates>
Truncation finer_tails(const TreeView& tree, const ListView& m2p, BoxId box, const double* power,
                       const Coordinates& target, const LevelMeans& of_level) {
  Truncation sum;
  const EvenlySpaced targets = targets_of_tail(tree, box, of_level[0].n - 1);
  for (std::int64_t k = m2p.begin[box]; k < m2p.begin[box + 1]; ++k) {
    const BoxId source = m2p.items[k];
    const double a = tree.lattice.edge(tree.level[source]);
    const TailMeans& means = of_level[tree.level[source]];
    targets.each([&](std::int64_t i) {
      sum += outer_tail(power[source], square_from_centre(tree, source, target, i, a, means.decay), a, means);
    });
  }
  return scaled_tail(sum, targets.each_for());
}

/// Both; a coarse leaf has finer boxes, too.
template <class Real, class Coordinates>
Truncation box_tail(const TreeView& tree, const ListView& m2p, BoxId box, const Expansions<Real>& e,
                    const double* power, const Coordinates& target, const LevelMeans& means) {
  if (tree.target_count(box) == 0) return {};
  Truncation own = finer_tails(tree, m2p, box, power, target, means);
  if (tree.level[box] < 2) return own;
  return own += local_tail(tree, box, next_power(e, e.local + box * e.stride), target, means[tree.level[box]]);
}

/// Adds what boxes give, one after the other, as so many at a time.
class BoxTails {
 public:
  static constexpr int grain = 64;
  void add(const Truncation& box) {
    part_ += box;
    if (++boxes_ % grain == 0) sum_ += part_, part_ = {};
  }
  Truncation sum() const {
    Truncation all = sum_;
    return all += part_;
  }

 private:
  Truncation sum_, part_;
  std::int64_t boxes_ = 0;
};

/// Powers of the first terms that multipoles lack, of boxes with sources from level `first` on; 0 of others.
template <class Real>
void find_powers(const TreeView& tree, const Expansions<Real>& e, int first, double* power, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (BoxId box = 0; box < tree.boxes; ++box)
    power[box] =
        tree.level[box] >= first && tree.source_count(box) > 0 ? next_power(e, e.multipole + box * e.stride) : 0;
}

/// Boxes whose multipoles' errors at far targets are formed; they stand for all.
inline constexpr int far_tails_drawn = 256;
/// Squared errors at all far targets from the terms that one multipole lacks, for a power of 1, times the square of the
/// box's edge: the weights of a sample of boxes divide by it. The far list is symmetric: every box in the source's far
/// list has the source in its own.
template <class Coordinates>
double far_targets(const TreeView& tree, BoxId source, const Coordinates& point, const TailMeans& means) {
  double sum = 0;
  if (tree.parent[source] == no_box) return 0;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        for_each_far_box(tree, source, {x, y, z}, [&](BoxId target, int dx, int dy, int dz) {
          sum += far_tail(tree, source, targets_in(tree, target), dx, dy, dz, point, means);
        });
  const double a = tree.lattice.edge(tree.level[source]);
  return means.decay.steeper ? sum : sum * a * a;
}
/// Adds those of a drawn box to the sums of all.
inline void add_far_tail(Truncation& sum, const DrawnBox& drawn, double missed, int judged, const TailMeans& means) {
  double ratio = 1;
  for (int k = 0; k < judged; ++k) {
    if (k > 0) ratio *= means.outer_ratio(k);
    sum.order[k] += drawn.sum[k] * missed * ratio;
  }
}

}  // namespace farfield
