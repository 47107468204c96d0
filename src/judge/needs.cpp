#include "judge/needs.hpp"

#include <algorithm>
#include <string>

#include "judge/improve.hpp"

namespace farfield {

/// What both need: the higher degree, the higher precision, the more exact pairs.
static void add(Decision& to, const Decision& need) {
  if (need.precision != to.precision && need.precision == Precision::double_) {
    to.precision = need.precision;
    to.pair_terms = need.pair_terms, to.decay_error = need.decay_error;
  } else if (need.precision == to.precision) {
    to.pair_terms = std::max(to.pair_terms, need.pair_terms);
    to.decay_error = std::min(to.decay_error, need.decay_error);
  }
  if (need.method == Method::direct) to.method = need.method;
  if (need.degree >= to.degree && to.any_scheme) to.rotation = need.rotation;
  to.degree = std::max(to.degree, need.degree);
  to.exact_operands = to.exact_operands || need.exact_operands;
  to.coarse_operands = to.coarse_operands && need.coarse_operands;
}

void NeedsOfVectors::note(const Decision& ran, double truncation) {
  ++vectors_;
  truncation_ = std::max(truncation_, truncation);
  if (same_arithmetic(ran, first_)) return;
  ++repeated_;
  if (more_)
    add(*more_, ran);
  else
    more_ = ran;
}

std::optional<Decision> NeedsOfVectors::more() const { return 2 * repeated_ >= vectors_ ? more_ : std::nullopt; }

/// The error falls by at most 0.6 decades per degree, see degree_for_factor; a third of room more, so that a degree
/// does not come and go from step to step.
int NeedsOfVectors::least_degree() const {
  constexpr double steepest = 4, room = 1.5;
  const bool spare =
      first_.promised && repeated_ == 0 && truncation_ > 0 && steepest * room * truncation_ <= first_.tolerance;
  return spare ? first_.degree - 1 : first_.degree;
}

void Needs::take(const NeedsOfVectors& vectors) {
  if (const std::optional<Decision> more = vectors.more()) {
    if (needed_)
      add(*needed_, *more);
    else
      needed_ = more;
    degree_of_these_ = std::max(degree_of_these_, more->degree);
  } else if (needed_) {
    degree_of_these_ = std::max(degree_of_these_, vectors.least_degree());
  }
}

static bool are_about_as_many(std::int64_t one, std::int64_t other) {
  const std::int64_t more = std::max(one, other);
  return more - std::min(one, other) <= more / 8;
}

/// Images that are points come and go as the others move.
bool Needs::are_like(const Counts& one, const Counts& other) {
  return one.alike == other.alike && are_about_as_many(one.sources, other.sources) &&
         are_about_as_many(one.targets, other.targets);
}

static std::string in_words(const Decision& needed) {
  if (needed.method == Method::direct) return "all pairs";
  std::string text = "degree " + std::to_string(needed.degree) + " at least, " + word_of(needed.precision);
  if (needed.exact_operands) text += ", m2l in single throughout";
  return text;
}

Decision Needs::added(const Decision& chosen, const Geometry& g) {
  const Counts counts{g.alike, g.sources, g.alike ? g.sources : g.targets};
  const bool like = are_like(counts_, counts) && chosen.method == chosen_.method && chosen.backend == chosen_.backend;
  counts_ = counts, chosen_ = chosen;
  if (!like) needed_.reset();
  if (needed_ && degree_of_these_ > 0) needed_->degree = degree_of_these_;
  degree_of_these_ = 0;
  Decision next = chosen;
  if (!needed_) return next;
  next.least_degree = needed_->degree;
  add(next, *needed_);
  farfield::note(next, "kept", in_words(*needed_), "evaluations before the move needed it to keep the tolerance");
  return next;
}

}  // namespace farfield
