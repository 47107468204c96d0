// p2p and the direct sum with dipoles, Hessians or both; compiled for kernels that offer them. Dipoles with gradient
// and charges with Hessian have roots of as many terms as the tolerance needs, the rest all terms: each number of them
// takes seconds to compile. Softened sums take the formula of the pair (kernels/moments.hpp) at every distance.
#include "backends/cpu/near/pairs.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <Summed what>
using Constant = std::integral_constant<Summed, what>;

/// Calls f(Constant<...>) for what the work asks.
template <class Real, class F>
static void with_moments_of(const Work<Real>& work, F&& f) {
  const int parts = work.result.parts();
  if (work.moments() == 1) return f(Constant<Summed{with_hessian, 1}>{});
  if (parts == with_hessian) return f(Constant<Summed{with_hessian, with_dipole}>{});
  if (parts == with_gradient) return f(Constant<Summed{with_gradient, with_dipole}>{});
  f(Constant<Summed{1, with_dipole}>{});
}

template <class Kernel, class Real>
void p2p_moments(const Work<Real>& work) {
  constexpr int full = full_terms(vector_bytes == 64, sizeof(Real) == 4);
  with_moments_of(work, [&](auto what) {
    with_softening_or_core<Kernel>(work.softening, [&](auto softened) {
      if constexpr (what().parts == with_hessian && what().moments == with_dipole)
        p2p_leaves<Kernel, Real, what(), full, softened()>(work);
      else
        p2p_with<Kernel, Real, what(), full, softened()>(work);
    });
  });
}

template <class Kernel, class Real>
void direct_moments(const Work<Real>& work, std::int64_t count, std::int64_t targets) {
  with_moments_of(work, [&](auto what) {
    const auto sum = [&](auto softened) { direct_blocks<Kernel, Real, what(), softened()>(work, count, targets); };
    if (work.source_length)
      with_lengths<Kernel>(work.softening.kind, sum);
    else
      with_softening_or_core<Kernel>(work.softening, sum);
  });
}

FARFIELD_INSTANTIATE(p2p_moments)
FARFIELD_INSTANTIATE(direct_moments, std::int64_t, std::int64_t)

}  // namespace farfield::cpu::FARFIELD_ISA
