// The thin SIMD layer: one vector type per precision, as wide as the translation unit's instruction set.
//
// Stage files are compiled once per instruction set with FARFIELD_ISA naming the namespace (simdjson's model), so
// everything that could be emitted out of line must live in that namespace: two units must never share a
// function compiled for different machines. Views and formulas from other folders are always inlined.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef FARFIELD_ISA
#define FARFIELD_ISA baseline
#endif

#include "core/math.hpp"
#include "tree/displacement.hpp"

#define FARFIELD_INLINE inline __attribute__((always_inline))
#define FARFIELD_LAMBDA __attribute__((always_inline))

namespace farfield::cpu::FARFIELD_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int register_rows = 6;  // 6 x 4 accumulators + 6 coefficients + 1 operand of 32 registers
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr int register_rows = 3;  // 3 x 4 + 3 + 1 of 16 registers
#else
inline constexpr int vector_bytes = 16;
inline constexpr int register_rows = 3;
#endif

template <class Real>
struct VectorOf;
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(vector_bytes)));
  typedef std::int64_t mask __attribute__((vector_size(vector_bytes)));
  typedef std::uint64_t bits __attribute__((vector_size(vector_bytes)));
};
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(vector_bytes)));
  typedef std::int32_t mask __attribute__((vector_size(vector_bytes)));
  typedef std::uint32_t bits __attribute__((vector_size(vector_bytes)));
};
template <class Real>
using Vec = typename VectorOf<Real>::type;
template <class Real>
using Mask = typename VectorOf<Real>::mask;
template <class Real>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Real));

template <class Real>
FARFIELD_INLINE Vec<Real> load(const Real* p) {
  Vec<Real> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class Real>
FARFIELD_INLINE void store(Real* p, Vec<Real> v) {
  std::memcpy(p, &v, sizeof v);
}
/// s in every lane. Written as a subtraction of zero, which compilers drop; a loop over lanes would compile to masked
/// moves.
template <class Real>
FARFIELD_INLINE Vec<Real> broadcast(Real s) {
  return s - Vec<Real>{};
}
template <class Real>
FARFIELD_INLINE Real sum_lanes(Vec<Real> v) {
  Real s = 0;
  for (int i = 0; i < lanes<Real>; ++i) s += v[i];
  return s;
}

/// u = displacement(x, from) * factor for lanes<Real> coordinates, computed in double, then rounded to Real.
FARFIELD_INLINE Vec<double> relative(const double* x, double from, double factor, double) {
  return displacement(load(x), from) * factor;
}
FARFIELD_INLINE Vec<float> relative(const double* x, double from, double factor, float) {
  constexpr int half = lanes<double>;
  const Vec<double> low = relative(x, from, factor, 0.0), high = relative(x + half, from, factor, 0.0);
  Vec<float> v;
  for (int i = 0; i < half; ++i) v[i] = static_cast<float>(low[i]), v[half + i] = static_cast<float>(high[i]);
  return v;
}

// ---- 1/sqrt(x), zero where x is zero: coincident points contribute nothing --------------------------------

/// Lifts a seed y of relative error e to e^4 (four terms of (1 - e)^(-1/2)): 6 operations instead of Newton's 8.
template <class V, class Real>
FARFIELD_INLINE V refine_quartic(V x, V y, Real) {
  const V e = Real(1) - x * (y * y);
  return y + y * e * (Real(0.5) + e * (Real(0.375) + e * Real(0.3125)));
}
/// The same with three terms: a relative error e becomes e^3.
template <class V, class Real>
FARFIELD_INLINE V refine_cubic(V x, V y, Real) {
  const V e = Real(1) - x * (y * y);
  return y + y * e * (Real(0.5) + e * Real(0.375));
}

#if defined(__AVX512F__)
FARFIELD_INLINE Vec<double> inverse_sqrt(Vec<double> x) {  // seed 2^-14 -> 2^-54
  const __mmask8 positive = _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_GT_OQ);
  return refine_quartic(x, Vec<double>(_mm512_maskz_rsqrt14_pd(positive, x)), 1.0);
}
FARFIELD_INLINE Vec<float> inverse_sqrt(Vec<float> x) {  // 2^-14 -> 2^-24 and below
  const __mmask16 positive = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
  return refine_cubic(x, Vec<float>(_mm512_maskz_rsqrt14_ps(positive, x)), 1.0f);
}
#elif defined(__AVX2__)
FARFIELD_INLINE Vec<double> inverse_sqrt(Vec<double> x) {
  const Vec<double> y = 1.0 / Vec<double>(_mm256_sqrt_pd(x));
  return x > 0.0 ? y : Vec<double>{};
}
FARFIELD_INLINE Vec<float> inverse_sqrt(Vec<float> x) {  // seed 2^-11.5; the mask also drops the seed's infinity at 0
  const Vec<float> seed = Vec<float>(_mm256_rsqrt_ps(x));
  return refine_cubic(x, x > 0.0f ? seed : Vec<float>{}, 1.0f);
}
#else
template <class V>
FARFIELD_INLINE V inverse_sqrt(V x) {
  V y;
  for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(x[0])); ++i) y[i] = x[i] > 0 ? 1 / std::sqrt(x[i]) : 0;
  return y;
}
#endif

