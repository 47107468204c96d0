// Transfer: strengths into tree order and results back into the caller's order.
#pragma once
#include <cstdint>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/evaluator.hpp"
#include "core/array.hpp"
#include "core/results.hpp"
#include "judge/quality.hpp"
#include "kernels/vector_result.hpp"

namespace farfield::cpu {

/// Scaling exponent and least strength of one vector, its dipoles counted times 2^unit, as coordinates are. Each vector
/// has its own exponent: a larger vector beside it must neither push it out of single's range nor change its bits.
/// Throws Error(input) naming the first strength or dipole that is not finite.
StrengthRange strength_range(const Strengths& strengths, std::int64_t vector, int unit, int threads);

/// Sum of |strengths| of one vector, scaled by 2^-exponent; the same for any number of threads.
double sum_of_sizes(const Strengths& strengths, std::int64_t vector, int exponent, int threads);

/// One number that every source carries: its charge or, of components 1 to 3, that of its dipole, times 2^-exponent.
inline constexpr int charge = 0;
struct Carried {
  const Strengths& strengths;
  std::int64_t vector;
  int component, exponent;
};
/// sorted[i] = that of sorted source i, 0 where the caller gives none; zeros follow, so that vectors may be read whole.
inline constexpr std::int64_t strength_padding = 16;
template <class Real>
void gather(const Carried& carried, const Array<std::uint32_t>& order, Real* sorted, int threads);
/// The same of the three numbers of dipoles, which are given: in one pass, since a source's lie side by side, and those of
/// the next source elsewhere. `carried` names the first one.
template <class Real>
void gather_dipoles(const Carried& carried, const Array<std::uint32_t>& order, Real* const (&sorted)[3], int threads);

/// How results are written: what of the gradient, and by how many threads.
struct Writing {
  const VectorResult& vector;
  int threads;
};
/// Writes results of strength vector `index` to the caller's arrays.
template <class Real>
void scatter(const SortedResults<Real>& results, std::int64_t index, const SortedPoints& points,
             const Delivery& delivery, const Writing& how);

}  // namespace farfield::cpu
