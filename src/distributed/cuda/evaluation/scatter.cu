#include <cub/device/device_scan.cuh>
#include <optional>
#include <utility>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "distributed/cuda/beside.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/cuda/evaluation/scatter.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;
using farfield::cuda::Merge;
using farfield::cuda::Part;
using farfield::cuda::Scatter;

namespace {

/// Rows of so many bytes and more come in parts: what waits for the last of them is a quarter.
constexpr std::int64_t least_in_parts = std::int64_t(1) << 24;
constexpr int parts_of_rows = 4;

// Targets and sources of a tree whose targets are both: first[i] is how many of the targets before i are no sources.
struct IsApart {
  const std::uint32_t* arrived;
  std::uint32_t apart;
  std::uint32_t* first;
  __device__ void operator()(std::int64_t i) const { first[i] = arrived[i] < apart; }
};
struct Invert {
  const std::uint32_t* arrived;
  std::uint32_t* sorted;
  __device__ void operator()(std::int64_t i) const { sorted[arrived[i]] = static_cast<std::uint32_t>(i); }
};
struct PlaceBoth {
  const std::uint32_t *arrived, *sorted_source;
  std::uint32_t apart;
  std::uint32_t* place;  ///< holds `first`
  __device__ void operator()(std::int64_t i) const {
    if (arrived[i] >= apart) place[i] = apart + sorted_source[arrived[i] - apart];
  }
};

}  // namespace

ResultsOverRanks::ResultsOverRanks(farfield::cuda::DeviceMemory& memory)
    : memory_(memory), scatter_(memory), merge_(memory) {
  use_all(memory, records_, rows_, caller_, order_);
}

/// The place in the owned order of each of the tree's targets; null where that is the tree's, as it is but for targets
/// before sources.
const std::uint32_t* ResultsOverRanks::owned_order(const DevicePlaced& placed, cudaStream_t stream) {
  const DeviceShare& share = *placed.on_device;
  const std::int64_t count = placed.own_targets(), apart = placed.own_apart();
  if (apart == count) return nullptr;
  order_.resize(count);
  const std::uint32_t* const arrived = share.target_order();
  const auto all_apart = static_cast<std::uint32_t>(apart);
  OnDevice<std::uint32_t> sorted(memory_);
  sorted.resize(placed.own_sources());
  for_each_index(sorted.size(), Invert{share.source_order(), sorted.data()}, stream, "owned order");
  for_each_index(count, IsApart{arrived, all_apart, order_.data()}, stream, "owned order");
  farfield::cuda::with_temporary(memory_, "owned order", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, order_.data(), order_.data(), static_cast<int>(count),
                                         stream);
  });
  for_each_index(count, PlaceBoth{arrived, sorted.data(), all_apart, order_.data()}, stream, "owned order");
  return order_.data();
}

/// Records that the rank itself wants, whose places need no haste.
static std::vector<Scatter::Range> own_ranges(const std::vector<ResultsOverRanks::Passed>& sets) {
  std::vector<Scatter::Range> ranges;
  for (const auto& set : sets) {
    const DeviceRoute::Stay stay = set.route.stay();
    ranges.push_back({set.first + stay.received, set.first + stay.received + stay.count});
  }
  return ranges;
}

/// Which records are whose, of a set: those that stayed, and those of others in `rows`.
static std::vector<Merge::Run> runs_of(const DeviceRoute& route, const unsigned char* arrived,
                                       const unsigned char* rows, std::int64_t row_bytes) {
  const Begins leaving = route.leaving();
  std::vector<Merge::Run> runs;
  for (std::size_t r = 0; r + 1 < leaving.size(); ++r) {
    const bool own = static_cast<int>(r) == route.rank;
    const unsigned char* const records =
        own ? arrived + route.stay().received * row_bytes : rows + leaving[r] * row_bytes;
    runs.push_back({records, route.sent[r], route.sent[r + 1] - route.sent[r], !own});
  }
  return runs;
}

/// Results of one set to the ranks that passed their points. The stream beside fetches, while the other one places
/// records that stay and merges what has come.
void ResultsOverRanks::send_rows(DevicePlaced& placed, const Passed& set, const Kind& kind, const Beside& beside,
                                 cudaStream_t stream) {
  const DeviceRoute& route = set.route;
  const unsigned char* const arrived = records_.data() + set.first * kind.row_bytes;
  unsigned char* const rows = rows_.data() + set.first_row * kind.row_bytes;
  const int parts = route.migrants * kind.row_bytes < least_in_parts ? 1 : parts_of_rows;
  merge_.prepare(runs_of(route, arrived, rows, kind.row_bytes), route.given.empty() ? nullptr : route.given.data(),
                 route.points(), parts, stream);
  const auto merge = [&](const Part& part) {
    beside.let_main_wait();
    merge_({kind.parts, kind.scalar, kind.hessians}, set.to, part, stream);
  };
  if (!route.any_migrants) return merge({});
  placed.transport.exchange(arrived, route.received, rows, route.leaving(), kind.row_bytes, beside, merge, parts);
}

