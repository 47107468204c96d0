// p2p: the near field. Each target leaf gathers the pairs with every box of its near list. Overwrites the results, to
// which l2p and m2p add.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come from cache.
#include "backends/cpu/near/pairs.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Calls the instantiation for Work::pair_terms, counting down from the full number of terms. Softened sums have all.
template <class Kernel, class Real, Summed what, int terms, Softened softened>
static void p2p_with(const Work<Real>& work) {
  constexpr bool avx512 = vector_bytes == 64, single = sizeof(Real) == 4;
  constexpr bool refines = OfInverseDistance<Kernel> || OfDecay<Kernel>;
  constexpr int fewest = fewest_terms(avx512, single) + (OfDecay<Kernel> && !single);  // compiles a third less
  if constexpr (refines && softened == Softened::no && terms > fewest)
    if (work.pair_terms < terms) return p2p_with<Kernel, Real, what, terms - 1, softened>(work);
  p2p_leaves<Kernel, Real, what, terms, softened>(work);
}

/// Sums of dipoles or of Hessians are compiled in p2p_moments.cpp.
template <class Real>
static bool derives(const Work<Real>& work) {
  return work.moments() == with_dipole || work.result.parts() == with_hessian;
}

template <class Kernel, class Real>
void p2p(const Work<Real>& work) {
  constexpr int full = full_terms(vector_bytes == 64, sizeof(Real) == 4);
  if constexpr (Differentiates<Kernel>)
    if (derives(work)) return p2p_moments<Kernel, Real>(work);
  if constexpr (Kernel::softens)
    if (work.source_length) return p2p_with_lengths<Kernel, Real>(work);
  if constexpr (has_expansions<Kernel>())
    with_pairs_of<Kernel>(work, [&]<class K>(std::type_identity<K>, auto parts) {
      with_softening<K>(work.softening, [&](auto softened) { p2p_with<K, Real, Summed{parts()}, full, softened()>(work); });
    });
}

template <class Kernel, class Real>
void direct(const Work<Real>& work, std::int64_t count, std::int64_t targets) {
  if constexpr (Differentiates<Kernel>)
    if (derives(work)) return direct_moments<Kernel, Real>(work, count, targets);
  if constexpr (Kernel::softens)
    if (work.source_length) return direct_with_lengths<Kernel, Real>(work, count, targets);
  with_softening<Kernel>(work.softening,
                         [&](auto softened) { direct_parts<Kernel, Real, softened()>(work, count, targets); });
}

FARFIELD_INSTANTIATE(p2p)
FARFIELD_INSTANTIATE(direct, std::int64_t, std::int64_t)

}  // namespace farfield::cpu::FARFIELD_ISA
