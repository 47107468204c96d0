// One Hermite series at one point, or at the points of a vector, on the host.
#pragma once
#include <cstddef>
#include <utility>

#include "core/math.hpp"

namespace farfield::lab {

/// One series at one point: sum A_ab g_a(x) g_b(y) with g_n = h_n / 2^n, g_(n+1) = t g_n - n/2 g_(n-1): two
/// instructions a step. A: [b][a], of row length `stride`.
template <int P, class V>
inline __attribute__((always_inline)) V series_at(const float* coefficient, int stride, V x, V y) {
  V along[P];
  // Exponentials below 1e-22 become 0: with coefficients they would be subnormal numbers, which are slow on a CPU.
  along[0] = (Math<V>::exp(-(x * x + y * y)) + 1e-15f) - 1e-15f, along[1] = x * along[0];
  V sum = V{}, before = V{}, now = V{} + 1.0f;
  // Folds, not loops: only constant indices leave `along` in registers.
  [&]<std::size_t... n>(std::index_sequence<n...>) __attribute__((always_inline)) {
    ((along[n + 2] = x * along[n + 1] - (0.5f * static_cast<float>(n + 1)) * along[n]), ...);
  }
  (std::make_index_sequence<P - 2>());
  for (int b = 0; b < P; ++b, coefficient += stride) {
    const V row = [&]<std::size_t... a>(std::index_sequence<a...>) __attribute__((always_inline)) {
      return ((coefficient[a] * along[a]) + ...);
    }
    (std::make_index_sequence<P>());
    sum += row * now;
    const V next = y * now - (0.5f * static_cast<float>(b)) * before;
    before = now, now = next;
  }
  return sum;
}

}  // namespace farfield::lab
