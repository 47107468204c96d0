#include <cub/device/device_scan.cuh>
#include <utility>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/cuda/evaluation/scatter.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;

namespace {

/// A stream beside another, which waits for it when this ends, however it ends.
class Beside {
 public:
  Beside(farfield::cuda::SideStream& side, cudaStream_t main) : side_(side), main_(main), stream_(side.fork(main)) {}
  ~Beside() {
    try {
      side_.join(main_);
    } catch (const Error&) {  // whoever waits for the device next finds out
    }
  }
  Beside(const Beside&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  farfield::cuda::SideStream& side_;
  cudaStream_t main_, stream_;
};

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

ResultsOverRanks::ResultsOverRanks(farfield::cuda::DeviceMemory& memory) : memory_(memory), scatter_(memory) {
  use_all(memory, records_, hessians_, rows_, caller_, order_);
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

template <class Real>
void ResultsOverRanks::as_they_arrived(DevicePlaced& placed, const SortedResults<Real>& results, Scalar scalar,
                                       const VectorResult& made, cudaStream_t stream) {
  const std::int64_t count = placed.own_targets(), size = farfield::cuda::size_of(scalar);
  const int parts = results.result.parts();
  records_.resize(farfield::cuda::Scatter::numbers_of_record(parts) * count * size);
  if (parts == with_hessian) hessians_.resize(6 * count * size);
  scatter_.place(results, placed.on_device->target_order(), count, scalar, {records_.data(), hessians_.data()}, stream,
                 made);
  scatter_.release();
}

/// Numbers of some points of a route to their places: `row` are those of rows [first, first + count) of what it sent.
void ResultsOverRanks::put(const Kind& kind, const unsigned char* row, const DeviceRoute& route, std::int64_t first,
                           std::int64_t count, cudaStream_t stream) {
  scatter_.put({kind.hessians ? nullptr : row, kind.hessians ? row : nullptr}, kind.parts, kind.scalar,
               route.given.empty() ? nullptr : route.given.data() + first, count, kind.to, stream);
}

/// Results of points that stayed go to their places while those of others travel.
void ResultsOverRanks::send_rows(DevicePlaced& placed, const DeviceRoute& route, const Kind& kind,
                                 cudaStream_t stream) {
  const DeviceRoute::Stay stay = route.stay();
  const unsigned char* const own = kind.arrived + stay.received * kind.row_bytes;
  if (!route.any_migrants) return put(kind, own, route, stay.sent, stay.count, stream);
  rows_.resize(route.migrants * kind.row_bytes);
  const Beside beside(beside_, stream);
  put(kind, own, route, stay.sent, stay.count, beside);
  placed.transport.exchange(kind.arrived, route.received, rows_.data(), route.leaving(), kind.row_bytes, stream, [&] {
    put(kind, rows_.data(), route, 0, stay.sent, stream);
    put(kind, rows_.data() + stay.sent * kind.row_bytes, route, stay.sent + stay.count, route.migrants - stay.sent,
        stream);
  });
}

/// By way of a copy on the device where the caller's arrays are on the host.
void ResultsOverRanks::send_to(DevicePlaced& placed, const Passed& set, Kind kind, const Outputs& outputs,
                               cudaStream_t stream) {
  const std::int64_t given = set.route.points(), size = farfield::cuda::size_of(outputs.scalar);
  if (outputs.space != MemorySpace::host) {
    kind.to = set.caller;
    return send_rows(placed, set.route, kind, stream);
  }
  struct Part {
    void *caller, **device;
    std::int64_t bytes;
  };
  const auto wanted = [&](void* caller, bool hessian) { return kind.hessians == hessian ? caller : nullptr; };
  const Part parts[] = {{wanted(set.caller.potential, false), &kind.to.potential, given * size},
                        {wanted(set.caller.gradient, false), &kind.to.gradient, 3 * given * size},
                        {wanted(set.caller.hessian, true), &kind.to.hessian, 6 * given * size}};
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.caller ? part.bytes : 0;
  caller_.resize(bytes);
  unsigned char* device = caller_.data();
  for (const Part& part : parts)
    if (part.caller) *part.device = std::exchange(device, device + part.bytes);
  send_rows(placed, set.route, kind, stream);
  for (const Part& part : parts)
    if (part.caller)
      farfield::cuda::download(static_cast<unsigned char*>(part.caller),
                               static_cast<const unsigned char*>(*part.device), part.bytes, stream);
  if (bytes > 0) farfield::cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// What has been sent is given back, for the next tree.
void ResultsOverRanks::send_back(DevicePlaced& placed, const std::vector<Passed>& sets, const Outputs& outputs,
                                 int parts, cudaStream_t stream) {
  const std::int64_t size = farfield::cuda::size_of(outputs.scalar);
  const auto send = [&](OnDevice<unsigned char>& arrived, std::int64_t numbers, bool hessians) {
    const std::int64_t row_bytes = numbers * size;
    for (const Passed& set : sets)
      send_to(placed, set, {arrived.data() + set.first * row_bytes, row_bytes, parts, outputs.scalar, hessians, {}},
              outputs, stream);
    arrived.release();
  };
  send(records_, farfield::cuda::Scatter::numbers_of_record(parts), false);
  if (parts == with_hessian) send(hessians_, 6, true);
  release();
}

/// The caller's arrays of one set, of a vector.
static farfield::cuda::Scatter::CallerArrays arrays_of(void* const (&parts)[3], std::int64_t vector, std::int64_t pitch,
                                                       Scalar scalar) {
  const std::int64_t points = vector * pitch * farfield::cuda::size_of(scalar);
  const auto at = [&](int part, std::int64_t numbers) -> void* {
    return parts[part] ? static_cast<unsigned char*>(parts[part]) + numbers * points : nullptr;
  };
  return {at(0, 1), at(1, 3), at(2, 6)};
}

template <class Real>
void ResultsOverRanks::deliver(DevicePlaced& placed, const SortedResults<Real>& results, std::int64_t vector,
                               const Delivery& delivery, const VectorResult& made, cudaStream_t stream) {
  const Outputs& o = delivery.outputs;
  if (placed.order == Order::owned)
    return scatter_(results, vector, owned_order(placed, stream), placed.own_targets(), delivery, stream, made);
  as_they_arrived(placed, results, o.scalar, made, stream);
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
  send_back(placed, sets, o, parts, stream);
}

void ResultsOverRanks::release() {
  scatter_.release();
  for (OnDevice<unsigned char>* rows : {&records_, &hessians_, &rows_, &caller_}) rows->release();
  order_.release();
}

template void ResultsOverRanks::deliver(DevicePlaced&, const SortedResults<float>&, std::int64_t, const Delivery&,
                                        const VectorResult&, cudaStream_t);
template void ResultsOverRanks::deliver(DevicePlaced&, const SortedResults<double>&, std::int64_t, const Delivery&,
                                        const VectorResult&, cudaStream_t);

}  // namespace farfield::distributed
