#include "distributed/all_pairs.hpp"

#include "distributed/strengths.hpp"
#include "plan/backends.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

AllPairs::AllPairs(Ranks& ranks, const Decision& decision, int threads, bool at_sources)
    : ranks_(ranks), at_sources_(at_sources), pairs_(make_evaluator(decision, threads)) {}

AllPairs::AllPairs(const AllPairs& other, std::unique_ptr<Evaluator> pairs)
    : ranks_(other.ranks_),
      placed_(other.placed_),
      at_sources_(other.at_sources_),
      first_target_(other.first_target_),
      first_source_(other.first_source_),
      results_(other.results_),
      pairs_(std::move(pairs)) {}

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
  const Points sources = points(source), targets = points(target);
  farfield::Report unused;
  pairs_->build(sources, own.alike ? nullptr : &targets, placed_->geometry, unused);
}

Carrier AllPairs::source_carrier(std::int64_t given) const {
  return placed_ ? placed_->on_host().source_carrier(placed_->order) : Carrier(given);
}

std::vector<ResultSet> AllPairs::sets(std::int64_t given, const Delivery& delivery) const {
  const Outputs& o = delivery.outputs;
  if (placed_) return result_sets(*placed_, given, delivery);
  std::vector<ResultSet> sets{
      {Carrier(delivery.split), 0, nullptr, delivery.pitch_or_split(), o.potential, o.gradient}};
  if (first_source_)
    sets.push_back({Carrier(given), *first_source_ - first_target_, nullptr, delivery.source_pitch_or(given),
                    o.source_potential, o.source_gradient});
  return sets;
}

/// Targets of all ranks, then, where results are wanted at these, too, the sources of all.
void AllPairs::build(const Points& sources, const Points* targets, const Geometry& geometry, farfield::Report& report) {
  const auto rank = static_cast<std::size_t>(ranks_.rank());
  const bool both = at_sources_ && targets;
  Points apart = targets ? *targets : sources;
  if (both) apart.count -= sources.count;
  const auto all = [&](const Points& given) {
    const AnyReader read(given, Scaling());
    return rows_of_all(Carrier(given.count), 3, [&](std::int64_t i, double* to) {
      for (int axis = 0; axis < 3; ++axis) to[axis] = read.raw(i, axis);
    });
  };
  const std::vector<double> source = all(sources);
  std::vector<double> target = targets ? all(apart) : std::vector<double>();
  first_target_ = begins_of(ranks_.all_gather(apart.count))[rank];
  first_source_.reset();
  if (both) {
    first_source_ = std::ssize(target) / 3 + begins_of(ranks_.all_gather(sources.count))[rank];
    target.insert(target.end(), source.begin(), source.end());
  }
  results_ = std::ssize(targets ? target : source) / 3;
  const Points all_sources = points(source), all_targets = points(target);
  pairs_->build(all_sources, targets ? &all_targets : nullptr, geometry, report);
}

/// `width` numbers for each of the caller's points, written by put(index, double*), of all ranks in the order of the
/// sums.
template <class Put>
std::vector<double> AllPairs::rows_of_all(const Carrier& carrier, std::int64_t width, const Put& put) const {
  return ranks_.gather_all(carrier.to_tree<double>(ranks_, width, put));
}

/// Strengths of all ranks' sources, one vector behind the other.
std::vector<double> AllPairs::strengths_of_all(const Strengths& given) const {
  const auto vectors = static_cast<std::size_t>(given.vectors);
  const std::vector<double> rows =
      rows_of_all(source_carrier(given.count), given.vectors, [&](std::int64_t i, double* to) {
        for (std::int64_t v = 0; v < given.vectors; ++v) to[v] = strength_of(given, v, i);
      });
  const std::size_t all = rows.size() / std::max<std::size_t>(1, vectors);
  std::vector<double> q(rows.size());
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t v = 0; v < vectors; ++v) q[v * all + i] = rows[i * vectors + v];
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
  const std::vector<double> q = strengths_of_all(given);
  const int parts = decision().parts();
  const auto results = static_cast<std::size_t>(results_ * given.vectors);
  std::vector<T> potential(first_part(parts) == 0 ? results : 0), gradient(parts > 1 ? 3 * results : 0);
  Delivery whole = delivery;
  whole.split = results_;
  whole.pitch = whole.source_pitch = 0;
  whole.outputs = {};
  whole.outputs.scalar = delivery.outputs.scalar;
  whole.outputs.potential = potential.empty() ? nullptr : potential.data();
  whole.outputs.gradient = gradient.empty() ? nullptr : gradient.data();
  const std::int64_t sources = std::ssize(q) / std::max<std::int64_t>(1, given.vectors);
  std::vector<Quality> qualities = pairs_->evaluate(strengths(q.data(), sources, given.vectors), whole, report);
  for (const ResultSet& set : sets(given.count, delivery)) {
    deliver(potential, given.vectors, 1, set, set.potential);
    deliver(gradient, given.vectors, 3, set, set.gradient);
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
