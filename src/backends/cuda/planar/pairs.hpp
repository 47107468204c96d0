// Sources and targets of p2p in the plane. Of 21 points per leaf a quarter has another one within 1/16 of the edge, a
// hundred times as often as in space: so a coordinate is kept to 2^-37 of the edge, as a number and its remainder in 16
// bits. Only pairs within 2^-13 are differenced in double.
#pragma once
#include <cuda_fp16.h>

#include <type_traits>

#include "backends/cuda/near/pair_targets.hpp"
#include "core/math.hpp"

namespace farfield::cuda::plane {

/// A staged source: in single with what the rounding of x and y left, times 2^23, as two numbers of 16 bits.
template <class Real>
struct alignas(16) Source {
  Real x, y, q;
  std::conditional_t<sizeof(Real) == 4, __half2, double> rest;
};
__device__ inline Source<float> load(const Source<float>& s) {
  const float4 v = *reinterpret_cast<const float4*>(&s);
  const unsigned rest = __float_as_uint(v.w);
  return {v.x, v.y, v.z, *reinterpret_cast<const __half2*>(&rest)};
}
__device__ inline Source<double> load(const Source<double>& s) {
  const double2 v = *reinterpret_cast<const double2*>(&s);
  return {v.x, v.y, s.q, 0};
}

__device__ inline Source<float> make_source(double x, double y, float q, const PairFrame<float>& frame) {
  const double u = displacement(x, frame.centre[0]) * frame.factor, v = displacement(y, frame.centre[1]) * frame.factor;
  const auto a = static_cast<float>(u), b = static_cast<float>(v);
  return {a, b, q, __floats2half2_rn(static_cast<float>((u - a) * 0x1p23), static_cast<float>((v - b) * 0x1p23))};
}
__device__ inline Source<double> make_source(double x, double y, double q, const PairFrame<double>&) {
  return {x, y, q, 0};
}

/// log r^2 in units of log 2 (single) or 1.
__device__ inline float pair_logarithm(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double pair_logarithm(double x) { return device_log(x); }
template <class Real>
inline constexpr double half_unit = sizeof(Real) == 4 ? 0.5 * 0.693147180559945309417 : 0.5;

/// The difference of coordinates with their remainders.
template <class Real>
__device__ void difference(const Source<Real>& t, const Source<Real>& s, Real& dx, Real& dy) {
  dx = t.x - s.x, dy = t.y - s.y;
  if constexpr (sizeof(Real) == 4) {
    const float2 rest = __half22float2(__hsub2(t.rest, s.rest));
    dx = fma(rest.x, 0x1p-23f, dx);
    dy = fma(rest.y, 0x1p-23f, dy);
  }
}

/// Squares of distances in the frame: of a pair in other leaves that takes remainders, of one that takes double.
template <class Real>
inline constexpr Real close_square = sizeof(Real) == 4 ? Real(0x1p-12) : least_square<double>;
template <class Real>
inline constexpr Real closest_square = sizeof(Real) == 4 ? Real(0x1p-26) : least_square<double>;

}  // namespace farfield::cuda::plane
