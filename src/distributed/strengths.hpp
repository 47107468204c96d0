// Single numbers of the caller's arrays, whatever their type.
#pragma once
#include <farfield/views.hpp>

namespace farfield::distributed {

/// The strength of point i in a vector.
inline double strength_of(const Strengths& s, std::int64_t vector, std::int64_t i) {
  const std::int64_t at = vector * (s.pitch ? s.pitch : s.count * s.stride) + i * s.stride;
  return s.scalar == Scalar::float32 ? static_cast<double>(static_cast<const float*>(s.data)[at])
                                     : static_cast<const double*>(s.data)[at];
}

/// Writes a result to an array that may be null.
inline void write(void* array, Scalar scalar, std::int64_t at, double value) {
  if (!array) return;
  if (scalar == Scalar::float32)
    static_cast<float*>(array)[at] = static_cast<float>(value);
  else
    static_cast<double*>(array)[at] = value;
}

}  // namespace farfield::distributed
