// p2p and the direct sum of points that have softening lengths of their own; compiled for kernels that are softened.
#include "backends/cpu/near/pairs.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real>
void p2p_with_lengths(const Work<Real>& work) {
  constexpr int full = full_terms(vector_bytes == 64, sizeof(Real) == 4);
  with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
    with_lengths<Kernel>(work.softening.kind,
                         [&](auto softened) { p2p_leaves<Kernel, Real, Summed{parts()}, full, softened()>(work); });
  });
}

template <class Kernel, class Real>
void direct_with_lengths(const Work<Real>& work, std::int64_t count, std::int64_t targets) {
  with_lengths<Kernel>(work.softening.kind,
                       [&](auto softened) { direct_parts<Kernel, Real, softened()>(work, count, targets); });
}

FARFIELD_INSTANTIATE(p2p_with_lengths)
FARFIELD_INSTANTIATE(direct_with_lengths, std::int64_t, std::int64_t)

}  // namespace farfield::cpu::FARFIELD_ISA
