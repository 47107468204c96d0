// Softened pairs of 1/r. Plummer's kernel is 1/r at the distance sqrt(r^2 + eps^2), which backends form themselves; the
// cubic spline has a formula of its own, Laplace3d::of_spline.
#pragma once
#include <cmath>

#include "core/math.hpp"
#include "core/units.hpp"
#include "kernels/concept.hpp"

namespace farfield {

/// A template parameter of pair sums, so that those without softening are the same as if there were none.
/// `..._lengths`: each point has a length of its own. The last two are cores (kernels/cores/cores.hpp).
enum class Softened { no, plummer, spline, plummer_lengths, spline_lengths, algebraic, gauss };

FARFIELD_HD constexpr bool has_lengths(Softened s) {
  return s == Softened::plummer_lengths || s == Softened::spline_lengths;
}
FARFIELD_HD constexpr bool is_spline(Softened s) { return s == Softened::spline || s == Softened::spline_lengths; }
/// For what differs only where points have lengths.
constexpr Softened only_lengths(Softened s) { return has_lengths(s) ? s : Softened::no; }

/// The length of a pair, from those of its points (of a spline, reaches): the root of their mean square, or the longer
/// one. Symmetric, so that forces are opposite, and the points' own length where they have the same.
template <Softened softened>
FARFIELD_HD double pair_length(double a, double b) {
  if constexpr (softened == Softened::plummer_lengths) return hypot(a, b) * 0.70710678118654752;
  return a > b ? a : b;
}

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

/// The same of points that have lengths.
template <class Kernel, class F>
void with_lengths(SofteningKind kind, F&& f) {
  if constexpr (Kernel::softens) {
    if (kind == SofteningKind::spline) return f(std::integral_constant<Softened, Softened::spline_lengths>{});
    f(std::integral_constant<Softened, Softened::plummer_lengths>{});
  }
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

/// The same by Plummer's kernel of that length. Nothing where distance and length are 0.
template <class K, int parts>
FARFIELD_HD void nearest_plummer_pair(double length, double x, double y, double z, double q, double* out) {
  const double largest = fmax(fmax(fabs(x), length), fmax(fabs(y), fabs(z)));
  if (!(largest > 0)) return;
  const double unit = scalbn(1.0, ilogb(largest)), soft = length / unit;
  x /= unit, y /= unit, z /= unit;
  double own[4] = {0, 0, 0, 0};
  K::template of_inverse<parts>(Math<double>::inverse_sqrt(x * x + y * y + z * z + soft * soft), q, x, y, z, own);
  out[0] += own[0] / unit;
  for (int part = 1; part < parts; ++part) out[part] += own[part] / unit / unit;
}

/// Adds a softened pair at any distance; nothing where distance and length are 0.
template <class K, int parts, Softened softened>
FARFIELD_HD void nearest_softened_pair(double length, double x, double y, double z, double q, double* out) {
  constexpr bool spline = is_spline(softened);
  if (spline && length > 0)
    nearest_spline_pair<K, parts>(length, x, y, z, q, out);
  else
    nearest_plummer_pair<K, parts>(length, x, y, z, q, out);
}

}  // namespace farfield
