// Sums at a few targets of sources with dipoles, of Hessians, and with cores: of the results and of the terms' sizes,
// all in double. One way for all, with ten parts and four moments: speed does not count at a few targets.
#pragma once
#include <cmath>
#include <farfield/options.hpp>
#include <vector>

#include "backends/cuda/work.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::cuda::moment_sums {

/// Of a target: results, absolute terms, squared terms; where something `lacks`, DirectSum::missing as well.
FARFIELD_HD constexpr int numbers(bool lacks) { return with_hessian + 2 * orders + (lacks ? with_hessian : 0); }
inline constexpr int shares = 64;  ///< of the sources, a block each
constexpr std::int64_t room(std::int64_t targets, bool lacks) { return targets * (shares + 1) * numbers(lacks); }

/// Where the sums are wanted, and how: `softened_to` as in DirectInput.
struct Request {
  const std::int64_t* targets;  ///< indices in device memory
  std::int64_t count;
  double softened_to = INFINITY;
  bool lacks() const { return std::isfinite(softened_to); }
};

/// Writes room(count, lacks) numbers, of which the first ones are `numbers` of each target. Only for kernels that are
/// Differentiates.
template <class Real>
void launch(const NearWork<Real>& work, Kernel kernel, const Request& request, double* out, cudaStream_t stream);

/// The sums of a target from its numbers.
DirectSum of_numbers(const double* own, bool lacks);

}  // namespace farfield::cuda::moment_sums
