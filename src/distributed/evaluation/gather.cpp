#include "distributed/evaluation/gather.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/transfer/transfer.hpp"
#include "distributed/strengths.hpp"

namespace farfield::distributed {

/// Exponents are negated, since the least over ranks is wanted; a vector of zeros has none.
std::vector<StrengthRange> ranges_of_all(Ranks& ranks, const Strengths& strengths, int exponent, int threads) {
  constexpr int none = std::numeric_limits<int>::min();
  const auto vectors = static_cast<std::size_t>(strengths.vectors);
  std::vector<int> largest;
  std::vector<double> smallest;
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const StrengthRange own =
        strengths.count > 0 ? cpu::strength_range(strengths, v, exponent, threads) : StrengthRange{};
    largest.push_back(own.least > 0 ? -own.exponent : -(none + 1));
    smallest.push_back(own.least > 0 ? own.least : std::numeric_limits<double>::infinity());
  }
  ranks.least(largest), ranks.least(smallest);
  std::vector<StrengthRange> ranges(vectors);
  for (std::size_t v = 0; v < vectors; ++v)
    if (std::isfinite(smallest[v])) ranges[v].exponent = -largest[v], ranges[v].least = smallest[v];
  return ranges;
}

template <class T>
std::vector<T> own_strengths(const RankPlaced& placed, const OneVector& v) {
  const Scaling scale(-v.exponent);
  return placed.share->source_carrier(placed.order).template to_tree<T>(*placed.ranks, 1, [&](std::int64_t i, T* to) {
    *to = static_cast<T>(scale(strength_of(v.strengths, v.index, i)));
  });
}

template <class Real>
static std::vector<Real> packed(const std::vector<Halo>& halos, const Real* own, std::int64_t count) {
  std::vector<Real> out;
  out.reserve(static_cast<std::size_t>(count));
  for (const Halo& halo : halos)
    for (const Interval& one : halo.intervals) out.insert(out.end(), own + one.begin, own + one.end);
  return out;
}

template <class Real>
static void unpack(const Real* from, const std::vector<Halo>& halos, Real* strength) {
  for (const Halo& halo : halos)
    for (const Interval& one : halo.intervals) {
      std::copy_n(from, one.end - one.begin, strength + one.begin);
      from += one.end - one.begin;
    }
}

static Begins points_of(const std::vector<Halo>& halos) {
  std::vector<std::int64_t> counts;
  for (const Halo& halo : halos) counts.push_back(halo.points());
  return begins_of(counts);
}

template <class Real>
static void fetch_ghosts(Ranks& ranks, const Share& share, Real* strength) {
  const Begins sent = points_of(share.sends), received = points_of(share.receives);
  const std::vector<Real> out = packed(share.sends, strength + share.essential.first, sent.back());
  std::vector<Real> in(static_cast<std::size_t>(received.back()));
  ranks.exchange(out.data(), sent, in.data(), received);
  unpack(in.data(), share.receives, strength);
}

template <class Real>
void gather_strengths(const RankPlaced& placed, const OneVector& v, Real* strength, std::int64_t count) {
  std::fill_n(strength, count, Real(0));
  const std::vector<Real> own = own_strengths<Real>(placed, v);
  std::copy(own.begin(), own.end(), strength + placed.share->essential.first);
  fetch_ghosts(*placed.ranks, *placed.share, strength);
}

template void gather_strengths(const RankPlaced&, const OneVector&, float*, std::int64_t);
template void gather_strengths(const RankPlaced&, const OneVector&, double*, std::int64_t);
template std::vector<float> own_strengths(const RankPlaced&, const OneVector&);
template std::vector<double> own_strengths(const RankPlaced&, const OneVector&);

}  // namespace farfield::distributed
