#include <algorithm>

#include "backends/cuda/judge/moments/sums.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/tuning.hpp"
#include "kernels/moments.hpp"
#include "kernels/registry.hpp"

namespace farfield::cuda::moment_sums {
namespace {

constexpr int threads = tuning::direct_sum_threads;

/// Sums of a thread, in the order of `numbers`.
template <bool lacks>
struct Sums {
  static constexpr int terms = with_hessian + 2 * orders;
  double part[with_hessian] = {}, absolute[orders] = {}, square[orders] = {}, missing[lacks ? with_hessian : 1] = {};

  __device__ void take(const double (&out)[with_hessian], const double (&terms)[orders]) {
    for (int k = 0; k < with_hessian; ++k) part[k] += out[k];
    for (int k = 0; k < orders; ++k) absolute[k] += terms[k], square[k] += terms[k] * terms[k];
  }
  __device__ double operator[](int k) const {
    if (lacks && k >= terms) return missing[k - terms];
    return k < with_hessian            ? part[k]
           : k < with_hessian + orders ? absolute[k - with_hessian]
                                       : square[k - with_hessian - orders];
  }
};

/// 1/r of a pair, but not more than the potential of a softened charge.
template <Softened softened>
__device__ double inverse_of(double r2, double softening) {
  if constexpr (!has_reach(softened)) {
    const double inverse = rsqrt(softened == Softened::no ? r2 : r2 + softening);
    return is_core(softened) ? inverse * core_at_no_distance(softened) : inverse;
  }
  return fmin(rsqrt(r2), (is_core(softened) ? core_at_no_distance(softened) : spline_reach) * softening);
}

/// Sums of charges come here for their cores; their terms count as they are, as on the CPU. The bounds below ignore that
/// forces vanish within a core: two clusters within one were called ill-conditioned by 6e3.
template <class Real>
__device__ bool charges_alone(const NearWork<Real>& work) {
  return work.moments() == 1 && !work.result.part[with_gradient];
}

/// The bounds that the CPU has (cpu/judge/moment_sums.hpp).
__device__ inline void add_bounds(double charge, double dipole, double inverse, double (&terms)[orders]) {
  charge *= inverse, dipole *= inverse * inverse;
  terms[0] = charge + dipole, terms[1] = (charge + 2 * dipole) * inverse;
  terms[2] = (charge * 2.449489742783178 + dipole * 7.3484692283495345) * (inverse * inverse);
}

/// Adds the pair of source j with target t. What 1/r adds to it farther than the square root of `to2` is missing.
template <class Kernel, Softened softened, bool lacks, class Real>
__device__ void add_pair(const NearWork<Real>& work, double to2, std::int64_t t, std::int64_t j, Sums<lacks>& sums) {
  double d[3], p[3] = {}, out[with_hessian] = {}, terms[orders] = {};
  for (int a = 0; a < 3; ++a) d[a] = work.target[a][t] - work.source[a][j];
  for (int a = 0; a < 3; ++a)
    if (work.dipole[a]) p[a] = static_cast<double>(work.dipole[a][j]);
  const double q = static_cast<double>(work.strength[j]), r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  double length = work.softening.length;
  if constexpr (has_lengths(softened)) length = pair_length<softened>(work.target_length[t], work.source_length[j]);
  if (r2 > least_square_of_moments<double>) {
    const double softening = has_reach(softened) ? 1 / length : length * length;
    moments_pair<Kernel, with_hessian, with_dipole, softened>(r2, softening, q, p, d[0], d[1], d[2], out);
    if (charges_alone(work))
      terms[0] = fabs(out[0]), terms[1] = norm3d(out[1], out[2], out[3]);
    else
      add_bounds(fabs(q), norm3d(p[0], p[1], p[2]), inverse_of<softened>(r2, softening), terms);
    if (lacks && r2 > to2) {
      double newton[with_hessian] = {};
      moments_pair<Kernel, with_hessian, with_dipole, Softened::no>(r2, 0.0, q, p, d[0], d[1], d[2], newton);
      for (int k = 0; k < with_hessian; ++k) sums.missing[lacks ? k : 0] += newton[k] - out[k];
    }
  } else {
    if (softened != Softened::no && work.is_self(j, t)) return;
    nearest_moments_pair<Kernel, with_hessian, with_dipole, softened>(length, d, q, p, out);
    for (int k = 0; k < with_hessian; ++k) terms[order_of(k)] = hypot(terms[order_of(k)], out[k]);
  }
  sums.take(out, terms);
}

/// Share blockIdx.y of the sources at target blockIdx.x; lanes are summed in a fixed order.
template <class Kernel, Softened softened, bool lacks, class Real>
__global__ void __launch_bounds__(threads)
    sums_kernel(const __grid_constant__ NearWork<Real> work, const std::int64_t* targets, double* out, double to2) {
  constexpr int numbers = moment_sums::numbers(lacks);
  __shared__ double lane[threads];
  const std::int64_t t = targets[blockIdx.x], share = (work.sources + shares - 1) / shares;
  const std::int64_t begin = share * blockIdx.y, end = min(begin + share, work.sources);
  Sums<lacks> sums;
  for (std::int64_t j = begin + threadIdx.x; j < end; j += threads) add_pair<Kernel, softened>(work, to2, t, j, sums);
#pragma unroll
  for (int k = 0; k < numbers; ++k) {
    const double all = sum_of_block<threads>(sums[k], lane);
    if (threadIdx.x == 0) out[(std::int64_t(blockIdx.x) * numbers + k) * shares + blockIdx.y] = all;
    __syncthreads();
  }
}

template <class Kernel, class Real>
auto kernel_for(const NearWork<Real>& work, bool lacks) {
  auto kernel = &sums_kernel<Kernel, Softened::no, false, Real>;
  const auto set = [&](auto as) {
    constexpr Softened softened = decltype(as)::value;
    kernel = &sums_kernel<Kernel, softened, false, Real>;
    if constexpr (softened != Softened::no && !is_spline(softened) && !has_lengths(softened))
      if (lacks) kernel = &sums_kernel<Kernel, softened, true, Real>;
  };
  if (work.source_length)
    with_lengths<Kernel>(work.softening.kind, set);
  else
    with_softening_or_core<Kernel>(work.softening, set);
  return kernel;
}

}  // namespace

template <class Real>
void launch(const NearWork<Real>& work, Kernel kernel, const Request& request, double* out, cudaStream_t stream) {
  const std::int64_t all = request.count * numbers(request.lacks());
  const double to2 = request.softened_to * request.softened_to;
  with_device_kernel(kernel, [&](auto k) {
    using K = decltype(k);
    if constexpr (Differentiates<K>)
      kernel_for<K>(work, request.lacks())<<<dim3(static_cast<unsigned>(request.count), shares), threads, 0, stream>>>(
          work, request.targets, out + all, to2);
  });
  require_launch("moment_sums");
  add_shares<<<static_cast<unsigned>(all), 32, 0, stream>>>(out + all, shares, out);
  require_launch("add_shares");
}

template void launch(const NearWork<float>&, Kernel, const Request&, double*, cudaStream_t);
template void launch(const NearWork<double>&, Kernel, const Request&, double*, cudaStream_t);

DirectSum of_numbers(const double* own, bool lacks) {
  DirectSum sum;
  std::copy_n(own, with_hessian, sum.part);
  std::copy_n(own + with_hessian, orders, sum.absolute);
  std::copy_n(own + with_hessian + orders, orders, sum.square);
  if (lacks) std::copy_n(own + with_hessian + 2 * orders, with_hessian, sum.missing);
  return sum;
}

}  // namespace farfield::cuda::moment_sums
