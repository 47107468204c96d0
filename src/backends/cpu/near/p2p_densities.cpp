// p2p of several densities in one pass: distances and roots serve all of them. Each has the bits that it has alone.
// Compiled for kernels whose other stages sum them together, too.
#include "backends/cpu/near/pairs.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real>
void p2p_densities(const Work<Real>& work) {
  constexpr int full = full_terms(vector_bytes == 64, sizeof(Real) == 4);
  with_parts(work.result.parts(), [&](auto parts) {
    p2p_with<Kernel, Real, Summed{parts(), 1, densities_together}, full, Softened::no>(work);
  });
}

FARFIELD_INSTANTIATE(p2p_densities)

}  // namespace farfield::cpu::FARFIELD_ISA
