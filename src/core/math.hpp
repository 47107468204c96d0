// Functions that a pair formula may call, for any value type V: numbers here, vectors of the CPU's instruction sets in
// backends/cpu/runtime/simd.hpp.
#pragma once
#include <cmath>
#include <type_traits>

#include "core/hd.hpp"

namespace farfield {

#if defined(__CUDACC__)
/// 1/x and log x on a GPU, for positive normal numbers. In single the hardware's own instructions: 1 ulp, and an
/// absolute error of 1.7e-7 for x in (1/2, 2), 1.7e-7 of log x elsewhere.
__device__ inline float device_inverse(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float device_log(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y * 0.693147180559945f;
}
/// A seed of 20 bits or more and one step that cubes its error.
__device__ inline double device_inverse(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y, 1.0);
  return fma(y, fma(e, e, e), y);
}
/// As on the CPU (backends/cpu/runtime/simd.hpp), within 3 units in the last place, in half of the library's time: x =
/// m 2^e, log m = 2 atanh f with f = (m-1)/(m+1), |f| < 0.172.
__device__ inline double device_log(double x) {
  constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45;  // of log 2; e high is exact
  const int bits = __double2hiint(x), e = (bits - 0x3fe6a09e) >> 20;
  const double m = __hiloint2double(bits - (e << 20), __double2loint(x));
  const double exponent = __hiloint2double(0x43300000, e ^ static_cast<int>(0x80000000)) - (0x1p52 + 0x1p31);
  const double f = (m - 1.0) * device_inverse(m + 1.0), z = f * f;
  double p = fma(z, 0.073979748534048347855, 0.076570252718624368515);
  p = fma(p, z, 0.090917821634133276811);
  p = fma(p, z, 0.11111099286580773313);
  p = fma(p, z, 0.1428571437119398516);
  p = fma(p, z, 0.19999999999707337985);
  p = fma(p, z, 0.33333333333333672064);
  return fma(exponent, high, 2 * f + fma(2 * f, z * p, exponent * low));
}
#endif

/// What a device computes in: it has no long double.
template <class V>
using OnDevice = std::conditional_t<sizeof(V) == 4, float, double>;

template <class V>
struct Math {
  static constexpr bool single = sizeof(V) == sizeof(float);  ///< of the elements
  FARFIELD_HD static V constant(double x) { return static_cast<V>(x); }
  FARFIELD_HD static V absolute(V x) { return x < V{} ? -x : x; }
  FARFIELD_HD static V square_root(V x) { return std::sqrt(x); }
  /// 1/sqrt(x) for x > 0.
  FARFIELD_HD static V inverse_sqrt(V x) {
#if defined(__CUDA_ARCH__)
    return rsqrt(x);
#else
    return 1 / std::sqrt(x);
#endif
  }
  /// 1/x and log x for positive normal x.
  FARFIELD_HD static V inverse(V x) {
#if defined(__CUDA_ARCH__)
    return device_inverse(x);
#else
    return 1 / x;
#endif
  }
  FARFIELD_HD static V log(V x) {
#if defined(__CUDA_ARCH__)
    return device_log(x);
#else
    return std::log(x);
#endif
  }
  /// 1 - e^-x for x >= 0.
  FARFIELD_HD static V one_minus_exp(V x) {
#if defined(__CUDA_ARCH__)
    return static_cast<V>(-::expm1(-OnDevice<V>(x)));
#else
    return -std::expm1(-x);
#endif
  }
  /// Whether x, or one of its elements, is below the bound.
  FARFIELD_HD static bool any_below(V x, double bound) { return x < bound; }
  /// 0 where e^x is below the smallest normal number.
  FARFIELD_HD static V exp(V x) {
#if defined(__CUDA_ARCH__)
    return static_cast<V>(::exp(OnDevice<V>(x)));
#else
    return std::exp(x);
#endif
  }
};

/// c[0] + c[1] x + ...
template <class V, int n>
FARFIELD_HD V polynomial(const double (&c)[n], V x) {
  V sum = Math<V>::constant(c[n - 1]);
  for (int k = n - 2; k >= 0; --k) sum = sum * x + Math<V>::constant(c[k]);
  return sum;
}

}  // namespace farfield
