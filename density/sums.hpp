// The one place where a density meets the library.
#pragma once
#include "density/estimate.hpp"

namespace farfield::density {

struct Kernels {
  double bandwidth, scale;
};

/// scale sum_j w_j exp(-|x - y_j|^2 / (2 bandwidth^2)) at `targets`, or at the sources where that is null.
Estimate sums(const Points& sources, const std::vector<double>& weights, const Points* targets, const Kernels& kernels,
              const Options& options);

}  // namespace farfield::density
