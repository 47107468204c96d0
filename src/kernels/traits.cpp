#include "kernels/traits.hpp"

#include "kernels/registry.hpp"

namespace farfield {

template <class K>
static KernelParameters parameters_of([[maybe_unused]] const Options& options) {
  if constexpr (HasParameters<K>)
    return K::parameters(options);
  else
    return {};
}

const KernelTraits& traits(Kernel kernel) {
  switch (kernel) {
#define FARFIELD_TRAITS(name, NAME, Type, value, formula)                                     \
  case Kernel::name: {                                                                        \
    using Basis = Type::Basis;                                                                \
    static constexpr KernelTraits own{#name,         Type::homogeneity,  Type::singular,      \
                                      Type::softens, Basis::truncates,   Basis::Shape::count, \
                                      Basis::errors, parameters_of<Type>};                    \
    return own;                                                                               \
  }
    FARFIELD_KERNELS(FARFIELD_TRAITS)
#undef FARFIELD_TRAITS
  }
  throw Error(ErrorCode::internal, "a kernel outside the registry has no traits; please report it");
}

}  // namespace farfield
