// The size of results: mean squares of potential and gradient for random strengths, on the same sample of targets as
// on the host.
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "backends/cuda/judge/placement/placement.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "model/placement_terms.hpp"

namespace farfield::cuda {
namespace {

constexpr int most_looked_at = 4096;  // sources of one box; heaps of coincident points are larger
/// Of targets and sources of one leaf, where a softening makes leaves wide; a block sums them. 2^16 took 87 us.
constexpr std::int64_t most_pairs = 1 << 14;
static_assert(chunk_boxes == block_threads);

/// A thread per box, a word per chunk of boxes.
__global__ void __launch_bounds__(chunk_boxes)
    leaves_kernel(TreeView tree, std::uint32_t* chunk, PlacementFindings* found) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * chunk_boxes + threadIdx.x;
  const auto box = static_cast<BoxId>(i);
  const bool leaf = i < tree.boxes && tree.is_leaf(box);
  const std::int64_t sources = leaf ? tree.source_count(box) : 0, targets = leaf ? tree.target_count(box) : 0;
  const int with_targets = __syncthreads_count(targets > 0), full = __syncthreads_or(sources >= 8);
  auto largest = static_cast<unsigned>(sources > targets ? sources : targets);
  for (int other = 16; other > 0; other /= 2) largest = max(largest, __shfl_xor_sync(~0u, largest, other));
  if (threadIdx.x % 32 == 0 && largest > *const_cast<volatile unsigned long long*>(&found->largest_leaf))
    atomicMax(&found->largest_leaf, static_cast<unsigned long long>(largest));
  if (threadIdx.x == 0) chunk[blockIdx.x] = static_cast<std::uint32_t>(with_targets) | (full ? has_full_leaf : 0u);
}

using Scan = cub::BlockScan<std::uint32_t, chunk_boxes>;

/// Sample blockIdx.x of the leaves with targets, the same as on the host: every (leaves / norm_samples)-th; no_box
/// beyond the last.
__device__ BoxId sampled_leaf(const TreeView& tree, const std::uint32_t* chunk, int chunks, PlacementFindings* found) {
  __shared__ typename Scan::TempStorage shared;
  __shared__ std::uint32_t rank;
  __shared__ int holder;
  __shared__ BoxId leaf;
  const int each = (chunks + chunk_boxes - 1) / chunk_boxes;
  const int begin = min(static_cast<int>(threadIdx.x) * each, chunks), end = min(begin + each, chunks);
  std::uint32_t own = 0, before = 0, total = 0;
  for (int c = begin; c < end; ++c) own += chunk[c] & ~has_full_leaf;
  Scan(shared).ExclusiveSum(own, before, total);
  const std::uint32_t step = max(1u, total / norm_samples), which = blockIdx.x * step;
  if (blockIdx.x + blockIdx.y == 0 && threadIdx.x == 0) found->target_leaves = total;
  if (which >= total) return no_box;
  if (which >= before && which < before + own) {
    int c = begin;
    for (; which >= before + (chunk[c] & ~has_full_leaf); ++c) before += chunk[c] & ~has_full_leaf;
    holder = c;
    rank = which - before;
  }
  __syncthreads();
  const std::int64_t i = static_cast<std::int64_t>(holder) * chunk_boxes + threadIdx.x;
  const auto box = static_cast<BoxId>(i);
  const bool counts = i < tree.boxes && tree.is_leaf(box) && tree.target_count(box) > 0;
  Scan(shared).ExclusiveSum(static_cast<std::uint32_t>(counts), before);
  if (counts && before == rank) leaf = box;
  __syncthreads();
  return leaf;
}

/// Sums at one target, each thread its share of the sources.
struct NormsAt {
  const TreeView& tree;
  const PlacedPoints& sources;
  const ChildrenElsewhere& elsewhere;
  double soft2;  ///< square of the softening
  double x[3], sum[3] = {0, 0, 0};

