#include "distributed/all_pairs.hpp"

#include <numeric>

#include "backends/untyped.hpp"
#include "distributed/strengths.hpp"
#include "plan/backends.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

AllPairs::AllPairs(Ranks& ranks, const Decision& decision, int threads, bool at_sources, const std::int64_t& behind)
    : ranks_(ranks), at_sources_(at_sources), given_behind_(&behind), pairs_(make_evaluator(decision, threads)) {}

AllPairs::AllPairs(const AllPairs& other, std::unique_ptr<Evaluator> pairs)
    : ranks_(other.ranks_),
      placed_(other.placed_),
      at_sources_(other.at_sources_),
      given_behind_(other.given_behind_),
      first_target_(other.first_target_),
      behind_(other.behind_),
      results_(other.results_),
      selves_(other.selves_),
      source_numbers_(other.source_numbers_),
      target_numbers_(other.target_numbers_),
      pairs_(std::move(pairs)) {
  if (selves_.source) selves_.source = source_numbers_.data(), selves_.target = target_numbers_.data();
}

AllPairs::AllPairs(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads)
    : ranks_(*placed->ranks), placed_(std::move(placed)), pairs_(make_evaluator(decision, threads)) {
  const Owned& own = placed_->on_host().own;
  first_target_ = own.first_target, results_ = placed_->geometry.targets;
  const Scaling back(-placed_->exponent);  // keeps every bit: others are no coordinates of a plan
  const auto all = [&](const cpu::SortedPoints& points) {
    std::vector<double> x;
    for (std::int64_t i = 0; i < points.count; ++i)
      for (const Array<double>& axis : points.axis) x.push_back(back(axis[i]));
    return ranks_.gather_all(x);
  };
  const std::vector<double> source = all(own.sources), target = all(own.targets);
  const std::vector<double> of_sources = ranks_.gather_all(placed_->lengths.own_sources),
                            of_targets = ranks_.gather_all(placed_->lengths.own_targets);
  Points sources = points(source), targets = points(target);
  if (decision.lengths) sources.softening = of_sources.data(), targets.softening = of_targets.data();
  find_selves();
  farfield::Report unused;
  pairs_->build(sources, own.alike ? nullptr : &targets, placed_->geometry, unused);
}

/// Of a tree's points: targets that are no sources have the first numbers, then come the sources in their order.
void AllPairs::find_selves() {
  const Owned& own = placed_->on_host().own;
  const std::vector<std::int64_t> sources = ranks_.all_gather(own.sources.count);
  if (own.alike) return;
  selves_.from = std::int64_t(1) << 40;  // no target is a source
  if (!own.both) return;
  const std::int64_t all = std::accumulate(sources.begin(), sources.end(), std::int64_t(0));
  selves_.from = results_ - all;
  std::vector<std::uint32_t> number(static_cast<std::size_t>(own.targets.count), 0);
  for (std::size_t i = 0; i < own.both->sources.size(); ++i)
    number[static_cast<std::size_t>(own.both->sources[i])] =
        static_cast<std::uint32_t>(selves_.from + own.first_source + static_cast<std::int64_t>(i));
  target_numbers_ = ranks_.gather_all(number);
  target_numbers_.resize(target_numbers_.size() + padding, 0);
  source_numbers_.resize(static_cast<std::size_t>(all));
  std::iota(source_numbers_.begin(), source_numbers_.end(), 0u);
  selves_.source = source_numbers_.data(), selves_.target = target_numbers_.data();
}

Carrier AllPairs::source_carrier(std::int64_t given) const {
  return placed_ ? placed_->routes().source_carrier(placed_->order) : Carrier(given);
}

std::vector<ResultSet> AllPairs::sets(std::int64_t given, const Delivery& delivery) const {
  const Outputs& o = delivery.outputs;
  if (placed_) return result_sets(*placed_, given, delivery);
  const bool within = behind_ && !at_sources_;  // the targets behind are some of the caller's
  const std::int64_t pitch = delivery.pitch_or_split(), before = delivery.split - (within ? behind_->count : 0);
  std::vector<ResultSet> sets{{Carrier(before), 0, nullptr, pitch, o.potential, o.gradient, o.hessian}};
  if (!behind_) return sets;
  const std::int64_t first = behind_->first - first_target_;
  if (within)
    sets.push_back({Carrier(behind_->count), first, nullptr, pitch, shifted(o.potential, before, o.scalar),
                    shifted(o.gradient, 3 * before, o.scalar), shifted(o.hessian, 6 * before, o.scalar)});
  else
    sets.push_back({Carrier(given), first, nullptr, delivery.source_pitch_or(given), o.source_potential,
                    o.source_gradient, o.source_hessian});
  return sets;
}

/// Targets of all ranks, then those that stand behind them, such as the sources of all where results are wanted there.
void AllPairs::build(const Points& sources, const Points* targets, const Geometry& geometry, farfield::Report& report) {
  const auto rank = static_cast<std::size_t>(ranks_.rank());
  const bool both = at_sources_ && targets, some_behind = both || (targets && *given_behind_ >= 0);
  const std::int64_t behind = both          ? sources.count
                              : some_behind ? *given_behind_
                                            : 0,
                     before = (targets ? targets->count : sources.count) - behind;
  PointsOfAll source = points_of_all(sources, 0, sources.count), target;
  if (targets) target = points_of_all(*targets, 0, before);
  first_target_ = begins_of(ranks_.all_gather(before))[rank];
  const std::int64_t before_all = std::ssize(targets ? target.x : source.x) / 3;
  behind_.reset();
  if (some_behind) {
    behind_ = {before_all + begins_of(ranks_.all_gather(behind))[rank], behind};
    target.append(both ? source : points_of_all(*targets, before, behind));
  }
  results_ = std::ssize(targets ? target.x : source.x) / 3;
  selves_.from = both ? before_all : results_;
  const bool lengths = decision().lengths;
  const Points all_sources = source.view(lengths), all_targets = target.view(lengths);
  pairs_->build(all_sources, targets ? &all_targets : nullptr, geometry, report);
}

