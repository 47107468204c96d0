// The pair of one source and one target in double, at any distance: a term of conditions and measured errors.
#pragma once
#include "backends/cuda/work.hpp"
#include "core/least_square.hpp"
#include "judge/direct_sum.hpp"
#include "kernels/softened.hpp"

namespace farfield::cuda {

template <class Kernel>
__device__ void add_spline(double reach, double dx, double dy, double dz, double q, double out[4]) {
  const double r2 = dx * dx + dy * dy + dz * dz;
  if (r2 > least_square<double>)
    Kernel::template of_spline<4>(rsqrt(r2), r2, 1 / reach, q, dx, dy, dz, out);
  else
    nearest_spline_pair<Kernel, 4>(reach, dx, dy, dz, q, out);
}

template <class Kernel, Softened softened, class Real>
__device__ void add_with_lengths(const NearWork<Real>& work, std::int64_t t, std::int64_t j, double dx, double dy,
                                 double dz, double q, double out[4]) {
  const double r2 = dx * dx + dy * dy + dz * dz, own = work.target_length[t], other = work.source_length[j],
               length = pair_length<softened>(own, other);
  if (!(r2 > least_square<double>)) {
    if (!work.is_self(j, t)) nearest_softened_pair<Kernel, 4, softened>(length, dx, dy, dz, q, out);
  } else if (softened == Softened::spline_lengths) {
    Kernel::template of_spline<4>(rsqrt(r2), r2, 1 / length, q, dx, dy, dz, out);
  } else {
    Kernel::template of_inverse<4>(rsqrt(r2 + (own * own + other * other) / 2), q, dx, dy, dz, out);
  }
}

/// Adds q K and its gradient for source j at distance d from target t.
template <class Kernel, class Real>
__device__ void add_source(const NearWork<Real>& work, std::int64_t t, std::int64_t j, double dx, double dy, double dz,
                           double q, double out[4]) {
  const Kernel kernel = kernel_of<Kernel>(work.parameters);
  const double r2 = dx * dx + dy * dy + dz * dz;
  const double length = work.softening.length;
  const bool softened = Kernel::softens && length > 0;
  if (softened && !(r2 > 0) && work.is_self(j, t)) return;
  if constexpr (Kernel::softens) {
    if (work.source_length && work.softening.kind == SofteningKind::spline)
      return add_with_lengths<Kernel, Softened::spline_lengths>(work, t, j, dx, dy, dz, q, out);
    if (work.source_length) return add_with_lengths<Kernel, Softened::plummer_lengths>(work, t, j, dx, dy, dz, q, out);
    if (softened && work.softening.kind == SofteningKind::spline) return add_spline<Kernel>(length, dx, dy, dz, q, out);
  }
  if (softened && !(r2 > 0)) {
    out[0] += q * softened_at_no_distance<Kernel>(length);
  } else if (softened) {
    kernel.template pair<4>(r2 + length * length, dx, dy, dz, q, out);
  } else if (Kernel::singular && r2 < least_square<double>) {
    nearest_pair<Kernel, 4>(work.parameters, dx, dy, dz, q, out);
  } else {
    kernel.template pair<4>(r2, dx, dy, dz, q, out);
  }
}

}  // namespace farfield::cuda
