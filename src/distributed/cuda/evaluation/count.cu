#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/count.hpp"
#include "model/accounts.hpp"

namespace farfield::distributed {
namespace {

/// Ends of the boxes' targets; those of shared boxes only where this rank counts them, so that no box counts twice.
struct KeepOwn {
  const BoxId* from_top;
  const std::int64_t *begin, *end;
  std::int64_t* kept;
  __device__ void operator()(std::int64_t i) const { kept[i] = from_top[i] == no_box ? end[i] : begin[i]; }
};
struct KeepSummed {
  const BoxId* summed;
  const std::int64_t* end;
  std::int64_t* kept;
  __device__ void operator()(std::int64_t k) const { kept[summed[k]] = end[summed[k]]; }
};

/// Rows of p2l that this rank counts: ghosts and shared boxes have such rows, too.
struct CountRows {
  const BoxId* summed;
  const std::int64_t* begin;
  unsigned long long* entries;
  __device__ void operator()(std::int64_t k) const {
    const BoxId box = summed[k];
    if (const std::int64_t own = begin[box + 1] - begin[box]; own > 0)
      atomicAdd(entries, static_cast<unsigned long long>(own));
  }
};

struct CountLeaves {
  const std::uint8_t* child_mask;
  unsigned long long* leaves;
  __device__ void operator()(std::int64_t i) const {
    const bool leaf = child_mask[i] == 0;
    const unsigned of_warp = __ballot_sync(__activemask(), leaf);
    if (leaf && (of_warp & ((1u << threadIdx.x % 32) - 1)) == 0)
      atomicAdd(leaves, static_cast<unsigned long long>(__popc(of_warp)));
  }
};

struct OwnCounts {
  std::int64_t leaves, p2l;
};
OwnCounts own_counts(const DeviceShare& share, farfield::cuda::DeviceMemory& memory) {
  const Tree<farfield::cuda::DeviceArray>& own = share.own.tree;
  OnDevice<unsigned long long> counts(memory);
  counts.resize(2);
  farfield::cuda::require(cudaMemsetAsync(counts.data(), 0, 2 * sizeof(unsigned long long), memory.stream),
                          "cudaMemsetAsync");
  farfield::cuda::for_each_index(own.boxes, CountLeaves{own.child_mask.data(), counts.data()}, memory.stream, "leaves");
  farfield::cuda::for_each_index(
      share.summed.size(), CountRows{share.summed.data(), share.essential.lists.p2l.begin.data(), counts.data() + 1},
      memory.stream, "rows of p2l");
  const std::vector<unsigned long long> found = downloaded(counts.data(), 2, memory.stream);
  return {static_cast<std::int64_t>(found[0]), static_cast<std::int64_t>(found[1])};
}

}  // namespace

void count_over_ranks(DevicePlaced& placed, const Decision& decision, farfield::cuda::SideStream& side,
                      farfield::Report& report) {
  const DeviceShare& share = *placed.on_device;
  TreeView tree = share.essential.tree.view();
  OnDevice<std::int64_t> kept(placed.memory);
  kept.resize(tree.boxes);
  const cudaStream_t stream = placed.memory.stream;
  farfield::cuda::for_each_index(tree.boxes,
                                 KeepOwn{share.from_top.data(), tree.target_begin, tree.target_end, kept.data()},
                                 stream, "own targets");
  farfield::cuda::for_each_index(share.summed.size(), KeepSummed{share.summed.data(), tree.target_end, kept.data()},
                                 stream, "own targets");
  tree.target_end = kept.data();
  farfield::cuda::Accounts accounts(placed.memory);
  accounts.launch(tree, share.essential.lists.view(), decision.reduced, side);
  side.wait();
  accounts.write(tree, report);
  const OwnCounts own = own_counts(share, placed.memory);
  std::vector<std::int64_t> counts{own.leaves,       report.near_pairs, report.p2p_boxes,
                                   report.m2l_boxes, report.m2p_boxes,  own.p2l};
  placed.has_m2p = report.m2p_boxes > 0, placed.has_p2l = report.p2l_boxes > 0;
  placed.ranks->add(counts);
  report.leaves = counts[0], report.near_pairs = counts[1], report.p2p_boxes = counts[2], report.m2l_boxes = counts[3],
  report.m2p_boxes = counts[4], report.p2l_boxes = counts[5];
  report.boxes = placed.boxes_of_all;
  report.levels = placed.levels_of_all;
  report.far_fraction = far_fraction(report);
}

}  // namespace farfield::distributed
