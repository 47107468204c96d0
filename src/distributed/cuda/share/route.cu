#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/share/places.hpp"
#include "distributed/cuda/share/route.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

using farfield::cuda::DeviceMemory;
using farfield::cuda::for_each_index;
using farfield::cuda::require;

namespace {

struct NumberRows {
  std::uint32_t* row;
  __device__ void operator()(std::int64_t i) const { row[i] = static_cast<std::uint32_t>(i); }
};

/// Where the points of each rank begin among points sorted by owners.
struct FindOwners {
  const std::uint32_t* owner;
  std::int64_t points;
  std::int64_t* begin;
  __device__ void operator()(std::int64_t rank) const {
    begin[rank] = count_below(owner, points, static_cast<std::uint32_t>(rank));
  }
};

template <class Read>
struct PackPoint {
  Read read;
  const std::uint32_t* given;
  double* rows;
  __device__ void operator()(std::int64_t i) const {
    for (int axis = 0; axis < 3; ++axis) rows[3 * i + axis] = read.raw(given[i], axis);
  }
};

/// Sorts rows by owners, those of an owner in the caller's order.
void sort_by_owner(OnDevice<std::uint32_t>& owner, OnDevice<std::uint32_t>& row, int ranks, DeviceMemory& memory) {
  const std::int64_t count = owner.size();
  OnDevice<std::uint32_t> other_owner(memory), other_row(memory);
  other_owner.resize(count), other_row.resize(count);
  cub::DoubleBuffer<std::uint32_t> owners(owner.data(), other_owner.data()), rows(row.data(), other_row.data());
  int bits = 0;
  while (ranks > 1 << bits) ++bits;
  farfield::cuda::with_temporary(memory, "sort by owners", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, owners, rows, count, 0, bits, memory.stream);
  });
  if (owners.Current() != owner.data()) owner.swap(other_owner);
  if (rows.Current() != row.data()) row.swap(other_row);
}

}  // namespace

DeviceRoute make_device_route(Ranks& ranks, OnDevice<std::uint32_t> owner, DeviceMemory& memory) {
  const std::int64_t count = owner.size(), size = ranks.size();
  DeviceRoute route;
  route.given.use(memory);
  route.given.resize(count);
  for_each_index(count, NumberRows{route.given.data()}, memory.stream, "rows");
  if (size > 1 && count > 1) sort_by_owner(owner, route.given, ranks.size(), memory);
  OnDevice<std::int64_t> begin(memory);
  begin.resize(size + 1);
  for_each_index(size + 1, FindOwners{owner.data(), count, begin.data()}, memory.stream, "rows of owners");
  route.sent.resize(static_cast<std::size_t>(size) + 1);
  farfield::cuda::download(route.sent.data(), begin.data(), size + 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "rows of owners");
  std::vector<std::int64_t> counts;
  for (std::size_t r = 0; r + 1 < route.sent.size(); ++r) counts.push_back(route.sent[r + 1] - route.sent[r]);
  route.migrants = count - counts[static_cast<std::size_t>(ranks.rank())];
  route.received = begins_of(ranks.exchange_counts(counts));
  return route;
}

OnDevice<double> owned_points(Transport& transport, const DeviceRoute& route, const Points& given, std::int64_t room,
                              DeviceMemory& memory) {
  OnDevice<double> rows(memory), owned(memory);
  rows.resize(3 * route.given.size());
  with_reader(given, Scaling(), [&](const auto& read) {
    using Read = std::remove_cvref_t<decltype(read)>;
    for_each_index(route.given.size(), PackPoint<Read>{read, route.given.data(), rows.data()}, memory.stream,
                   "points for their owners");
  });
  owned.resize(3 * (route.received.back() + room));
  transport.exchange(rows.data(), route.sent, owned.data(), route.received, 3 * sizeof(double), memory.stream);
  return owned;
}

}  // namespace farfield::distributed
