// What a kernel delivers of the gradient of its sum. Most deliver it as it is. Kernels whose result is another vector
// of the same two numbers (the velocity of vortices is the gradient of their stream function, turned) sum the gradient,
// and the turn and the constant are applied where results are written.
#pragma once
#include <type_traits>

#include "core/results.hpp"

namespace farfield {

struct VectorResult {
  const char* name = "gradient";
  const char* components[3] = {"gx", "gy", "gz"};  ///< null: always 0, and left out of tables
  int part[3] = {1, 2, 3};                         ///< component k is sign[k] times this part
  double sign[3] = {1, 1, 1};
  double constant = 1;         ///< in front of the kernel
  bool always = false;         ///< computed whether or not Options::gradient asks for it
  bool with_potential = true;  ///< the potential can be had, too
};

/// `K::vector`, a VectorResult, where the kernel has one; then its stages know parts 3, and 4 if it has a potential.
template <class K>
constexpr VectorResult vector_result() {
  if constexpr (requires { K::vector; })
    return K::vector;
  else
    return {};
}

/// with_parts for what stages of kernel K are compiled for.
template <class K, class F>
decltype(auto) with_parts_of(int parts, F&& f) {
  if constexpr (vector_result<K>().always) {
    if constexpr (vector_result<K>().with_potential)
      if (parts == with_gradient) return f(std::integral_constant<int, with_gradient>{});
    return f(std::integral_constant<int, gradient_alone>{});
  } else {
    return with_parts(parts, f);
  }
}

}  // namespace farfield
