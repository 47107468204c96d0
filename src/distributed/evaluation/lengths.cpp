#include "distributed/evaluation/lengths.hpp"

#include <cmath>

#include "backends/cpu/transfer/lengths.hpp"
#include "distributed/evaluation/gather.hpp"

namespace farfield::distributed {

LengthRange lengths_of_all(Ranks& ranks, const Points& sources, const Points* targets, double otherwise,
                           LengthsGiven given) {
  LengthRange range;
  range.given = given.sources || given.targets;
  if (!range.given) return range;
  const auto add_all = [&](const Points& points, const char* what, bool by_some) {
    if (points.softening)
      cpu::add_lengths(range, points, what);
    else if (!by_some || points.count > 0)
      range.add(otherwise);
  };
  add_all(sources, "source", given.sources);
  if (targets) add_all(*targets, "target", given.targets);
  std::vector<double> least{-range.longest, range.least, range.shortest};
  ranks.least(least);
  range.longest = -least[0], range.least = least[1], range.shortest = least[2];
  return range;
}

namespace {

using Scaled = Array<double>;

/// Those of the rank's targets, apart from the sources or both (share.hpp).
std::vector<double> own_targets(Ranks& ranks, const Share& share, const Points& given,
                                const std::vector<double>& sources) {
  const std::vector<double> apart =
      share.target_carrier(Order::given).to_tree<double>(ranks, 1, [&](std::int64_t i, double* to) {
        *to = given.softening[i];
      });
  if (!share.own.both) return apart;
  const Both& both = *share.own.both;
  std::vector<double> all(both.targets.size() + both.sources.size());
  for (std::size_t i = 0; i < both.targets.size(); ++i) all[static_cast<std::size_t>(both.targets[i])] = apart[i];
  for (std::size_t i = 0; i < both.sources.size(); ++i) all[static_cast<std::size_t>(both.sources[i])] = sources[i];
  return all;
}

/// The last one is repeated behind the last point, as coordinates are.
void pad(Scaled& lengths, std::int64_t count) {
  std::fill_n(lengths.data() + count, padding, count > 0 ? lengths[count - 1] : 0.0);
}

/// Behind the rank's own targets are the first ones of others, as in place_targets (share.cpp).
void pad_with_others(Ranks& ranks, const Owned& own, Scaled& lengths) {
  struct First {
    std::int64_t number;
    double length;
  };
  std::vector<First> first;
  const std::int64_t count = own.targets.count, behind = own.first_target + count;
  for (std::int64_t i = 0; i < std::min(count, padding); ++i) first.push_back({own.first_target + i, lengths[i]});
  pad(lengths, count);
  for (const First& other : ranks.gather_all(first))
    for (std::int64_t i = other.number - behind; count > 0 && i >= 0 && i < padding; ++i)
      lengths[count + i] = other.length;
}

}  // namespace

Lengths gather_lengths(Ranks& ranks, const Share& share, const Given& given, double factor, int exponent) {
  const Essential& e = share.essential;
  const auto scale = [&](const std::vector<double>& from, double* to) {
    for (const double length : from) *to++ = std::ldexp(length * factor, exponent);
  };
  Lengths lengths;
  lengths.own_sources = share.source_carrier(Order::given).to_tree<double>(ranks, 1, [&](std::int64_t i, double* to) {
    *to = given.sources.softening[i];
  });
  lengths.sources.resize(e.sources.count + padding);
  std::fill(lengths.sources.begin(), lengths.sources.end(), 0.0);
  scale(lengths.own_sources, lengths.sources.data() + e.first);
  fetch_ghosts(ranks, share, std::vector<double*>{lengths.sources.data()});
  pad(lengths.sources, e.sources.count);
  if (share.own.alike) return lengths;
  lengths.own_targets = own_targets(ranks, share, *given.targets, lengths.own_sources);
  lengths.targets.resize(share.own.targets.count + padding);
  scale(lengths.own_targets, lengths.targets.data());
  pad_with_others(ranks, share.own, lengths.targets);
  return lengths;
}

}  // namespace farfield::distributed
