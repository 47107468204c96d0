#include "backends/cpu/transfer/copy_axis.hpp"

#include "core/loops/widest_vectors.hpp"

namespace farfield::cpu {

/// A stride that is known is read by whole vectors and their halves, one that is not number by number.
template <int stride, class T>
static inline __attribute__((always_inline)) void copy_by(const T* from, std::int64_t count, Scaling scale,
                                                          double* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i * stride]) * scale.first * scale.second;
}
template <class T>
static inline __attribute__((always_inline)) void copy(const T* from, std::int64_t stride, std::int64_t count,
                                                       const Scaling& scale, double* to) {
  const Scaling own = scale;
  if (stride == 1) return copy_by<1>(from, count, own, to);
  if (stride == 2) return copy_by<2>(from, count, own, to);
  if (stride == 3) return copy_by<3>(from, count, own, to);
  for (std::int64_t i = 0; i < count; ++i) to[i] = own(static_cast<double>(from[i * stride]));
}

FARFIELD_WIDEST_VECTORS
void copy_axis(const double* from, std::int64_t stride, std::int64_t count, const Scaling& scale, double* to) {
  copy(from, stride, count, scale, to);
}
FARFIELD_WIDEST_VECTORS
void copy_axis(const float* from, std::int64_t stride, std::int64_t count, const Scaling& scale, double* to) {
  copy(from, stride, count, scale, to);
}

}  // namespace farfield::cpu
