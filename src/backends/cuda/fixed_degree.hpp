// What the kernels of a constant degree share (expansions/laplace_fixed.hpp): the choice of the instance, factors as
// kernel arguments, and points of several boxes dealt to consecutive threads.
#pragma once
#include <type_traits>
#include <vector>

#include "backends/cuda/visitors.hpp"

namespace farfield::cuda {

/// Calls f(integral_constant<degree>) and returns true where the basis has that degree as a constant. Double's degrees
/// are higher: it takes the kernels of any degree.
template <class Basis, class Real, int first = 0, class F>
bool with_fixed_degree(int degree, F&& f) {
  if constexpr (sizeof(Real) == 4 && first <= Basis::highest_fixed) {
    if (degree == first) return f(std::integral_constant<int, first>{}), true;
    return with_fixed_degree<Basis, Real, first + 1>(degree, f);
  }
  return false;
}

/// A kernel's argument: operands from constant memory where the index is a constant.
template <class Real, int count>
struct Factors {
  Real value[count];
};

template <class Real, int count>
Factors<Real, count> make_factors(const std::vector<double>& values) {
  Factors<Real, count> factors;
  for (int i = 0; i < count; ++i) factors.value[i] = static_cast<Real>(values[static_cast<std::size_t>(i)]);
  return factors;
}

/// Stride of expansions with `count` coefficients, as Tables has it.
template <class Real>
FARFIELD_HD constexpr int stride_of(int count) {
  constexpr int line = 64 / static_cast<int>(sizeof(Real));
  return (count + line - 1) / line * line;
}

/// Up to `ranges` ranges of points as one: place i of it is point first[r] + i with r = range_of(i).
template <int ranges>
struct FlatRanges {
  std::uint32_t begin[ranges + 1];
  std::int64_t first[ranges];

  /// By one warp, lane r < ranges with its own range; `total` is the number of points.
  __device__ std::uint32_t fill(int lane, std::int64_t range_begin, std::int64_t range_end) {
    const auto count = static_cast<std::uint32_t>(range_end - range_begin);
    std::uint32_t sum = count;
    for (int other = 1; other < ranges; other *= 2) {
      const std::uint32_t before = __shfl_up_sync(0xffffffffu, sum, other);
      if (lane >= other) sum += before;
    }
    if (lane < ranges) {
      begin[lane] = sum - count;
      first[lane] = range_begin - (sum - count);
    }
    const std::uint32_t total = __shfl_sync(0xffffffffu, sum, ranges - 1);
    if (lane == 0) begin[ranges] = total;
    return total;
  }
  __device__ int range_of(std::uint32_t i) const {
    int r = 0;
#pragma unroll
    for (int step = ranges / 2; step > 0; step /= 2)
      if (begin[r + step] <= i) r += step;
    return r;
  }
};

/// Which of the warp's boxes first ... first + boxes - 1 have a row in the list that is not empty, as bits.
template <int boxes>
__device__ unsigned boxes_with_entries(const TreeView& tree, const ListView& list, std::int64_t first) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const std::int64_t at = first + lane;
  return __ballot_sync(0xffffffffu, lane < boxes && at < tree.boxes && list.begin[at] < list.begin[at + 1]);
}

/// Points per leaf, for the shapes of kernels.
inline double mean_leaf(std::int64_t points, BoxId boxes) {
  return boxes > 0 ? static_cast<double>(points) / (0.875 * static_cast<double>(boxes)) : 0;
}

}  // namespace farfield::cuda
