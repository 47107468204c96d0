#include "distributed/drawing.hpp"

#include <algorithm>

#include "distributed/backends.hpp"
#include "tree/crowding.hpp"

namespace farfield::distributed {
namespace {

/// A rank's points [begin, begin + count), which in one plan are those from `number` on.
struct Stretch {
  std::int64_t begin, count, number;
};
struct Drawn {
  std::int64_t number;
  double x[3];
};

/// Targets that end with the sources come in this order in one plan, too: those of all ranks that are apart first.
std::vector<Stretch> stretches(Ranks& ranks, std::int64_t apart, std::int64_t sources) {
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const Begins of_apart = begins_of(ranks.all_gather(apart)), of_sources = begins_of(ranks.all_gather(sources));
  return {{0, apart, of_apart[rank]}, {apart, sources, of_apart.back() + of_sources[rank]}};
}

std::vector<double> draw(Ranks& ranks, const Points& points, std::int64_t sources_at_end, int exponent,
                         std::int64_t most) {
  const std::int64_t all = ranks.sum_of(points.count), count = std::min(all, most);
  const std::vector<Stretch> own = stretches(ranks, points.count - sources_at_end, sources_at_end);
  std::vector<Drawn> drawn;
  std::vector<std::int64_t> at;
  for (std::int64_t k = 0; k < count; ++k)
    for (const Stretch& stretch : own)
      if (const std::int64_t number = drawn_point(k, count, all), i = number - stretch.number;
          i >= 0 && i < stretch.count)
        drawn.push_back({number, {}}), at.push_back(stretch.begin + i);
  const std::vector<double> own_x = coordinates_at(points, at, exponent);
  for (std::size_t i = 0; i < drawn.size(); ++i) std::copy_n(&own_x[3 * i], 3, drawn[i].x);
  drawn = ranks.gather_all(drawn);
  std::sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.number < b.number; });
  std::vector<double> x;
  for (const Drawn& one : drawn) x.insert(x.end(), one.x, one.x + 3);
  return x;
}

}  // namespace

DrawPoints drawing(Ranks& ranks, const Given& given, int exponent) {
  return [&ranks, &given, exponent](int set, std::int64_t most) {
    if (set == 0) return draw(ranks, given.sources, 0, exponent, most);
    return draw(ranks, *given.targets, given.targets->count - given.first_set(), exponent, most);
  };
}

}  // namespace farfield::distributed
