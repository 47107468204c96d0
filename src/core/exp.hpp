// exp of a product, the whole of a Gaussian pair: on a GPU one instruction of the special function unit in single.
#pragma once
#include "core/math.hpp"

namespace farfield {

#if defined(__CUDACC__)
/// 2^x: 2 ulp, and 0 below 2^-126.
__device__ inline float device_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif

/// e^(factor x), factor x <= 0; `factor` does not change in a loop over pairs. Rounding of the product grows the
/// relative error in single to 6e-8 |factor x|, but the value falls faster: it is below 5e-8 of e^0 everywhere.
template <class V>
FARFIELD_HD V exp_of_product(V x, double factor) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(V) == sizeof(float)) return device_exp2(x * static_cast<float>(factor * 1.4426950408889634));
#endif
  return Math<V>::exp(x * Math<V>::constant(factor));
}

}  // namespace farfield
