// The terms of result_norms (placement.hpp), for those who add them up in other places: host arrays only.
#pragma once
#include <algorithm>
#include <vector>

#include "model/placement.hpp"

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
  explicit Wanted(const NormsOf& norms)
      : soft2(norms.softening * norms.softening), powers(norms.derivatives > 1 ? 4 : 2) {}
};

/// Over the sources [begin, end) at x; a source at x itself counts nothing.
PowerSums sums_at(const PlacedPoints& sources, std::int64_t begin, std::int64_t end, const double x[3],
                  const Wanted& wanted);

/// Leaves of a tree, for sums in which the sources of most leaves count as if they lay at the centre.
struct Leaves {
  static constexpr std::size_t at_once = 256;  ///< leaves that are summed together
  std::vector<double> x, y, z, count, reach;   ///< reach: square of two edges; closer sources are summed singly

  std::size_t size() const { return x.size(); }
  void add(const double centre[3], double edge, double sources) {
    x.push_back(centre[0]), y.push_back(centre[1]), z.push_back(centre[2]);
    count.push_back(sources), reach.push_back(4 * edge * edge);
  }
  void clear() {
    for (std::vector<double>* numbers : {&x, &y, &z, &count, &reach}) numbers->clear();
  }
};
/// At a point, over those of at most Leaves::at_once leaves [begin, end) that lie beyond their reach; `r2` receives the
/// squared distances of all these.
PowerSums beyond_reach(const Leaves& leaves, std::size_t begin, std::size_t end, const double at[3], double* r2,
                       const Wanted& wanted);

/// At one target: over sources outside its own leaf, and over those in leaves more than two of their edges away.
struct SumsAtTarget {
  PowerSums outside, far;
};
/// Of so many leaves with targets every how manieth has a target at which sums are formed, its middle one: 32 to 63.
inline std::int64_t step_of_targets(std::int64_t leaves) { return std::max<std::int64_t>(1, leaves / 32); }

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
/// The means of the sums at a sample of targets over all of them.
SumsAtTarget mean_of_targets(const std::vector<SumsAtTarget>& at, double all);

/// The sums of a leaf's targets over the leaf itself.
struct OfLeaf {
  PowerSums measured, neighbours;
  std::int64_t looked_at = 0;
};
/// Every how manieth leaf is measured, of so many targets.
std::int64_t step_of_measured(bool alike, double targets);
OfLeaf sums_in_leaf(const PlacedPoints& sources, const PlacedPoints& targets, BoxId leaf, bool measured,
                    const Wanted& wanted);

/// The mean over `all` targets of the sums over their own leaf, whose close pairs carry most of the gradient: measured
/// in some leaves, and corrected by the sums over neighbours in the order of points, in those leaves and in all.
class OwnLeafMean {
 public:
  explicit OwnLeafMean(double all) : all_(all) {}
  void add(const OfLeaf& leaf);
  PowerSums result() const;

 private:
  double all_;
  PowerSums mean_;
  RobustMean others_;
};

ResultNorms norms_from(const SumsAtTarget& at, const PowerSums& own);

}  // namespace farfield
