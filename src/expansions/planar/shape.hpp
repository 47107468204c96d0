// PlanarShape: how many coefficients an expansion in powers of x + iy has, and where they stand: two for each degree,
// of the real and of the imaginary part. At degree 0, whose imaginary part is 0, the second one belongs to the unit of
// length of the logarithm (planar/harmonics.hpp).
#pragma once
#include "core/hd.hpp"

namespace farfield {

struct PlanarShape {
  /// Coefficients of degrees 0 ... degree.
  FARFIELD_HD static constexpr int count(int degree) { return 2 * degree + 2; }
  FARFIELD_HD static constexpr int first(int n) { return 2 * n; }
  /// m = n: Re (x + iy)^n; m = -n: Im (x + iy)^n. There are no others.
  FARFIELD_HD static constexpr int index(int n, int m) { return 2 * n + (m < 0); }
  FARFIELD_HD static constexpr int degree_of(int i) { return i / 2; }
  static constexpr int unit = 1;  ///< the coefficient of the unit of length
};

}  // namespace farfield
