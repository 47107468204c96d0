// The 27 multipole-to-local translations of a box in the plane, gathered into orbits under a quarter turn.
//
// With f(z) = sum_k a_k / (z - c)^(k+1) and t = target centre - source centre, in edges of the boxes,
//   b_l = (-1/t)^l sum_k C(k+l, l) t^-(k+1) a_k                                     (Cruz et al. 2011, eq. 10)
// is a diagonal, Pascal's matrix, a diagonal. Sources at t, it, -t, -it have the same diagonals but for powers of i, so
// that all of them need one product with Pascal's matrix:
//   sum_j b_l^(j) = (-1/t)^l sum_k C(k+l, l) t^-(k+1) A_k[(k+l+1) mod 4],   A_k[m] = sum_j i^(-jm) a_k^(j)
// A_k is a Fourier transform of four numbers. The 27 sources of a box are four orbits of four, five of two, and one.
#pragma once
#include <array>

namespace farfield::lab {

struct Complex2 {
  double x, y;
};

/// Sources at t, it, ...: `size` of them.
struct Orbit {
  int x, y, size;
};

/// Offsets t of the interaction list of child (cx, cy) of its parent: the children of the parent's colleagues, without
/// the box's own colleagues.
constexpr bool is_far(int child, int x, int y) {
  const int cx = child & 1, cy = child >> 1;
  const bool listed = x >= cx - 3 && x <= cx + 2 && y >= cy - 3 && y <= cy + 2;
  return listed && (x < -1 || x > 1 || y < -1 || y > 1);
}

inline constexpr int quads = 4, pairs = 5, orbit_count = 10, source_count = 27;

/// How many of t, it, -t, -it are in the list, counted from t; 0 if t does not begin its orbit.
constexpr int orbit_size(int child, int x, int y) {
  if (!is_far(child, x, y)) return 0;
  const bool turned[] = {is_far(child, -y, x), is_far(child, -x, -y), is_far(child, y, -x)};
  if (turned[0] && turned[1] && turned[2]) return x > 0 && y >= 0 ? 4 : 0;
  if (turned[2]) return 0;
  return turned[0] ? 2 : 1;
}

/// Orbits of four, of two, and the single source of a child.
constexpr std::array<Orbit, orbit_count> orbits_of(int child) {
  std::array<Orbit, orbit_count> all{};
  std::size_t count = 0;
  for (const int size : {4, 2, 1})
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x)
        if (orbit_size(child, x, y) == size) all[count++] = {x, y, size};
  return all;
}

/// The same sources one by one.
constexpr std::array<Orbit, source_count> singles_of(int child) {
  std::array<Orbit, source_count> all{};
  std::size_t count = 0;
  for (int y = -3; y <= 3; ++y)
    for (int x = -3; x <= 3; ++x)
      if (is_far(child, x, y)) all[count++] = {x, y, 1};
  return all;
}

/// t^-(n+1).
constexpr Complex2 inverse_power(int x, int y, int n) {
  const double square = x * x + y * y;
  const Complex2 inverse{x / square, -y / square};
  Complex2 power = inverse;
  for (; n > 0; --n) power = {power.x * inverse.x - power.y * inverse.y, power.x * inverse.y + power.y * inverse.x};
  return power;
}

/// (-1)^l C(k+l, l), the same for all offsets.
constexpr double pascal(int l, int k) {
  double value = 1;
  for (int i = 1; i <= l; ++i) value = value * (k + i) / i;
  return l % 2 ? -value : value;
}

/// Floating point operations of one target's 27 translations, by orbits or one by one: an addition, a product and half
/// of a multiply-add count one. Per orbit and k: the transform, the products with t^-(k+1); Pascal's matrix; (-1/t)^l.
constexpr long orbit_flops(int p, int size) {
  const long transform = size == 4 ? 16 : size == 2 ? 8 : 0, scaled = size == 4 ? 4 : size == 2 ? 2 : 1;
  return p * (transform + 6 * scaled) + 4L * p * p + 8L * p;
}
constexpr long target_flops(int p, bool by_orbits) {
  if (!by_orbits) return source_count * orbit_flops(p, 1);
  return quads * orbit_flops(p, 4) + pairs * orbit_flops(p, 2) + orbit_flops(p, 1);
}

}  // namespace farfield::lab
