// Which variant of a kernel of pairs is launched: compiled for the core, the softening and the parts that are summed.
#pragma once
#include "backends/cuda/tuning.hpp"
#include "backends/cuda/work.hpp"
#include "core/results.hpp"
#include "kernels/concept.hpp"
#include "kernels/inverse_square.hpp"
#include "kernels/softened.hpp"

namespace farfield::cuda {

/// Is it potential and gradient of plain charges, in single?
template <class Kernel, class Real, int parts, Softened softened>
constexpr bool is_plain() {
  return tuning::single<Real> && OfInverseDistance<Kernel> && softened == Softened::no && parts == with_gradient;
}

/// Calls f(kernel, softened, parts), constants, for the kernel, coreless where no pair has a core, and what is summed.
template <class Kernel, class Real, class F>
auto with_pairs(const NearWork<Real>& work, const F& f) {
  return with_blobs<Kernel>(work.parameters, work.result.part[0], [&]<class Blob>(std::type_identity<Blob>) {
    return with_core<Blob>(work.parameters, [&](auto kernel) {
      using K = typename decltype(kernel)::type;
      return with_softening<K>(work.softening, [&](auto softened) {
        return with_pair_parts_of<K>(work.result.parts(), [&](auto parts) { return f(kernel, softened, parts); });
      });
    });
  });
}

}  // namespace farfield::cuda
