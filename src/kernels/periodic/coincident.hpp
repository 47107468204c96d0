// Sources that coincide with a point, or with its nearest images, in a row of cells along x.
#pragma once
#include <cstdint>
#include <vector>

namespace farfield {

class CoincidentSources {
 public:
  CoincidentSources(const std::vector<double>& x, const std::vector<double>& y, double cell);
  /// The sum of the strengths of those sources for which x_j, x_j - L or x_j + L is x, as rounded, and y_j is y.
  double sum(double x, double y, const std::vector<double>& q) const;

 private:
  double cell_;
  std::vector<std::uint32_t> order_;  ///< sources by y, those of equal y by x
  std::vector<double> x_, y_;         ///< in that order
};

}  // namespace farfield
