// The one place where a density meets the library.
#pragma once
#include "density/estimate.hpp"

namespace farfield::density {

struct Kernels {
  int dimension;  ///< coordinates beyond it are not looked at
  double bandwidth, scale;
};

/// scale sum_j w_j exp(-|x - y_j|^2 / (2 bandwidth^2)) at `targets`, or at the sources where that is null; all
/// coordinates are x, y, z interleaved.
Estimate sums(const std::vector<double>& sources, const std::vector<double>& weights,
              const std::vector<double>* targets, const Kernels& kernels, const Options& options);

}  // namespace farfield::density
