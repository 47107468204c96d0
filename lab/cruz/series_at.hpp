// One Hermite series at one point, or at the points of a vector, on the host.
#pragma once
#include "core/math.hpp"

namespace farfield::lab {

/// One series at one point: sum A_ab g_a(x) g_b(y) with g_n = h_n / 2^n, g_(n+1) = t g_n - n/2 g_(n-1): two
/// instructions a step. A: [b][a], of row length `stride`.
template <int P, class V>
inline V series_at(const float* coefficient, int stride, V x, V y) {
  V along_x[P];
  along_x[0] = Math<V>::exp(-(x * x + y * y));
#pragma GCC unroll 16
  for (int n = 1; n < P; ++n)
    along_x[n] = n == 1 ? x * along_x[0] : x * along_x[n - 1] - (0.5f * static_cast<float>(n - 1)) * along_x[n - 2];
  V before = V{}, now = V{} + 1.0f, sum = V{};
#pragma GCC unroll 16
  for (int b = 0; b < P; ++b) {
    V row = coefficient[b * stride] * along_x[0];
#pragma GCC unroll 16
    for (int a = 1; a < P; ++a) row += coefficient[b * stride + a] * along_x[a];
    sum += row * now;
    const V next = y * now - (0.5f * static_cast<float>(b)) * before;
    before = now, now = next;
  }
  return sum;
}

}  // namespace farfield::lab