/// Where the caller's arrays are on the host, copies on the device take their places.
void ResultsOverRanks::make_copies(std::vector<Passed>& sets, const Kind& kind) {
  std::int64_t bytes = 0;
  const auto each = [&](const auto& use) {
    for (Passed& set : sets) {
      const std::int64_t number = set.route.points() * farfield::cuda::size_of(kind.scalar);
      if (!kind.hessians) use(set.caller.potential, set.to.potential, number);
      if (!kind.hessians) use(set.caller.gradient, set.to.gradient, 3 * number);
      if (kind.hessians) use(set.caller.hessian, set.to.hessian, 6 * number);
    }
  };
  each([&](void* caller, void*&, std::int64_t size) { bytes += caller ? size : 0; });
  caller_.resize(bytes);
  unsigned char* device = caller_.data();
  each([&](void* caller, void*& to, std::int64_t size) {
    to = caller ? std::exchange(device, device + size) : nullptr;
    if (caller) copies_.push_back({static_cast<unsigned char*>(caller), static_cast<unsigned char*>(to), size});
  });
}

void ResultsOverRanks::download_copies(cudaStream_t stream) {
  for (const Copy& copy : copies_) farfield::cuda::download(copy.caller, copy.device, copy.bytes, stream);
  if (!copies_.empty()) farfield::cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// Records that others wait for are placed first: they travel while the rank's own are placed.
template <class Real>
void ResultsOverRanks::send_back(DevicePlaced& placed, const SortedResults<Real>& results, std::vector<Passed>& sets,
                                 const Kind& kind, const VectorResult& made, const Meanwhile& meanwhile,
                                 cudaStream_t stream) {
  const std::int64_t count = placed.own_targets();
  std::int64_t migrants = 0;
  for (Passed& set : sets) set.first_row = std::exchange(migrants, migrants + set.route.migrants);
  records_.resize(count * kind.row_bytes), rows_.resize(migrants * kind.row_bytes);
  std::optional<Beside> beside;
  const auto others_are_placed = [&] {
    beside.emplace(placed.travel, stream);
    if (meanwhile) meanwhile();
  };
  scatter_.place(results, placed.on_device->target_order(), count,
                 {records_.data(), kind.scalar, kind.hessians, own_ranges(sets), others_are_placed}, stream, made);
  scatter_.release();
  copies_.clear();
  if (kind.on_host) make_copies(sets, kind);
  for (const Passed& set : sets) send_rows(placed, set, kind, *beside, stream);
  beside.reset();
  download_copies(stream);
}

/// The caller's arrays of one set, of a vector.
static Merge::CallerArrays arrays_of(void* const (&parts)[3], std::int64_t vector, std::int64_t pitch, Scalar scalar) {
  const std::int64_t points = vector * pitch * farfield::cuda::size_of(scalar);
  const auto at = [&](int part, std::int64_t numbers) -> void* {
    return parts[part] ? static_cast<unsigned char*>(parts[part]) + numbers * points : nullptr;
  };
  return {at(0, 1), at(1, 3), at(2, 6)};
}

/// What has been sent is given back, for the next tree.
template <class Real>
void ResultsOverRanks::deliver(DevicePlaced& placed, const SortedResults<Real>& results, std::int64_t vector,
                               const Delivery& delivery, const VectorResult& made, const Meanwhile& meanwhile,
                               cudaStream_t stream) {
  const Outputs& o = delivery.outputs;
  if (placed.order == Order::owned) {
    if (meanwhile) meanwhile();
    return scatter_(results, vector, owned_order(placed, stream), placed.own_targets(), delivery, stream, made);
  }
  const DeviceShare& share = *placed.on_device;
  const int parts = results.result.parts();
  const DeviceRoute &to_targets = placed.tree.alike ? share.source_route : share.target_route_apart,
                    &to_sources = share.source_route;
  std::vector<Passed> sets{
      {to_targets, 0, arrays_of({o.potential, o.gradient, o.hessian}, vector, delivery.pitch_or_split(), o.scalar)}};
  if (placed.at_sources && !placed.tree.alike)
    sets.push_back({to_sources, placed.own_apart(),
                    arrays_of({o.source_potential, o.source_gradient, o.source_hessian}, vector,
                              delivery.source_pitch_or(to_sources.points()), o.scalar)});
  for (Passed& set : sets) set.to = set.caller;
  const std::int64_t size = farfield::cuda::size_of(o.scalar);
  Kind kind{Scatter::numbers_of_record(parts) * size, parts, o.scalar, false, o.space == MemorySpace::host};
  send_back(placed, results, sets, kind, made, meanwhile, stream);
  kind.row_bytes = 6 * size, kind.hessians = true;
  if (parts == with_hessian) send_back(placed, results, sets, kind, made, {}, stream);
  release();
}

void ResultsOverRanks::release() {
  scatter_.release(), merge_.release();
  for (OnDevice<unsigned char>* rows : {&records_, &rows_, &caller_}) rows->release();
  order_.release();
}

template void ResultsOverRanks::deliver(DevicePlaced&, const SortedResults<float>&, std::int64_t, const Delivery&,
                                        const VectorResult&, const Meanwhile&, cudaStream_t);
template void ResultsOverRanks::deliver(DevicePlaced&, const SortedResults<double>&, std::int64_t, const Delivery&,
                                        const VectorResult&, const Meanwhile&, cudaStream_t);

}  // namespace farfield::distributed
