// The treecode's choice: degree, angle and leaf size at which plan and evaluation cost least.
#pragma once
#include <farfield/options.hpp>

#include "model/cost_model.hpp"

namespace farfield {

struct TreecodeScheme {
  int degree = 0;
  double theta = 0;           ///< see tree/acceptance.hpp
  double mean = 0, cost = 0;  ///< sources per leaf; nanoseconds of a plan and an evaluation
  /// Share of a target's acceleration that a box may err by: on a device, where strengths have one sign, boxes are then
  /// accepted by error and not by theta; 0: never.
  double box_error = 0;
};

/// Relative L2 error, the larger of potential and gradient, that a treecode stays below for strengths of mixed sign.
double treecode_error(Kernel kernel, int degree, double theta, bool gradient);

/// Nanoseconds of a plan and an evaluation on one core.
double treecode_cost(const CostConstants& c, const Geometry& geometry, const TreecodeScheme& scheme);

/// Are targets apart from the sources, and few of them beside these? Elsewhere no treecode is taken unasked.
bool may_be_few(const Geometry& geometry);

/// Nanoseconds of an FMM with few targets: translations to boxes without targets, which fmm_cost counts, are left out.
double few_targets_fmm_cost(const CostConstants& c, const Geometry& geometry, int degree, bool rotation, double mean);

/// The cheapest scheme that keeps the tolerance; what the options name of it is as they say.
TreecodeScheme cheapest_treecode(const Options& options, const Geometry& geometry, const CostConstants& c,
                                 double tolerance);

}  // namespace farfield
