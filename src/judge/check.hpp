// check: the error of a result on a random sample of targets, against direct summation. Works on the evaluator's own
// arrays: scaled by powers of two, in tree order, which changes no relative error.
#pragma once
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <farfield/views.hpp>
#include <vector>

#include "core/units.hpp"

namespace farfield {

/// Points, strengths and results of one evaluation in host memory.
template <class Real>
struct CheckInput {
  const double* source[3];
  const double* target[3];
  const double* strength;
  std::int64_t sources, targets;
  const Real* potential;    ///< null: not checked
  const Real* gradient[3];  ///< null: not checked
  Kernel kernel;
  int threads;
  double softening = 0;        ///< scaled like the coordinates
  std::int64_t self_from = 0;  ///< target t >= self_from is source t - self_from; softened sums leave that pair out
};

/// L2 norm of a result over all targets, in the evaluator's own units, and its largest absolute value; not finite where
/// one of the numbers is not.
struct Norm {
  double l2 = 0, largest = 0;
  bool finite() const;
};
struct Norms {
  Norm potential, gradient;
  bool finite() const { return potential.finite() && gradient.finite(); }
};

/// How results reach the caller, and their norms before.
struct Delivered {
  Norms norms;
  Factor potential, gradient;
  Scalar scalar = Scalar::float64;
};

/// Results judged as they are, before they reach the caller.
inline Delivered in_own_units(const Norms& norms) { return {norms, Factor(1, 0), Factor(1, 0), Scalar::float64}; }

/// Sums `samples` targets (all of them if there are fewer) directly in double with partial sums, and compares them with
/// what the caller receives.
template <class Real>
ErrorReport check(const CheckInput<Real>& input, const Delivered& delivered, std::int64_t samples, std::uint64_t seed);

// Its parts, for a backend that sums on its own.

/// Sums at one target of the absolute values of the terms of potential and gradient, and of their squares.
struct TermSums {
  double abs_u = 0, abs_g = 0, square_u = 0, square_g = 0;
  double result_u = 0, result_g = 0;  ///< squares of the sums of the terms themselves; 0: not known
};
/// Beside them those of q K and its gradient.
struct DirectSum : TermSums {
  double u = 0, gx = 0, gy = 0, gz = 0;
};

template <class Real>
std::vector<DirectSum> direct_sums(const CheckInput<Real>& input, const std::vector<std::int64_t>& targets);

/// Random targets of `check`, all of them if there are no more than `samples`.
std::vector<std::int64_t> check_targets(std::int64_t count, std::int64_t samples, std::uint64_t seed);
/// The targets from which the condition is estimated (quality.hpp): 8, spread over the tree.
std::vector<std::int64_t> condition_targets(std::int64_t count);
template <class Real>
std::vector<TermSums> condition_sums(const CheckInput<Real>& input);

/// From the sums at those targets; of `input` only the results and `targets` are read.
template <class Real>
ErrorReport errors(const CheckInput<Real>& input, const Delivered& delivered, const std::vector<std::int64_t>& targets,
                   const std::vector<DirectSum>& sums, std::uint64_t seed);

}  // namespace farfield
