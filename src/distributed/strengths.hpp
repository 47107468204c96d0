// Single numbers of the caller's arrays, whatever their type.
#pragma once
#include <farfield/views.hpp>

namespace farfield::distributed {

inline double number_at(const void* array, Scalar scalar, std::int64_t at) {
  if (!array) return 0;
  return scalar == Scalar::float32 ? static_cast<double>(static_cast<const float*>(array)[at])
                                   : static_cast<const double*>(array)[at];
}

/// What source i carries in a vector: its charge (0), or a component of its dipole (1 to 3); 0 where none is given.
inline double moment_of(const Strengths& s, std::int64_t vector, int moment, std::int64_t i) {
  if (moment == 0) return number_at(s.data, s.scalar, vector * (s.pitch ? s.pitch : s.count * s.stride) + i * s.stride);
  const std::int64_t pitch = s.dipole_pitch ? s.dipole_pitch : s.count * s.dipole_stride;
  return number_at(s.dipoles, s.scalar, vector * pitch + i * s.dipole_stride + moment - 1);
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
