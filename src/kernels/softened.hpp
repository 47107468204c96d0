// Softened pairs of 1/r. Plummer's kernel is 1/r at the distance sqrt(r^2 + eps^2), which backends form themselves; the
// cubic spline has a formula of its own, Laplace3d::of_spline.
#pragma once
#include <cmath>

#include "core/math.hpp"
#include "core/units.hpp"
#include "kernels/concept.hpp"

namespace farfield {

/// A template parameter of pair sums, so that those without softening are the same as if there were none.
enum class Softened { no, plummer, spline };

/// Calls f(std::integral_constant<Softened, ...>) for the softening of a sum by `Kernel`.
template <class Kernel, class F>
decltype(auto) with_softening([[maybe_unused]] const Softening& softening, F&& f) {
  if constexpr (Kernel::softens) {
    if (softening.length > 0 && softening.kind == SofteningKind::spline)
      return f(std::integral_constant<Softened, Softened::spline>{});
    if (softening.length > 0) return f(std::integral_constant<Softened, Softened::plummer>{});
  }
  return f(std::integral_constant<Softened, Softened::no>{});
}

/// Adds a pair softened by the spline of that reach at any distance, 0 included, where it adds to the potential alone.
/// Computed with about the larger of distance and reach as the unit of length, for pairs whose 1/r^3, or the square of
/// whose distance, leaves the range of double.
template <class K, int parts>
FARFIELD_HD void nearest_spline_pair(double reach, double x, double y, double z, double q, double* out) {
  const double largest = fmax(fmax(fabs(x), reach), fmax(fabs(y), fabs(z)));
  const double unit = scalbn(1.0, ilogb(largest));
  x /= unit, y /= unit, z /= unit;
  const double r2 = x * x + y * y + z * z, inverse = r2 > 0 ? Math<double>::inverse_sqrt(r2) : 0;
  double own[4] = {0, 0, 0, 0};
  K::template of_spline<parts>(inverse, r2, unit / reach, q, x, y, z, own);
  out[0] += own[0] / unit;
  for (int part = 1; part < parts; ++part) out[part] += own[part] / unit / unit;
}

}  // namespace farfield
