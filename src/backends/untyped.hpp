// Arrays of the caller, whose type of number is known when the program runs.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>
#include <type_traits>

namespace farfield {

/// An array, null or not, from a later number on.
template <class Void>
Void* shifted(Void* array, std::int64_t numbers, Scalar scalar) {
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  return array ? static_cast<Byte*>(array) + numbers * (scalar == Scalar::float32 ? 4 : 8) : nullptr;
}

}  // namespace farfield
