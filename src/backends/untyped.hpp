// Arrays of the caller, whose type of number is known when the program runs.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>
#include <type_traits>

#include "core/hd.hpp"

namespace farfield {

/// An array, null or not, from a later number on.
template <class Void>
Void* shifted(Void* array, std::int64_t numbers, Scalar scalar) {
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  return array ? static_cast<Byte*>(array) + numbers * (scalar == Scalar::float32 ? 4 : 8) : nullptr;
}

/// Numbers of such an array, a stride apart, each read as double: in loops of the host or kernels, where the array
/// lies.
struct AnyNumbers {
  const void* data;
  std::int64_t stride;
  bool single;
  FARFIELD_HD double operator[](std::int64_t i) const {
    return single ? static_cast<double>(static_cast<const float*>(data)[i * stride])
                  : static_cast<const double*>(data)[i * stride];
  }
};

}  // namespace farfield
