// The L2 norms of results, from pieces of so many targets in the order of the tree, for those who hold some of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "judge/check.hpp"

namespace farfield {

inline constexpr std::int64_t norm_grain = 1 << 14;

/// Parts [first, end) of a result: those of one order.
struct PartRange {
  int first, end;
};

/// Of one piece; squares are summed in double, or in a type of larger range.
template <class Sum>
struct NormPart {
  Sum squares = 0;
  double largest = 0;
};
template <class Sum, class Real>
NormPart<Sum> norm_part(const ResultArrays<Real>& result, PartRange range, std::int64_t begin, std::int64_t end) {
  Sum squares = 0;
  Real largest = 0;
  for (int p = range.first; p < range.end; ++p)
    for (std::int64_t i = begin; i < end; ++i) {
      const Real x = std::fabs(result.part[p][i]);
      squares += static_cast<Sum>(times_in_tensor(p)) * static_cast<Sum>(x) * static_cast<Sum>(x);
      largest = x > largest ? x : largest;
    }
  return {squares, static_cast<double>(largest)};
}

/// From the pieces of all targets, in order.
template <class Sum>
Norm norm_from(const std::vector<NormPart<Sum>>& parts) {
  Sum squares = 0;
  double largest = 0;
  for (const NormPart<Sum>& part : parts) squares += part.squares, largest = std::max(largest, part.largest);
  return {static_cast<double>(std::sqrt(squares)), largest};
}

/// The norms of all orders that were computed; norm_in(Sum(), range) forms one.
template <class Real, class NormIn>
Norms norms_with(const ResultArrays<Real>& result, const NormIn& norm_in) {
  Norms norms;
  norms.with_potential = result[0] || !result[1];
  for (int k = 0; k < orders; ++k) {
    if (!(k == 0 ? norms.with_potential : result.any(first_of[k]) != nullptr)) continue;
    Norm& norm = norms.order[k];
    const PartRange range{first_of[k], first_of[k + 1]};
    norm = norm_in(double{}, range);
    if (!norm.finite() && sizeof(Real) > 4)  // perhaps only the squares left the range
      norm = norm_in(static_cast<long double>(0), range);
  }
  return norms;
}

}  // namespace farfield
