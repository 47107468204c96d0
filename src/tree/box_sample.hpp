// Samples that represent all points or all boxes of a tree: members evenly spaced, or at equal steps of the running sum
// of their weights.
//
// Boxes are drawn to estimate the sums of amount(box) f(box) / a^2 over all boxes, a their edge, for the potential,
// / a^4 for the gradient, and so on, where f is expensive. A box is drawn in proportion to its share of these sums.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/edge_powers.hpp"
#include "tree/tree.hpp"

namespace farfield {

/// Most points to look at in one box. Below degree 14 points in corners of the box carry little of the error, however
/// they lie; from 14 on a single one may carry all of it.
inline std::int64_t most_points(int degree) {
  return degree < 8 ? 8 : degree < 14 ? 64 : std::numeric_limits<std::int64_t>::max();
}

/// At most `most` members of [begin, begin + count), evenly spaced; each represents each_for() members.
class EvenlySpaced {
 public:
  EvenlySpaced(std::int64_t begin, std::int64_t count, std::int64_t most)
      : begin_(begin),
        chosen_(std::min(count, most)),
        step_(static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, chosen_))) {}
  template <class F>
  void each(F&& f) const {
    for (std::int64_t j = 0; j < chosen_; ++j) f(begin_ + static_cast<std::int64_t>(static_cast<double>(j) * step_));
  }
  double each_for() const { return step_; }

 private:
  std::int64_t begin_, chosen_;
  double step_;
};

/// Draws members at `most` equal steps of the running sum of their weights; the weights add up to `all`.
class EqualSteps {
 public:
  EqualSteps(double all, std::int64_t most) : all_(all), step_(all / static_cast<double>(most)), next_(step_ / 2) {}
  /// Factor of the next member, of weight `weight`, in the sampled sum; 0 if it is not drawn.
  double times(double weight) {
    running_ += weight;
    int hits = 0;
    for (; next_ < running_ && next_ < all_; next_ += step_) ++hits;
    return hits > 0 ? hits * step_ / weight : 0;
  }

 private:
  double all_, step_, next_, running_ = 0;
};

struct DrawnBox {
  BoxId box;
  double sum[edge_powers];  ///< factors of f(box) in the sums
};

struct BoxSample {
  std::vector<DrawnBox> boxes;
  double sum[edge_powers] = {};  ///< the sums with f = 1, exactly
  bool finite(int powers) const {
    return std::all_of(sum, sum + powers, [](double s) { return std::isfinite(s); });
  }
};

/// Draws boxes from level 2 on whose amount (>= 0) is above 0: all of them if the tree has no more than `most` boxes
/// there, else about `most`, at equal steps of the running sum of their shares in the first `powers` sums. Draws none
/// where one of these is not finite.
template <class Amount>
BoxSample sample_boxes(const TreeView& tree, std::int64_t most, int powers, Amount&& amount) {
  BoxSample sample;
  const BoxId first = tree.levels > 2 ? tree.level_begin[2] : tree.boxes;
  const auto terms = [&](BoxId box) {
    const double a = tree.lattice.edge(tree.level[box]);
    DrawnBox own{box, {amount(box) / (a * a)}};
    for (int k = 1; k < powers; ++k) own.sum[k] = own.sum[k - 1] / (a * a);
    return own;
  };
  for (BoxId box = first; box < tree.boxes; ++box) {
    const DrawnBox own = terms(box);
    for (int k = 0; k < powers; ++k) sample.sum[k] += own.sum[k];
  }
  if (!(sample.sum[0] > 0) || !sample.finite(powers)) return sample;
  const bool all = tree.boxes - first <= most;
  EqualSteps steps(powers, most);
  for (BoxId box = first; box < tree.boxes; ++box) {
    DrawnBox own = terms(box);
    double share = 0;
    for (int k = 0; k < powers; ++k) share += own.sum[k] / sample.sum[k];
    const double times = all ? (share > 0 ? 1 : 0) : steps.times(share);
    if (!(times > 0)) continue;
    for (double& factor : own.sum) factor *= times;
    sample.boxes.push_back(own);
  }
  return sample;
}

}  // namespace farfield
