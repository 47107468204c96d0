#include "judge/improve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/traits.hpp"
#include "model/choose.hpp"
#include "model/cost_model.hpp"
#include "model/error_model.hpp"
#include "model/pair_terms.hpp"

namespace farfield {

/// Relative error of one pair in the arithmetic of a decision, root mean square. 1/r^5 and 1/r^7 round as much more
/// often as they have more factors than the gradient's 1/r^3.
static double arithmetic_error(const Decision& d) {
  const bool single = d.precision == Precision::single_, avx512 = d.simd == Simd::avx512;
  const double factors = std::max(1.0, (1 + d.derivatives()) / 2.0),
               rounding = (single ? 1.2e-7 : 4e-16) * std::hypot(1, d.screened / 3) * factors;
  if (d.backend != Backend::cpu || d.method == Method::direct) return rounding;
  const double root =
      d.pair_terms >= cpu::full_terms(avx512, single) ? 0 : cpu::pair_error(avx512, d.derivatives(), d.pair_terms) / 4;
  return std::hypot(rounding, root, d.decay_error / 2);
}

/// By how much rounding errors grow in a sum: those of its terms by q.terms. In direct sums of terms that cancel
/// (q.terms is 9 for 2,575 neutral strengths; 1 for random ones, whose sum has the size of its terms) those of the
/// partial sums count as well, which are larger than the sum itself (0.07 times its condition there).
static double rounding_growth(const Decision& d, const Quality& q) {
  constexpr double cancelling = 4;
  if (d.method != Method::direct || q.terms < cancelling) return q.terms;
  return std::max(q.terms, 0.08 * q.worst_condition());
}

/// The degree whose error is that of `degree` divided by `factor`: the error falls by 0.2 to 0.6 decades per degree,
/// and a degree that does not suffice is raised again.
static int degree_for_factor(int degree, double factor) {
  const double more = std::isfinite(factor) ? std::ceil(std::log10(factor) / 0.35) : max_degree;
  return static_cast<int>(std::min<double>(max_degree, degree + std::max(1.0, more)));
}

/// Where nothing else helps, half a minute of one core is worth a right result.
static bool all_pairs_are_affordable(const Decision& ran, const Quality& q) {
  return q.pairs / ran.pairs_per_second < 30;
}
/// Are all pairs cheaper than the tables of that degree and an evaluation, or is no higher degree left?
static bool all_pairs_are_cheaper(const Decision& ran, int degree, const Quality& q) {
  const double seconds = q.pairs / ran.pairs_per_second;
  return ran.degree == max_degree ? all_pairs_are_affordable(ran, q)
                                  : seconds < ran.seconds + 1e-9 * table_cost(degree, ran.rotation);
}

static void take_full_pair_arithmetic(Decision& d) {
  d.pair_terms = full_pair_terms(d);
  d.decay_error = 0;
}

/// Few pairs; and in double nothing is left to judge.
static void take_all_pairs(Decision& next) {
  next.method = Method::direct;
  next.precision = Precision::double_;
  take_full_pair_arithmetic(next);
}

/// Makes `next` keep the tolerance: direct sums where they are cheaper, else a higher degree. More than was estimated
/// may be lost to coarse operands, which no degree mends.
static void raise(Decision& next, const Quality& q) {
  if (next.fits() && q.excess > 1 && std::exchange(next.coarse_operands, false)) return;
  const int degree = degree_for_factor(next.degree, q.truncation / next.tolerance);
  if (all_pairs_are_cheaper(next, degree, q)) {
    take_all_pairs(next);
  } else {
    next.degree = degree;
  }
}

static void choose_cheaper_scheme(Decision& d) {
  if (!d.any_scheme) return;
  const CostConstants c = d.backend == Backend::cuda ? device_cost_constants(d.kernel, d.precision, d.gradient)
                                                     : cost_constants(d.kernel, d.simd, d.precision, d.gradient);
  d.rotation = translation_cost(c, d.degree, true) < translation_cost(c, d.degree, false);
}

bool same_arithmetic(const Decision& a, const Decision& b) {
  return a.method == b.method && a.degree == b.degree && a.precision == b.precision && a.pair_terms == b.pair_terms &&
         a.decay_error == b.decay_error && a.exact_operands == b.exact_operands &&
         a.coarse_operands == b.coarse_operands;
}

std::optional<Decision> improved(const Decision& ran, const Quality& q) {
  if (!traits(ran.kernel).truncates) return {};
  Decision next = ran;
  next.settle_degree = false;
  const bool promised = ran.promised;
  const bool inexact = promised && arithmetic_error(ran) * rounding_growth(ran, q) > ran.tolerance / 2;
  if (ran.precision == Precision::single_ && (!q.norms.finite() || inexact || q.lost))
    next.precision = Precision::double_;
  if (inexact || next.precision != ran.precision) take_full_pair_arithmetic(next);
  if (promised && ran.expands() && q.norms.finite() && q.truncation > ran.tolerance) raise(next, q);
  if (promised && ran.expands() && q.unsoftened > ran.tolerance && all_pairs_are_affordable(ran, q))
    take_all_pairs(next);
  if (promised && q.operands > ran.tolerance / 2) next.exact_operands = true;
  if (same_arithmetic(next, ran)) return {};
  choose_cheaper_scheme(next);
  return next;
}

std::string difference(const Decision& first, const Decision& second) {
  std::string text;
  if (second.precision != first.precision) text = word_of(second.precision);
  if (second.method != first.method)
    text += text.empty() ? "all pairs" : ", all pairs";
  else if (second.degree != first.degree)
    text += std::string(text.empty() ? "" : ", ") + "degree " + std::to_string(second.degree);
  if (text.empty())
    text = second.exact_operands                              ? "m2l in single throughout"
           : first.coarse_operands && !second.coarse_operands ? "m2l of more terms"
                                                              : "pairs to all bits";
  return text;
}

}  // namespace farfield
