#include <algorithm>
#include <bit>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/boxes/shared_on_device.hpp"
#include "distributed/cuda/evaluation/families.hpp"

namespace farfield::distributed {

using farfield::cuda::Family;

namespace {

/// The members of a shared box's family that are this rank's.
struct Members {
  std::int64_t targets;
  std::uint32_t children, takers;
};
struct FindMembers {
  TreeView tree;
  const BoxId* parent;
  const std::uint8_t* candidate;
  Members* members;
  __device__ void operator()(std::int64_t k) const {
    const BoxId box = parent[k];
    unsigned children = 0, takers = 0;
    std::int64_t targets = 0;
    BoxId child = tree.first_child[box];
    for (unsigned left = tree.child_mask[box]; left; left &= left - 1, ++child) {
      if (candidate[child] == farfield::cuda::no_candidate) continue;
      children |= left & -left;
      if (candidate[child] == farfield::cuda::taker) takers |= left & -left;
      targets += tree.target_count(child);
    }
    members[k] = {targets, children, takers};
  }
};

/// By the rule of p2p_work.cu.
Family family_of(BoxId parent, const Members& own, unsigned all, std::int64_t targets, int mean) {
  const int count = std::popcount(all);
  if (count < 3 || targets > std::int64_t(mean) * count) return {parent, 0, 0, 0};
  return {parent, static_cast<std::uint8_t>(own.children), static_cast<std::uint8_t>(own.takers),
          static_cast<std::uint8_t>(all & ~own.children)};
}

}  // namespace

FamiliesOverRanks::FamiliesOverRanks(farfield::cuda::DeviceMemory& memory) : memory_(memory) {
  use_all(memory, parent_, family_);
}

/// A child is one rank's, so that its bit comes from one rank alone and bits can be added.
farfield::cuda::SplitFamilies FamiliesOverRanks::settle(const DevicePlaced& placed, const std::uint8_t* candidates,
                                                        int mean, cudaStream_t stream) {
  const DeviceShare& share = *placed.on_device;
  const SharedOnDevice shared(share, memory_, stream);
  const std::vector<BoxId>& parents = shared.on_host();
  const std::int64_t count = shared.count();
  farfield::cuda::upload(parent_, parents.data(), count, stream);
  OnDevice<Members> found(memory_);
  found.resize(count);
  farfield::cuda::for_each_index(count,
                                 FindMembers{share.essential.tree.view(), parent_.data(), candidates, found.data()},
                                 stream, "members of split families");
  const std::vector<Members> own = downloaded(found.data(), count, stream);
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * shared.of_all()), 0);
  for (std::size_t k = 0; k < own.size(); ++k)
    all[2 * shared.among_all(k)] = own[k].children, all[2 * shared.among_all(k) + 1] = own[k].targets;
  placed.ranks->add(all);
  std::vector<Family> families;
  for (std::size_t k = 0; k < own.size(); ++k) {
    const std::int64_t* of_all = &all[2 * shared.among_all(k)];
    families.push_back(family_of(parents[k], own[k], static_cast<unsigned>(of_all[0]), of_all[1], mean));
  }
  farfield::cuda::upload(family_, families.data(), count, stream);
  return {parent_.data(), family_.data(), static_cast<int>(count)};
}

}  // namespace farfield::distributed