/// The hardware's approximation of 1/sqrt(x), unrefined, for x > 0: relative error within seed_error (pair_terms.hpp).
/// In double x must be within single's range.
#if defined(__AVX512F__)
FARFIELD_INLINE Vec<double> inverse_sqrt_seed(Vec<double> x) { return Vec<double>(_mm512_maskz_rsqrt14_pd(0xff, x)); }
FARFIELD_INLINE Vec<float> inverse_sqrt_seed(Vec<float> x) { return Vec<float>(_mm512_maskz_rsqrt14_ps(0xffff, x)); }
#elif defined(__AVX2__)
FARFIELD_INLINE Vec<double> inverse_sqrt_seed(Vec<double> x) {
  return Vec<double>(_mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(x))));
}
FARFIELD_INLINE Vec<float> inverse_sqrt_seed(Vec<float> x) { return Vec<float>(_mm256_rsqrt_ps(x)); }
#elif defined(__x86_64__)
FARFIELD_INLINE Vec<double> inverse_sqrt_seed(Vec<double> x) {
  return Vec<double>(_mm_cvtps_pd(_mm_rsqrt_ps(_mm_cvtpd_ps(x))));
}
FARFIELD_INLINE Vec<float> inverse_sqrt_seed(Vec<float> x) { return Vec<float>(_mm_rsqrt_ps(x)); }
#else
template <class V>
FARFIELD_INLINE V inverse_sqrt_seed(V x) {
  return inverse_sqrt(x);
}
#endif

/// Bit k: lane k of `a` lies below `bound`.
template <class Real>
FARFIELD_INLINE unsigned lanes_below(Vec<Real> a, Real bound) {
  constexpr bool single = sizeof(Real) == 4;
#if defined(__AVX512F__)
  if constexpr (single) return _mm512_cmp_ps_mask(a, _mm512_set1_ps(bound), _CMP_LT_OQ);
  if constexpr (!single) return _mm512_cmp_pd_mask(a, _mm512_set1_pd(bound), _CMP_LT_OQ);
#elif defined(__AVX2__)
  if constexpr (single) return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(a < bound)));
  if constexpr (!single) return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(a < bound)));
#elif defined(__x86_64__)
  if constexpr (single) return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(a < bound)));
  if constexpr (!single) return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(a < bound)));
#else
  unsigned bits = 0;
  for (int i = 0; i < lanes<Real>; ++i) bits |= static_cast<unsigned>(a[i] < bound) << i;
  return bits;
#endif
}

/// Writes the lanes whose bits are set to consecutive elements from p on; the elements behind them, up to a whole
/// vector, may be overwritten.
template <class Real>
FARFIELD_INLINE void store_lanes(Real* p, Vec<Real> v, unsigned bits) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == 4)
    store(p, Vec<Real>(_mm512_maskz_compress_ps(static_cast<__mmask16>(bits), v)));
  else
    store(p, Vec<Real>(_mm512_maskz_compress_pd(static_cast<__mmask8>(bits), v)));
