// Moments on the device: elements of triangles, complex sums.
#pragma once
#include "moments.hpp"

namespace farfield::lab {

/// x_lm, |m| <= l, of a triangle that holds m >= 0.
__device__ inline float2 element(const float2* x, int l, int m) {
  if (m >= 0) return x[l * (l + 1) / 2 + m];
  const float2 mirror = x[l * (l + 1) / 2 - m];
  return m % 2 ? float2{-mirror.x, mirror.y} : float2{mirror.x, -mirror.y};
}

__device__ inline void add_product(float2& sum, float2 a, float2 b) {
  sum.x += a.x * b.x - a.y * b.y;
  sum.y += a.x * b.y + a.y * b.x;
}

__device__ inline void add_atomically(float2& to, float2 value, float sign) {
  atomicAdd(&to.x, sign * value.x);
  atomicAdd(&to.y, sign * value.y);
}

}  // namespace farfield::lab
