// p2p_limits: the limits of p2p's tiles and families that a decision asks for.
#pragma once
#include "backends/cuda/near/p2p_work.hpp"
#include "kernels/traits.hpp"
#include "model/decision.hpp"
#include "model/options/validate.hpp"

namespace farfield::cuda {

/// Do vortices have cores, and is their stream function summed?
inline bool sums_blobs(const Decision& d) {
  const double* core = d.parameters.length;
  return traits(d.kernel).core_reach && (core[0] > 0 || core[1] > 0) && first_part(d.parts()) == 0;
}

template <class Real>
P2pLimits<Real> p2p_limits(const Decision& d, std::int64_t targets) {
  P2pLimits<Real> limits;
  const bool derives = d.hessian || d.dipoles, softened = d.softening > 0;
  const bool cored = softened && is_core(d.softening_kind);
  if (d.least_edge > 0 || (softened && (derives || cored))) limits.most_targets = softened_tile(targets);
  if (d.lengths || derives || cored || sums_blobs(d)) limits.family_mean = 0;
  return limits;
}

}  // namespace farfield::cuda
