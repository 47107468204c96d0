// Sums of pairs that are not plain (NearWork::plain): with dipoles, with Hessians, with cores, or of several densities.
#pragma once
#include <type_traits>

#include "backends/cuda/work.hpp"
#include "kernels/concept.hpp"
#include "kernels/cores/cores.hpp"
#include "model/options/validate.hpp"

namespace farfield::cuda {

/// p2p and direct (stages.hpp) of one density with dipoles, the Hessian or both, or with cores; all leaves must be
/// tiles. Of kernels that are Differentiates. p2p overwrites the results where sources are targets, else adds to them.
template <class Kernel, class Real>
void p2p_moments(const NearWork<Real>& work, unsigned blocks);
template <class Kernel, class Real>
void direct_moments(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets);
/// The same where pairs are softened, and where they have cores.
template <class Kernel, class Real>
void p2p_softened_moments(const NearWork<Real>& work, unsigned blocks);
template <class Kernel, class Real>
void direct_cores(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets);

template <class Real>
bool has_core(const NearWork<Real>& work) {
  return work.softening.length > 0 && is_core(work.softening.kind);
}
/// Is a density summed by these stages?
template <class Real>
bool takes_moments(const NearWork<Real>& work) {
  return work.moments() > 1 || work.result.part[with_gradient] || has_core(work);
}

/// Densities of charges without softening whose pairs p2p forms together; others go one by one.
inline constexpr int densities_together = 3;

/// Calls sum(work) for slices of `together` densities, and for each that is left over.
template <class Real, class Sum>
void for_each_slice(const NearWork<Real>& work, int together, const Sum& sum) {
  for (int first = 0, slice; first < work.densities; first += slice) {
    slice = first + together <= work.densities ? together : 1;
    sum(work.of(first, slice));
  }
}

/// Calls f(parts, moments), constants, for what a sum that derives, or has cores, is compiled for.
template <Softened softened, class Real, class F>
auto with_moments(const NearWork<Real>& work, const F& f) {
  using std::integral_constant;
  const int parts = work.result.parts();
  if constexpr (is_core(softened))
    if (work.moments() == 1 && parts < with_hessian)
      return with_parts(parts, [&](auto plain) { return f(plain, integral_constant<int, 1>{}); });
  if (work.moments() == 1) return f(integral_constant<int, with_hessian>{}, integral_constant<int, 1>{});
  constexpr integral_constant<int, with_dipole> dipole;
  if (parts == with_hessian) return f(integral_constant<int, with_hessian>{}, dipole);
  if (parts == with_gradient) return f(integral_constant<int, with_gradient>{}, dipole);
  return f(integral_constant<int, 1>{}, dipole);
}

}  // namespace farfield::cuda
