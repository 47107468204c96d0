// Results of an evaluation are parts: the potential, part 0; its gradient with respect to the target, parts 1 to 3; its
// Hessian, parts 4 to 9: xx yy zz xy xz yz. Stages are templates over what they sum, said by one number: 1, the
// potential; 4, the gradient, too; 10, the Hessian, too; 3, the gradient alone. They loop over the arrays of the parts,
// from first_part to end_part.
#pragma once
#include <type_traits>

#include "core/units.hpp"

namespace farfield {

inline constexpr int gradient_alone = 3, with_gradient = 4, with_hessian = 10, most_parts = with_hessian;
FARFIELD_HD constexpr int parts_with(bool gradient, bool potential = true, bool hessian = false) {
  return hessian ? with_hessian : !gradient ? 1 : potential ? with_gradient : gradient_alone;
}
FARFIELD_HD constexpr int first_part(int parts) { return parts == gradient_alone ? 1 : 0; }
FARFIELD_HD constexpr int end_part(int parts) { return parts == gradient_alone ? with_gradient : parts; }
/// How often the potential is differentiated for a part.
FARFIELD_HD constexpr int order_of(int part) { return part == 0 ? 0 : part < with_gradient ? 1 : 2; }
inline constexpr int orders = 3;
/// The first (`which` 0) or second axis of part 4 + k. A function: a device has no array of this scope.
FARFIELD_HD constexpr int hessian_axis(int k, int which) {
  constexpr int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  return axes[k][which];
}

/// An array of one number per target for every part, in tree order; null where the part is not computed.
template <class Real>
struct ResultArrays {
  Real* part[most_parts] = {};
  FARFIELD_HD int parts() const { return parts_with(part[1], part[0], part[with_gradient]); }
  /// Of the first four parts. A choice, not an index: a kernel's argument that is indexed by a variable is copied to
  /// local memory. Of all ten it would cost kernels without Hessians up to 200 instructions.
  FARFIELD_HD Real* operator[](int i) const { return i == 0 ? part[0] : i == 1 ? part[1] : i == 2 ? part[2] : part[3]; }
  FARFIELD_HD Real* any(int i) const { return i < with_gradient ? (*this)[i] : of_hessian(i); }
  FARFIELD_HD Real* of_hessian(int i) const {
    return i == 4 ? part[4] : i == 5 ? part[5] : i == 6 ? part[6] : i == 7 ? part[7] : i == 8 ? part[8] : part[9];
  }
};

/// Calls f(std::integral_constant<int, parts>) for what a stage is compiled for, of a kernel that has a potential.
template <class F>
decltype(auto) with_parts(int parts, F&& f) {
  if (parts == 1) return f(std::integral_constant<int, 1>{});
  return f(std::integral_constant<int, with_gradient>{});
}

/// What a source carries, its moments: 1, a charge; 4, a charge and a dipole.
inline constexpr int with_dipole = 4;

/// What sums in the units of a box or frame, of edge 1/factor, are multiplied by to become results.
template <class Real>
struct PartScales {
  Real potential, gradient, hessian;
  FARFIELD_HD Real operator[](int part) const {
    return part == 0 ? potential : part < with_gradient ? gradient : hessian;
  }
};
template <class Basis, class Real>
FARFIELD_HD PartScales<Real> part_scales(double edge, double factor) {
  const double scale = Basis::potential_scale(edge);
  return {static_cast<Real>(scale), static_cast<Real>(scale * factor), static_cast<Real>(scale * factor * factor)};
}

/// Results of one vector; times `factor` they are the caller's.
template <class Real>
struct SortedResults {
  ResultArrays<Real> result;
  ResultFactors factor;
};

}  // namespace farfield
