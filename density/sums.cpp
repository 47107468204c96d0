#include "density/sums.hpp"

namespace farfield::density {

Estimate sums(const Points& sources, const std::vector<double>& weights, const Points* targets, const Kernels& kernels,
              const Options& options) {
  Options o = options;
  o.kernel = Kernel::gauss, o.bandwidth = kernels.bandwidth, o.scale = kernels.scale, o.gradient = false;
  Plan plan = targets ? Plan(sources, *targets, o) : Plan(sources, o);
  Result<double> result = plan.evaluate(weights);
  return {std::move(result.potential), static_cast<std::int64_t>(weights.size()), std::move(result.report)};
}

}  // namespace farfield::density
