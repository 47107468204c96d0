// check: the error of a result on a random sample of targets, against direct summation. Works on the evaluator's own
// arrays: scaled by powers of two, in tree order, which changes no relative error.
#pragma once
#include <cstdint>
#include <farfield/options.hpp>
#include <farfield/report.hpp>

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

}  // namespace farfield
