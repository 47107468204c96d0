#include <cmath>
#include <limits>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/gather.hpp"
#include "distributed/cuda/evaluation/places.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;

/// Exponents are negated, since the least over ranks is wanted; a vector of zeros has none.
std::vector<StrengthRange> ranges_over_ranks(Ranks& ranks, const std::vector<StrengthRange>& own) {
  constexpr int none = std::numeric_limits<int>::min();
  std::vector<int> largest;
  std::vector<double> smallest;
  for (const StrengthRange& range : own) {
    largest.push_back(range.least > 0 ? -range.exponent : -(none + 1));
    smallest.push_back(range.least > 0 ? range.least : std::numeric_limits<double>::infinity());
  }
  ranks.least(largest), ranks.least(smallest);
  std::vector<StrengthRange> ranges(own.size());
  for (std::size_t v = 0; v < own.size(); ++v)
    if (std::isfinite(smallest[v])) ranges[v].exponent = -largest[v], ranges[v].least = smallest[v];
  return ranges;
}

std::vector<StrengthRange> StrengthsOverRanks::read(DevicePlaced& placed, const Strengths& strengths,
                                                    cudaStream_t stream) {
  return ranges_over_ranks(*placed.ranks, strengths_.read(strengths, placed.exponent, stream));
}

template <class T>
void StrengthsOverRanks::own(DevicePlaced& placed, const OneVector& v, T* sorted, cudaStream_t stream) {
  const farfield::cuda::Carried carried{v.index, farfield::cuda::charge, v.exponent};
  if (placed.order == Order::owned) return strengths_.gather(carried, nullptr, sorted, stream);
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const DeviceRoute& route = placed.on_device->source_route;
  OnDevice<T> given(memory_), arrived(memory_);  // not kept: results that travel take their memory
  given.resize(route.sent.back()), arrived.resize(route.received.back());
  strengths_.gather(carried, route.given.data(), given.data(), stream);
  placed.transport.exchange(given.data(), route.sent, arrived.data(), route.received, size, stream);
  for_each_index(placed.own_sources(), Take<T>{arrived.data(), placed.on_device->source_order(), sorted}, stream,
                 "strengths in the order of the tree");
}

template <class T>
void StrengthsOverRanks::gather(DevicePlaced& placed, const OneVector& v, T* strength, std::int64_t count,
                                cudaStream_t stream) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const DeviceShare& share = *placed.on_device;
  farfield::cuda::require(cudaMemsetAsync(strength, 0, static_cast<std::size_t>(count * size), stream),
                          "cudaMemsetAsync");
  own(placed, v, strength + share.first, stream);
  const DeviceHalo &sends = share.sends, &receives = share.receives;
  out_.resize(sends.points.size() * size), in_.resize(receives.points.size() * size);
  auto *const out = reinterpret_cast<T*>(out_.data()), *const in = reinterpret_cast<T*>(in_.data());
  for_each_index(sends.points.size(), Take<T>{strength + share.first, sends.points.data(), out}, stream,
                 "strengths of ghosts");
  placed.transport.exchange(out, sends.point_begin, in, receives.point_begin, size, stream);
  for_each_index(receives.points.size(), Put<T>{in, receives.points.data(), strength}, stream, "strengths of ghosts");
}

template void StrengthsOverRanks::own(DevicePlaced&, const OneVector&, double*, cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, float*, std::int64_t, cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, double*, std::int64_t, cudaStream_t);

}  // namespace farfield::distributed
