// check: the error of a result on a random sample of targets, against direct summation. Works on the evaluator's own
// arrays: scaled by powers of two, in tree order, which changes no relative error.
#pragma once
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <vector>

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

/// Sums `samples` targets (all of them if there are fewer) directly in double with partial sums.
template <class Real>
ErrorReport check(const CheckInput<Real>& input, std::int64_t samples, std::uint64_t seed);

/// Estimate of |sum of |q| |K|| / |sum|: L2 norms over 8 targets spread over the tree.
struct Condition {
  double potential = 1, gradient = 1;
};
template <class Real>
Condition estimate_condition(const CheckInput<Real>& input);

// The parts of the two, for a backend that sums on its own.

/// Direct sums at one target: of q K and its gradient, and of their absolute values.
struct DirectSum {
  double u = 0, gx = 0, gy = 0, gz = 0, abs_u = 0, abs_g = 0;
};

/// Random targets of `check`, all of them if there are no more than `samples`.
std::vector<std::int64_t> check_targets(std::int64_t count, std::int64_t samples, std::uint64_t seed);
/// The targets of estimate_condition.
std::vector<std::int64_t> condition_targets(std::int64_t count);

/// From the sums at those targets; of `input` only the results and `targets` are read.
template <class Real>
ErrorReport errors(const CheckInput<Real>& input, const std::vector<std::int64_t>& targets,
                   const std::vector<DirectSum>& sums, std::uint64_t seed);
Condition condition_of(const std::vector<DirectSum>& sums);

}  // namespace farfield
