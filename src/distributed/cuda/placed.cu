#include <algorithm>
#include <numeric>

#include "backends/cuda/runtime/device.hpp"
#include "distributed/cuda/evaluation/lengths.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

DevicePlaced::DevicePlaced(Ranks& of_plan)
    : device(farfield::cuda::current_device()), transport(of_plan, memory), box_rows(memory) {
  ranks = &of_plan;
  memory.keep_blocks();
  use_all(memory, source_length, target_length);
}

/// What kernels of the whole tree would follow. Every box is one rank's, see Essential::mine.
void DevicePlaced::settle_sizes() {
  constexpr std::size_t levels = max_levels + 1;
  std::vector<BoxId> own(levels, 0);
  for (std::size_t l = 0; l < on_device->mine_runs.size(); ++l) own[l] = on_device->mine_runs[l].count;
  boxes_of_ranks = ranks->all_gather(own.data(), levels);
  boxes_of_all = 0, levels_of_all = 0;
  for (std::size_t i = 0; i < boxes_of_ranks.size(); ++i) {
    boxes_of_all += boxes_of_ranks[i];
    if (boxes_of_ranks[i] > 0) levels_of_all = std::max(levels_of_all, static_cast<int>(i % levels) + 1);
  }
}

/// The last share is given back while the device counts points: some hundred calls of the driver.
void DevicePlaced::build(const Given& given, const Geometry& of_all, const Decision& decision,
                         const std::function<void(const char*)>& mark) {
  share.reset();
  std::unique_ptr<DeviceShare> last = std::move(on_device);
  geometry = of_all;
  tree.alike = of_all.alike;
  on_device = std::make_unique<DeviceShare>(
      make_device_share(*ranks, transport, given, of_all, decision, memory, {mark, [&last] { last.reset(); }}));
  settle_sizes();
  box_rows.build(*on_device, ranks->rank(), memory.stream);
  lengths = {};
  has_lengths = decision.lengths;
  if (has_lengths) place_lengths(*this, given, reach_over_length(decision.softening_kind));
}

std::int64_t DevicePlaced::owned(Set set) const {
  return set == Set::sources || tree.alike ? own_sources() : own_apart();
}

void DevicePlaced::count(RankReport& report) const {
  report.owned = own_targets();
  report.ghosts = on_device->ghosts;
  report.boxes = on_device->essential.tree.boxes;
  report.migrants = on_device->source_route.migrants + on_device->target_route_apart.migrants;
}

namespace {

/// The order of points [first, first + count).
void copy_order(const farfield::cuda::SortedPoints& from, std::int64_t first, std::int64_t count,
                farfield::cpu::SortedPoints& to, cudaStream_t stream) {
  to.count = count;
  to.order.resize(count);
  farfield::cuda::download(to.order.data(), from.order.data() + first, count, stream);
}

/// Where they are, unless that is there already.
void copy_places(const farfield::cuda::SortedPoints& from, std::int64_t first, farfield::cpu::SortedPoints& to,
                 cudaStream_t stream) {
  for (int axis = 0; axis < 3 && to.axis[axis].size() < to.count; ++axis) {
    to.axis[axis].resize(to.count);
    farfield::cuda::download(to.axis[axis].data(), from.axis[axis].data() + first, to.count, stream);
  }
}

Route copy_route(const DeviceRoute& from, cudaStream_t stream) {
  std::vector<std::uint32_t> given = downloaded(from.given.data(), from.given.size(), stream);
  if (given.empty()) given.resize(static_cast<std::size_t>(from.points())), std::iota(given.begin(), given.end(), 0u);
  return Route(std::move(given), from.sent, from.received, from.migrants);
}

}  // namespace

const Share& DevicePlaced::on_host() {
  routes();
  copy_places(on_device->essential.sources, on_device->first, share->own.sources, memory.stream);
  if (!tree.alike) copy_places(on_device->essential.targets, 0, share->own.targets, memory.stream);
  farfield::cuda::require(cudaStreamSynchronize(memory.stream), "cudaStreamSynchronize");
  return *share;
}

const Share& DevicePlaced::routes() {
  if (share) return *share;
  const DeviceShare& from = *on_device;
  auto copy = std::make_unique<Share>();
  copy->own.alike = tree.alike;
  copy->own.first_source = from.first_source, copy->own.first_target = from.first_target;
  copy_order(from.essential.sources, from.first, own_sources(), copy->own.sources, memory.stream);
  if (!tree.alike) copy_order(from.essential.targets, 0, own_targets(), copy->own.targets, memory.stream);
  copy->source_route = copy_route(from.source_route, memory.stream);
  if (!tree.alike) copy->target_route_apart = copy_route(from.target_route_apart, memory.stream);
  farfield::cuda::require(cudaStreamSynchronize(memory.stream), "cudaStreamSynchronize");
  if (at_sources && !tree.alike) copy->own.both = both_of(copy->own, own_apart());
  share = std::move(copy);
  return *share;
}

}  // namespace farfield::distributed
