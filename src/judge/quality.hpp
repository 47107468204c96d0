// Quality: what is known of the error of one evaluated vector of strengths; what follows from it is in improve.hpp. The
// degree and the precision were chosen from the points alone; how the strengths are spread over them shows in the
// results.
#pragma once
#include <algorithm>
#include <vector>

#include "judge/check.hpp"
#include "judge/draw_targets.hpp"
#include "judge/truncation.hpp"
#include "model/decision.hpp"

namespace farfield {

/// The same for any number of threads.
template <class Real>
Norms norms_of(const Computed<Real>& computed, int threads);

/// What is known of one vector of strengths before it is scaled.
struct StrengthRange {
  int exponent = 0;  ///< the largest absolute value times 2^-exponent lies in [0.5, 1)
  double least = 0;  ///< the smallest that is not 0
  double scaled_least() const;
};

/// Do scaled strengths lose digits or vanish? Those below 1e-38 of the largest do in single, and pairs nearer than
/// 1e-15 of the extent can make them count. Those below 1e-308, in double, can matter only where pairs are nearer than
/// 1e-120, which needs coordinates as small, or where all others add up to nothing.
bool loses_strengths(const StrengthRange& range, Precision precision, double least_coordinate, const Norms& norms);

/// Makes a check fail where double loses strengths: the check's direct sums lose them like the sums that they judge.
void distrust(ErrorReport& check);

/// Errors are relative to the norms of the result.
struct Quality {
  Norms norms;
  /// Estimates of |sum of |q| |K|| / |sum of q K|, in L2 norms over all targets, by order. The terms of a source that
  /// carries charge and dipole count as one.
  double condition[orders] = {1, 1, 1};
  double worst_condition() const { return *std::max_element(condition + norms.judged_from, condition + orders); }
  double truncation = 0;  ///< the largest of all orders, safety included
  ResultFactors factor;   ///< from the evaluator's units to the caller's
  double unsoftened = 0;  ///< estimate of what Plummer's softening lacks beyond the near field, likewise the larger
  double excess = 1;      ///< of `truncation` over the estimate, where FittedExcess has measured it
  double operands = 0;    ///< error of m2l's 16-bit operands, where these were used
  double pairs = 0;       ///< sources times targets
  bool lost = false;      ///< see loses_strengths
  double terms = 1;  ///< norm of sqrt(sum of squared terms): by how much the errors of single pairs are enlarged; at
                     ///< least 1, since equal pairs have equal errors and one target may carry the norm
};

/// From the sums at condition_targets, the norms of all results, and the squared errors of truncation() with their
/// safety.
Quality quality_of(const std::vector<TermSums>& probes, const Norms& norms, std::int64_t sources, std::int64_t targets,
                   const Truncation& truncated, double safety);

/// Makes the truncation count as unknown where results are below 1e-120 of what the largest strength gives at the
/// extent of the points, since that strength reaches no target: the squares from which the truncation was estimated or
/// measured underflow.
void distrust_underflow(Quality& quality, const Decision& ran);

/// The largest of the errors of potential, gradient and Hessian, relative to the norms.
double lost_by(const Truncation& squares, const Norms& norms);

/// Number of targets at which the error is measured by direct sums, since the estimate from powers does not hold; 0:
/// none. All targets where they are
/// - few, since their places are a matter of chance;
/// - surrounded by many more sources: one leaf may carry the error (25 times the estimate on 86 targets of 40,160
///   sources);
/// - many, but reached by few sources;
/// - on a GPU, which draws no targets: reached by few translations (worth_measuring), or few in a crystal.
/// Some targets in a crystal, where errors of many boxes add up (39 times the estimate at degree 37), but over many
/// targets.
std::int64_t measured_targets(const Decision& decision, std::int64_t sources, std::int64_t targets,
                              std::int64_t translations);
/// Number of targets worth measuring where only the safety, most of which hardly any sum needs, lifts the estimate
/// above the tolerance: the measured error tells whether the evaluation must be repeated. Always some where few
/// translations reach targets apart from the sources: the outermost sources and targets stand in corners, which many
/// translations would hit by chance (25 translations of degree 35 left 1280 times the estimate, at one target of
/// 21,923). 0: the estimate suffices.
/// `translations`: of m2l, m2p and p2l.
std::int64_t worth_measuring(const Decision& decision, const Quality& quality, std::int64_t targets,
                             std::int64_t translations);
/// Replaces the estimate of the truncation by the measured error.
void measured(Quality& quality, const ErrorReport& error);
/// The same from direct sums at drawn targets, which estimate the norm of the errors.
template <class Real>
void measure(Quality& quality, const Computed<Real>& computed, const std::vector<DrawnTarget>& drawn,
             const SumsAt& sums_at);

/// Where the estimate keeps the tolerance only because operators are fitted (Decision::fits), or says nothing of what
/// coarse operands lose, the error is measured at some targets, once for a tree and degree: for other strengths and
/// points that have moved a little it exceeds the estimate as much.
class FittedExcess {
 public:
  /// measured_targets, or at how many to look for this reason.
  std::int64_t targets(const Decision& decision, const Quality& quality, std::int64_t sources, std::int64_t targets,
                       std::int64_t translations);
  /// After the measurement, if there was one: no estimate is lowered by it.
  void apply(const Decision& decision, Quality& quality);

 private:
  double estimate_ = 0;  ///< of the evaluation under way
  bool is_measured_ = false, looks_ = false;
  double excess_ = 0;  ///< 0: not known
};

}  // namespace farfield