  /// Adds a box, its sources taken to the centres of its children.
  __device__ void add_box(BoxId box) {
    const BoxId first = tree.first_child[box];
    if (elsewhere.row && elsewhere.row[box] >= 0) return add_told(box, elsewhere.row[box]);
    if (first == no_box) return add_centre(box);
    const BoxId end = first + tree.child_count(box);
#pragma unroll 4
    for (BoxId child = first; child < end; ++child) add_centre(child);
  }
  /// A box of which children may be missing in the tree.
  __device__ void add_told(BoxId box, std::int32_t row) {
    bool any = false;
    for (int octant = 0; octant < 8; ++octant)
      if (const std::uint32_t held = elsewhere.sources[8 * std::int64_t(row) + octant]) {
        add_child(box, octant, held);
        any = true;
      }
    if (!any) add_centre(box);
  }
  __device__ void add_child(BoxId box, int octant, std::uint32_t held) {
    const double edge = tree.lattice.edge(tree.level[box] + 1);
    double r2 = 0;
    for (int a = 0; a < 3; ++a) {
      const double u = displacement(x[a], tree.coordinate(box, a) + (octant >> a & 1 ? 0.5 : -0.5) * edge);
      r2 += u * u;
    }
    add_cube(edge, r2, static_cast<double>(held));
  }
  __device__ void add_centre(BoxId box) {
    add_cube(tree.lattice.edge(tree.level[box]), centre_distance2(tree, box, x),
             static_cast<double>(sources.end[box] - sources.begin[box]));
  }
  /// Adds a box, its sources taken to its centre. In an evenly filled box of edge a the means of 1/r^2 and 1/r^4 are
  /// larger by the shares a^2 / 12 r^2 and a^2 / 2 r^2.
  __device__ void add_cube(double edge, double r2, double held) {
    const double inverse = 1 / r2, fill = edge * edge * inverse, n = held * inverse;
    const double fourth = n * inverse * (1 + 0.5 * fill);
    sum[0] += n * (1 + fill * (1. / 12));
    sum[1] += fourth;
    sum[2] += fourth;
  }
  /// Adds the points of a box; a warp's lanes share them.
  __device__ void add_points(BoxId box, bool own) {
    const double edge = tree.lattice.edge(tree.level[box]);
    const bool far = centre_distance2(tree, box, x) > 4 * edge * edge;
    const std::int64_t begin = sources.begin[box], count = sources.end[box] - begin;
    const std::int64_t step = (count + most_looked_at - 1) / most_looked_at;
    for (std::int64_t s = begin + threadIdx.x % 32 * step; s < begin + count; s += 32 * step) {
      double d2 = 0;
      for (int a = 0; a < 3; ++a) d2 += (x[a] - sources.axis[a][s]) * (x[a] - sources.axis[a][s]);
      if (d2 == 0) continue;
      d2 += soft2;
      const double weight = static_cast<double>(step);
      sum[0] += weight / d2;
      if (!own) sum[1] += weight / (d2 * d2);
      if (far) sum[2] += weight / (d2 * d2);
    }
  }
  __device__ void add_row(const ListView& list, BoxId row) {
    for (std::int64_t i = list.begin[row] + threadIdx.x; i < list.begin[row + 1]; i += block_threads)
      add_box(list.items[i]);
  }
};

/// Sums at the target in the middle of a leaf; a block sums a share of the lists. Every source is in a list of the leaf
/// or of an ancestor; boxes of the far, m2p and p2l lists count as the centres of their children.
__device__ void sum_norms_of(const TreeView& tree, const ListsView& lists, const PlacedPoints& sources,
                             const PlacedPoints& targets, const ChildrenElsewhere& elsewhere, BoxId own, double soft2,
                             double (*norm)[3]) {
  __shared__ double lane[block_threads];
  const int share = static_cast<int>(blockIdx.y);
  const std::int64_t t = (targets.begin[own] + targets.end[own]) / 2;
  NormsAt at{tree, sources, elsewhere, soft2, {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]}};
  const int slot = static_cast<int>(threadIdx.x) / 8, octant = static_cast<int>(threadIdx.x) % 8;
  int up = 0;
  for (BoxId box = own; box != no_box; box = tree.parent[box]) {
    if (up++ % norm_shares != share) continue;
    if (slot < colleagues_per_box && tree.parent[box] != no_box)
      for_each_far_around(tree, box, colleague_offset(slot), [&](BoxId source, int, int, int) {
        if (tree.octant[source] == octant) at.add_box(source);
      });
    at.add_row(lists.p2l, box);
  }
  if (share == 1) at.add_row(lists.m2p, own);
  for (std::int64_t i = lists.near.begin[own] + threadIdx.x / 32; share == 2 && i < lists.near.begin[own + 1];
       i += block_threads / 32)
    at.add_points(lists.near.items[i], lists.near.items[i] == own);
  for (int a = 0; a < 3; ++a) {
    const double all = sum_of_block<block_threads>(at.sum[a], lane);
    if (threadIdx.x == 0) norm[share][a] = all;
  }
}

