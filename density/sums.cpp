#include "density/sums.hpp"

#include <cmath>

namespace farfield::density {

// stub
Estimate sums(const std::vector<double>& sources, const std::vector<double>& weights,
              const std::vector<double>* targets, double bandwidth, const Options& options) {
  const std::vector<double>& at = targets ? *targets : sources;
  Estimate e;
  e.sources = weights.size();
  e.density.resize(at.size() / 3);
  const double f = 0.5 / (bandwidth * bandwidth);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t i = 0; i < at.size() / 3; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double x = at[3 * i] - sources[3 * j], y = at[3 * i + 1] - sources[3 * j + 1],
                   z = at[3 * i + 2] - sources[3 * j + 2];
      const double r = f * (x * x + y * y + z * z);
      if (r < 37) sum += weights[j] * std::exp(-r);
    }
    e.density[i] = options.scale * sum;
  }
  return e;
}

}  // namespace farfield::density
