// Quality: what is known of the error of one evaluated vector of strengths; what follows from it is in improve.hpp. The
// degree and the precision were chosen from the points alone; how the strengths are spread over them shows in the
// results.
#pragma once
#include <vector>

#include "judge/check.hpp"
#include "judge/draw_targets.hpp"
#include "judge/truncation.hpp"
#include "model/decision.hpp"

namespace farfield {

/// Norms of `count` results in host memory, `gradient[0]` null where there is none; the same for any number of threads.
template <class Real>
Norms norms_of(const Real* potential, const Real* const gradient[3], std::int64_t count, int threads);

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

/// A check knows no more of strengths that double loses than the sum that it judges: it must not pass.
void distrust(ErrorReport& check);

/// Estimate of |sum of |q| |K|| / |sum|.
struct Condition {
  double potential = 1, gradient = 1;
};

/// Relative to the norms of the result.
struct Quality {
  Norms norms;
  Condition condition;
  double truncation = 0;  ///< of potential and gradient the larger, safety included
  ResultFactors factor;   ///< from the evaluator's units to the caller's
  double operands = 0;    ///< of 16-bit operands of m2l, where such were used
  double pairs = 0;       ///< sources times targets
  bool lost = false;      ///< see loses_strengths
  double terms = 1;  ///< norm of sqrt(sum of squared terms): by how much the errors of single pairs are enlarged; at
                     ///< least 1, since equal pairs have equal errors and one target may carry the norm
};

/// From sums at the targets of estimate_condition, all norms, and the squared errors of truncation() with their safety.
Quality quality_of(const std::vector<TermSums>& probes, const Norms& norms, std::int64_t sources, std::int64_t targets,
                   const Truncation& truncated, double safety);

/// Results that are 1e-120 of what the largest strength gives at the extent of the points, since it reaches no target:
/// the squares that the truncation was estimated or measured from underflow, and it counts as unknown.
void distrust_underflow(Quality& quality, const Decision& ran);

/// The larger of both relative to the norms.
double lost_by(const Truncation& squares, const Norms& norms);

/// Targets on which the error is measured by direct sums, since the estimate from powers does not hold: all of a few,
/// whose places are a matter of chance, and of those that many more sources surround, where one leaf may carry the
/// error (25 times the estimate on 86 targets of 40,160 sources), and of those that few sources reach; some in a
/// crystal, where errors of many boxes add up (39 times the estimate at degree 37), but over many targets; on a GPU,
/// which draws none, all of those apart that few translations reach (worth_measuring). 0: none.
std::int64_t measured_targets(const Decision& decision, std::int64_t sources, std::int64_t targets,
                              std::int64_t translations);
/// Targets that are worth it where the safety alone takes the estimate beyond the tolerance, most of which hardly any
/// sum needs: they tell whether the evaluation must be repeated. Always where few translations reach targets apart from
/// the sources: the outermost of either stand in corners, which are met by chance where there are many (25 translations
/// of degree 35 left 1280 times the estimate, at one target of 21,923). 0: a sample would not tell, since few
/// translations carry the error, or there is nothing to tell. `translations`: of m2l, m2p and p2l.
std::int64_t worth_measuring(const Decision& decision, const Quality& quality, std::int64_t targets,
                             std::int64_t translations);
/// Puts that measurement in the place of the estimate.
void measured(Quality& quality, const ErrorReport& error);
/// The same from direct sums at drawn targets, which estimate the norm of the errors.
template <class Real>
void measure(Quality& quality, const Computed<Real>& computed, const std::vector<DrawnTarget>& drawn,
             const SumsAt& sums_at);

}  // namespace farfield