__global__ void __launch_bounds__(block_threads)
    norms_kernel(TreeView tree, ListsView lists, PlacedPoints sources, PlacedPoints targets, const std::uint32_t* chunk,
                 int chunks, double soft2, PlacementFindings* found) {
  const BoxId own = sampled_leaf(tree, chunk, chunks, found);
  if (own != no_box) sum_norms_of(tree, lists, sources, targets, {}, own, soft2, found->norm[blockIdx.x]);
}

__global__ void __launch_bounds__(block_threads)
    norms_at_kernel(TreeView tree, ListsView lists, PlacedPoints sources, PlacedPoints targets, NormsAtLeaves leaves) {
  const double soft2 = leaves.softening * leaves.softening;
  sum_norms_of(tree, lists, sources, targets, leaves.elsewhere, leaves.leaf[blockIdx.x], soft2,
               leaves.norm[blockIdx.x]);
}

/// Sum of 1/(r^2 + soft2)^2 over up to 2048 targets of every stride-th box, if it is a leaf, and its own sources. Few
/// softened targets stand for all of their leaf. `listed`: the boxes, where they are not those.
__global__ void own_leaf_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, const BoxId* listed,
                                BoxId stride, double soft2, double* parts) {
  __shared__ double lane[sum_threads];
  const BoxId box = listed ? listed[blockIdx.x] : static_cast<BoxId>(blockIdx.x) * stride;
  double sum = 0;
  std::int64_t count = 0;
  if (tree.is_leaf(box)) {
    const std::int64_t begin = targets.begin[box], first = sources.begin[box], held = sources.end[box] - first;
    const std::int64_t step = (held + most_looked_at - 1) / most_looked_at;
    const std::int64_t all = targets.end[box] - begin;
    std::int64_t most = 2048;
    if (soft2 > 0 && held > 0) most = min(most, max(std::int64_t(8), most_pairs / held));
    count = min(all, most);
    const auto slices =
        static_cast<int>(count > 0 && count < sum_threads ? sum_threads / count : 1);  // threads per target
    const auto slice = static_cast<int>(threadIdx.x) / static_cast<int>(sum_threads / slices);
    const std::int64_t stride = sum_threads / slices;
    for (std::int64_t t = begin + threadIdx.x % stride; slice < slices && t < begin + count; t += stride) {
      const double x = targets.axis[0][t], y = targets.axis[1][t], z = targets.axis[2][t];
      for (std::int64_t s = first + slice * step; s < first + held; s += slices * step) {
        const double dx = x - sources.axis[0][s], dy = y - sources.axis[1][s], dz = z - sources.axis[2][s];
        const double r2 = dx * dx + dy * dy + dz * dz;
        sum += r2 > 0 ? static_cast<double>(step) / ((r2 + soft2) * (r2 + soft2)) : 0.0;
      }
    }
    if (soft2 > 0 && count > 0) {
      sum *= static_cast<double>(all) / static_cast<double>(count);
      count = all;
    }
  }
  sum = sum_of_block(sum, lane);
  if (threadIdx.x == 0) {
    parts[2 * blockIdx.x] = sum;
    parts[2 * blockIdx.x + 1] = static_cast<double>(count);
  }
}

