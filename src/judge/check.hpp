// check: the error of a result on a random sample of targets, against direct summation. Works on the evaluator's own
// arrays: scaled by powers of two, in tree order, which changes no relative error.
#pragma once
#include <cstdint>
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <vector>

#include "core/results.hpp"
#include "judge/direct_sum.hpp"

namespace farfield {

/// Results of one evaluation in host memory; parts that are null are not checked.
template <class Real>
struct Computed {
  std::int64_t targets;
  ResultArrays<Real> result;
};

/// L2 norm of a result over all targets, in the evaluator's own units, and its largest absolute value; not finite where
/// one of the numbers is not.
struct Norm {
  double l2 = 0, largest = 0;
  bool finite() const;
  double at_least() const;  ///< the L2 norm, or the largest value where squares underflow
};
/// The largest value, to divide by before squares are taken; 1 where there is none.
double unit_of(const Norm& norm);
struct Norms {
  Norm order[orders];          ///< of a Hessian that of the whole matrix
  bool with_potential = true;  ///< it was computed
  int judged_from = 0;         ///< see Decision
  bool has(int k) const { return k == 0 ? with_potential : order[k].largest > 0; }
  bool counts(int k) const { return k >= judged_from && has(k); }
  bool finite() const { return order[0].finite() && order[1].finite() && order[2].finite(); }
};

/// The factors and the type with which results reach the caller, and their norms in the evaluator's units.
struct Delivered {
  Norms norms;
  ResultFactors factor;
  Scalar scalar = Scalar::float64;
  double unit[orders] = {};  ///< what errors at any target are relative to, by order; 0: to the result itself
};

/// Results judged as they are, before they reach the caller.
inline Delivered in_own_units(const Norms& norms) {
  return {norms, {Factor(1, 0), Factor(1, 0), Factor(1, 0)}, Scalar::float64};
}

/// Sums `samples` targets (all of them if there are fewer) directly, and compares them with what the caller receives.
template <class Real>
ErrorReport check(const Computed<Real>& computed, const Delivered& delivered, std::int64_t samples, std::uint64_t seed,
                  const SumsAt& sums_at);

// The parts of `check`, for a backend that forms the direct sums itself.

/// Random targets of `check`, all of them if there are no more than `samples`.
std::vector<std::int64_t> check_targets(std::int64_t count, std::int64_t samples, std::uint64_t seed);
/// Errors of the results at `targets`, whose direct sums are `sums`.
template <class Real>
ErrorReport errors(const Computed<Real>& computed, const Delivered& delivered, const std::vector<std::int64_t>& targets,
                   const std::vector<DirectSum>& sums, std::uint64_t seed);

/// The targets from which the condition is estimated (quality.hpp): 8, spread over the tree.
std::vector<std::int64_t> condition_targets(std::int64_t count);
/// From sums over all sources.
std::vector<TermSums> term_sums(std::vector<DirectSum> sums);
/// The sums at condition_targets(count).
std::vector<TermSums> condition_sums(std::int64_t count, const SumsAt& sums_at);

}  // namespace farfield
