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

template <class K>
static constexpr auto core_reach_of() -> double (*)(const Options&, double) {
  if constexpr (HasCore<K>)
    return K::core_reach;
  else
    return nullptr;
}

template <class K>
static constexpr double cost_of_pair() {
  if constexpr (requires { K::pair_cost; })
    return K::pair_cost;
  else
    return 1;
}

template <class K>
static constexpr bool screens() {
  if constexpr (requires { K::screens; })
    return K::screens;
  else
    return false;
}

template <class K>
static constexpr bool is_bounded() {
  if constexpr (requires { K::bounded; })
    return K::bounded;
  else
    return false;
}

template <class K>
static constexpr bool takes_bandwidth() {
  if constexpr (requires { K::has_bandwidth; })
    return K::has_bandwidth;
  else
    return false;
}

template <class K>
static constexpr int fewest_axes() {
  if constexpr (requires { K::least_axes; })
    return K::least_axes;
  else
    return K::Basis::decay.axes;
}

/// FallsOff's functions, or none.
template <class K>
static constexpr auto reach_of() -> double (*)(double, bool) {
  if constexpr (FallsOff<K>)
    return K::reach;
  else
    return nullptr;
}
template <class K>
static constexpr auto transform_of() -> double (*)(double) {
  if constexpr (FallsOff<K>)
    return K::transform;
  else
    return nullptr;
}

template <class Basis, class Real>
static constexpr double largest_scale() {
  if constexpr (ScaleInvariant<Basis>)
    return HUGE_VAL;
  else
    return Basis::template largest_scale<Real>;
}

template <class K>
static constexpr KernelTraits traits_of(const char* name) {
  using Basis = typename K::Basis;
  return {.name = name,
          .homogeneity = K::homogeneity,
          .singular = K::singular,
          .softens = K::softens,
          .rotates = Rotates<Basis>,
          .factors = Factors<Basis>,
          .on_device = runs_on_device<K>(),
          .expands = has_expansions<K>(),
          .bounded = is_bounded<K>(),
          .has_bandwidth = takes_bandwidth<K>(),
          .least_axes = fewest_axes<K>(),
          .pair_cost = cost_of_pair<K>(),
          .vector = vector_result<K>(),
          .screens = screens<K>(),
          .differentiates = Differentiates<K>,
          .scale_invariant = ScaleInvariant<Basis>,
          .largest_scale = {largest_scale<Basis, float>(), largest_scale<Basis, double>()},
          .decay = Basis::decay,
          .truncates = Basis::truncates,
          .coefficients = Basis::Shape::count,
          .errors = Basis::errors,
          .reach = reach_of<K>(),
          .transform = transform_of<K>(),
          .parameters = parameters_of<K>,
          .core_reach = core_reach_of<K>()};
}

const KernelTraits& traits(Kernel kernel) {
  switch (kernel) {
#define FARFIELD_TRAITS(name, NAME, Type, value, formula)       \
  case Kernel::name: {                                          \
    static constexpr KernelTraits own = traits_of<Type>(#name); \
    return own;                                                 \
  }
    FARFIELD_KERNELS(FARFIELD_TRAITS)
#undef FARFIELD_TRAITS
  }
  throw Error(ErrorCode::internal, "a kernel outside the registry has no traits; please report it");
}

}  // namespace farfield
