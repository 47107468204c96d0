#include "plan/repeat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "backends/untyped.hpp"
#include "core/number.hpp"
#include "judge/improve.hpp"
#include "kernels/traits.hpp"
#include "plan/backends.hpp"

namespace farfield {

static constexpr const char* again = "evaluated again";  ///< name of the report's choices of the last evaluation

Evaluators::Evaluators() : Evaluators(make_evaluator) {}

Evaluator& Evaluators::first(const Decision& decision, int threads) {
  anew_ = false;
  if (needs_ && other_ && other_->adopt(decision)) {
    first_ = std::move(other_);
    near_pairs_ = -1;
    return *first_;
  }
  other_.reset();
  near_pairs_ = -1;
  if (!first_ || !first_->adopt(decision)) first_ = make_(decision, threads);
  return *first_;
}

void Evaluators::use_threads(int threads) {
  for (const std::unique_ptr<Evaluator>* evaluator : {&first_, &other_})
    if (*evaluator) (*evaluator)->use_threads(threads);
}

Evaluator& Evaluators::other(const Decision& d, Report& report) {
  if (other_ && same_arithmetic(other_->decision(), d)) return *other_;
  other_.reset();
  other_ = first_->again(d, report);
  return *other_;
}

static Strengths one_vector(const Strengths& s, std::int64_t vector) {
  Strengths one = s;
  one.data = shifted(s.data, vector * (s.pitch ? s.pitch : s.count * s.stride), s.scalar);
  one.dipoles = shifted(s.dipoles, vector * (s.dipole_pitch ? s.dipole_pitch : s.count * s.dipole_stride), s.scalar);
  one.vectors = 1;
  return one;
}

static Delivery one_vector(const Delivery& d, std::int64_t vector, std::int64_t sources) {
  Delivery one = d;
  Outputs& o = one.outputs;
  const std::int64_t at = vector * d.pitch_or_split(), source = vector * d.source_pitch_or(sources);
  o.potential = shifted(o.potential, at, o.scalar);
  o.gradient = shifted(o.gradient, 3 * at, o.scalar);
  o.hessian = shifted(o.hessian, 6 * at, o.scalar);
  o.source_potential = shifted(o.source_potential, source, o.scalar);
  o.source_gradient = shifted(o.source_gradient, 3 * source, o.scalar);
  o.source_hessian = shifted(o.source_hessian, 6 * source, o.scalar);
  if (vector > 0) one.check = 0;
  return one;
}

static void name_what_ran(Report& report, const Decision& d) {
  report.precision = word_of(d.precision);
  report.method = word_of(d.method);
  if (!d.expands()) return;
  report.degree = d.degree;
  report.coefficients = traits(d.kernel).coefficients(d.degree);
  if (d.method == Method::fmm) report.m2l = d.rotation ? "rotation" : "dense";
}

Decision Evaluators::repeat(const Strengths& strengths, std::int64_t vector, const Delivery& delivery, Quality& quality,
                            Report& report) {
  constexpr int most = 6;  // precision, and a few steps of the degree
  const Decision first = first_->decision();
  Decision ran = first;
  for (int k = 0; k < most; ++k) {
    distrust_underflow(quality, ran);
    const std::optional<Decision> next = improved(ran, quality);
    if (!next) break;
    ran = *next;
    const Strengths one = one_vector(strengths, vector);
    quality = other(ran, report).evaluate(one, one_vector(delivery, vector, strengths.count), report).front();
  }
  if (same_arithmetic(ran, first)) return ran;
  name_what_ran(report, ran);
  if (ran.method != first.method) report.near_pairs = static_cast<std::int64_t>(quality.pairs);
  report.choices.push_back({again, difference(first, ran),
                            "vector " + std::to_string(vector) + " of the strengths needs it to keep the tolerance"});
  return ran;
}

static void warn(Report& report, const std::string& sentence) {
  if (std::find(report.warnings.begin(), report.warnings.end(), sentence) == report.warnings.end())
    report.warnings.push_back(sentence);
}

/// The promise holds up to condition numbers of 1e3 (docs/accuracy.md); beyond, the user must know.
static void warn_of_condition(Report& report, const Quality& q) {
  const double worst = q.worst_condition();
  if (worst > 1e3)
    warn(report, "the sum is ill-conditioned: its terms are about " + number(worst, 1) +
                     " times larger than it; the error may exceed the tolerance by that over 1000");
}

static void warn_of_truncation(Report& report, const Decision& ran, const Quality& q) {
  if (ran.promised && ran.expands() && q.norms.finite() && q.truncation > ran.tolerance)
    warn(report, "expansions of degree " + std::to_string(ran.degree) + " may leave a relative error of " +
                     number(q.truncation, 1) + " in this sum; use method direct");
}

static void warn_of_softening(Report& report, const Decision& ran, const Quality& q) {
  if (ran.promised && ran.expands() && q.norms.finite() && q.unsoftened > ran.tolerance)
    warn(report, std::string("far pairs are summed without the ") + (ran.softening > 0 ? "softening" : "cores") +
                     ", which may leave a relative error of " + number(q.unsoftened, 1) +
                     " in this sum; use method direct");
}

static void warn_of_lost_strengths(Report& report, const Quality& q) {
  if (q.lost)
    warn(report,
         "the smallest strengths vanish beside the largest; correct the largest, or the points that lie far out");
}

/// Warns of results beyond the range of the caller's type, or so small that the type keeps few of their digits. `size`:
/// what the smallest results count against; 0: themselves.
static void warn_of_range(Report& report, const Norm& norm, double size, const Factor& factor, Scalar scalar,
                          const char* what) {
  const bool single = scalar == Scalar::float32;
  const double most = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double least = single ? 0x1p-102 : 0x1p-969;  // smallest normal number over the unit of rounding
  const double largest = std::fabs(factor(norm.largest));
  const std::string type = single ? "single" : "double",
                    remedy = single ? "take results in double or change" : "change";
  if (!norm.finite() || !(largest <= most))
    warn(report, std::string("some ") + what + "s are beyond " + type + " precision and come as infinity; " + remedy +
                     " the units");
  else if (norm.largest > 0 && !(std::max(largest, std::fabs(factor(size))) >= least))
    warn(report, std::string("the ") + what + "s are so small that " + type + " precision loses digits; " + remedy +
                     " the units");
}

void Evaluators::evaluate(const Strengths& strengths, const Delivery& delivery, Report& report) {
  std::erase_if(report.choices, [](const Choice& choice) { return choice.name == again; });
  name_what_ran(report, first_->decision());
  if (near_pairs_ < 0) near_pairs_ = report.near_pairs;
  report.near_pairs = near_pairs_;
  std::vector<Quality> qualities = first_->evaluate(strengths, delivery, report);
  near_pairs_ = report.near_pairs;  // a treecode may have counted them again
  report.condition_potential = report.condition_gradient = report.condition_hessian = report.estimated_error = 0;
  NeedsOfVectors needs(first_->decision());
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    Quality& q = qualities[static_cast<std::size_t>(v)];
    const Decision ran = repeat(strengths, v, delivery, q, report);
    needs.note(ran, q.truncation);
    report.condition_potential = std::max(report.condition_potential, q.condition[0]);
    report.condition_gradient = std::max(report.condition_gradient, q.condition[1]);
    report.condition_hessian = std::max(report.condition_hessian, q.condition[2]);
    report.estimated_error = std::max(report.estimated_error, q.truncation);
    warn_of_condition(report, q);
    warn_of_truncation(report, ran, q);
    warn_of_softening(report, ran, q);
    warn_of_lost_strengths(report, q);
    // a strength of 1, about the largest, gives a bounded kernel this much at most
    const bool bounded = traits(ran.kernel).bounded;
    const double size = bounded ? 1 : 0, size_of_gradient = bounded ? 1 / ran.parameters.length[0] : 0;
    warn_of_range(report, q.norms.order[0], size, q.factor.potential, delivery.outputs.scalar, "potential");
    warn_of_range(report, q.norms.order[1], size_of_gradient, q.factor.gradient, delivery.outputs.scalar, "gradient");
    warn_of_range(report, q.norms.order[2], 0, q.factor.hessian, delivery.outputs.scalar, "Hessian");
  }
  needs_.take(needs);
}

}  // namespace farfield
