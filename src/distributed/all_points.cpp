#include "distributed/all_points.hpp"

#include "distributed/strengths.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

/// Rows of all ranks, one behind the other, on all ranks.
static std::vector<double> gather_rows(Ranks& ranks, const std::vector<double>& own, const Begins& begin,
                                       std::int64_t width) {
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<double> all(static_cast<std::size_t>(begin.back() * width)), sent;
  for (std::size_t r = 0; r < size; ++r) sent.insert(sent.end(), own.begin(), own.end());
  const std::vector<std::int64_t> counts(size, std::ssize(own) / std::max<std::int64_t>(1, width));
  ranks.exchange(sent.data(), begins_of(counts), all.data(), begin, width);
  return all;
}

AllPoints::AllPoints(Ranks& ranks, const Points& points, const farfield::Options& options)
    : begin_(begins_of(ranks.all_gather(points.count))) {
  const AnyReader read(points, Scaling());
  std::vector<double> own;
  for (std::int64_t i = 0; i < points.count; ++i)
    for (int axis = 0; axis < 3; ++axis) own.push_back(read.raw(i, axis));
  const std::vector<double> all = gather_rows(ranks, own, begin_, 3);
  plan_ = std::make_unique<farfield::Plan>(farfield::points(all), options);
}

void AllPoints::evaluate(Ranks& ranks, const Strengths& strengths, const Outputs& outputs) {
  const std::int64_t vectors = strengths.vectors, all = begin_.back();
  std::vector<double> own;
  for (std::int64_t i = 0; i < strengths.count; ++i)
    for (std::int64_t v = 0; v < vectors; ++v) own.push_back(strength_of(strengths, v, i));
  const std::vector<double> rows = gather_rows(ranks, own, begin_, vectors);
  std::vector<double> q(rows.size());
  for (std::int64_t i = 0; i < all; ++i)
    for (std::int64_t v = 0; v < vectors; ++v)
      q[static_cast<std::size_t>(v * all + i)] = rows[static_cast<std::size_t>(i * vectors + v)];
  const Result<double> result = plan_->evaluate<double>(farfield::strengths(q.data(), all, vectors));
  const std::int64_t first = begin_[static_cast<std::size_t>(ranks.rank())];
  for (std::int64_t v = 0; v < vectors; ++v)
    for (std::int64_t i = 0; i < strengths.count; ++i) {
      const std::int64_t to = v * strengths.count + i, from = v * all + first + i;
      if (!result.potential.empty())
        write(outputs.potential, outputs.scalar, to, result.potential[static_cast<std::size_t>(from)]);
      for (int axis = 0; axis < 3 && !result.gradient.empty(); ++axis)
        write(outputs.gradient, outputs.scalar, 3 * to + axis,
              result.gradient[static_cast<std::size_t>(3 * from + axis)]);
    }
}

}  // namespace farfield::distributed
