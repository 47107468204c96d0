#include <algorithm>

#include "backends/cuda/judge/means.hpp"
#include "backends/cuda/treecode/accounts.hpp"
#include "backends/cuda/treecode/walk.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/planar/shape.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {

GroupSample sample_groups(std::int64_t targets) {
  constexpr std::int64_t most = tuning::tail_blocks;
  const std::int64_t all = groups_of(targets), every = std::max<std::int64_t>(1, (all + most - 1) / most);
  return {every, (all + every - 1) / every};
}

namespace {

using Total = unsigned long long;
enum { near_pairs, near_boxes, far_boxes, leaves, totals };

/// The walks of the groups that begin as number `number` of the sample; take(found, first, end) for every box that is
/// found, each lane with its own, and the group's targets.
template <class Take>
__device__ void walk_sample(const TreeWork& work, std::int64_t every, std::int64_t number, const Take& take) {
  __shared__ Walk::Stack stack;
  __shared__ Group group;
  for_each_group(work, number * every, [&](std::int64_t first, std::int64_t end) {
    group.enclose(work, first, end, true);
    Walk walk(work, group, stack);
    for (bool more = true; more;) take(walk.next(more), first, end);
  });
}

__global__ void __launch_bounds__(32)
    count_walks_kernel(const __grid_constant__ TreeWork work, std::int64_t every, Total* total) {
  Total own[3] = {0, 0, 0};
  walk_sample(work, every, blockIdx.x, [&](const Walk::Found& found, std::int64_t first, std::int64_t end) {
    const auto targets = static_cast<Total>(end - first);
    own[near_boxes] += found.kind == Walk::near;
    own[far_boxes] += found.kind == Walk::far;
    if (found.kind == Walk::near) own[near_pairs] += targets * Total(found.sources);
  });
  for (int a = 0; a < 3; ++a) {  // whole numbers: the same sum in any order
    const Total all = sum_of_warp(own[a]);
    if (threadIdx.x == 0 && all) atomicAdd(total + a, all);
  }
}

struct CountLeaves {
  TreeView tree;
  Total* total;
  __device__ void operator()(std::int64_t box) const {
    if (tree.is_leaf(static_cast<BoxId>(box))) atomicAdd(total + leaves, Total(1));
  }
};

/// Powers of degree d + 1 of all multipoles.
template <class Shape, class Real>
struct MultipolePowers {
  TreeView tree;
  const Real* multipole;
  int stride, degree;
  const WalkHeader* header;
  double* power;

  __device__ double two_degrees(const Real* c, int low) const {
    double sum = 0;
    for (int i = low < 0 ? 0 : Shape::first(low); i < Shape::first(low + 2); ++i)
      sum += static_cast<double>(c[i]) * static_cast<double>(c[i]);
    return sum;
  }
  __device__ void operator()(std::int64_t box) const {
    const Real* c = multipole + box * stride;
    const bool some = tree.source_count(static_cast<BoxId>(box)) > 0;
    // about centres of mass degree 1 vanishes and says nothing of how powers fall
    const int least = header->moved ? 5 : 3;
    power[box] =
        some ? extrapolated_power(two_degrees(c, degree - 1), degree < least ? 0 : two_degrees(c, degree - 3), degree)
             : 0;
  }
};

/// What is missing at a group's targets. A lane takes the boxes that it found to one in eight of them.
template <class Means>
__global__ void __launch_bounds__(32)
    accepted_tails_kernel(const __grid_constant__ TreeWork work, std::int64_t every, const double* power,
                          const __grid_constant__ Means means, double* part, int width) {
  constexpr int one_in = 8;
  const TreeView& tree = work.tree;
  Truncation sum;
  walk_sample(work, every, blockIdx.x, [&](const Walk::Found& found, std::int64_t first, std::int64_t end) {
    if (found.kind != Walk::far) return;
    const TailMeans& own = means_of(means, tree.level[found.box]);
    const double edge = tree.lattice.edge(tree.level[found.box]),
                 each_for = static_cast<double>(end - first) / static_cast<double>((end - first + one_in - 1) / one_in);
    const BoxPlace place = read(walks_of(work).place + found.box);
    for (std::int64_t t = first; t < end; t += one_in) {
      double r2 = 0;
      for (int axis = 0; axis < own.decay.axes; ++axis) {
        const double u = displacement(work.target[axis][t], place.centre[axis]) / edge;
        r2 += u * u;
      }
      const Truncation one = outer_tail(power[found.box], r2, edge, own);
      sum += {{each_for * one.order[0], each_for * one.order[1]}};
    }
  });
  const double potential = sum_of_warp(sum.order[0]), gradient = sum_of_warp(sum.order[1]);
  if (static_cast<int>(threadIdx.x) < width)
    part[std::int64_t(blockIdx.x) * width + threadIdx.x] = threadIdx.x == 0   ? potential
                                                           : threadIdx.x == 1 ? gradient
                                                                              : 0;
}

}  // namespace

