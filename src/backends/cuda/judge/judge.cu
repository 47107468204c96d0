// Norms read all results once, 0.3 GB at 2^24 points. Tails (truncation of expansions) are summed over 8,192 boxes at
// most: every k-th of larger trees. Both run beside scatter.
#include <algorithm>
#include <cmath>

#include "backends/cuda/judge/judge.hpp"
#include "backends/cuda/judge/means.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/treecode/accounts.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/planar/shape.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {
namespace {

constexpr int norms = 2 * orders, tails = 2 * orders;  // numbers of a share
constexpr int box_lanes = 8;                           // that sum the powers of one box

/// The larger of two values; not a number if one of them is not.
__device__ inline double larger(double a, double b) { return a <= b ? b : (b <= a ? a : a + b); }

/// Sums of squares and largest values by order of derivative; a thread reads four numbers at a time.
template <class Real>
__global__ void __launch_bounds__(tuning::norm_threads) norms_kernel(NearWork<Real> work, double* part) {
  __shared__ double lane[tuning::norm_threads];
  const std::int64_t step = std::int64_t(gridDim.x) * tuning::norm_threads;
  const int parts = work.result.parts();
  for (int which = 0; which < orders; ++which) {
    double squares = 0, largest = 0;
    for (int p = first_part(parts); p < end_part(parts); ++p) {
      if (order_of(p) != which) continue;
      const Real* values = work.result.any(p);
      const double times = times_in_tensor(p);
      for (std::int64_t i = std::int64_t(blockIdx.x) * tuning::norm_threads + threadIdx.x; i < work.targets;
           i += 4 * step) {
        Real x[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = i + k * step < work.targets ? values[i + k * step] : Real(0);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const double value = fabs(static_cast<double>(x[k]));
          squares += times * value * value;
          largest = larger(largest, value);
        }
      }
    }
    const double sum = sum_of_block<tuning::norm_threads>(squares, lane);
    __syncthreads();
    lane[threadIdx.x] = largest;
    __syncthreads();
    for (int half = tuning::norm_threads / 2; half > 0; half /= 2) {
      if (static_cast<int>(threadIdx.x) < half) lane[threadIdx.x] = larger(lane[threadIdx.x], lane[threadIdx.x + half]);
      __syncthreads();
    }
    if (threadIdx.x == 0)
      part[blockIdx.x * norms + 2 * which] = sum, part[blockIdx.x * norms + 2 * which + 1] = lane[0];
    __syncthreads();
  }
}

/// Sum of the squared coefficients of degrees low and low + 1 of a box, by its box_lanes lanes together.
template <class Shape, class Real>
__device__ double two_degrees(const Real* c, int low, int lane) {
  double sum = 0;
  const int begin = low < 0 ? 0 : Shape::first(low), end = Shape::first(low + 2);
  for (int i = begin + lane; i < end; i += box_lanes) sum += static_cast<double>(c[i]) * static_cast<double>(c[i]);
  for (int other = box_lanes / 2; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
  return sum;
}

/// Powers of degree d + 1: power[0][box] of multipoles, power[1][box] of locals. Whole warps run.
template <class Shape, class Real>
__global__ void __launch_bounds__(block_threads) powers_kernel(Work<Real> work, BoxId first, double* power) {
  const std::int64_t i = (std::int64_t(blockIdx.x) * block_threads + threadIdx.x) / box_lanes;
  const bool exists = first + i < work.tree.boxes;
  const BoxId box = exists ? static_cast<BoxId>(first + i) : first;
  const int lane = static_cast<int>(threadIdx.x) % box_lanes, d = work.tables.degree;
  for (int which = 0; which < 2; ++which) {
    const Real* c = which == 0 ? work.multipole + std::int64_t(work.expanded(box)) * work.tables.stride
                               : work.local + std::int64_t(box) * work.tables.stride;
    const double last = two_degrees<Shape>(c, d - 1, lane), before = d < 3 ? 0 : two_degrees<Shape>(c, d - 3, lane);
    const bool has = which == 0 ? work.tree.source_count(box) > 0 : work.tree.target_count(box) > 0;
    if (exists && lane == 0)
      power[std::int64_t(which) * work.tree.boxes + box] = has ? extrapolated_power(last, before, d) : 0;
  }
}

/// One lane's share of the squared errors, over all target boxes of its warp.
struct Tails {
  Truncation truncation, operands;
};

template <bool in_plane, class Real, class Tailed>
__device__ void add_far(const Work<Real>& work, const Tailed& tailed, BoxId box, int slot, const double* power,
                        const TailMeans& means, Tails& tails) {
  const TreeView& tree = work.tree;
  const double a2 = tree.lattice.edge(tree.level[box]) * tree.lattice.edge(tree.level[box]);
  const BoxTargets at = tailed.targets(tree, box);
  double sum = 0, boxes = 0;
  for_each_far_around(tree, box, colleague_offset(slot), [&](BoxId source, int x, int y, int z) {
    sum += power[source] * far_tail(tree, source, at, x, y, z, tailed.coordinates(work), means);
    boxes += 1;
  });
  const double potential = in_plane ? sum : sum / a2, targets = static_cast<double>(at.count);
  const double gradient = potential * means.outer_ratio(1) / a2;
  tails.truncation += {{potential, gradient, gradient * means.outer_ratio(2) / a2}};
  if (!work.tensor.ready) return;
  // every operand is good to n 2^-40, n the most sources of a box of the level (operands.hpp); seen two edges away
  const double digits = static_cast<double>(work.tensor.most_sources[tree.level[box]]) * 0x1p-40;
  const double lost = targets * boxes * digits * digits / (4 * a2);
  tails.operands += {{lost, lost / (4 * a2), 6 * lost / (16 * a2 * a2)}};  // as 1/r, 1/r^2 and 6^(1/2)/r^3
}

template <class Real, class Tailed>
__device__ void add_local(const Work<Real>& work, const Tailed& tailed, BoxId box, int lane, const double* power,
                          const TailMeans& means, Tails& tails) {
  const TreeView& tree = work.tree;
  const double a = tree.lattice.edge(tree.level[box]), own = power[std::int64_t(tree.boxes) + box];
  const BoxTargets at = tailed.targets(tree, box);
  const auto& x = tailed.coordinates(work);
  if (!tree.is_leaf(box)) {
    if (lane == 0) tails.truncation += inner_box_tail(tree, box, at, own, x, means);
    return;
  }
  for (std::int64_t i = at.begin + lane; i < at.begin + at.count; i += 32)
    tails.truncation += inner_tail(own, square_from_centre(tree, box, x, i, a, means.decay), a, means);
}

/// Tails of the multipoles of finer boxes (m2p) at the targets of a leaf.
template <class Real, class Tailed, class Means>
__device__ void add_finer(const Work<Real>& work, const Tailed& tailed, BoxId box, int lane, const double* power,
                          const Means& means, Tails& tails) {
  const TreeView& tree = work.tree;
  const BoxTargets at = tailed.targets(tree, box);
  const auto& x = tailed.coordinates(work);
  const ListView& m2p = work.lists.m2p;
  for (std::int64_t k = m2p.begin[box]; k < m2p.begin[box + 1]; ++k) {
    const BoxId source = m2p.items[k];
    const double edge = tree.lattice.edge(tree.level[source]);
    const TailMeans& own = means_of(means, tree.level[source]);
    for (std::int64_t i = at.begin + lane; i < at.begin + at.count; i += 32)
      tails.truncation += outer_tail(power[source], square_from_centre(tree, source, x, i, edge, own.decay), edge, own);
  }
}

/// Sums over the boxes that are looked at; a warp for each.
template <bool in_plane, class Real, class Tailed, class Means>
__global__ void __launch_bounds__(sum_threads)
    tails_kernel(const __grid_constant__ Work<Real> work, const __grid_constant__ Tailed tailed, const double* power,
                 const __grid_constant__ Means means, double* part) {
  __shared__ double shared[sum_threads];
  constexpr int warps = sum_threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Tails tails;
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; k < tailed.count(work.tree);
       k += std::int64_t(gridDim.x) * warps) {
    const BoxId box = tailed[k];
    if (tailed.targets(work.tree, box).count == 0) continue;
    if (work.tree.level[box] >= 2) {
      const TailMeans& own = means_of(means, work.tree.level[box]);
      if (lane < colleagues_per_box) add_far<in_plane>(work, tailed, box, lane, power, own, tails);
      add_local(work, tailed, box, lane, power, own, tails);
    }
    add_finer(work, tailed, box, lane, power, means, tails);  // leaves above level 2 may have m2p lists, too
  }
#pragma unroll
  for (int e = 0; e < cuda::tails; ++e) {
    const double all = sum_of_block(e < orders ? tails.truncation.order[e] : tails.operands.order[e - orders], shared);
    if (threadIdx.x == 0) part[blockIdx.x * cuda::tails + e] = all;
    __syncthreads();
  }
}

constexpr int room =
    tuning::norm_blocks * norms + tuning::tail_blocks * tails;  // numbers of norms lie behind those of tails

}  // namespace

