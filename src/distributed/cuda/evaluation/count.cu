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

}  // namespace

CountsOverRanks::CountsOverRanks(farfield::cuda::DeviceMemory& memory) : memory_(memory), accounts_(memory) {
  use_all(memory, kept_, counts_);
}

void CountsOverRanks::launch(const DevicePlaced& placed, bool reduced) {
  const DeviceShare& share = *placed.on_device;
  TreeView tree = share.essential.tree.view();
  kept_.resize(tree.boxes), counts_.resize(2);
  const cudaStream_t stream = side_.fork(memory_.stream);
  farfield::cuda::for_each_index(tree.boxes,
                                 KeepOwn{share.from_top.data(), tree.target_begin, tree.target_end, kept_.data()},
                                 stream, "own targets");
  farfield::cuda::for_each_index(share.summed.size(), KeepSummed{share.summed.data(), tree.target_end, kept_.data()},
                                 stream, "own targets");
  tree.target_end = kept_.data();
  accounts_.launch(tree, share.essential.lists.view(), reduced, side_);
  count_own(share, stream);
}

void CountsOverRanks::count_own(const DeviceShare& share, cudaStream_t stream) {
  farfield::cuda::require(cudaMemsetAsync(counts_.data(), 0, 2 * sizeof(unsigned long long), stream),
                          "cudaMemsetAsync");
  farfield::cuda::for_each_index(share.own.tree.boxes, CountLeaves{share.own.tree.child_mask.data(), counts_.data()},
                                 stream, "leaves");
  farfield::cuda::for_each_index(
      share.summed.size(), CountRows{share.summed.data(), share.essential.lists.p2l.begin.data(), counts_.data() + 1},
      stream, "rows of p2l");
  farfield::cuda::download(found_.data(), counts_.data(), 2, stream);
}

void CountsOverRanks::finish(DevicePlaced& placed, farfield::Report& report) {
  side_.wait();
  accounts_.write(placed.on_device->essential.tree.view(), report);
  placed.has_m2p = report.m2p_boxes > 0, placed.has_p2l = report.p2l_boxes > 0;
  std::vector<std::int64_t> counts{static_cast<std::int64_t>(found_.data()[0]),
                                   report.near_pairs,
                                   report.p2p_boxes,
                                   report.m2l_boxes,
                                   report.m2p_boxes,
                                   static_cast<std::int64_t>(found_.data()[1])};
  placed.ranks->add(counts);
  report.leaves = counts[0], report.near_pairs = counts[1], report.p2p_boxes = counts[2], report.m2l_boxes = counts[3],
  report.m2p_boxes = counts[4], report.p2l_boxes = counts[5];
  report.boxes = placed.boxes_of_all;
  report.levels = placed.levels_of_all;
  report.far_fraction = far_fraction(report);
}

}  // namespace farfield::distributed
