#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/gather.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/evaluation/gather.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;

std::vector<StrengthRange> StrengthsOverRanks::read(DevicePlaced& placed, const Strengths& strengths,
                                                    cudaStream_t stream) {
  return ranges_over_ranks(*placed.ranks, strengths_.read(strengths, placed.exponent, stream));
}

/// One row of numbers for each component, or four, together.
template <class T>
static void exchange_components(Transport& transport, const T* sends, const Begins& sent, T* receives,
                                const Begins& received, std::size_t components, cudaStream_t stream) {
  const auto rows = [&](std::int64_t c) {
    return Transport::Rows{sends + c * sent.back(), sent, receives + c * received.back(), received, sizeof(T)};
  };
  if (components == with_dipole)
    transport.exchange({rows(0), rows(1), rows(2), rows(3)}, stream);
  else
    transport.exchange({rows(0)}, stream);
}

/// Room for so many numbers of a type.
template <class T>
static T* room(OnDevice<unsigned char>& memory, std::int64_t count) {
  memory.resize(count * static_cast<std::int64_t>(sizeof(T)));
  return reinterpret_cast<T*>(memory.data());
}

/// Dipoles are scaled like coordinates, too.
template <class T>
void StrengthsOverRanks::own(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments,
                             cudaStream_t stream) {
  const DeviceRoute& route = placed.on_device->source_route;
  const std::uint32_t* const order = placed.order == Order::owned ? nullptr : route.given.data();
  const auto gather = [&](std::size_t c, T* to) {
    const int unit = c == farfield::cuda::charge ? 0 : placed.exponent;
    strengths_.gather({v.index, static_cast<int>(c), v.exponent - unit}, order, to, stream);
  };
  if (placed.order == Order::owned) {
    for (std::size_t c = 0; c < moments.size(); ++c) gather(c, moments[c]);
    return;
  }
  const std::int64_t components = std::ssize(moments), given = route.points(), owned = route.received.back();
  OnDevice<T> sent(memory_), arrived(memory_);  // not kept: results that travel take their memory
  sent.resize(components * given), arrived.resize(components * owned);
  for (std::size_t c = 0; c < moments.size(); ++c) gather(c, sent.data() + static_cast<std::int64_t>(c) * given);
  exchange_components<T>(placed.transport, sent.data(), route.sent, arrived.data(), route.received, moments.size(),
                         stream);
  for (std::int64_t c = 0; c < components; ++c)
    for_each_index(
        placed.own_sources(),
        Take<T>{arrived.data() + c * owned, placed.on_device->source_order(), moments[static_cast<std::size_t>(c)]},
        stream, "strengths in the order of the tree");
}

template <class T>
void StrengthsOverRanks::gather(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments,
                                std::int64_t count, cudaStream_t stream) {
  std::vector<T*> of_rank;
  for (T* const numbers : moments) {
    farfield::cuda::require(cudaMemsetAsync(numbers, 0, static_cast<std::size_t>(count) * sizeof(T), stream),
                            "cudaMemsetAsync");
    of_rank.push_back(numbers + placed.on_device->first);
  }
  own(placed, v, of_rank, stream);
  ghosts_.fetch(placed, moments, stream);
}

template <class T>
void Ghosts::fetch(DevicePlaced& placed, const std::vector<T*>& numbers, cudaStream_t stream) {
  const DeviceShare& share = *placed.on_device;
  const DeviceHalo &sends = share.sends, &receives = share.receives;
  const std::int64_t components = std::ssize(numbers), sent = sends.points.size(), received = receives.points.size();
  T *const out = room<T>(out_, components * sent), *const in = room<T>(in_, components * received);
  for (std::int64_t c = 0; c < components; ++c)
    for_each_index(sent,
                   Take<T>{numbers[static_cast<std::size_t>(c)] + share.first, sends.points.data(), out + c * sent},
                   stream, "numbers of ghosts");
  exchange_components(placed.transport, out, sends.point_begin, in, receives.point_begin, numbers.size(), stream);
  for (std::int64_t c = 0; c < components; ++c)
    for_each_index(received, Put<T>{in + c * received, receives.points.data(), numbers[static_cast<std::size_t>(c)]},
                   stream, "numbers of ghosts");
}

template void Ghosts::fetch(DevicePlaced&, const std::vector<double*>&, cudaStream_t);
template void StrengthsOverRanks::own(DevicePlaced&, const OneVector&, const std::vector<double*>&, cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, const std::vector<float*>&, std::int64_t,
                                         cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, const std::vector<double*>&, std::int64_t,
                                         cudaStream_t);

}  // namespace farfield::distributed
