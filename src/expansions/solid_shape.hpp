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

}  // namespace farfield
