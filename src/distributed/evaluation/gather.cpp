#include "distributed/evaluation/gather.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/transfer/transfer.hpp"
#include "distributed/strengths.hpp"

namespace farfield::distributed {

/// Two numbers of each vector, in one collective. Exponents are negated, since the least over ranks is wanted; a vector
/// of zeros has none.
std::vector<StrengthRange> ranges_over_ranks(Ranks& ranks, const std::vector<StrengthRange>& own) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> least;
  for (const StrengthRange& range : own)
    for (const double number : {-static_cast<double>(range.exponent), range.least})
      least.push_back(range.least > 0 ? number : none);
  ranks.least(least);
  std::vector<StrengthRange> ranges(own.size());
  for (std::size_t v = 0; v < own.size(); ++v)
    if (std::isfinite(least[2 * v + 1]))
      ranges[v].exponent = -static_cast<int>(least[2 * v]), ranges[v].least = least[2 * v + 1];
  return ranges;
}

std::vector<StrengthRange> ranges_of_all(Ranks& ranks, const Strengths& strengths, int exponent, int threads) {
  std::vector<StrengthRange> own(static_cast<std::size_t>(strengths.vectors));
  for (std::int64_t v = 0; v < strengths.vectors && strengths.count > 0; ++v)
    own[static_cast<std::size_t>(v)] = cpu::strength_range(strengths, v, exponent, threads);
  return ranges_over_ranks(ranks, own);
}

/// Dipoles are scaled like coordinates, too.
template <class T>
Moments<T> own_moments(const RankPlaced& placed, const OneVector& v) {
  const int moments = moments_of(v.strengths);
  const Scaling scale[2] = {Scaling(-v.exponent), Scaling(placed.exponent - v.exponent)};
  const Carrier carrier = placed.share->source_carrier(placed.order);
  const std::vector<T> rows = carrier.template to_tree<T>(*placed.ranks, moments, [&](std::int64_t i, T* to) {
    for (int m = 0; m < moments; ++m) to[m] = static_cast<T>(scale[m > 0](moment_of(v.strengths, v.index, m, i)));
  });
  const auto width = static_cast<std::size_t>(moments), sources = static_cast<std::size_t>(carrier.count());
  Moments<T> own(width, std::vector<T>(sources + cpu::strength_padding, T(0)));
  for (std::size_t m = 0; m < width; ++m)
    for (std::size_t i = 0; i < sources; ++i) own[m][i] = rows[i * width + m];
  return own;
}

template <class Real>
static std::vector<Real> packed(const std::vector<Halo>& halos, const std::vector<const Real*>& own,
                                std::int64_t count) {
  std::vector<Real> out;
  out.reserve(static_cast<std::size_t>(count));
  for (const Halo& halo : halos)
    for (const Interval& one : halo.intervals)
      for (const Real* array : own) out.insert(out.end(), array + one.begin, array + one.end);
  return out;
}

template <class Real>
static void unpack(const Real* from, const std::vector<Halo>& halos, const std::vector<Real*>& to) {
  for (const Halo& halo : halos)
    for (const Interval& one : halo.intervals)
      for (Real* array : to) {
        std::copy_n(from, one.end - one.begin, array + one.begin);
        from += one.end - one.begin;
      }
}

static Begins points_of(const std::vector<Halo>& halos) {
  std::vector<std::int64_t> counts;
  for (const Halo& halo : halos) counts.push_back(halo.points());
  return begins_of(counts);
}

template <class Real>
void fetch_ghosts(Ranks& ranks, const Share& share, const std::vector<Real*>& arrays) {
  const Begins sent = points_of(share.sends), received = points_of(share.receives);
  const std::int64_t width = std::ssize(arrays);
  std::vector<const Real*> own;
  for (const Real* array : arrays) own.push_back(array + share.essential.first);
  const std::vector<Real> out = packed(share.sends, own, width * sent.back());
  std::vector<Real> in(static_cast<std::size_t>(width * received.back()));
  ranks.exchange(out.data(), sent, in.data(), received, width);
  unpack(in.data(), share.receives, arrays);
}

template <class Real>
void gather_moments(const RankPlaced& placed, const OneVector& v, const std::vector<Real*>& to, std::int64_t count) {
  const Moments<Real> own = own_moments<Real>(placed, v);
  for (std::size_t m = 0; m < to.size(); ++m) {
    std::fill_n(to[m], count, Real(0));
    std::copy_n(own[m].begin(), placed.share->own.sources.count, to[m] + placed.share->essential.first);
  }
  fetch_ghosts(*placed.ranks, *placed.share, to);
}

template void gather_moments(const RankPlaced&, const OneVector&, const std::vector<float*>&, std::int64_t);
template void gather_moments(const RankPlaced&, const OneVector&, const std::vector<double*>&, std::int64_t);
template void fetch_ghosts(Ranks&, const Share&, const std::vector<double*>&);
template Moments<double> own_moments(const RankPlaced&, const OneVector&);

}  // namespace farfield::distributed
