// Records: the numbers of a result that are moved together, and the caller's arrays that they end in.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>
#include <type_traits>

#include "core/results.hpp"

namespace farfield::cuda {

/// Potential; potential and gradient; the two components of a gradient alone, which kernels of the plane sum; or the
/// six of a Hessian, whose records follow those of potential and gradient.
inline constexpr int hessian_numbers = with_hessian - with_gradient;
template <class T, int numbers>
struct alignas(sizeof(T) * (numbers == hessian_numbers ? 2 : numbers)) Record {
  T value[numbers];
};
template <int parts>
constexpr int numbers_of = parts == gradient_alone ? 2 : parts;

/// The arrays of one set of targets (the targets, or the sources); null where not wanted.
template <class T>
struct Arrays {
  T *potential, *gradient, *hessian;
};

template <class T>
struct Destination {
  Arrays<T> at_targets, at_sources;
  std::int64_t split;
  const T *potential = nullptr, *gradient = nullptr;  ///< to be added, at targets; null: nothing
  __device__ void put_potential(std::int64_t index, T value) const {
    T* to = index < split ? at_targets.potential : at_sources.potential;
    if (to) to[index < split ? index : index - split] = with(potential, index, value);
  }
  __device__ void put_gradient(std::int64_t index, int axis, T value) const {
    T* to = index < split ? at_targets.gradient : at_sources.gradient;
    if (to) to[3 * (index < split ? index : index - split) + axis] = with(gradient, 3 * index + axis, value);
  }
  __device__ void put_hessian(std::int64_t index, int k, T value) const {
    T* to = index < split ? at_targets.hessian : at_sources.hessian;
    if (to) to[hessian_numbers * (index < split ? index : index - split) + k] = value;
  }

 private:
  /// Rounded as CellSum is.
  __device__ static T with(const T* addend, std::int64_t i, T value) {
    return addend ? static_cast<T>(static_cast<double>(value) + static_cast<double>(addend[i])) : value;
  }
};

template <class F>
void with_all_parts(int parts, const F& f) {
  if (parts == gradient_alone)
    f(std::integral_constant<int, gradient_alone>{});
  else
    with_parts(parts, f);
}

/// Calls f with a number of the scalar type.
template <class F>
void with_scalar(Scalar scalar, const F& f) {
  scalar == Scalar::float32 ? f(float{}) : f(double{});
}

}  // namespace farfield::cuda