Judge::Judge(DeviceMemory& memory) : memory_(memory), power_(memory), part_(memory), level_means_(memory) {}

template <class Real>
void Judge::make_level_means(const Work<Real>& work, double root, int first, cudaStream_t stream) {
  const Screened wanted{work.tables.degree, work.tree.levels, root};
  if (wanted == means_of_) return;
  const LevelMeans means(solid_decay, wanted.degree, root, wanted.levels, first);
  std::vector<TailMeans> all;
  for (int level = 0; level < wanted.levels; ++level) all.push_back(means[level]);
  upload(level_means_, all.data(), wanted.levels, stream);
  means_of_ = wanted;
}

/// Returns how many blocks write sums of tails; none of a rank that looks at no box.
template <class Real, class Tailed>
int Judge::launch_tails(const Work<Real>& work, const Tailed& tailed, Share& share, cudaStream_t stream) {
  const BoxId first = work.tree.level_begin[2], boxes = work.tree.boxes - first;
  const std::int64_t looked_at = tailed.count(work.tree);
  share.every = tailed.every;
  if (looked_at == 0) return 0;
  power_.resize(2 * std::int64_t(work.tree.boxes));
  const std::int64_t blocks = (std::int64_t(boxes) * box_lanes + block_threads - 1) / block_threads;
  const bool in_plane = work.planar.ready;
  const auto powers = in_plane ? powers_kernel<PlanarShape, Real> : powers_kernel<SolidShape, Real>;
  powers<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(work, first, power_.data());
  require_launch("powers_kernel");
  const int shares = static_cast<int>(
      std::min<std::int64_t>(tuning::tail_blocks, (looked_at + sum_threads / 32 - 1) / (sum_threads / 32)));
  const double root = work.parameters.screening * work.tree.lattice.edge(0);
  if (root > 0) {
    make_level_means(work, root, 2, stream);
    tails_kernel<false, Real, Tailed, MeansOfLevels><<<static_cast<unsigned>(shares), sum_threads, 0, stream>>>(
        work, tailed, power_.data(), {level_means_.data()}, part_.data());
  } else {
    const auto tails =
        in_plane ? tails_kernel<true, Real, Tailed, TailMeans> : tails_kernel<false, Real, Tailed, TailMeans>;
    tails<<<static_cast<unsigned>(shares), sum_threads, 0, stream>>>(
        work, tailed, power_.data(),
        in_plane ? tail_means(planar_decay, work.tables.degree) : tail_means(work.tables.degree, work.tables.fit),
        part_.data());
  }
  require_launch("tails_kernel");
  return shares;
}

