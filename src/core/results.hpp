// Results of an evaluation are parts: the potential, part 0, and its gradient with respect to the target, parts 1 to 3.
// Stages are templates over what they sum, said by one number: 1, the potential; 4, both; 3, the gradient alone. They
// loop over the arrays of the parts, from first_part to end_part.
#pragma once
#include <type_traits>

#include "core/units.hpp"

namespace farfield {

inline constexpr int most_parts = 4, gradient_alone = 3;
FARFIELD_HD constexpr int parts_with(bool gradient, bool potential = true) {
  return !gradient ? 1 : potential ? most_parts : gradient_alone;
}
FARFIELD_HD constexpr int first_part(int parts) { return parts == gradient_alone ? 1 : 0; }
FARFIELD_HD constexpr int end_part(int parts) { return parts == 1 ? 1 : most_parts; }

/// An array of one number per target for every part, in tree order; null where the part is not computed.
template <class Real>
struct ResultArrays {
  Real* part[most_parts] = {};
  FARFIELD_HD int parts() const { return parts_with(part[1], part[0]); }
  /// A choice, not an index: a kernel's argument that is indexed by a variable is copied to local memory.
  FARFIELD_HD Real* operator[](int i) const { return i == 0 ? part[0] : i == 1 ? part[1] : i == 2 ? part[2] : part[3]; }
};

/// Calls f(std::integral_constant<int, parts>) for what a stage is compiled for, of a kernel that has a potential.
template <class F>
decltype(auto) with_parts(int parts, F&& f) {
  if (parts == 1) return f(std::integral_constant<int, 1>{});
  return f(std::integral_constant<int, most_parts>{});
}

/// What sums in the units of a box or frame, of edge 1/factor, are multiplied by to become results.
template <class Real>
struct PartScales {
  Real potential, gradient;
  FARFIELD_HD Real operator[](int part) const { return part == 0 ? potential : gradient; }
};
template <class Basis, class Real>
FARFIELD_HD PartScales<Real> part_scales(double edge, double factor) {
  const double scale = Basis::potential_scale(edge);
  return {static_cast<Real>(scale), static_cast<Real>(scale * factor)};
}

/// Results of one vector; times `factor` they are the caller's.
template <class Real>
struct SortedResults {
  ResultArrays<Real> result;
  ResultFactors factor;
};

}  // namespace farfield
