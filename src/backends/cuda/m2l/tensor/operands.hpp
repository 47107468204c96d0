// Operands of m2l on tensor cores: multipoles as 16-bit floats, written by p2m and m2m beside those in single. A pass
// of its own to write them, which read all multipoles once more, took a tenth of m2l's time at degree 3.
//
// The operands' scale is known beforehand. |q| <= 1 (the evaluator scales strengths) and |R_i(u)| <= |u|^n <= 1 in a
// box (the squares of one degree sum to |u|^2n), at any level, since m2m is exact: no coefficient exceeds the number of
// sources in its box. The scale is the power of two that brings the most sources of a box of the level to 2^15 at most:
// all operands are finite. 16-bit floats lose digits below 2^-14: with n sources in the fullest box of the level, every
// operand is good to 11 bits or to about n 2^-40. Random signs leave coefficients of about sqrt(n) in that box, far
// above n 2^-40. Only multipoles of strengths far below the largest suffer: that of 1e8 sources of one sign and
// strength 1e-8 each, beside a source of strength 1, is good to 1e-4.
#pragma once
#include "backends/cuda/m2l/tensor/view.hpp"

namespace farfield::cuda {

/// The exponent of the scale; with 0 sources any serves, since all operands are 0.
__device__ inline int operand_exponent(std::uint32_t most_sources) { return __clz(most_sources - 1) - 17; }
__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(static_cast<std::uint32_t>(exponent + 127) << 23);
}
/// The scale of a level's boxes; needs TensorView::ready.
__device__ inline float operand_scale(const TensorView& tensor, int level) {
  return power_of_two(operand_exponent(tensor.most_sources[level]));
}

/// Stores coefficient i of a box times its level's scale; `value` is 0 for i beyond the coefficients.
__device__ inline void store_operands(const TensorView& tensor, std::int64_t box, int i, float value, float scale) {
  if (i >= tensor.full.width) return;
  const float x = scale * value;
  const __half high = __float2half_rn(x), zero = __ushort_as_half(0);
  tensor.high[box * tensor.full.width + i] = high;
  if (i >= tensor.graded.width) return;
  const bool graded = i < tensor.graded.count;
  const std::int64_t to = box * tensor.graded.width + i;
  tensor.graded_high[to] = graded ? high : zero;
  tensor.graded_low[to] = graded ? __float2half_rn(x - __half2float(high)) : zero;
}

}  // namespace farfield::cuda
