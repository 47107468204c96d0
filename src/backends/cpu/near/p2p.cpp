// p2p: the near field. Each target leaf gathers the pairs with every box of its near list. Overwrites the results, to
// which l2p and m2p add.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come from cache.
#include "backends/cpu/near/pairs.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Calls the instantiation for Work::pair_terms, counting down from the full number of terms. Softened sums have all.
template <class Kernel, class Real, int parts, int terms, Softened softened>
static void p2p_with(const Work<Real>& work) {
  constexpr bool avx512 = vector_bytes == 64, single = sizeof(Real) == 4;
  constexpr bool refines = OfInverseDistance<Kernel> || OfDecay<Kernel>;
  constexpr int fewest = fewest_terms(avx512, single) + (OfDecay<Kernel> && !single);  // compiles a third less
  if constexpr (refines && softened == Softened::no && terms > fewest)
    if (work.pair_terms < terms) return p2p_with<Kernel, Real, parts, terms - 1, softened>(work);
  p2p_leaves<Kernel, Real, parts, terms, softened>(work);
}

template <class Kernel, class Real>
void p2p(const Work<Real>& work) {
  constexpr int full = full_terms(vector_bytes == 64, sizeof(Real) == 4);
  if constexpr (Kernel::softens)
    if (work.source_length) return p2p_with_lengths<Kernel, Real>(work);
  if constexpr (has_expansions<Kernel>())
    with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
      with_softening<Kernel>(work.softening,
                             [&](auto softened) { p2p_with<Kernel, Real, parts(), full, softened()>(work); });
    });
}

template <class Kernel, class Real>
void direct(const Work<Real>& work, std::int64_t count, std::int64_t targets) {
  if constexpr (Kernel::softens)
    if (work.source_length) return direct_with_lengths<Kernel, Real>(work, count, targets);
  with_softening<Kernel>(work.softening,
                         [&](auto softened) { direct_blocks<Kernel, Real, softened()>(work, count, targets); });
}

FARFIELD_INSTANTIATE(p2p)
FARFIELD_INSTANTIATE(direct, std::int64_t, std::int64_t)

}  // namespace farfield::cpu::FARFIELD_ISA