#else
  for (int i = 0; i < lanes<Real>; ++i)
    if (bits >> i & 1) *p++ = v[i];
#endif
}

// ---- transposition of a square of lanes<Real> rows, by exchanging off-diagonal blocks ---------------------

template <int half, class V, std::size_t... k>
FARFIELD_INLINE void exchange(V& a, V& b, std::index_sequence<k...>) {
  constexpr int n = sizeof...(k);
  const V first = __builtin_shufflevector(a, b, ((k & half) ? n + static_cast<int>(k) - half : static_cast<int>(k))...);
  b = __builtin_shufflevector(a, b, ((k & half) ? n + static_cast<int>(k) : static_cast<int>(k) + half)...);
  a = first;
}
template <int half, class V, std::size_t n>
FARFIELD_INLINE void transpose_step(V (&row)[n]) {
  for (int i = 0; i < static_cast<int>(n); ++i)
    if (!(i & half)) exchange<half>(row[i], row[i + half], std::make_index_sequence<n>{});
  if constexpr (half > 1) transpose_step<half / 2>(row);
}
template <class V, std::size_t n>
FARFIELD_INLINE void transpose(V (&row)[n]) {
  if constexpr (n > 1) transpose_step<static_cast<int>(n) / 2>(row);
}

// ---- scratch memory of one thread --------------------------------------------------------------------------

/// Grows only; contents undefined after `need`.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { release(); }
  T* need(std::int64_t size) {
    if (size > capacity_) {
      release();
      data_ = static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), std::align_val_t(64)));
      capacity_ = size;
    }
    return data_;
  }
  T* data() { return data_; }

 private:
  void release() {
    if (data_) ::operator delete(data_, std::align_val_t(64));
    data_ = nullptr;
    capacity_ = 0;
  }
  T* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

// ---- 1/x and the logarithm, for positive normal numbers ----------------------------------------------------

#if defined(__AVX512F__)
FARFIELD_INLINE Vec<double> inverse(Vec<double> x) {  // seed 2^-14 -> 2^-28 -> 2^-53
  Vec<double> y = Vec<double>(_mm512_maskz_rcp14_pd(0xff, x));
  y = y + y * (1.0 - x * y);
  return y + y * (1.0 - x * y);
}
FARFIELD_INLINE Vec<float> inverse(Vec<float> x) {
  const Vec<float> y = Vec<float>(_mm512_maskz_rcp14_ps(0xffff, x));
  return y + y * (1.0f - x * y);
}
#else
template <class V>
FARFIELD_INLINE V inverse(V x) {
  return V{} + 1 / x;
}
#endif

/// x = m 2^e with m in [sqrt(1/2), sqrt(2)); e as a number of the vector's own type.
template <class Real>
struct Split {
  Vec<Real> m, e;
};
FARFIELD_INLINE Split<double> split(Vec<double> x) {
  using Bits = VectorOf<double>::bits;
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000;
  const Bits bits = Bits(x), scaled = bits - root_half + (std::uint64_t(2048) << 52);
  const Bits m = bits - (scaled >> 52 << 52) + (std::uint64_t(2048) << 52);
  // e + 2048 as the low bits of a number near 2^52: AVX2 cannot convert whole numbers of 64 bits
  return {Vec<double>(m), Vec<double>((scaled >> 52) | two_52) - (0x1p52 + 2048)};
}
FARFIELD_INLINE Split<float> split(Vec<float> x) {
  using Whole = VectorOf<float>::mask;
  constexpr std::int32_t root_half = 0x3f3504f3;
  const Whole bits = Whole(x), e = (bits - root_half) >> 23;
  return {Vec<float>(bits - (e << 23)), __builtin_convertvector(e, Vec<float>)};
}

