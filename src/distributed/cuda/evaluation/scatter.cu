#include <cub/device/device_scan.cuh>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "distributed/cuda/evaluation/places.hpp"
#include "distributed/cuda/evaluation/scatter.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;

namespace {

/// Rows of `numbers` to the caller's points.
template <class T>
struct PutRows {
  const T* from;
  const std::uint32_t* place;
  int numbers;
  T* to;
  __device__ void operator()(std::int64_t i) const {
    to[place ? std::int64_t(place[i / numbers]) * numbers + i % numbers : i] = from[i];
  }
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
  use_all(memory, potential_, gradient_, hessian_, rows_, caller_, order_);
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
  Delivery arrived;
  arrived.split = count;
  arrived.outputs.scalar = scalar;
  arrived.outputs.space = MemorySpace::device;
  if (first_part(parts) == 0) potential_.resize(count * size), arrived.outputs.potential = potential_.data();
  if (parts > 1) gradient_.resize(3 * count * size), arrived.outputs.gradient = gradient_.data();
  if (parts == with_hessian) hessian_.resize(6 * count * size), arrived.outputs.hessian = hessian_.data();
  scatter_(results, 0, placed.on_device->target_order(), count, arrived, stream, made);
  scatter_.release();
}

void ResultsOverRanks::send_rows(DevicePlaced& placed, const DeviceRoute& route, const Rows& rows,
                                 const Outputs& outputs, cudaStream_t stream) {
  const std::int64_t given = route.points(), size = farfield::cuda::size_of(outputs.scalar),
                     bytes = rows.numbers * given * size;
  rows_.resize(bytes);
  placed.transport.exchange(rows.arrived, route.received, rows_.data(), route.sent, rows.numbers * size, stream);
  if (!rows.caller) return;
  const bool on_host = outputs.space == MemorySpace::host;
  if (on_host) caller_.resize(bytes);
  unsigned char* const to = on_host ? caller_.data() : rows.caller;
  const auto put = [&](auto scalar) {
    using T = decltype(scalar);
    for_each_index(rows.numbers * given,
                   PutRows<T>{reinterpret_cast<const T*>(rows_.data()), route.given.data(),
                              static_cast<int>(rows.numbers), reinterpret_cast<T*>(to)},
                   stream, "results in the caller's order");
  };
  outputs.scalar == Scalar::float32 ? put(float{}) : put(double{});
  if (!on_host) return;
  farfield::cuda::download(rows.caller, to, bytes, stream);
  farfield::cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// What has been sent is given back: potentials make room for gradients, and these for the next tree.
void ResultsOverRanks::send_back(DevicePlaced& placed, const std::vector<Passed>& sets, std::int64_t vector,
                                 const Outputs& outputs, int parts, cudaStream_t stream) {
  const std::int64_t size = farfield::cuda::size_of(outputs.scalar);
  const auto send = [&](OnDevice<unsigned char>& arrived, std::int64_t numbers, void* Passed::*caller) {
    for (const Passed& set : sets) {
      auto* const to = static_cast<unsigned char*>(set.*caller);
      send_rows(placed, set.route,
                {arrived.data() + numbers * set.first * size, numbers,
                 to ? to + numbers * vector * set.pitch * size : nullptr},
                outputs, stream);
    }
    arrived.release();
  };
  if (first_part(parts) == 0) send(potential_, 1, &Passed::potential);
  if (parts > 1) send(gradient_, 3, &Passed::gradient);
  if (parts == with_hessian) send(hessian_, 6, &Passed::hessian);
  release();
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
  std::vector<Passed> sets{{to_targets, 0, o.potential, o.gradient, o.hessian, delivery.pitch_or_split()}};
  if (placed.at_sources && !placed.tree.alike)
    sets.push_back({to_sources, placed.own_apart(), o.source_potential, o.source_gradient, o.source_hessian,
                    delivery.source_pitch_or(to_sources.points())});
  send_back(placed, sets, vector, o, parts, stream);
}

void ResultsOverRanks::release() {
  scatter_.release();
  for (OnDevice<unsigned char>* rows : {&potential_, &gradient_, &hessian_, &rows_, &caller_}) rows->release();
  order_.release();
}

template void ResultsOverRanks::deliver(DevicePlaced&, const SortedResults<float>&, std::int64_t, const Delivery&,
                                        const VectorResult&, cudaStream_t);
template void ResultsOverRanks::deliver(DevicePlaced&, const SortedResults<double>&, std::int64_t, const Delivery&,
                                        const VectorResult&, cudaStream_t);

}  // namespace farfield::distributed
