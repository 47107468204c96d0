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
inline std::int64_t points_looked_at(int degree) {
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
  /// Only those in [low, high).
  template <class F>
  void each_in(std::int64_t low, std::int64_t high, F&& f) const {
    if (chosen_ == 0) return;
    const double before = std::floor(static_cast<double>(low - begin_) / step_) - 1;
    for (auto j = static_cast<std::int64_t>(std::max(0.0, before)); j < chosen_; ++j) {
      const std::int64_t i = begin_ + static_cast<std::int64_t>(static_cast<double>(j) * step_);
      if (i >= high) return;
      if (i >= low) f(i);
    }
  }
  double each_for() const { return step_; }

 private:
  std::int64_t begin_, chosen_;
  double step_;
};

/// Draws members at `most` equal steps of the running sum of their weights; the weights add up to `all`.
class EqualSteps {
 public:
  EqualSteps() : EqualSteps(1, 1) {}
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

/// Draws boxes whose amount (>= 0) is above 0: all of them if there are no more than `most`, else about `most`, at
/// equal steps of the running sum of their shares in the first `powers` sums. Draws none where one of these is not
/// finite. All boxes are first counted and then, in the same order, offered.
class BoxDrawing {
 public:
  BoxDrawing(std::int64_t boxes, std::int64_t most, int powers)
      : powers_(powers), all_(boxes <= most), steps_(powers, most) {}
  void count(double amount, double edge) {
    const DrawnBox own = terms(no_box, amount, edge);
    for (int k = 0; k < powers_; ++k) sample_.sum[k] += own.sum[k];
  }
  void offer(BoxId box, double amount, double edge) {
    if (!(sample_.sum[0] > 0) || !sample_.finite(powers_)) return;
    DrawnBox own = terms(box, amount, edge);
    double share = 0;
    for (int k = 0; k < powers_; ++k) share += own.sum[k] / sample_.sum[k];
    const double times = all_ ? (share > 0 ? 1 : 0) : steps_.times(share);
    if (!(times > 0)) return;
    for (double& factor : own.sum) factor *= times;
    sample_.boxes.push_back(own);
  }
  const BoxSample& sample() const { return sample_; }

 private:
  DrawnBox terms(BoxId box, double amount, double a) const {
    DrawnBox own{box, {amount / (a * a)}};
    for (int k = 1; k < powers_; ++k) own.sum[k] = own.sum[k - 1] / (a * a);
    return own;
  }
  int powers_;
  bool all_;
  EqualSteps steps_;
  BoxSample sample_;
};

/// Draws from the boxes of a tree, from level 2 on.
template <class Amount>
BoxSample sample_boxes(const TreeView& tree, std::int64_t most, int powers, Amount&& amount) {
  const BoxId first = tree.levels > 2 ? tree.level_begin[2] : tree.boxes;
  BoxDrawing drawing(tree.boxes - first, most, powers);
  const auto edge = [&](BoxId box) { return tree.lattice.edge(tree.level[box]); };
  for (BoxId box = first; box < tree.boxes; ++box) drawing.count(amount(box), edge(box));
  for (BoxId box = first; box < tree.boxes; ++box) drawing.offer(box, amount(box), edge(box));
  return drawing.sample();
}

}  // namespace farfield
