// The pair of one source and one target in double, at any distance: a term of conditions and measured errors.
#pragma once
#include "backends/cuda/work.hpp"
#include "core/least_square.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::cuda {

/// Adds q K and its gradient for source j at distance d from target t.
template <class Kernel, class Real>
__device__ void add_source(const NearWork<Real>& work, std::int64_t t, std::int64_t j, double dx, double dy, double dz,
                           double q, double out[4]) {
  const Kernel kernel = kernel_of<Kernel>(work.parameters);
  const double r2 = dx * dx + dy * dy + dz * dz;
  const bool softened = Kernel::softens && work.softening > 0;
  if (softened && !(r2 > 0)) {  // coincident; no term if source and target are one point
    if (j + work.self_from != t) out[0] += q * softened_at_no_distance<Kernel>(work.softening);
  } else if (softened) {
    kernel.template pair<4>(r2 + work.softening * work.softening, dx, dy, dz, q, out);
  } else if (Kernel::singular && r2 < least_square<double>) {
    nearest_pair<Kernel, 4>(work.parameters, dx, dy, dz, q, out);
  } else {
    kernel.template pair<4>(r2, dx, dy, dz, q, out);
  }
}

}  // namespace farfield::cuda
