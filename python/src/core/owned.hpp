// Arrays that own what the library allocated, and lists of numbers from arrays.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core.hpp"

namespace farfield::python {

using Shape = std::vector<std::size_t>;
/// Contiguous doubles in host memory, as the Python layer has made them.
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// As a NumPy array that frees the numbers with itself.
template <Real T>
nb::object as_array(std::vector<T>&& numbers, const Shape& shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(numbers));
  T* data = owned->data();
  const nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner), nb::rv_policy::automatic);
}

inline std::vector<double> as_list(const Doubles& array) { return {array.data(), array.data() + array.size()}; }
inline std::vector<double> as_list(const std::optional<Doubles>& array) {
  return array ? as_list(*array) : std::vector<double>{};
}

}  // namespace farfield::python
