// Pairs of points that have softening lengths of their own.
//
// In single coordinates are relative to a centre, each the sum of two numbers, so that differences need neither double
// nor a rounding that close pairs would show; pairs nearer still are summed in double, from the originals.
#pragma once
#include "backends/cuda/judge/add_source.hpp"
#include "backends/cuda/near/pair_targets.hpp"

namespace farfield::cuda {

/// Squared distance of pairs that are summed in double. In single differences of coordinates up to 1 err by 2^-49.
template <class Real>
inline constexpr Real least_apart = sizeof(Real) == 4 ? Real(0x1p-50) : least_square<double>;

template <class Real>
struct Coordinate {
  Real high;
  __device__ void set(double x) { high = x; }
  __device__ Real operator-(const Coordinate& other) const { return high - other.high; }
};
template <>
struct Coordinate<float> {
  float high, low;
  __device__ void set(double x) {
    high = static_cast<float>(x);
    low = static_cast<float>(x - static_cast<double>(high));
  }
  __device__ float operator-(const Coordinate& other) const { return (high - other.high) + (low - other.low); }
};

/// `length`: of a spline its reach, of Plummer's kernel half its square, which add up to the square of a pair's.
template <class Real>
struct alignas(16) Body {
  Coordinate<Real> x[3];
  Real q, length;
};

struct Centre {
  double x[3];
};

template <Softened softened, class Real>
__device__ void set_body(Body<Real>& body, const double* const (&axis)[3], const double* length, std::int64_t i,
                         const Centre& centre) {
  for (int a = 0; a < 3; ++a) body.x[a].set(sizeof(Real) == 8 ? axis[a][i] : displacement(axis[a][i], centre.x[a]));
  const double own = length[i];
  body.length = static_cast<Real>(softened == Softened::plummer_lengths ? own * own / 2 : own);
}

template <class Kernel, class Real>
__device__ __noinline__ PairSums<double> exact_sums(const NearWork<Real>& work, std::int64_t t, std::int64_t s) {
  PairSums<double> sum = {};
  add_source<Kernel>(work, t, s, displacement(work.target[0][t], work.source[0][s]),
                     displacement(work.target[1][t], work.source[1][s]),
                     displacement(work.target[2][t], work.source[2][s]), static_cast<double>(work.strength[s]), &sum.u);
  return sum;
}

/// Adds a pair; false where it is too near for that.
template <class Kernel, int parts, Softened softened, class Real>
__device__ __forceinline__ bool add_body(const Body<Real>& t, const Body<Real>& s, PairSums<Real>& sum) {
  const Real dx = t.x[0] - s.x[0], dy = t.x[1] - s.x[1], dz = t.x[2] - s.x[2], r2 = square_of(dx, dy, dz);
  const bool apart = r2 > least_apart<Real>;
  const Real q = apart ? s.q : Real(0), distance2 = apart ? r2 : Real(1);
  if constexpr (softened == Softened::spline_lengths) {
    const Real reach = t.length > s.length ? t.length : s.length, inverse = approximate_inverse_sqrt(distance2);
    if (distance2 < reach * reach)
      Kernel::template of_spline<parts>(inverse, distance2, Real(1) / reach, q, dx, dy, dz, &sum.u);
    else
      Kernel::template of_inverse<parts>(inverse, q, dx, dy, dz, &sum.u);
  } else {
    Kernel::template of_inverse<parts>(approximate_inverse_sqrt(distance2 + (t.length + s.length)), q, dx, dy, dz,
                                       &sum.u);
  }
  return apart;
}

}  // namespace farfield::cuda
