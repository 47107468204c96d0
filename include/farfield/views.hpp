// Views: how a caller hands arrays to the library without copying them.
//
// A view never owns memory; what it points to must stay valid for the duration of the call it is passed to.
// Every view names its memory space and stream, so that arrays on a GPU need no second set of functions.
#pragma once
#if __cplusplus <= 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG > 201703L)
#error "Farfield needs C++20: compile with -std=c++20 (MSVC: /std:c++20), or use the C interface, farfield/farfield.h."
#endif
#include <array>
#include <cstdint>
#include <farfield/error.hpp>
#include <span>
#include <string>
#include <type_traits>

namespace farfield {

enum class Scalar : int { float32 = 0, float64 = 1 };
enum class MemorySpace : int { host = 0, device = 1 };

template <class T>
concept Real = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <Real T>
constexpr Scalar scalar_of = std::is_same_v<T, float> ? Scalar::float32 : Scalar::float64;

/// `count` points in space. Coordinate d of point i is element `i * stride` behind `axis[d]`;
/// stride counts scalars, not bytes, and is at least 1 where there is a second point. For kernels of the plane axis[2]
/// may be null: all points then lie at z = 0. Units are the caller's; potentials come back in strength
/// / unit.
struct Points {
  std::array<const void*, 3> axis{};
  std::int64_t count = 0;
  std::int64_t stride = 3;
  Scalar scalar = Scalar::float64;
  MemorySpace space = MemorySpace::host;
  void* stream = nullptr;  ///< the CUDA stream that orders access to device memory; unused for host memory
  /// One softening length for each point, one after another in host memory, in the units of the coordinates; 0: none.
  /// Null: Options::softening for all of them. A pair is softened by the root of the mean square of its points' two
  /// lengths (Plummer) or by the longer one (spline).
  const double* softening = nullptr;
};

/// Interleaved points: x y z of point i stand at xyz[i * stride + 0, 1, 2].
template <Real T>
Points points(const T* xyz, std::int64_t count, std::int64_t stride = 3) {
  return {{xyz, xyz ? xyz + 1 : xyz, xyz ? xyz + 2 : xyz}, count, stride, scalar_of<T>};
}

/// Separate arrays: coordinate x of point i stands at x[i * stride], likewise y and z.
template <Real T>
Points points(const T* x, const T* y, const T* z, std::int64_t count, std::int64_t stride = 1) {
  return {{x, y, z}, count, stride, scalar_of<T>};
}

/// Interleaved points from a span of 3 n scalars. Throws Error(input) if their number is not a multiple of 3.
template <class Range>
requires Real<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>> Points points(const Range& xyz) {
  const std::int64_t scalars = static_cast<std::int64_t>(std::size(xyz));
  if (scalars % 3 != 0)
    throw Error(ErrorCode::input, std::to_string(scalars) +
                                      " coordinates are not a whole number of points; pass x, y, z "
                                      "of each");
  return points(std::data(xyz), scalars / 3);
}

/// Points of the plane, interleaved: x y of point i stand at xy[2 i + 0, 1].
template <Real T>
Points points_in_plane(const T* xy, std::int64_t count) {
  return {{xy, xy ? xy + 1 : xy, nullptr}, count, 2, scalar_of<T>};
}
/// The same from a range of 2 n scalars. Throws Error(input) if their number is odd.
template <class Range>
requires Real<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>> Points
points_in_plane(const Range& xy) {
  const std::int64_t scalars = static_cast<std::int64_t>(std::size(xy));
  if (scalars % 2 != 0)
    throw Error(ErrorCode::input,
                std::to_string(scalars) + " coordinates are not a whole number of points; pass x, y of each");
  return points_in_plane(std::data(xy), scalars / 2);
}

/// One or several strength vectors: strength of source i in vector v is element `v * pitch + i * stride`. Sources may
/// also carry dipoles, u(x) = sum_j q_j K(x, y_j) + p_j . grad_y K(x, y_j): of 1/r, p . (x - y) / |x - y|^3. A dipole's
/// unit is that of a strength times a length.
struct Strengths {
  const void* data = nullptr;
  std::int64_t count = 0;    ///< strengths per vector; must equal the number of sources
  std::int64_t vectors = 1;  ///< number of vectors evaluated in one call
  std::int64_t stride = 1;
  std::int64_t pitch = 0;  ///< scalars between vectors; 0 means count * stride
  Scalar scalar = Scalar::float64;
  MemorySpace space = MemorySpace::host;
  void* stream = nullptr;
  /// Component a of the dipole of source i in vector v is element `v * dipole_pitch + i * dipole_stride + a`, of the
  /// same type and memory space; needs Options::dipoles. Null: none. With dipoles `data` may be null: no charges.
  const void* dipoles = nullptr;
  std::int64_t dipole_stride = 3;
  std::int64_t dipole_pitch = 0;  ///< scalars between vectors; 0 means count * dipole_stride
};

template <Real T>
Strengths strengths(const T* q, std::int64_t count, std::int64_t vectors = 1) {
  return {q, count, vectors, 1, count, scalar_of<T>};
}

template <class Range>
requires Real<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>> Strengths
strengths(const Range& q) {
  return strengths(std::data(q), static_cast<std::int64_t>(std::size(q)));
}

/// Several vectors of `count` strengths each, one behind the other; q holds at least count * vectors.
template <class Range>
requires Real<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>> Strengths
strengths(const Range& q, std::int64_t count, std::int64_t vectors = 1) {
  return strengths(std::data(q), count, vectors);
}

/// The same sources with dipoles: x y z of the dipole of source i in vector v stand at p[3 (v * count + i) + 0, 1, 2].
/// Throws Error(input) if T is not the type of the strengths.
template <Real T>
Strengths with_dipoles(Strengths strengths, const T* p) {
  if (strengths.data && strengths.scalar != scalar_of<T>)
    throw Error(ErrorCode::input, "strengths and dipoles are of different types; pass both as float or both as double");
  strengths.scalar = scalar_of<T>;
  strengths.dipoles = p;
  return strengths;
}

/// Dipoles without charges.
template <Real T>
Strengths dipoles(const T* p, std::int64_t count, std::int64_t vectors = 1) {
  return with_dipoles(strengths(static_cast<const T*>(nullptr), count, vectors), p);
}

/// The same from ranges of 3 scalars for each source and vector. Throws Error(input) if their number is another.
template <class Range>
requires Real<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>> Strengths
with_dipoles(const Strengths& strengths, const Range& p) {
  const std::int64_t scalars = static_cast<std::int64_t>(std::size(p)), sources = strengths.count * strengths.vectors;
  if (scalars != 3 * sources)
    throw Error(ErrorCode::input, std::to_string(scalars) + " numbers are not the dipoles of " +
                                      std::to_string(sources) + " strengths; pass x, y, z of each");
  return with_dipoles(strengths, std::data(p));
}
template <class Range>
requires Real<std::remove_cvref_t<decltype(*std::data(std::declval<const Range&>()))>> Strengths
dipoles(const Range& p) {
  const std::int64_t scalars = static_cast<std::int64_t>(std::size(p));
  if (scalars % 3 != 0)
    throw Error(ErrorCode::input, std::to_string(scalars) + " numbers are not whole dipoles; pass x, y, z of each");
  return dipoles(std::data(p), scalars / 3);
}

/// Where results go. All arrays belong to the caller and are overwritten; a null pointer means "not wanted".
/// Potentials are (vectors, count), gradients (vectors, count, 3), Hessians (vectors, count, 6) as xx yy zz xy xz yz,
/// all contiguous in row-major order, in the order of the caller's points. Kernel vortex puts the velocity (u, v, 0) in
/// the place of the gradient, cauchy (Re, Im, 0), whether or not Options::gradient asks for it; a potential needs
/// Options::stream_function then.
struct Outputs {
  void* potential = nullptr;         ///< at the targets
  void* gradient = nullptr;          ///< at the targets; needs Options::gradient or Options::hessian
  void* source_potential = nullptr;  ///< at the sources; needs Options::at_sources
  void* source_gradient = nullptr;   ///< at the sources; needs both options
  Scalar scalar = Scalar::float64;
  MemorySpace space = MemorySpace::host;
  void* stream = nullptr;
  void* hessian = nullptr;         ///< at the targets; needs Options::hessian
  void* source_hessian = nullptr;  ///< at the sources; needs Options::hessian and Options::at_sources
  double* virial = nullptr;        ///< (vectors, 6), xx yy zz xy xz yz, always in host memory; needs Options::virial
};

}  // namespace farfield
