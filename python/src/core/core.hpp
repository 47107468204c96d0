// What the files of the module share: arrays of Python as views of the library, options, and the bind functions.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <farfield/farfield.hpp>
#include <optional>

namespace farfield::python {

namespace nb = nanobind;
/// Any type, shape and layout: nothing is converted on the way, so nothing is copied.
using Array = nb::ndarray<nb::ro>;
using MutableArray = nb::ndarray<>;
using MaybeArray = std::optional<Array>;
using MaybeMutableArray = std::optional<MutableArray>;

/// A CUDA stream as a number, 0: the legacy default stream. What is in device memory is ready in its order.
using Stream = std::uintptr_t;

inline constexpr int on_host = -1;
/// The number of the CUDA device that it lies on, or on_host.
int device_of(const Array& array);
/// Throws Error(device) for strengths on another device than `points`, which cannot be read there.
void require_beside(int points, const Array& strengths);

/// Positions and, where points have their own, softening lengths. The Python layer has checked shapes and types; the
/// arrays must outlive the view.
Points points_of(const Array& positions, const MaybeArray& softening, Stream stream);
/// Of `count` sources: strengths (N) or (vectors, N), dipoles (N, 3) or (vectors, N, 3); one of them may be missing.
Strengths strengths_of(const MaybeArray& strengths, const MaybeArray& dipoles, Stream stream);

/// Where results go, as the Python layer allocated them; see farfield::Outputs.
struct OutputArrays {
  MaybeMutableArray potential, gradient, hessian, source_potential, source_gradient, source_hessian;
  MaybeMutableArray virial;  ///< of doubles
};
Outputs outputs_of(const OutputArrays& arrays, Stream stream);

/// Options from keyword arguments; throws Error(usage) for a name or a value that there is not.
Options options_of(const nb::dict& keywords);
CoulombOptions coulomb_options_of(const nb::dict& keywords);

void bind_errors(nb::module_& module);
void bind_options(nb::module_& module);
void bind_report(nb::module_& module);
void bind_plan(nb::module_& module);
void bind_biot_savart(nb::module_& module);
void bind_coulomb(nb::module_& module);
void bind_motion(nb::module_& module);
void bind_density(nb::module_& module);
/// Where zlib, libpng, fmt and nlohmann-json were found at the build.
void bind_bodies(nb::module_& module);
/// Where jaxlib's headers were found at the build.
void bind_jax(nb::module_& module);

}  // namespace farfield::python
