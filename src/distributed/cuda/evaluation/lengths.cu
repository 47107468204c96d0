#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/gather.hpp"
#include "distributed/cuda/evaluation/lengths.hpp"
#include "distributed/cuda/evaluation/places.hpp"

namespace farfield::distributed {

using farfield::cuda::for_each_index;

namespace {

struct Scale {
  double factor;
  Scaling scale;
  double* length;
  __device__ void operator()(std::int64_t i) const { length[i] = scale(length[i] * factor); }
};

/// Those of the first points of a set, for which `route` is, as they arrive.
void bring(DevicePlaced& placed, const Points& given, const DeviceRoute& route, double* arrived) {
  const cudaStream_t stream = placed.memory.stream;
  const std::int64_t count = route.points();
  OnDevice<double> lengths(placed.memory), sent(placed.memory);
  farfield::cuda::upload(lengths, given.softening, count, stream);
  if (!route.given.empty()) {
    sent.resize(count);
    for_each_index(count, Take<double>{lengths.data(), route.given.data(), sent.data()}, stream, "lengths as sent");
    sent.swap(lengths);
  }
  placed.transport.exchange(static_cast<const double*>(lengths.data()), route.sent, arrived, route.received,
                            sizeof(double), stream);
}

}  // namespace

/// Targets that are sources, too, stand behind the others, as they arrive.
void place_lengths(DevicePlaced& placed, const Given& given, double factor) {
  const DeviceShare& share = *placed.on_device;
  const cudaStream_t stream = placed.memory.stream;
  const bool alike = placed.tree.alike;
  const std::int64_t sources = placed.own_sources(), apart = alike ? 0 : placed.own_apart();
  OnDevice<double> arrived(placed.memory);
  arrived.resize(apart + sources);
  if (!alike) bring(placed, *given.targets, share.target_route_apart, arrived.data());
  bring(placed, given.sources, share.source_route, arrived.data() + apart);
  const auto place = [&](const double* from, const std::uint32_t* order, std::int64_t count, double* to) {
    for_each_index(count, Take<double>{from, order, to}, stream, "lengths in the order of the tree");
    return downloaded(to, count, stream);
  };
  const auto scale = [&](OnDevice<double>& lengths) {
    for_each_index(lengths.size(), Scale{factor, Scaling(placed.exponent), lengths.data()}, stream, "scaled lengths");
  };
  OnDevice<double>& all = placed.source_length;
  all.resize(share.essential.sources.axis[0].size());
  farfield::cuda::require(cudaMemsetAsync(all.data(), 0, static_cast<std::size_t>(all.size()) * sizeof(double), stream),
                          "cudaMemsetAsync");
  placed.lengths.own_sources = place(arrived.data() + apart, share.source_order(), sources, all.data() + share.first);
  Ghosts(placed.memory).fetch(placed, std::vector<double*>{all.data()}, stream);
  scale(all);
  if (alike) return;
  placed.target_length.resize(placed.own_targets());
  placed.lengths.own_targets =
      place(arrived.data(), share.target_order(), placed.own_targets(), placed.target_length.data());
  scale(placed.target_length);
}

}  // namespace farfield::distributed
