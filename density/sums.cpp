#include "density/sums.hpp"

namespace farfield::density {
namespace {

/// Interleaved x, y, z of which only the first axes are looked at.
Points view(const std::vector<double>& xyz, int dimension) {
  Points p = points(xyz);
  for (std::size_t axis = static_cast<std::size_t>(dimension); axis < 3; ++axis) p.axis[axis] = nullptr;
  return p;
}

}  // namespace

Estimate sums(const std::vector<double>& sources, const std::vector<double>& weights,
              const std::vector<double>* targets, const Kernels& kernels, const Options& options) {
  Options o = options;
  o.kernel = Kernel::gauss, o.bandwidth = kernels.bandwidth, o.scale = kernels.scale, o.gradient = false;
  const Points from = view(sources, kernels.dimension);
  Plan plan = targets ? Plan(from, view(*targets, kernels.dimension), o) : Plan(from, o);
  Result<double> result = plan.evaluate(weights);
  return {std::move(result.potential), static_cast<std::int64_t>(weights.size()), std::move(result.report)};
}

}  // namespace farfield::density