/// log x, within 2.5 units in the last place in double, 1.3 in single. Minimax polynomials by Remez' exchange, relative
/// errors 1.2e-18 and 3e-8: in double of (atanh(f)/f - 1)/f^2 with f = (m-1)/(m+1), log m = 2 atanh f; in single of
/// (log(1+f) - f + f^2/2)/f^3.
FARFIELD_INLINE Vec<double> log(Vec<double> x) {
  constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45;  // of log 2; e high is exact
  const Split<double> s = split(x);
  const Vec<double> f = (s.m - 1.0) * inverse(Vec<double>(s.m + 1.0)), z = f * f;
  Vec<double> p = z * 0.073979748534048347855 + 0.076570252718624368515;
  p = p * z + 0.090917821634133276811;
  p = p * z + 0.11111099286580773313;
  p = p * z + 0.1428571437119398516;
  p = p * z + 0.19999999999707337985;
  p = p * z + 0.33333333333333672064;
  return s.e * high + (2 * f + (2 * f * (z * p) + s.e * low));
}
FARFIELD_INLINE Vec<float> log(Vec<float> x) {
  constexpr float high = 0.693145752f, low = 1.42860677e-6f;
  const Split<float> s = split(x);
  const Vec<float> f = s.m - 1.0f, z = f * f;
  Vec<float> p = f * 0.087004528032f - 0.14267491461f;
  p = p * f + 0.14914764269f;
  p = p * f - 0.16577584039f;
  p = p * f + 0.19963064063f;
  p = p * f - 0.25001337058f;
  p = p * f + 0.33333910732f;
  return s.e * high + (f + (z * (f * p - 0.5f) + s.e * low));
}

// ---- e^x -------------------------------------------------------------------------------------------------------

/// e^x = 2^n e^r, |r| <= log(2)/2, for x up to 88 in single, 709 in double; 0 where it is no normal number. Within 1.1
/// units in the last place. Chebyshev's polynomials of (e^r - 1 - r)/r^2, which err by 1.7e-17 and 1e-8 of e^r. n
/// stands in the lowest bits of x / log 2 + 1.5 2^52, from where it is shifted into the exponent.
FARFIELD_INLINE Vec<double> exp(Vec<double> x) {
  using Bits = VectorOf<double>::bits;
  constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45, rounding = 0x1.8p52;  // of log 2
  const Vec<double> shifted = x * 0x1.71547652b82fep0 + rounding, whole = shifted - rounding;
  const Vec<double> r = (x - whole * high) - whole * low;
  Vec<double> p = r * 2.5100424157005066839e-08 + 2.7620138719733993648e-07;
  p = p * r + 2.75572683786841924e-06;
  p = p * r + 2.4801521190217728596e-05;
  p = p * r + 0.00019841269863105968452;
  p = p * r + 0.0013888888917281793766;
  p = p * r + 0.0083333333333300511209;
  p = p * r + 0.041666666666623990156;
  p = p * r + 0.16666666666666668517;
  p = p * r + 0.50000000000000011102;
  const Vec<double> small = 1.0 + (r + r * r * p);
  return x > -708.0 ? Vec<double>(Bits(small) + (Bits(shifted) << 52)) : Vec<double>{};
}
FARFIELD_INLINE Vec<float> exp(Vec<float> x) {
  using Bits = VectorOf<float>::bits;
  constexpr float high = 0x1.62e4p-1f, low = 1.42860682e-6f, rounding = 0x1.8p23f;
  const Vec<float> shifted = x * 0x1.715476p0f + rounding, whole = shifted - rounding;
  const Vec<float> r = (x - whole * high) - whole * low;
  Vec<float> p = r * 0.00139262134663f + 0.00836320297158f;
  p = p * r + 0.0416665544377f;
  p = p * r + 0.16666576846f;
  p = p * r + 0.5f;
  const Vec<float> small = 1.0f + (r + r * r * p);
  return x > -87.0f ? Vec<float>(Bits(small) + (Bits(shifted) << 23)) : Vec<float>{};
}

