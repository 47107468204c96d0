#include <algorithm>
#include <bit>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/families.hpp"

namespace farfield::distributed {

using farfield::cuda::Family;

namespace {

struct IsShared {
  const BoxId* from_top;
  __device__ bool operator()(BoxId box) const { return from_top[box] != no_box; }
};

/// The members of a shared box's family that are this rank's.
struct Members {
  BoxId top;
  std::uint32_t children, takers;
  std::int64_t targets;
};
struct FindMembers {
  TreeView tree;
  const BoxId *from_top, *parent;
  const std::uint8_t* candidate;
  Members* members;
  __device__ void operator()(std::int64_t k) const {
    const BoxId box = parent[k];
    Members own{from_top[box], 0, 0, 0};
    BoxId child = tree.first_child[box];
    for (unsigned left = tree.child_mask[box]; left; left &= left - 1, ++child) {
      if (candidate[child] == farfield::cuda::no_candidate) continue;
      own.children |= left & -left;
      if (candidate[child] == farfield::cuda::taker) own.takers |= left & -left;
      own.targets += tree.target_count(child);
    }
    members[k] = own;
  }
};

/// By the rule of p2p_work.cu.
Family family_of(BoxId parent, const Members& own, unsigned all, std::int64_t targets, int mean) {
  const int count = std::popcount(all);
  if (count < 3 || targets > std::int64_t(mean) * count) return {parent, 0, 0, 0};
  return {parent, static_cast<std::uint8_t>(own.children), static_cast<std::uint8_t>(own.takers),
          static_cast<std::uint8_t>(all & ~own.children)};
}

/// Shared boxes of an essential tree, ascending.
std::vector<BoxId> shared_boxes(const DeviceShare& share, farfield::cuda::DeviceMemory& memory, cudaStream_t stream) {
  const BoxId boxes = share.essential.tree.boxes;
  if (boxes == 0 || share.top.tree.boxes == 0) return {};
  OnDevice<BoxId> found(memory);
  OnDevice<int> count(memory);
  found.resize(boxes), count.resize(1);
  farfield::cuda::with_temporary(memory, "shared boxes", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<BoxId>(0), found.data(), count.data(),
                                 boxes, IsShared{share.from_top.data()}, stream);
  });
  return downloaded(found.data(), downloaded(count.data(), 1, stream)[0], stream);
}

}  // namespace

FamiliesOverRanks::FamiliesOverRanks(farfield::cuda::DeviceMemory& memory) : memory_(memory) {
  use_all(memory, parent_, family_);
}

/// A child is one rank's, so that its bit comes from one rank alone and bits can be added.
farfield::cuda::SplitFamilies FamiliesOverRanks::settle(const DevicePlaced& placed, const std::uint8_t* candidates,
                                                        int mean, cudaStream_t stream) {
  const DeviceShare& share = *placed.on_device;
  const std::vector<BoxId> parents = shared_boxes(share, memory_, stream);
  const std::int64_t count = std::ssize(parents);
  farfield::cuda::upload(parent_, parents.data(), count, stream);
  OnDevice<Members> found(memory_);
  found.resize(count);
  farfield::cuda::for_each_index(
      count, FindMembers{share.essential.tree.view(), share.from_top.data(), parent_.data(), candidates, found.data()},
      stream, "members of split families");
  const std::vector<Members> own = downloaded(found.data(), count, stream);
  const auto top = static_cast<std::size_t>(share.top.tree.boxes);
  std::vector<std::int64_t> all(2 * top, 0);
  for (const Members& one : own) {
    all[static_cast<std::size_t>(one.top)] = one.children;
    all[top + static_cast<std::size_t>(one.top)] = one.targets;
  }
  placed.ranks->add(all);
  std::vector<Family> families;
  for (std::size_t k = 0; k < own.size(); ++k) {
    const auto at = static_cast<std::size_t>(own[k].top);
    families.push_back(family_of(parents[k], own[k], static_cast<unsigned>(all[at]), all[top + at], mean));
  }
  farfield::cuda::upload(family_, families.data(), count, stream);
  farfield::cuda::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return {parent_.data(), family_.data(), static_cast<int>(count)};
}

}  // namespace farfield::distributed
