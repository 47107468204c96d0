#include "kernels/traits.hpp"

#include "kernels/registry.hpp"

namespace farfield {

#define FARFIELD_TRAITS(name, NAME, Type, value, formula) \
  {#name, formula, Type::homogeneity, Type::singular, Type::softens, Type::Basis::truncates},
static constexpr KernelTraits all[] = {FARFIELD_KERNELS(FARFIELD_TRAITS)};

const KernelTraits& traits(Kernel kernel) { return all[static_cast<int>(kernel)]; }

}  // namespace farfield
