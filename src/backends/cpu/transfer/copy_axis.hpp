// copy_axis: one coordinate of the caller's points side by side, whatever their layout, for loops in vectors.
#pragma once
#include "tree/reader.hpp"

namespace farfield::cpu {

/// to[i] = from[i * stride], scaled.
void copy_axis(const double* from, std::int64_t stride, std::int64_t count, const Scaling& scale, double* to);
void copy_axis(const float* from, std::int64_t stride, std::int64_t count, const Scaling& scale, double* to);

/// Of the points [begin, begin + count).
template <class T>
void copy_axis(const Reader<T>& read, int axis, std::int64_t begin, std::int64_t count, double* to) {
  copy_axis(read.axis[axis] + begin * read.stride, read.stride, count, read.scale, to);
}

}  // namespace farfield::cpu
