#include <algorithm>

#include "backends/cuda/judge/accounts.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"
#include "tree/far.hpp"

namespace farfield::cuda {

using Total = unsigned long long;
enum Account { leaves, pairs, far_boxes, near_boxes, m2p_boxes, p2l_boxes, accounts };

/// Octants of the children of a box that hold points; `begin` and `end` are those of the sources or of the targets.
__device__ unsigned children_with_points(const TreeView& tree, BoxId box, const std::int64_t* begin,
                                         const std::int64_t* end) {
  unsigned mask = tree.child_mask[box];
  if (tree.source_begin == tree.target_begin) return mask;  // no box is empty
  BoxId child = tree.first_child[box];
  for (int o = 0; o < 8; ++o)
    if (mask >> o & 1u) {
      if (begin[child] == end[child]) mask &= ~(1u << o);
      ++child;
    }
  return mask;
}

/// Pairs of far lists between the children of `box` and those of its colleague in this lane's slot, and the reduced
/// stencil's translations from the latter to `box` itself.
__device__ Total far_pairs(const TreeView& tree, BoxId box, bool reduced) {
  const int slot = static_cast<int>(threadIdx.x % 32);
  const BoxId colleague =
      slot < colleagues_per_box ? tree.colleague[std::int64_t(box) * colleagues_per_box + slot] : no_box;
  if (colleague == no_box) return 0;
  const BoxOffset d = colleague_offset(slot);
  const unsigned targets = children_with_points(tree, box, tree.target_begin, tree.target_end);
  const unsigned sources = children_with_points(tree, colleague, tree.source_begin, tree.source_end);
  const unsigned to_parent = reduced ? sources & children_for_parent(d) : 0;
  Total pairs = targets && tree.target_count(box) > 0 ? static_cast<Total>(count_bits(to_parent)) : 0;
  for (int o = 0; o < 8; ++o) {
    const unsigned touching = touching_children(d, o);
    if (targets >> o & 1u) pairs += static_cast<Total>(count_bits(sources & ~touching & ~to_parent));
  }
  return pairs;
}

/// Sources of each box. Neighbours in a row are often siblings, whose numbers one load brings.
struct StoreSources {
  const std::int64_t *begin, *end;
  std::uint32_t* sources;
  __device__ void operator()(std::int64_t box) const {
    sources[box] = static_cast<std::uint32_t>(end[box] - begin[box]);
  }
};

/// This lane's share of the pairs of points in the near rows of 32 consecutive boxes, whose entries are read as one
/// list; `begin` and `targets` are those of the lane's box.
__device__ Total near_pairs(const std::uint32_t* sources_of, const ListView& near, std::int64_t begin,
                            std::int64_t targets, std::int64_t end) {
  constexpr int ahead = tuning::count_ahead;
  Total pairs = 0;
  for (std::int64_t first = __shfl_sync(~0u, begin, 0); first < end; first += 32 * ahead) {
    std::uint32_t sources[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      const std::int64_t k = first + 32 * a + threadIdx.x % 32;
      sources[a] = k < end ? sources_of[near.items[k]] : 0;
    }
#pragma unroll
    for (int a = 0; a < ahead; ++a) {
      const std::int64_t k = first + 32 * a + threadIdx.x % 32;
      int row = 0;
      for (int step = 16; step > 0; step /= 2)
        if (__shfl_sync(~0u, begin, row + step) <= k) row += step;
      pairs += static_cast<Total>(__shfl_sync(~0u, targets, row)) * static_cast<Total>(sources[a]);
    }
  }
  return pairs;
}

/// A warp per 32 boxes at a time.
__global__ void __launch_bounds__(tuning::count_threads)
    count_kernel(TreeView tree, ListsView lists, const std::uint32_t* sources, bool reduced, Total* totals) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * tuning::count_threads / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  Total own[3] = {0, 0, 0};
  for (std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * tuning::count_threads + threadIdx.x) / 32 * 32;
       first < tree.boxes; first += 32 * warps) {
    const std::int64_t last = first + 32 < tree.boxes ? first + 32 : tree.boxes, at = first + lane;
    const bool exists = at < last;
    const auto box = static_cast<BoxId>(exists ? at : last - 1);
    const bool leaf = tree.is_leaf(box);
    own[leaves] += exists && leaf;
    own[pairs] += near_pairs(sources, lists.near, lists.near.begin[exists ? at : last], tree.target_count(box),
                             lists.near.begin[last]);
    for (unsigned left = __ballot_sync(~0u, exists && !leaf); left; left &= left - 1)
      own[far_boxes] += far_pairs(tree, static_cast<BoxId>(first + __ffs(static_cast<int>(left)) - 1), reduced);
  }
  for (int a = 0; a < 3; ++a) {  // whole numbers: the same sum in any order
    const Total all = sum_of_warp(own[a]);
    if (threadIdx.x % 32 == 0 && all) atomicAdd(totals + a, all);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    totals[near_boxes] = static_cast<Total>(lists.near.begin[tree.boxes]);
    totals[m2p_boxes] = static_cast<Total>(lists.m2p.begin[tree.boxes]);
    totals[p2l_boxes] = static_cast<Total>(lists.p2l.begin[tree.boxes]);
  }
}

void Accounts::launch(const TreeView& tree, const ListsView& lists, bool reduced, SideStream& side) {
  static_assert(kinds == accounts);
  std::fill(found_.data(), found_.data() + accounts, Total(0));
  if (tree.boxes == 0) return;
  sources_.resize(tree.boxes), totals_.resize(accounts);
  const cudaStream_t stream = side.fork(memory_.stream);
  require(cudaMemsetAsync(totals_.data(), 0, accounts * sizeof(Total), stream), "cudaMemsetAsync");
  for_each_index(tree.boxes, StoreSources{tree.source_begin, tree.source_end, sources_.data()}, stream, "sources");
  // Half of the threads that a multiprocessor holds: what runs beside it is on the way to the first evaluation.
  const std::int64_t blocks = std::min<std::int64_t>((tree.boxes + tuning::count_threads - 1) / tuning::count_threads,
                                                     tuning::count_blocks / 2 * device_limits().multiprocessors);
  count_kernel<<<static_cast<unsigned>(blocks), tuning::count_threads, 0, stream>>>(tree, lists, sources_.data(),
                                                                                    reduced, totals_.data());
  require_launch("count_kernel");
  download(found_.data(), totals_.data(), accounts, stream);
}

void Accounts::write(const TreeView& tree, Report& report) {
  sources_.release();
  const Total* found = found_.data();
  report.boxes = tree.boxes;
  report.levels = tree.levels;
  report.leaves = static_cast<std::int64_t>(found[leaves]);
  report.near_pairs = static_cast<std::int64_t>(found[pairs]);
  report.m2l_boxes = static_cast<std::int64_t>(found[far_boxes]);
  report.p2p_boxes = static_cast<std::int64_t>(found[near_boxes]);
  report.m2p_boxes = static_cast<std::int64_t>(found[m2p_boxes]);
  report.p2l_boxes = static_cast<std::int64_t>(found[p2l_boxes]);
  const double all = static_cast<double>(report.sources) * static_cast<double>(report.targets);
  report.far_fraction = all > 0 ? 1 - static_cast<double>(report.near_pairs) / all : 0;
}

void Accounts::count(const TreeView& tree, const ListsView& lists, Report& report) {
  SideStream side;
  launch(tree, lists, false, side);
  side.wait();
  write(tree, report);
}

}  // namespace farfield::cuda
