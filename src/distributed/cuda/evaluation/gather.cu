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

/// In which the caller's strengths are taken.
const std::uint32_t* StrengthsOverRanks::order_of(const DevicePlaced& placed, cudaStream_t stream) {
  if (placed.order == Order::given) return placed.on_device->source_route.given.data();
  as_given_.resize(placed.own_sources());
  for_each_index(as_given_.size(), Ascending{as_given_.data()}, stream, "places as they are given");
  return as_given_.data();
}

/// Dipoles are scaled like coordinates, too.
template <class T>
void StrengthsOverRanks::own(DevicePlaced& placed, const OneVector& v, int component, T* sorted, cudaStream_t stream) {
  const int unit = component == farfield::cuda::charge ? 0 : placed.exponent;
  const farfield::cuda::Carried carried{v.index, component, v.exponent - unit};
  if (placed.order == Order::owned) return strengths_.gather(carried, order_of(placed, stream), sorted, stream);
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const DeviceRoute& route = placed.on_device->source_route;
  given_.resize(route.sent.back() * size), arrived_.resize(route.received.back() * size);
  auto* const given = reinterpret_cast<T*>(given_.data());
  strengths_.gather(carried, order_of(placed, stream), given, stream);
  placed.transport.exchange(given, route.sent, arrived_.data(), route.received, size, stream);
  for_each_index(placed.own_sources(),
                 Take<T>{reinterpret_cast<const T*>(arrived_.data()), placed.on_device->source_order(), sorted}, stream,
                 "strengths in the order of the tree");
}

template <class T>
void StrengthsOverRanks::gather(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments,
                                std::int64_t count, cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  int component = 0;
  for (T* const numbers : moments) {
    farfield::cuda::require(cudaMemsetAsync(numbers, 0, bytes, stream), "cudaMemsetAsync");
    own(placed, v, component++, numbers + placed.on_device->first, stream);
    ghosts_.fetch(placed, numbers, stream);
  }
}

template <class T>
void Ghosts::fetch(DevicePlaced& placed, T* numbers, cudaStream_t stream) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const DeviceShare& share = *placed.on_device;
  const DeviceHalo &sends = share.sends, &receives = share.receives;
  out_.resize(sends.points.size() * size), in_.resize(receives.points.size() * size);
  auto *const out = reinterpret_cast<T*>(out_.data()), *const in = reinterpret_cast<T*>(in_.data());
  for_each_index(sends.points.size(), Take<T>{numbers + share.first, sends.points.data(), out}, stream,
                 "numbers of ghosts");
  placed.transport.exchange(out, sends.point_begin, in, receives.point_begin, size, stream);
  for_each_index(receives.points.size(), Put<T>{in, receives.points.data(), numbers}, stream, "numbers of ghosts");
}

template void Ghosts::fetch(DevicePlaced&, double*, cudaStream_t);
template void StrengthsOverRanks::own(DevicePlaced&, const OneVector&, int, double*, cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, const std::vector<float*>&, std::int64_t,
                                         cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, const std::vector<double*>&, std::int64_t,
                                         cudaStream_t);

}  // namespace farfield::distributed