void count_walks(const TreeWork& evaluated, const Expandable& expandable, DeviceMemory& memory, Report& report) {
  TreeWork work = evaluated;
  DeviceArray<float4> places(memory);
  if (!work.centre) {
    places.resize(walk_memory(work.tree.boxes, 0));
    if (work.tree.boxes > 0) lay_places(work, places.data(), 0, expandable);
    work.centre = places.data();
  }
  DeviceArray<Total> total(memory);
  total.resize(totals);
  require(cudaMemsetAsync(total.data(), 0, totals * sizeof(Total), work.stream), "cudaMemsetAsync");
  const GroupSample sample = sample_groups(work.targets);
  if (work.tree.boxes > 0) for_each_index(work.tree.boxes, CountLeaves{work.tree, total.data()}, work.stream, "leaves");
  if (work.tree.boxes > 0 && work.targets > 0) {
    count_walks_kernel<<<static_cast<unsigned>(sample.groups), 32, 0, work.stream>>>(work, sample.every, total.data());
    require_launch("count_walks_kernel");
  }
  Total found[totals];
  download(found, total.data(), totals, work.stream);
  require(cudaStreamSynchronize(work.stream), "count_walks");
  const auto of_all = [&](Total count) { return static_cast<std::int64_t>(count) * sample.every; };
  report.boxes = work.tree.boxes;
  report.levels = work.tree.levels;
  report.leaves = static_cast<std::int64_t>(found[leaves]);
  report.near_pairs = of_all(found[near_pairs]);
  report.p2p_boxes = of_all(found[near_boxes]);
  report.m2p_boxes = of_all(found[far_boxes]);
  const double all = static_cast<double>(report.sources) * static_cast<double>(report.targets);
  report.far_fraction = all > 0 ? 1 - static_cast<double>(report.near_pairs) / all : 0;
}

template <class Shape, class Real>
static void find_powers(const Work<Real>& work, double* power) {
  for_each_index(work.tree.boxes,
                 MultipolePowers<Shape, Real>{work.tree, work.multipole, work.tables.stride, work.tables.degree,
                                              walks_of(work).header, power},
                 work.stream, "powers");
}

template <class Real>
int launch_accepted_tails(const Work<Real>& work, const TailMeans* by_level, double* power, double* part, int width) {
  const bool in_plane = work.planar.ready;
  if (in_plane)
    find_powers<PlanarShape>(work, power);
  else
    find_powers<SolidShape>(work, power);
  const GroupSample sample = sample_groups(work.targets);
  const auto groups = static_cast<unsigned>(sample.groups);
  if (by_level)
    accepted_tails_kernel<<<groups, 32, 0, work.stream>>>(work, sample.every, power, MeansOfLevels{by_level}, part,
                                                          width);
  else
    accepted_tails_kernel<<<groups, 32, 0, work.stream>>>(
        work, sample.every, power, tail_means(in_plane ? planar_decay : solid_decay, work.tables.degree), part, width);
  require_launch("accepted_tails_kernel");
  return static_cast<int>(sample.groups);
}

template int launch_accepted_tails(const Work<float>&, const TailMeans*, double*, double*, int);
template int launch_accepted_tails(const Work<double>&, const TailMeans*, double*, double*, int);

}  // namespace farfield::cuda