/// 1 - e^-x for x >= 0, x infinite included, within 2 units in the last place: with -x = k log 2 + r, |r| <= log 2 / 2,
/// it is (1 - 2^k) - 2^k (e^r - 1), and e^r - 1 is Taylor's polynomial of degree 14 (error 3e-19 of it; single: 7,
/// 2e-8).
FARFIELD_INLINE Vec<double> one_minus_exp(Vec<double> x) {
  using Bits = VectorOf<double>::bits;
  constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45;  // of log 2; k high is exact
  constexpr double round = 0x1.8p52;                                       // low bits of its sum with k: k
  if (!lanes_below<double>(x, 40)) return Vec<double>{} + 1.0;             // rounds to 1, as most pairs with cores do
  x = x < 64.0 ? x : Vec<double>{} + 64.0;
  const Vec<double> shifted = x * -1.44269504088896340736 + round, k = shifted - round;
  const Vec<double> r = (-x - k * high) - k * low,
                    power = Vec<double>((Bits(shifted) << 52) + Bits(Vec<double>{} + 1.0));
  Vec<double> p = r * (1 / 87178291200.0) + 1 / 6227020800.0;
  for (const double c : {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0})
    p = p * r + 1 / c;
  return (1.0 - power) - power * (r + r * r * p);
}
FARFIELD_INLINE Vec<float> one_minus_exp(Vec<float> x) {
  using Whole = VectorOf<float>::mask;
  constexpr float high = 0.693145752f, low = 1.42860677e-6f, round = 0x1.8p23f;
  if (!lanes_below<float>(x, 18)) return Vec<float>{} + 1.0f;
  x = x < 64.0f ? x : Vec<float>{} + 64.0f;
  const Vec<float> shifted = x * -1.44269504f + round, k = shifted - round;
  const Vec<float> r = (-x - k * high) - k * low,
                   power = Vec<float>((Whole(shifted) << 23) + Whole(Vec<float>{} + 1.0f));
  Vec<float> p = r * (1 / 5040.0f) + 1 / 720.0f;
  for (const float c : {120.0f, 24.0f, 6.0f, 2.0f}) p = p * r + 1 / c;
  return (1.0f - power) - power * (r + r * r * p);
}

/// The functions that pair formulas call on a vector (core/math.hpp).
template <class Real>
struct VectorMath {
  static constexpr bool single = sizeof(Real) == sizeof(float);
  static FARFIELD_INLINE Vec<Real> constant(double x) { return broadcast(static_cast<Real>(x)); }
  static FARFIELD_INLINE Vec<Real> absolute(Vec<Real> x) { return x < Vec<Real>{} ? -x : x; }
  static FARFIELD_INLINE Vec<Real> square_root(Vec<Real> x) { return x * FARFIELD_ISA::inverse_sqrt(x); }
  static FARFIELD_INLINE Vec<Real> inverse_sqrt(Vec<Real> x) { return FARFIELD_ISA::inverse_sqrt(x); }
  static FARFIELD_INLINE Vec<Real> inverse(Vec<Real> x) { return FARFIELD_ISA::inverse(x); }
  static FARFIELD_INLINE Vec<Real> log(Vec<Real> x) { return FARFIELD_ISA::log(x); }
  static FARFIELD_INLINE Vec<Real> one_minus_exp(Vec<Real> x) { return FARFIELD_ISA::one_minus_exp(x); }
  static FARFIELD_INLINE Vec<Real> exp(Vec<Real> x) { return FARFIELD_ISA::exp(x); }
  static FARFIELD_INLINE bool any_below(Vec<Real> x, double bound) {
    return lanes_below<Real>(x, static_cast<Real>(bound)) != 0;
  }
};

}  // namespace farfield::cpu::FARFIELD_ISA

template <>
struct farfield::Math<farfield::cpu::FARFIELD_ISA::Vec<double>> : farfield::cpu::FARFIELD_ISA::VectorMath<double> {};
template <>
struct farfield::Math<farfield::cpu::FARFIELD_ISA::Vec<float>> : farfield::cpu::FARFIELD_ISA::VectorMath<float> {};
