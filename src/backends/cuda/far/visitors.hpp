// What p2m, p2l, l2p and m2p share: a warp per box whose lanes are points, and the two visitors of the basis functions,
// Accumulate (p2m, p2l) and Evaluate (l2p, m2p). Basis::columns passes R_{n,+-m} = Q_{n,m} (C_m, S_m) to a visitor
// column by column (begin m, terms n, end m).
#pragma once
#include <type_traits>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"
#include "backends/cuda/work.hpp"
#include "core/dual.hpp"

namespace farfield::cuda {

inline constexpr int warp = 32, column_pitch = warp + 1;

/// A load of data that neighbouring threads read consecutively: memory delivers 128 bytes at a time and not 64, which
/// makes l2p and p2m a tenth faster. (As a limit of the whole device, 128 bytes would slow down every gather.)
__device__ inline double load_in_order(const double* from) {
  double x;
  asm("ld.global.nc.L2::128B.f64 %0, [%1];" : "=d"(x) : "l"(from));
  return x;
}

/// u of point i in the frame of a box.
template <class Real>
__device__ void point_in_box(const double* const axis[3], std::int64_t i, const BoxFrame& frame, Real u[3]) {
  for (int a = 0; a < 3; ++a)
    u[a] = static_cast<Real>(displacement(load_in_order(axis[a] + i), frame.centre[a]) * frame.factor);
}

template <class Real>
__device__ Real inverse_length(const Real u[3]) {
  return 1 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}
template <class Real>
__device__ Dual<Real> inverse_length(const Dual<Real> u[3]) {
  const Dual<Real> square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const Real inverse = 1 / sqrt(square.value);
  return {inverse, Real(-0.5) * square.slope * (inverse * inverse * inverse)};
}

/// A source in the frame of a box. It adds weight R(u) to an expansion; with a dipole p q R(u) + p . grad R(u), the
/// slope of (1 + q e) R(u + e p) at e = 0 (core/dual.hpp): the recurrences of charges serve dipoles.
template <class Real, int moments>
struct Source {
  using Number = std::conditional_t<moments == with_dipole, Dual<Real>, Real>;
  Number weight = 0, u[3] = {1, 1, 1};  ///< of no source

  __device__ void read(const NearWork<Real>& work, std::int64_t i, const BoxFrame& frame) {
    Real place[3];
    point_in_box(work.source, i, frame, place);
    for (int a = 0; a < 3; ++a)
      if constexpr (moments == with_dipole)
        u[a] = {place[a], work.dipole[a][i] * static_cast<Real>(frame.factor)};
      else
        u[a] = place[a];
    if constexpr (moments == with_dipole)
      weight = {1, work.strength[i]};
    else
      weight = work.strength[i];
  }
};
/// What a source's term adds to the sum.
template <class Real>
__device__ Real summand(Real term) {
  return term;
}
template <class Real>
__device__ Real summand(Dual<Real> term) {
  return term.slope;
}

/// Numbers of the column of Accumulate.
inline __host__ __device__ int column_numbers(int degree) { return 2 * (degree + 1) * column_pitch; }

/// out[i] (+)= sum over lanes of q R_i, one column of functions at a time through `column`, [2 (degree + 1)][33].
template <class Kernel, class Real, class Number = Real>
struct Accumulate {
  Number q;
  int degree, lane;
  bool add;
  Real *column, *out;
  Number cosine = 0, sine = 0;
  int azimuth = 0;

  __device__ void begin(int m, Number c, Number s) {
    azimuth = m;
    cosine = q * c;
    sine = q * s;
  }
  __device__ void term(int n, Number value) {
    Real* at = column + 2 * (n - azimuth) * column_pitch + lane;
    at[0] = summand(cosine * value);
    at[column_pitch] = summand(sine * value);
  }
  __device__ void end(int m) {
    __syncwarp();
    const int rows = 2 * (degree - m + 1);
    int width = 2;  // lanes side by side hold rows; where rows are few, several lanes share one
    while (width < rows && width < warp) width *= 2;
    const int share = width;  // how many of the 32 numbers of a row one lane sums
    for (int first = 0; first < rows; first += width) {
      const int row = first + lane % width, part = lane / width;
      Real sum = 0;
      if (row < rows) {
        const Real* from = column + row * column_pitch + part * share;
        for (int j = 0; j < share; ++j) sum += from[j];
      }
      for (int other = width; other < warp; other *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
      if (row < rows && part == 0 && !(m == 0 && (row & 1))) {
        const int i = Kernel::Basis::Shape::index(m + row / 2, row & 1 ? -m : m);
        out[i] = add ? out[i] + sum : sum;
      }
    }
    __syncwarp();
  }
};

/// out[e] += sum_i coefficient[i][e] R_i for one or four (potential and gradient) expansions at once.
template <class Kernel, class Real, int expansions>
struct Evaluate {
  const Real* coefficient;
  Real out[expansions] = {}, plus[expansions] = {}, minus[expansions] = {};
  Real cosine = 0, sine = 0;
  int azimuth = 0;

  explicit __device__ Evaluate(const Real* c) : coefficient(c) {}
  __device__ void begin(int m, Real c, Real s) {
    azimuth = m;
    cosine = c;
    sine = s;
#pragma unroll
    for (int e = 0; e < expansions; ++e) plus[e] = minus[e] = 0;
  }
  __device__ void term(int n, Real value) {
    const int i = Kernel::Basis::Shape::index(n, 0);
    const Real* p = coefficient + (i + azimuth) * expansions;
    const Real* q = coefficient + (i - azimuth) * expansions;
#pragma unroll
    for (int e = 0; e < expansions; ++e) {
      plus[e] += p[e] * value;
      minus[e] += q[e] * value;
    }
  }
  __device__ void end(int m) {
#pragma unroll
    for (int e = 0; e < expansions; ++e) out[e] += m ? plus[e] * cosine + minus[e] * sine : plus[e] * cosine;
  }
};

/// Row `row` of y = A x.
template <class Real>
__device__ Real apply_row(const SparseView<Real>& a, const Real* x, int row) {
  Real sum = 0;
  for (int k = a.begin[row]; k < a.begin[row + 1]; ++k) sum += a.value[k] * x[a.column[k]];
  return sum;
}

/// Warps of a block so that `bytes` of shared memory for each fit, at most `most`; 0: not even one fits.
inline int warps_that_fit(std::size_t bytes, int most) {
  const auto fit = static_cast<int>(static_cast<std::size_t>(device_limits().shared_bytes) / (bytes ? bytes : 1));
  return fit < most ? fit : most;
}

/// Launches warps for `items`, each with `bytes` of shared memory; a warp takes `per_warp` items.
template <class... Parameters, class... Arguments>
void launch_warps(const char* name, void (*kernel)(Parameters...), std::int64_t items, int per_warp, std::size_t bytes,
                  cudaStream_t stream, const Arguments&... arguments) {
  const int warps = warps_that_fit(bytes, tuning::box_warps), all = warps * per_warp;
  launch_kernel(name, kernel,
                {static_cast<unsigned>((items + all - 1) / all), warps * warp, bytes * static_cast<std::size_t>(warps)},
                stream, arguments...);
}

}  // namespace farfield::cuda
