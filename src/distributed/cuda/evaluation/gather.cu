#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/beside.hpp"
#include "distributed/cuda/evaluation/gather.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/evaluation/gather.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;
using farfield::cuda::Part;

std::vector<StrengthRange> StrengthsOverRanks::read(DevicePlaced& placed, const Strengths& strengths,
                                                    cudaStream_t stream) {
  return ranges_over_ranks(*placed.ranks, strengths_.read(strengths, placed.exponent, stream));
}

/// One row of numbers for each component, or four, together.
template <class T>
static void exchange_components(Transport& transport, const T* sends, const Begins& sent, T* receives,
                                const Begins& received, std::size_t components, cudaStream_t stream,
                                const Transport::Use& use = {}) {
  const auto rows = [&](std::int64_t c) {
    return Transport::Rows{sends + c * sent.back(), sent, receives + c * received.back(), received, sizeof(T)};
  };
  if (components == with_dipole)
    transport.exchange({rows(0), rows(1), rows(2), rows(3)}, stream, use);
  else
    transport.exchange({rows(0)}, stream, use);
}

/// Room for so many numbers of a type.
template <class T>
static T* room(OnDevice<unsigned char>& memory, std::int64_t count) {
  memory.resize(count * static_cast<std::int64_t>(sizeof(T)));
  return reinterpret_cast<T*>(memory.data());
}

/// Numbers of `count` of the caller's sources, an array for each component; `order`: which; null: the first ones.
/// Dipoles are scaled like coordinates, too.
template <class T>
void StrengthsOverRanks::pack(const OneVector& v, int unit, const std::uint32_t* order, std::int64_t count,
                              const std::vector<T*>& to, cudaStream_t stream) {
  for (std::size_t c = 0; c < to.size(); ++c) {
    const int exponent = v.exponent - (c == farfield::cuda::charge ? 0 : unit);
    strengths_.gather({v.index, static_cast<int>(c), exponent}, order, count, to[c], stream);
  }
}

/// Pointers to places `first` of arrays of `pitch` numbers.
template <class T>
static std::vector<T*> components_at(OnDevice<T>& numbers, std::int64_t pitch, std::size_t components,
                                     std::int64_t first) {
  std::vector<T*> at;
  for (std::size_t c = 0; c < components; ++c)
    at.push_back(numbers.data() + static_cast<std::int64_t>(c) * pitch + first);
  return at;
}

template <class T>
void StrengthsOverRanks::own(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments,
                             cudaStream_t stream) {
  if (placed.order == Order::owned) return pack(v, placed.exponent, nullptr, placed.own_sources(), moments, stream);
  travel(placed, v, moments, stream);
}

/// Those of others are fetched beside the packing of those that stay.
template <class T>
void StrengthsOverRanks::travel(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments,
                                cudaStream_t stream) {
  const DeviceRoute& route = placed.on_device->source_route;
  const DeviceRoute::Stay stay = route.stay();
  const std::int64_t components = std::ssize(moments), owned = route.received.back();
  OnDevice<T> leaving(memory_), arrived(memory_);  // not kept: results that travel take their memory
  leaving.resize(components * route.migrants), arrived.resize(components * owned);
  const auto pack_from = [&](std::int64_t first, std::int64_t count, OnDevice<T>& to, std::int64_t pitch,
                             std::int64_t at) {
    const std::uint32_t* const order = route.given.empty() ? nullptr : route.given.data() + first;
    pack(v, placed.exponent, order, count, components_at(to, pitch, moments.size(), at), stream);
  };
  pack_from(0, stay.sent, leaving, route.migrants, 0);
  pack_from(stay.sent + stay.count, route.migrants - stay.sent, leaving, route.migrants, stay.sent);
  const Beside beside(placed.travel, stream);
  pack_from(stay.sent, stay.count, arrived, owned, stay.received);
  const auto take = [&](const Part&) {
    beside.wait_for_main();
    for (std::int64_t c = 0; c < components; ++c)
      for_each_index(
          placed.own_sources(),
          Take<T>{arrived.data() + c * owned, placed.on_device->source_order(), moments[static_cast<std::size_t>(c)]},
          beside, "strengths in the order of the tree");
  };
  if (!route.any_migrants) return take({});
  exchange_components<T>(placed.transport, leaving.data(), route.leaving(), arrived.data(), route.received,
                         moments.size(), beside, take);
}

/// 0 in the places of an array that are not [first, first + count).
template <class T>
static void clear_others(T* numbers, std::int64_t all, std::int64_t first, std::int64_t count, cudaStream_t stream) {
  for (const auto& [begin, end] : {std::pair(std::int64_t(0), first), std::pair(first + count, all)})
    if (begin < end)
      farfield::cuda::require(
          cudaMemsetAsync(numbers + begin, 0, static_cast<std::size_t>(end - begin) * sizeof(T), stream),
          "cudaMemsetAsync");
}

template <class T>
void StrengthsOverRanks::gather(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments,
                                std::int64_t count, cudaStream_t stream) {
  std::vector<T*> of_rank;
  for (T* const numbers : moments) {
    clear_others(numbers, count, placed.on_device->first, placed.own_sources(), stream);
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
  const auto put = [&](const Part&) {
    for (std::int64_t c = 0; c < components; ++c)
      for_each_index(received, Put<T>{in + c * received, receives.points.data(), numbers[static_cast<std::size_t>(c)]},
                     stream, "numbers of ghosts");
  };
  exchange_components<T>(placed.transport, out, sends.point_begin, in, receives.point_begin, numbers.size(), stream,
                         put);
}

template void Ghosts::fetch(DevicePlaced&, const std::vector<double*>&, cudaStream_t);
template void StrengthsOverRanks::own(DevicePlaced&, const OneVector&, const std::vector<double*>&, cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, const std::vector<float*>&, std::int64_t,
                                         cudaStream_t);
template void StrengthsOverRanks::gather(DevicePlaced&, const OneVector&, const std::vector<double*>&, std::int64_t,
                                         cudaStream_t);

}  // namespace farfield::distributed
