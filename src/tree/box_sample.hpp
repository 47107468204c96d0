// Samples that represent all points or all boxes of a tree: members evenly spaced, or at equal steps of the running sum
// of their weights.
//
// Boxes are drawn to estimate the sums of amount(box) f(box) / a^2 and / a^4 over all boxes, a their edge, for
// potential and gradient, where f is expensive. A box is drawn in proportion to its share of these sums.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

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
  double square, fourth;  ///< factors of f(box) in the two sums
};

struct BoxSample {
  std::vector<DrawnBox> boxes;
  double square = 0, fourth = 0;  ///< the sums with f = 1, exactly
};

/// Draws boxes from level 2 on whose amount (>= 0) is above 0: all of them if the tree has no more than `most` boxes
/// there, else about `most`, at equal steps of the running sum of their shares in both sums. Draws none where a sum is
/// not finite.
template <class Amount>
BoxSample sample_boxes(const TreeView& tree, std::int64_t most, Amount&& amount) {
  BoxSample sample;
  const BoxId first = tree.levels > 2 ? tree.level_begin[2] : tree.boxes;
  const auto terms = [&](BoxId box) {
    const double a = tree.lattice.edge(tree.level[box]), own = amount(box) / (a * a);
    return DrawnBox{box, own, own / (a * a)};
  };
  for (BoxId box = first; box < tree.boxes; ++box) {
    const DrawnBox own = terms(box);
    sample.square += own.square, sample.fourth += own.fourth;
  }
  if (!(sample.square > 0) || !std::isfinite(sample.square) || !std::isfinite(sample.fourth)) return sample;
  const bool all = tree.boxes - first <= most;
  EqualSteps steps(2, most);
  for (BoxId box = first; box < tree.boxes; ++box) {
    const DrawnBox own = terms(box);
    const double share = own.square / sample.square + own.fourth / sample.fourth;
    const double times = all ? (share > 0 ? 1 : 0) : steps.times(share);
    if (times > 0) sample.boxes.push_back({box, times * own.square, times * own.fourth});
  }
  return sample;
}

}  // namespace farfield
