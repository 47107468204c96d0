// The kernels of include/farfield/kernels.h as types. Code that knows a kernel only as a value asks its traits.
#pragma once
#include <farfield/error.hpp>
#include <farfield/options.hpp>
#include <utility>

#include "kernels/all.hpp"  // every kernel's header; made by src/CMakeLists.txt from the registry
#include "kernels/traits.hpp"

namespace farfield {

/// Calls f(K{}) for the kernel K of that value.
template <class F>
decltype(auto) with_kernel(Kernel kernel, F&& f) {
  switch (kernel) {
#define FARFIELD_CASE(name, NAME, Type, value, formula) \
  case Kernel::name:                                    \
    return std::forward<F>(f)(Type{});
    FARFIELD_KERNELS(FARFIELD_CASE)
#undef FARFIELD_CASE
  }
  throw Error(ErrorCode::internal, "a kernel outside the registry reached the backend; please report it");
}

/// The same for kernels that the CUDA backend has.
template <class F>
decltype(auto) with_device_kernel(Kernel kernel, F&& f) {
  switch (kernel) {
#define FARFIELD_CASE(name, NAME, Type, value, formula)                      \
  case Kernel::name:                                                         \
    if constexpr (runs_on_device<Type>()) return std::forward<F>(f)(Type{}); \
    break;
    FARFIELD_KERNELS(FARFIELD_CASE)
#undef FARFIELD_CASE
  }
  throw Error(ErrorCode::internal, "a kernel that backend cuda does not have reached it; please report it");
}

}  // namespace farfield