/// The same for a treecode.
template <class Real>
int Judge::launch_walks(const Work<Real>& work, Share& share, cudaStream_t stream) {
  power_.resize(work.tree.boxes);
  Work<Real> own = work;
  own.stream = stream;
  share.every = static_cast<BoxId>(sample_groups(work.targets).every);
  const double root = work.parameters.screening * work.tree.lattice.edge(0);
  if (root > 0) make_level_means(work, root, 0, stream);
  return launch_accepted_tails(own, root > 0 ? level_means_.data() : nullptr, power_.data(), part_.data(), tails);
}

template <class Real>
void Judge::launch(const Work<Real>& work, bool expansions, int place, SideStream& side, const TailedOfRank* rank) {
  const cudaStream_t stream = side.fork(work.stream);
  while (std::ssize(shares_) <= place) shares_.emplace_back(room);
  Share& share = shares_[static_cast<std::size_t>(place)];
  share.with_potential = first_part(work.result.parts()) == 0;
  part_.resize(room);
  const bool walks = work.rule.theta > 0;
  const TailedOfTree all{std::max<BoxId>(1, (work.tree.boxes + tuning::tail_boxes - 1) / tuning::tail_boxes)};
  share.kept = !expansions             ? 0
               : walks                 ? launch_walks(work, share, stream)
               : work.tree.levels <= 2 ? 0
               : rank                  ? launch_tails(work, *rank, share, stream)
                                       : launch_tails(work, all, share, stream);
  share.shares = static_cast<int>(
      std::clamp<std::int64_t>((work.targets + 4 * tuning::norm_threads - 1) / (4 * tuning::norm_threads), 1,
                               std::int64_t(tuning::norm_blocks)));
  norms_kernel<<<static_cast<unsigned>(share.shares), tuning::norm_threads, 0, stream>>>(
      work, part_.data() + share.kept * tails);
  require_launch("norms_kernel");
  download(share.found.data(), part_.data(), std::int64_t(tails) * share.kept + std::int64_t(norms) * share.shares,
           stream);
}

Judge::Found Judge::result(int place) const {
  const Share& own = shares_[static_cast<std::size_t>(place)];
  Found found;
  found.norms.with_potential = own.with_potential;
  double squares[orders] = {};
  Norm* const norm = found.norms.order;
  for (int share = 0; share < own.shares; ++share)
    for (int which = 0; which < orders; ++which) {
      const double* of_share = own.found.data() + own.kept * tails + share * norms + 2 * which;
      squares[which] += of_share[0];
      if (!(of_share[1] <= norm[which].largest)) norm[which].largest = of_share[1];
    }
  for (int which = 0; which < orders; ++which) norm[which].l2 = std::sqrt(squares[which]);
  double sums[tails] = {};
  for (int share = 0; share < own.kept; ++share)
    for (int e = 0; e < tails; ++e) sums[e] += own.every * own.found.data()[share * tails + e];
  std::copy_n(sums, orders, found.truncation.order);
  std::copy_n(sums + orders, orders, found.operands.order);
  return found;
}

template void Judge::launch(const Work<float>&, bool, int, SideStream&, const TailedOfRank*);
template void Judge::launch(const Work<double>&, bool, int, SideStream&, const TailedOfRank*);

}  // namespace farfield::cuda
