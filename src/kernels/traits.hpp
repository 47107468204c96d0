// Properties of a kernel, for layers that know no kernel's type.
#pragma once
#include <farfield/options.hpp>

#include "expansions/error_curve.hpp"
#include "kernels/parameters.hpp"
#include "kernels/vector_result.hpp"

namespace farfield {

struct KernelTraits {
  const char* name;
  int homogeneity;                  ///< K(s x, s y) = s^homogeneity K(x, y)
  bool singular;                    ///< infinite at distance 0: coincident pairs contribute nothing
  bool softens;                     ///< Options::softening is offered
  bool rotates;                     ///< m2l by rotation is offered
  bool factors;                     ///< its dense m2l is done in factors, at half the cost
  bool on_device;                   ///< the CUDA backend has stages for it
  bool expands;                     ///< method fmm is offered
  bool bounded;                     ///< |K| <= 1: errors are relative to the sum of |strengths|
  bool has_bandwidth;               ///< Options::bandwidth is its first length
  int least_axes;                   ///< coordinates that a point must have; others may be left out
  double pair_cost;                 ///< of one pair, over that of 1/r
  VectorResult vector;              ///< what it delivers of the gradient
  bool screens;                     ///< Options::kappa is offered
  bool differentiates;              ///< Hessians and dipoles are offered
  bool scale_invariant;             ///< one set of translation tables serves all levels
  double largest_scale[2];          ///< of a box with expansions: its edge in the kernel's length, in single and double
  Decay decay;                      ///< how what its expansions lack decays
  bool truncates;                   ///< its expansions are truncated, at a degree that is chosen to keep the tolerance
  int (*coefficients)(int degree);  ///< of expansions of that degree, Shape::count of its basis
  const ErrorCurve* errors;
  double (*reach)(double tolerance, bool gradient);  ///< see FallsOff; null where the kernel does not
  double (*transform)(double theta);                 ///< likewise
  KernelParameters (*parameters)(const Options&);    ///< in the caller's units; none: zeros
  /// Distance from which a pair with Options::core differs from one without by that relative error at most; null where
  /// no core is offered.
  double (*core_reach)(const Options&, double error);
};

/// Traits of a kernel of the registry.
const KernelTraits& traits(Kernel kernel);

/// Is the potential computed?
inline bool sums_potential(const Options& o) { return !traits(o.kernel).vector.always || o.stream_function; }

/// Degree of a kernel's expansions in a plan of degree `degree`: 0 where the expansions are not truncated.
inline int expansion_degree(Kernel kernel, int degree) { return traits(kernel).truncates ? degree : 0; }

}  // namespace farfield
