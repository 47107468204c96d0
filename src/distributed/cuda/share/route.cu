#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <type_traits>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/cuda/share/route.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

using farfield::cuda::DeviceMemory;
using farfield::cuda::for_each_index;
using farfield::cuda::require;

namespace {

struct OwnerOf {
  const std::uint32_t* code;
  const std::int32_t* of_code;
  __device__ std::uint32_t operator()(std::uint32_t i) const { return static_cast<std::uint32_t>(of_code[code[i]]); }
};

/// Points that a rank owns, or all others.
struct IsOf {
  OwnerOf owner;
  std::uint32_t rank;
  bool wanted;
  __device__ bool operator()(std::uint32_t i) const { return (owner(i) == rank) == wanted; }
};

struct TakeOwners {
  OwnerOf owner;
  const std::uint32_t* row;
  std::uint32_t* to;
  __device__ void operator()(std::int64_t i) const { to[i] = owner(row[i]); }
};

/// Rows of points, of which `given` names the indices; null: all in the caller's order.
template <class Read, class Number>
struct PackPoint {
  Read read;
  const std::uint32_t* given;
  Number* rows;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t from = given ? given[i] : i;
    for (int axis = 0; axis < 3; ++axis) rows[3 * i + axis] = static_cast<Number>(read.raw(from, axis));
  }
};

/// Puts the points of this rank in the order in which they are sent: by owners, those of an owner in the caller's
/// order. Points that stay, as most do in a move in the owned order, are not sorted.
class Sorter {
 public:
  Sorter(DeviceRoute& route, const Owners& owners, DeviceMemory& memory)
      : route_(route), stay_(route.stay()), owner_{owners.code, owners.of_code.data()}, memory_(memory) {}
  void run() {
    take(true, at(stay_.sent));
    if (stay_.sent == 0)
      take_others(at(stay_.count));
    else if (stay_.sent == route_.migrants)
      take_others(at(0));
    else
      take_others_of_both_sides();
  }

 private:
  std::uint32_t* at(std::int64_t row) const { return route_.given.data() + row; }
  void take(bool own, std::uint32_t* to);
  void take_others(std::uint32_t* to);
  void take_others_of_both_sides();
  void sort_by_owner(std::uint32_t* row);

  DeviceRoute& route_;
  DeviceRoute::Stay stay_;
  OwnerOf owner_;
  DeviceMemory& memory_;
};

/// One look at all points.
void Sorter::take(bool own, std::uint32_t* to) {
  OnDevice<std::int64_t> taken(memory_);
  taken.resize(1);
  farfield::cuda::with_temporary(memory_, "points by owners", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<std::uint32_t>(0), to, taken.data(),
                                 route_.points(), IsOf{owner_, static_cast<std::uint32_t>(route_.rank), own},
                                 memory_.stream);
  });
}

void Sorter::take_others(std::uint32_t* to) {
  take(false, to);
  int owners = 0;
  const Begins leaving = route_.leaving();
  for (std::size_t r = 0; r + 1 < leaving.size(); ++r) owners += leaving[r + 1] > leaving[r];
  if (owners > 1) sort_by_owner(to);
}

void Sorter::take_others_of_both_sides() {
  OnDevice<std::uint32_t> row(memory_);
  row.resize(route_.migrants);
  take_others(row.data());
  const auto copy = [&](std::uint32_t* to, const std::uint32_t* from, std::int64_t count) {
    require(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice,
                            memory_.stream),
            "cudaMemcpyAsync on the device");
  };
  copy(at(0), row.data(), stay_.sent);
  copy(at(stay_.sent + stay_.count), row.data() + stay_.sent, route_.migrants - stay_.sent);
}

void Sorter::sort_by_owner(std::uint32_t* row) {
  const std::int64_t count = route_.migrants;
  OnDevice<std::uint32_t> owner(memory_), sorted_owner(memory_), sorted(memory_);
  owner.resize(count), sorted_owner.resize(count), sorted.resize(count);
  for_each_index(count, TakeOwners{owner_, row, owner.data()}, memory_.stream, "owners");
  int bits = 0;
  while (std::ssize(route_.sent) - 1 > std::int64_t(1) << bits) ++bits;
  farfield::cuda::with_temporary(memory_, "sort by owners", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, owner.data(), sorted_owner.data(), row, sorted.data(),
                                           count, 0, bits, memory_.stream);
  });
  require(cudaMemcpyAsync(row, sorted.data(), static_cast<std::size_t>(count) * sizeof(std::uint32_t),
                          cudaMemcpyDeviceToDevice, memory_.stream),
          "cudaMemcpyAsync on the device");
}

}  // namespace

