// Report: what a plan decided, why, what it did, and what that cost.
#pragma once
#include <farfield/export.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace farfield {

struct StageReport {
  std::string name;            ///< "keys", "sort", "boxes", "lists", "p2m", ... the words of the documentation
  double seconds = 0;          ///< wall-clock, last execution
  double flops = 0;            ///< floating point operations counted from the lists; 0: not counted
  bool building = false;       ///< part of the plan (true) or of an evaluation (false)
  std::string backend = {};    ///< where the stage ran: "cpu" or "cuda"
  std::string device = {};     ///< the device of that backend; "cpu" on the cpu
  std::string precision = {};  ///< of its arithmetic; all that is done with positions is in "double"
  std::string scheme = {};     ///< "dense" or "rotation" for m2l, else empty
};

struct Choice {
  std::string name;  ///< "degree", "leaf size", ...
  std::string value;
  std::string reason;  ///< one clause
};

/// Error on a random sample of targets against direct summation in double precision. `potential`, `gradient` and
/// `hessian` are in the norm of the promise (docs/accuracy.md): the squared error summed over the sample and scaled up
/// to all targets, over the norm of the computed result at all targets; of a Hessian that of the whole symmetric
/// matrix, its elements off the diagonal twice. Median, p95 and max are of the targets' own relative errors. Where
/// Report::relative_to is "strengths", all of these are relative to that, `potential` and `gradient` root mean squares.
struct ErrorReport {
  std::int64_t samples = 0;
  std::uint64_t seed = 0;
  double potential = 0, potential_median = 0, potential_p95 = 0, potential_max = 0;
  double gradient = 0, gradient_median = 0, gradient_p95 = 0, gradient_max = 0;
  double hessian = 0, hessian_median = 0, hessian_p95 = 0, hessian_max = 0;
  double seconds = 0;  ///< of the check itself
};

struct FARFIELD_API Report {
  std::string version, kernel, method, backend, device, precision, simd, m2l, stencil;
  double tolerance = 0, scale = 1, softening = 0, kappa = 0;
  std::string softening_kind;     ///< empty without softening
  bool softening_varies = false;  ///< points have softening lengths of their own, from least_softening to `softening`
  double least_softening = 0;
  double bandwidth = 0;
  /// What errors are relative to: "results", their L2 norm over all targets, or "strengths", at every target the sum of
  /// |strengths|, which for the gradient is divided by the bandwidth.
  std::string relative_to;
  std::string core;  ///< of vortices; empty without one
  double core_radius = 0;
  std::string tolerance_for;  ///< results that the tolerance holds for: "all", "gradient"
  std::string periodic;       ///< axes along which the points repeat; empty without any
  double cell[3] = {};        ///< lengths along these
  bool gradient = false, potential = true, hessian = false;  ///< which were computed
  bool dipoles = false;                                      ///< sources may carry them
  bool virial = false;                                       ///< was it computed?
  std::string vector = "gradient";      ///< what Outputs::gradient holds: "gradient", "velocity", "cauchy"
  std::vector<std::string> components;  ///< the names of its components that are not always 0
  int threads = 0, degree = 0, levels = 0;
  std::int64_t leaf_size = 0, coefficients = 0;
  std::int64_t sources = 0, targets = 0, vectors = 0;
  std::int64_t boxes = 0, leaves = 0;
  std::int64_t p2p_boxes = 0, m2l_boxes = 0, m2p_boxes = 0, p2l_boxes = 0;  ///< list entries
  std::int64_t near_pairs = 0;        ///< source-target pairs summed directly; without those of many coinciding points
  double far_fraction = 0;            ///< share of all pairs carried by expansions
  std::int64_t memory_bytes = 0;      ///< most bytes the plan held at one time, its own count
  std::int64_t pairs_per_second = 0;  ///< p2p rate of the cost model, for "what the direct sum would have cost"
  double expected_seconds = 0;        ///< of one evaluation, by the cost model that chose the plan
  double condition_potential = 0;     ///< estimate of |sum of |q| |K|| / |sum|; the promise holds up to 1e3
  double condition_gradient = 0, condition_hessian = 0;
  double estimated_error = 0;  ///< of truncation, from the last evaluation's expansions, safety factor included
  std::vector<StageReport> stages;
  std::vector<Choice> choices;
  std::vector<std::string> warnings;
  std::optional<ErrorReport> error;  ///< when Options::check > 0

  double build_seconds() const;
  double evaluate_seconds() const;
  const StageReport* stage(const std::string& name) const;  ///< null if the stage did not run
};

}  // namespace farfield
