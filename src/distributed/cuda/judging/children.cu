#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/boxes/rows_of_ghosts.hpp"
#include "distributed/cuda/boxes/shared_on_device.hpp"
#include "distributed/cuda/judging/children.hpp"

namespace farfield::distributed {
namespace {

/// Of boxes of the own tree.
struct CountInChildren {
  TreeView tree;
  const BoxId* box;
  std::uint32_t* held;
  __device__ void operator()(std::int64_t k) const {
    std::uint32_t* const row = held + 8 * k;
    for (int octant = 0; octant < 8; ++octant) row[octant] = 0;
    const BoxId first = tree.first_child[box[k]];
    for (BoxId child = first; first != no_box && child < first + tree.child_count(box[k]); ++child)
      row[tree.octant[child]] = static_cast<std::uint32_t>(tree.source_count(child));
  }
};

/// Of the shared boxes of a share.
std::vector<std::uint32_t> held_in_shared(const DeviceShare& share) {
  const TreeView top = share.top.tree.view();
  std::vector<std::uint32_t> held(8 * share.shared.size(), 0);
  for (std::size_t k = 0; k < share.shared.size(); ++k) {
    const BoxId box = share.shared[k].top, first = top.first_child[box];
    for (BoxId child = first; first != no_box && child < first + top.child_count(box); ++child)
      held[8 * k + top.octant[child]] = static_cast<std::uint32_t>(top.source_count(child));
  }
  return held;
}

}  // namespace

ChildrenOfOthers::ChildrenOfOthers(DevicePlaced& placed) {
  use_all(placed.memory, row_, out_, held_);
  const DeviceShare& share = *placed.on_device;
  const cudaStream_t stream = placed.memory.stream;
  const BoxRows& rows = placed.box_rows;
  const std::int64_t sent = rows.sent().size(), ghosts = rows.received().size(), boxes = share.essential.tree.boxes;
  const std::vector<std::uint32_t> of_shared = held_in_shared(share);
  out_.resize(8 * sent), held_.resize(8 * ghosts + std::ssize(of_shared)), row_.resize(boxes);
  farfield::cuda::for_each_index(sent, CountInChildren{share.own.tree.view(), rows.sent().data(), out_.data()}, stream,
                                 "sources in children");
  rows.exchange(placed.transport, out_.data(), held_.data(), 8 * sizeof(std::uint32_t), stream);
  if (boxes == 0) return;
  farfield::cuda::require(
      cudaMemsetAsync(row_.data(), 0xff, static_cast<std::size_t>(boxes) * sizeof(std::int32_t), stream),
      "cudaMemsetAsync");
  farfield::cuda::for_each_index(ghosts, RowsOfGhosts{rows.received().data(), row_.data()}, stream, "rows of ghosts");
  const SharedOnDevice shared(share, placed.memory, stream);
  if (shared.count() > 0)
    farfield::cuda::require(cudaMemcpyAsync(held_.data() + 8 * ghosts, of_shared.data(),
                                            of_shared.size() * sizeof(std::uint32_t), cudaMemcpyHostToDevice, stream),
                            "cudaMemcpyAsync to the device");
  farfield::cuda::for_each_index(shared.count(),
                                 RowsOfGhosts{shared.essential(), row_.data(), static_cast<std::int32_t>(ghosts)},
                                 stream, "rows of shared boxes");
}

}  // namespace farfield::distributed
