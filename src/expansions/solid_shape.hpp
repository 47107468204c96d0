// SolidShape: how many coefficients an expansion in solid harmonics has, and where they stand. Degree n has 2n + 1 of
// them, m = -n ... n, behind those of all lower degrees. Other folders ask here or, knowing a kernel only as a value,
// its traits.
#pragma once
#include <cmath>

#include "core/hd.hpp"

namespace farfield {

struct SolidShape {
  /// Coefficients of degrees 0 ... degree.
  FARFIELD_HD static constexpr int count(int degree) { return (degree + 1) * (degree + 1); }
  /// Where the coefficients of degree n begin: the count of all lower degrees.
  FARFIELD_HD static constexpr int first(int n) { return n * n; }
  FARFIELD_HD static constexpr int index(int n, int m) { return n * n + n + m; }
  FARFIELD_HD static int degree_of(int i) { return static_cast<int>(sqrtf(static_cast<float>(i) + 0.5f)); }
  /// The most coefficients whose functions keep or change their signs alike under the reflections of all axes: those
  /// of even degrees and orders with cosines. At odd degrees three other sets have as many.
  static constexpr int most_alike(int degree) { return (degree / 2 + 1) * (degree / 2 + 2) / 2; }
};

/// The coefficients of an expansion in two halves, for stages that hold the sums of one half at a time: |m| < split, or
/// the others. `slot`: their place among these. The recurrence of an order does not need those of others, but for the
/// powers of x + iy.
template <int degree, int pass>
struct SolidOrders {
  static constexpr int passes = degree > 11 ? 2 : 1;
  static constexpr int below(int order) {  // coefficients with |m| < order
    int all = 0;
    for (int n = 0; n <= degree; ++n) all += 2 * (n < order ? n : order - 1) + 1;
    return all;
  }
  static constexpr int first_of_second() {
    int order = 1;
    while (2 * below(order) < SolidShape::count(degree)) ++order;
    return order;
  }
  static constexpr int split = passes == 1 ? degree + 1 : first_of_second();
  static constexpr int count = pass == 0 ? below(split) : SolidShape::count(degree) - below(split);

  FARFIELD_HD static constexpr bool has(int n, int i) {
    const int m = i - n * n - n;
    return (pass == 0) == (-split < m && m < split);
  }
  FARFIELD_HD static constexpr int slot(int n, int i) {
    const int m = i - n * n - n;
    if (pass == 0) return n < split ? i : split * split + (n - split) * (2 * split - 1) + m + split - 1;
    const int own = n - split + 1;  // orders m >= split
    return own * (own - 1) + (m < 0 ? m + n : m - split + own);
  }
  /// The coefficient there.
  FARFIELD_HD static int coefficient(int slot) {
    if (pass == 0) {
      if (slot < split * split) return slot;
      constexpr int width = 2 * split - 1;
      const int above = slot - split * split, n = split + above / width;
      return SolidShape::index(n, above % width - split + 1);
    }
    const int own = (1 + static_cast<int>(sqrtf(4 * static_cast<float>(slot) + 1.5f))) / 2, n = own + split - 1,
              place = slot - own * (own - 1);
    return SolidShape::index(n, place < own ? place - n : place - own + split);
  }
};
/// The degree of coefficient i, when compiling.
FARFIELD_HD constexpr int solid_degree_of(int i) {
  int n = 0;
  while ((n + 1) * (n + 1) <= i) ++n;
  return n;
}

}  // namespace farfield