AllPairs::PointsOfAll AllPairs::points_of_all(const Points& given, std::int64_t first, std::int64_t count) const {
  const AnyReader read(given, Scaling());
  const Carrier carrier(count);
  PointsOfAll all;
  all.x = rows_of_all(carrier, 3, [&](std::int64_t i, double* to) {
    for (int axis = 0; axis < 3; ++axis) to[axis] = read.raw(first + i, axis);
  });
  if (decision().lengths)
    all.length = rows_of_all(carrier, 1, [&](std::int64_t i, double* to) { *to = given.softening[first + i]; });
  return all;
}

/// `width` numbers for each of the caller's points, written by put(index, double*), of all ranks in the order of the
/// sums.
template <class Put>
std::vector<double> AllPairs::rows_of_all(const Carrier& carrier, std::int64_t width, const Put& put) const {
  return ranks_.gather_all(carrier.to_tree<double>(ranks_, width, put));
}

template <class Put>
std::vector<double> AllPairs::vectors_of_all(const Strengths& given, std::int64_t width, const Put& put) const {
  const auto vectors = static_cast<std::size_t>(given.vectors), numbers = static_cast<std::size_t>(width);
  const std::vector<double> rows =
      rows_of_all(source_carrier(given.count), given.vectors * width, [&](std::int64_t i, double* to) {
        for (std::int64_t v = 0; v < given.vectors; ++v) put(v, i, to + v * width);
      });
  const std::size_t all = rows.size() / std::max<std::size_t>(1, vectors * numbers);
  std::vector<double> q(rows.size());
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t v = 0; v < vectors; ++v)
      std::copy_n(&rows[(i * vectors + v) * numbers], numbers, &q[(v * all + i) * numbers]);
  return q;
}

/// `all`: results of all ranks, one vector behind the other. Null arrays are not wanted, but others' may be.
template <class T>
void AllPairs::deliver(const std::vector<T>& all, std::int64_t vectors, std::int64_t width, const ResultSet& set,
                       void* to) const {
  for (std::int64_t v = 0; v < vectors && !all.empty(); ++v)
    set.deliver(ranks_, width, all.data() + (v * results_ + first_target_) * width, [&](std::int64_t i, const T* row) {
      if (to) std::copy_n(row, width, static_cast<T*>(to) + (v * set.pitch + i) * width);
    });
}

template <class T>
std::vector<Quality> AllPairs::evaluate_in(const Strengths& given, const Delivery& delivery, farfield::Report& report) {
  const std::vector<double> q =
      vectors_of_all(given, 1, [&](std::int64_t v, std::int64_t i, double* to) { *to = moment_of(given, v, 0, i); });
  std::vector<double> p;
  if (given.dipoles)
    p = vectors_of_all(given, 3, [&](std::int64_t v, std::int64_t i, double* to) {
      for (int axis = 0; axis < 3; ++axis) to[axis] = moment_of(given, v, 1 + axis, i);
    });
  const int parts = decision().parts();
  const auto results = static_cast<std::size_t>(results_ * given.vectors);
  std::vector<T> potential(first_part(parts) == 0 ? results : 0), gradient(parts > 1 ? 3 * results : 0),
      hessian(parts == with_hessian ? 6 * results : 0);
  Delivery whole = delivery;
  whole.split = results_, whole.selves = selves_;
  whole.pitch = whole.source_pitch = 0;
  whole.outputs = {};
  whole.outputs.scalar = delivery.outputs.scalar;
  whole.outputs.potential = potential.empty() ? nullptr : potential.data();
  whole.outputs.gradient = gradient.empty() ? nullptr : gradient.data();
  whole.outputs.hessian = hessian.empty() ? nullptr : hessian.data();
  Strengths all = strengths(q.data(), std::ssize(q) / std::max<std::int64_t>(1, given.vectors), given.vectors);
  if (given.dipoles) all = with_dipoles(all, p.data());
  std::vector<Quality> qualities = pairs_->evaluate(all, whole, report);
  for (const ResultSet& set : sets(given.count, delivery)) {
    deliver(potential, given.vectors, 1, set, set.potential);
    deliver(gradient, given.vectors, 3, set, set.gradient);
    deliver(hessian, given.vectors, 6, set, set.hessian);
  }
  return qualities;
}

std::vector<Quality> AllPairs::evaluate(const Strengths& strengths, const Delivery& delivery,
                                        farfield::Report& report) {
  return delivery.outputs.scalar == Scalar::float32 ? evaluate_in<float>(strengths, delivery, report)
                                                    : evaluate_in<double>(strengths, delivery, report);
}

std::unique_ptr<Evaluator> AllPairs::again(const Decision& decision, farfield::Report& report) {
  return std::unique_ptr<Evaluator>(new AllPairs(*this, pairs_->again(decision, report)));
}

}  // namespace farfield::distributed
