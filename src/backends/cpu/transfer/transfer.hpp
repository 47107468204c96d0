// Transfer: strengths into tree order and results back into the caller's order.
#pragma once
#include <cstdint>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/evaluator.hpp"
#include "core/array.hpp"
#include "core/results.hpp"
#include "judge/quality.hpp"

namespace farfield::cpu {

/// Scaling exponent and least strength of one vector. Each vector has its own exponent: a larger vector beside it must
/// neither push it out of single's range nor change its bits. Throws Error(input) naming the first strength that is not
/// finite.
StrengthRange strength_range(const Strengths& strengths, std::int64_t vector, int threads);

/// Sum of |strengths| of one vector, scaled by 2^-exponent; the same for any number of threads.
double sum_of_sizes(const Strengths& strengths, std::int64_t vector, int exponent, int threads);

/// sorted[i] = strength of sorted source i in `vector` times 2^-exponent; 16 zeros follow.
template <class Real>
void gather(const Strengths& strengths, std::int64_t vector, const Array<std::uint32_t>& order, int exponent,
            Array<Real>& sorted, int threads);

/// Writes results to the caller's arrays.
template <class Real>
void scatter(const SortedResults<Real>& results, std::int64_t vector, const SortedPoints& points,
             const Delivery& delivery, int threads);

}  // namespace farfield::cpu