/// How many points go where is known from the coarse tree: nothing is read back.
DeviceRoute make_device_route(Ranks& ranks, DeviceOwnPoints& points, std::size_t set,
                              const std::vector<std::int64_t>& passed_to, const std::vector<CoarseBox>& boxes,
                              DeviceMemory& memory) {
  const auto size = passed_to.size(), rank = static_cast<std::size_t>(ranks.rank());
  DeviceRoute route;
  route.given.use(memory);
  route.sent = begins_of(passed_to), route.rank = ranks.rank();
  route.received.assign(size + 1, 0);  // not yet known
  route.migrants = route.points() - passed_to[rank];
  if (route.migrants > 0) {
    route.given.resize(route.points());
    Sorter(route, points.owners(set, boxes), memory).run();
  }
  constexpr std::size_t width = 3;
  std::vector<std::int64_t> own, received(size);
  for (const std::int64_t passed : passed_to) own.insert(own.end(), {passed, route.migrants, points.single(set)});
  const std::vector<std::int64_t> all = ranks.exchange_numbers(own, width);
  route.single = true;
  for (std::size_t r = 0; r < size; ++r) {
    const std::int64_t* of_rank = &all[r * width];
    received[r] = of_rank[0];
    route.any_migrants = route.any_migrants || of_rank[1] > 0;
    route.single = route.single && of_rank[2] != 0;
  }
  route.received = begins_of(received);
  return route;
}

namespace {

/// Writes rows of points, of which `given` names the indices; null: all.
template <class Number>
void pack(const Points& points, const std::uint32_t* given, std::int64_t count, Number* rows, cudaStream_t stream) {
  const auto run = [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    for_each_index(count, PackPoint<Read, Number>{read, given, rows}, stream, "points for their owners");
  };
  if constexpr (std::is_same_v<Number, float>)
    run(reader_of<float>(points, Scaling()));
  else
    with_reader(points, Scaling(), run);
}

/// Points that stay go to their place at once, and others to theirs by way of the ranks that own them.
template <class Number>
OwnedPoints bring(Transport& transport, const DeviceRoute& route, const Points& given, const Points* behind,
                  DeviceMemory& memory) {
  constexpr auto row = static_cast<std::int64_t>(3 * sizeof(Number));
  const std::int64_t owned = route.received.back(), more = behind ? behind->count : 0;
  OwnedPoints to{OnDevice<unsigned char>(memory), {}};
  to.rows.resize((owned + more) * row);
  auto* const rows = reinterpret_cast<Number*>(to.rows.data());
  const DeviceRoute::Stay stay = route.stay();
  const auto of_rows = [&](std::int64_t first) { return route.given.empty() ? nullptr : route.given.data() + first; };
  pack(given, of_rows(stay.sent), stay.count, rows + 3 * stay.received, memory.stream);
  if (behind) pack(*behind, nullptr, more, rows + 3 * owned, memory.stream);
  OnDevice<Number> leaving(memory);
  leaving.resize(3 * route.migrants);
  pack(given, of_rows(0), stay.sent, leaving.data(), memory.stream);
  pack(given, of_rows(stay.sent + stay.count), route.migrants - stay.sent, leaving.data() + 3 * stay.sent,
       memory.stream);
  if (route.any_migrants) transport.exchange(leaving.data(), route.leaving(), rows, route.received, row, memory.stream);
  to.view = points(static_cast<const Number*>(rows), owned + more);
  to.view.space = MemorySpace::device, to.view.stream = memory.stream;
  return to;
}

}  // namespace

OwnedPoints owned_points(Transport& transport, const DeviceRoute& route, const Points& given, const Points* behind,
                         bool single, DeviceMemory& memory) {
  const bool rest = route.migrants == 0 && route.received.back() == route.sent.back();
  if (rest && !behind) {
    if (route.any_migrants) transport.exchange(nullptr, route.leaving(), nullptr, route.received, 1, memory.stream);
    return {OnDevice<unsigned char>(memory), given};
  }
  return single ? bring<float>(transport, route, given, behind, memory)
                : bring<double>(transport, route, given, behind, memory);
}

}  // namespace farfield::distributed
