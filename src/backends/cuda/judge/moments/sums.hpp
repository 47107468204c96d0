// Sums at a few targets of sources with dipoles, and of Hessians: of the results and of the terms' sizes, all in
// double. One way for all, with ten parts and four moments: speed does not count at a few targets.
#pragma once
#include <farfield/options.hpp>
#include <vector>

#include "backends/cuda/work.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::cuda::moment_sums {

inline constexpr int numbers = with_hessian + 2 * orders;  ///< of a target: results, absolute terms, squared terms
inline constexpr int shares = 64;                          ///< of the sources, a block each
constexpr std::int64_t room(std::int64_t targets) { return targets * (shares + 1) * numbers; }

/// Writes room(count) numbers, of which the first ones are `numbers` of each target. `targets`: indices in device
/// memory. Only for kernels that are Differentiates.
template <class Real>
void launch(const NearWork<Real>& work, Kernel kernel, const std::int64_t* targets, std::int64_t count, double* out,
            cudaStream_t stream);

/// The sums of a target from its numbers.
DirectSum of_numbers(const double* own);

}  // namespace farfield::cuda::moment_sums
