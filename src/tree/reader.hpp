// Reader: the caller's points as scaled doubles, whatever their scalar type, stride and layout. Points in host memory
// are read by loops of the host, points in device memory by kernels.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>

#include "core/hd.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// Coordinates times 2^exponent: exact, since floats are doubles and scaling is by a power of two. Those that points of
/// the plane lack are 0; the pointers are the same for all points of a loop, so that the question leaves it.
template <class T>
struct Reader {
  const T* axis[3];
  std::int64_t stride;
  Scaling scale;

  FARFIELD_HD double raw(std::int64_t i, int d) const { return axis[d] ? static_cast<double>(axis[d][i * stride]) : 0; }
  FARFIELD_HD double operator()(std::int64_t i, int d) const { return scale(raw(i, d)); }
  FARFIELD_HD void read(std::int64_t i, double x[3]) const {
    for (int d = 0; d < 3; ++d) x[d] = (*this)(i, d);
  }
};

/// The same with the scalar type tested at every access: for CUDA kernels, where the load hides that branch.
/// Coordinates that points of the plane lack are 0.
struct AnyReader {
  const void* axis[3];
  std::int64_t stride;
  Scaling scale;
  bool single;

  AnyReader(const Points& points, const Scaling& scaling)
      : axis{points.axis[0], points.axis[1], points.axis[2]},
        stride(points.stride),
        scale(scaling),
        single(points.scalar == Scalar::float32) {}
  FARFIELD_HD double raw(std::int64_t i, int d) const {
    if (!axis[d]) return 0;
    return single ? static_cast<double>(static_cast<const float*>(axis[d])[i * stride])
                  : static_cast<const double*>(axis[d])[i * stride];
  }
  FARFIELD_HD double operator()(std::int64_t i, int d) const { return scale(raw(i, d)); }
  FARFIELD_HD void read(std::int64_t i, double x[3]) const {
    for (int d = 0; d < 3; ++d) x[d] = (*this)(i, d);
  }
};

template <class T>
Reader<T> reader_of(const Points& points, const Scaling& scale) {
  return {{static_cast<const T*>(points.axis[0]), static_cast<const T*>(points.axis[1]),
           static_cast<const T*>(points.axis[2])},
          points.stride,
          scale};
}

/// Calls use(reader) with the reader of the points' scalar type: loops are compiled once per type.
template <class Use>
decltype(auto) with_reader(const Points& points, const Scaling& scale, Use&& use) {
  if (points.scalar == Scalar::float32) return use(reader_of<float>(points, scale));
  return use(reader_of<double>(points, scale));
}

}  // namespace farfield
