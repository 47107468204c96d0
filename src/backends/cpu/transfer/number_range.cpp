#include "backends/cpu/transfer/number_range.hpp"

#include <cmath>

#include "core/loops/widest_vectors.hpp"

namespace farfield::cpu {

FARFIELD_WIDEST_VECTORS
void extend(NumberRange& range, const double* numbers, std::int64_t count) {
  const double none = std::numeric_limits<double>::infinity();
  double low = none, high = -none, least = none, poison = 0;
#pragma omp simd reduction(min : low, least) reduction(max : high) reduction(+ : poison)
  for (std::int64_t i = 0; i < count; ++i) {
    const double v = numbers[i], size = std::fabs(v), above = size > 0 ? size : none;
    low = v < low ? v : low;
    high = v > high ? v : high;
    least = above < least ? above : least;
    poison += 0 * v;
  }
  range.join({low, high, least, poison});
}

}  // namespace farfield::cpu
