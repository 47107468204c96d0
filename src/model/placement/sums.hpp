// The terms of placement.cpp's sums, for those who add them up in other places: host arrays only.
#pragma once
#include <algorithm>
#include <cmath>

#include "model/placement_terms.hpp"
#include "tree/box_sample.hpp"

namespace farfield {

/// Table of a charge's weight by its distance from the centre (summed over axes, in edges), in steps of 1/1024 of the
/// corner's: exp() of every point took most of the time.
class CornerWeights {
 public:
  static CornerWeights of_degree(int degree) { return CornerWeights(1.5 * std::max(1, degree)); }
  float operator()(double distance) const {
    return weight_[std::min(static_cast<int>(distance * (steps / corner)), steps - 1)];
  }

 private:
  explicit CornerWeights(double rate) {
    const double least = 1.5 - reach_of(rate), per_step = std::exp(-rate * corner / steps);
    double weight = std::sqrt(per_step);  // half a step from the corner
    for (int k = steps; k-- > 0; weight *= per_step)
      weight_[k] = (k + 0.5) * corner / steps > least ? static_cast<float>(weight) : 0;
  }
  static constexpr int steps = 1024;
  static constexpr double corner = 1.5;
  float weight_[steps];
};

/// Adds a point that stands for `each_for` points to the occupations of the corners of a box of edge 1 / per_edge.
inline void occupy(const CornerPlace& place, double each_for, const CornerWeights& decay, float* corner) {
  corner[place.octant] += static_cast<float>(each_for) * decay(place.distance);
}
/// Occupations of the corners of one box, from at most `most` of its points.
void occupy(const TreeView& tree, BoxId box, const PlacedPoints& points, const CornerWeights& decay, std::int64_t most,
            float* corner);

/// Sum of B_source B_target over the boxes that face box `target`; `targets`, `sources`: occupations [boxes][corners].
double facing_pairs(const TreeView& tree, BoxId target, const float* targets, const float* sources);

/// Adds the pairs of a box of this edge over its squares, over their squares and so on.
inline void add_over_edges(Placement& sum, double pairs, double edge) {
  const double a2 = edge * edge;
  double own = pairs / a2;
  for (int k = 0; k < edge_powers; ++k, own /= a2) sum.order[k] += own;
}

/// Boxes drawn for typical pairs: in small trees fewer, where 128 took 5 % of an evaluation.
inline std::int64_t boxes_to_draw(std::int64_t targets) { return std::clamp<std::int64_t>(targets / 128, 32, 128); }
/// Powers of edges of which these boxes estimate sums well.
inline int powers_drawn(int derivatives) { return std::max(2, derivatives + 1); }
/// Adds the far pairs of a drawn box.
inline void add_far(Placement& beside, Placement& beyond, const DrawnBox& drawn, const FarSources& far) {
  for (int k = 0; k < edge_powers; ++k) {
    beside.order[k] += drawn.sum[k] * far.beside;
    beyond.order[k] += drawn.sum[k] * far.beyond;
  }
}

/// Is a box one of those that are looked at for planes, a leaf of 8 points or more?
inline bool may_show_planes(const TreeView& tree, const PlacedPoints& points, BoxId box) {
  return tree.is_leaf(box) && points.end[box] - points.begin[box] >= 8;
}
/// The first such box of each stretch of so many boxes is.
inline std::int64_t stretch_of_planes(std::int64_t boxes) { return std::max<std::int64_t>(1, boxes / 64); }
/// Do the points of such a box stand in planes?
bool shows_planes(const PlacedPoints& points, BoxId box);
inline bool are_planes(int looked_at, int in_planes) { return in_planes > looked_at / 4; }

}  // namespace farfield
