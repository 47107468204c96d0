#include "distributed/all_pairs.hpp"

#include "backends/cpu/evaluator.hpp"
#include "distributed/strengths.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

AllPairs::AllPairs(Ranks& ranks, const Decision& decision, int threads)
    : ranks_(ranks), pairs_(cpu::make_evaluator(decision, threads)) {}

AllPairs::AllPairs(const AllPairs& other, std::unique_ptr<Evaluator> pairs)
    : ranks_(other.ranks_), placed_(other.placed_), first_target_(other.first_target_), pairs_(std::move(pairs)) {}

AllPairs::AllPairs(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads)
    : ranks_(*placed->ranks), placed_(std::move(placed)), pairs_(cpu::make_evaluator(decision, threads)) {
  const Owned& own = placed_->share->own;
  first_target_ = own.first_target;
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

Carrier AllPairs::sources(std::int64_t given) const {
  return placed_ ? placed_->share->source_carrier(placed_->order) : Carrier(given);
}
Carrier AllPairs::targets(std::int64_t given) const {
  return placed_ ? placed_->share->target_carrier(placed_->order) : Carrier(given);
}

void AllPairs::build(const Points& given_sources, const Points* given_targets, const Geometry& geometry,
                     farfield::Report& report) {
  const std::int64_t own_targets = given_targets ? given_targets->count : given_sources.count;
  first_target_ = begins_of(ranks_.all_gather(own_targets))[static_cast<std::size_t>(ranks_.rank())];
  const auto all = [&](const Points& given) {
    const AnyReader read(given, Scaling());
    return rows_of_all(Carrier(given.count), 3, [&](std::int64_t i, double* to) {
      for (int axis = 0; axis < 3; ++axis) to[axis] = read.raw(i, axis);
    });
  };
  const std::vector<double> source = all(given_sources),
                            target = given_targets ? all(*given_targets) : std::vector<double>();
  const Points sources = points(source), targets = points(target);
  pairs_->build(sources, given_targets ? &targets : nullptr, geometry, report);
}

/// `width` numbers for each of the caller's points, written by put(index, double*), of all ranks in the order of the
/// sums.
template <class Put>
std::vector<double> AllPairs::rows_of_all(const Carrier& carrier, std::int64_t width, const Put& put) const {
  return ranks_.gather_all(carrier.to_tree<double>(ranks_, width, put));
}

/// Numbers of this rank's targets, of those of all in the order of the sums, to a place for each.
template <class T>
void AllPairs::deliver(const std::vector<T>& all, std::int64_t width, T* to, std::int64_t given) const {
  targets(given).to_caller(ranks_, width, all.data() + first_target_ * width, [&](std::int64_t i, const T* from) {
    if (to) std::copy_n(from, width, to + i * width);
  });
}

template <class T>
std::vector<Quality> AllPairs::evaluate_in(const Strengths& given, const Delivery& delivery, farfield::Report& report) {
  const std::int64_t vectors = given.vectors;
  const std::vector<double> rows = rows_of_all(sources(given.count), vectors, [&](std::int64_t i, double* to) {
    for (std::int64_t v = 0; v < vectors; ++v) to[v] = strength_of(given, v, i);
  });
  const std::int64_t all = std::ssize(rows) / std::max<std::int64_t>(1, vectors),
                     targets = ranks_.sum_of(delivery.split);
  std::vector<double> q(rows.size());
  for (std::int64_t i = 0; i < all; ++i)
    for (std::int64_t v = 0; v < vectors; ++v)
      q[static_cast<std::size_t>(v * all + i)] = rows[static_cast<std::size_t>(i * vectors + v)];
  const int parts = decision().parts();
  const auto results = static_cast<std::size_t>(targets * vectors);
  std::vector<T> potential(first_part(parts) == 0 ? results : 0), gradient(parts > 1 ? 3 * results : 0);
  Delivery whole = delivery;
  whole.split = targets;
  whole.outputs.potential = potential.empty() ? nullptr : potential.data();
  whole.outputs.gradient = gradient.empty() ? nullptr : gradient.data();
  std::vector<Quality> qualities = pairs_->evaluate(strengths(q.data(), all, vectors), whole, report);
  const auto deliver_vectors = [&](const std::vector<T>& of_all, std::int64_t width, void* to) {
    for (std::int64_t v = 0; v < vectors && !of_all.empty(); ++v) {
      const auto begin = of_all.begin() + v * targets * width;
      deliver(std::vector<T>(begin, begin + targets * width), width,
              to ? static_cast<T*>(to) + v * delivery.split * width : nullptr, delivery.split);
    }
  };
  deliver_vectors(potential, 1, delivery.outputs.potential);
  deliver_vectors(gradient, 3, delivery.outputs.gradient);
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