__global__ void __launch_bounds__(1024) add_own_leaves_kernel(const double* parts, int boxes, double* sums) {
  __shared__ double lane[1024];
  double sum = 0;
  for (int b = static_cast<int>(threadIdx.x); b < boxes; b += 1024) sum += parts[2 * b + blockIdx.x];
  sum = sum_of_block<1024>(sum, lane);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

/// Later kernels find leaves by a word per chunk of boxes: how many have targets, and whether one is full.
void DeviceSums::look_at_leaves() {
  chunk_.resize((std::int64_t(view_.boxes) + chunk_boxes - 1) / chunk_boxes);
  leaves_kernel<<<static_cast<unsigned>(chunk_.size()), chunk_boxes, 0, memory_.stream>>>(view_, chunk_.data(),
                                                                                          on_device_.data());
  require_launch("leaves_kernel");
}

void DeviceSums::sum_norms() {
  const double soft2 = softening_ * softening_;
  norms_kernel<<<dim3(2 * norm_samples, norm_shares), block_threads, 0, memory_.stream>>>(
      view_, lists_, sources_, targets_, chunk_.data(), static_cast<int>(chunk_.size()), soft2, on_device_.data());
  require_launch("norms_kernel");
}

void sum_norms_at(const TreeView& tree, const ListsView& lists, const PlacedPoints& sources,
                  const PlacedPoints& targets, const NormsAtLeaves& leaves, cudaStream_t stream) {
  if (leaves.count == 0) return;
  norms_at_kernel<<<dim3(static_cast<unsigned>(leaves.count), norm_shares), block_threads, 0, stream>>>(
      tree, lists, sources, targets, leaves);
  require_launch("norms_at_kernel");
}

void sum_in_leaves(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
                   const SumsInLeaves& leaves, cudaStream_t stream) {
  if (leaves.count == 0) return;
  own_leaf_kernel<<<static_cast<unsigned>(leaves.count), sum_threads, 0, stream>>>(
      tree, sources, targets, leaves.box, 1, leaves.softening * leaves.softening, leaves.parts);
  require_launch("own_leaf_kernel");
  add_own_leaves_kernel<<<2, 1024, 0, stream>>>(leaves.parts, leaves.count, leaves.sums);
  require_launch("add_own_leaves_kernel");
}

void DeviceSums::sum_own_leaves() {
  const BoxId stride = own_leaf_stride(target_count_, softening_ > 0);
  const BoxId sampled = (view_.boxes + stride - 1) / stride;
  own_part_.resize(2 * std::int64_t(sampled));
  const cudaStream_t stream = near_stream_.fork(memory_.stream);
  own_leaf_kernel<<<static_cast<unsigned>(sampled), sum_threads, 0, stream>>>(
      view_, sources_, targets_, nullptr, stride, softening_ * softening_, own_part_.data());
  require_launch("own_leaf_kernel");
  add_own_leaves_kernel<<<2, 1024, 0, stream>>>(own_part_.data(), sampled, on_device_.data()->own_leaf);
  require_launch("add_own_leaves_kernel");
}

void DeviceSums::look_at_part() {
  if (view_.boxes == 0) return;
  on_device_.resize(1);
  require(cudaMemsetAsync(on_device_.data(), 0, sizeof(PlacementFindings), memory_.stream), "cudaMemsetAsync");
  look_at_leaves();
}

ResultNorms DeviceSums::norms() {
  const PlacementFindings& f = found();
  if (f.target_leaves == 0) return {};
  const auto leaves = static_cast<std::int64_t>(f.target_leaves),
             step = std::max<std::int64_t>(1, leaves / norm_samples);
  const auto samples = static_cast<std::size_t>((leaves + step - 1) / step);
  double sum[3] = {0, 0, 0};
  for (std::size_t k = 0; k < samples; ++k)
    for (const auto& share : f.norm[k])
      for (std::size_t a = 0; a < 3; ++a) sum[a] += share[a] / static_cast<double>(samples);
  ResultNorms mean{{sum[0], sum[1] + (f.own_leaf[1] > 0 ? f.own_leaf[0] / f.own_leaf[1] : 0)}};
  if (mean.order[1] > 0) mean.near_share = 1 - sum[2] / mean.order[1];
  return mean;
}

}  // namespace farfield::cuda
