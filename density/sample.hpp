// Points with weights, of which a density is to be estimated.
#pragma once
#include <cstdint>
#include <vector>

namespace farfield::density {

struct Sample {
  int dimension = 2;              ///< 1, 2 or 3
  std::vector<double> positions;  ///< dimension * n, interleaved
  std::vector<double> weights;    ///< n, none below 0

  std::int64_t count() const { return static_cast<std::int64_t>(weights.size()); }
  double at(std::int64_t i, int axis) const { return positions[static_cast<std::size_t>(i * dimension + axis)]; }
  std::vector<double> along(int axis) const;
};

/// Throws Error(input) where a coordinate or a weight is no finite number, a weight is below 0, or their sum is 0 or
/// not finite.
void require_sample(const Sample& sample);

double total(const std::vector<double>& weights);

/// (sum w)^2 / sum w^2: as many points of equal weight would scatter alike (Kish 1965).
double effective_count(const std::vector<double>& weights);

}  // namespace farfield::density
