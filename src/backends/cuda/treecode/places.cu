#include "backends/cuda/treecode/places.hpp"
#include "backends/cuda/treecode/walk.hpp"

namespace farfield::cuda {

namespace {

struct LayPlace {
  TreeView tree;
  Acceptance rule;
  std::int64_t m2p_sources;
  Walks walks;
  float box_error;
  Expandable expandable;
  const double* plane;  ///< where the points share the third coordinate: its place, which boxes share then; else null

  __device__ void operator()(std::int64_t at) const {
    const auto box = static_cast<BoxId>(at);
    if (box == 0) *walks.header = {box_error, 0, 0, 0};
    const std::int64_t sources = tree.source_count(box);
    const double edge = tree.lattice.edge(tree.level[box]);
    const bool divides = sources > m2p_sources && tree.child_count(box) > 0, wide = edge > expandable.widest;
    const bool few = sources == 0 || sources <= m2p_sources || (wide && !divides);
    double least = fmax(edge / rule.theta, least_beyond_reach(rule, edge, 0));
    if (wide) least = fmax(least, least_beyond(expandable.beyond, edge, 0, rule.axes));
    walks.place[box] = {{tree.coordinate(box, 0), tree.coordinate(box, 1), plane ? *plane : tree.coordinate(box, 2)},
                        few ? INFINITY : __double2float_ru(least),
                        0,
                        0,
                        0,
                        static_cast<std::uint32_t>(divides ? tree.first_child[box] : tree.source_begin[box]),
                        divides ? static_cast<std::uint32_t>(tree.child_count(box)) | (wide ? BoxPlace::nothing : 0)
                                : static_cast<std::uint32_t>(sources) | BoxPlace::undivided};
  }
};

template <class Real>
struct FindSigns {
  const Real* strength;
  volatile WalkHeader* header;
  __device__ void operator()(std::int64_t i) const {  // every thread that writes writes the same
    const Real q = strength[i];
    if (q > 0 && !header->positive) header->positive = 1;
    if (q < 0 && !header->negative) header->negative = 1;
  }
};

inline constexpr int measuring_warps = 4, measured_together = 4;

struct MeasureStage {
  Group group;
  Walk::Stack stack;
};

/// The acceleration at the middle of a group, by the masses alone of boxes accepted by the widest angle, and of leaves;
/// for lane 0. Sources are softened by the group's size and by `softening`.
__device__ float measured_field(const TreeWork& work, float softening, MeasureStage& stage) {
  const float half = stage.group.largest_half(), soft2 = half * half + softening * softening;
  float field[3] = {}, size = 0;
  Walk walk(work, stage.group, stage.stack);
  for (bool more = true; more;) {
    const Walk::Found found = walk.next(more);
    if (found.kind != Walk::near && found.kind != Walk::far) continue;
    float square = soft2;
    for (const float d : found.at) square += d * d;
    const float inverse = square > 0 ? rsqrtf(square) : 0.0f, w = found.mass * inverse * inverse;
    size += fabsf(w);
    for (int axis = 0; axis < 3; ++axis) field[axis] += w * inverse * found.at[axis];
  }
  float all = 0;
  for (float& part : field) part = sum_of_warp(part), all += part * part;
  // where the field vanishes, in a symmetric cloud's middle, no box would be accepted
  return fmaxf(sqrtf(all), sum_of_warp(size) / 64);
}

/// Where a group lies by the one that was measured before it, the field is the same to a tenth.
class Measured {
 public:
  __device__ bool serves(const Group& group) const {
    const double near = 4 * static_cast<double>(fminf(half_, group.largest_half()));
    bool by = near > 0;
    for (int axis = 0; axis < 3; ++axis) by &= fabs(displacement(group.middle[axis], middle_[axis])) <= near;
    return by;
  }
  __device__ void keep(const Group& group) {
    for (int axis = 0; axis < 3; ++axis) middle_[axis] = group.middle[axis];
    half_ = group.largest_half();
  }

 private:
  double middle_[3] = {};
  float half_ = 0;
};

__global__ void __launch_bounds__(measuring_warps * 32)
    measure_groups_kernel(const __grid_constant__ TreeWork work, int degree, float softening) {
  __shared__ MeasureStage stages[measuring_warps];
  const Walks walks = walks_of(work);
  if (!walks.header->by_error()) return;
  MeasureStage& stage = stages[threadIdx.x / 32];
  Measured measured;
  float stretch = 0;
  const std::int64_t number = measured_together * (std::int64_t(blockIdx.x) * measuring_warps + threadIdx.x / 32);
  for (int k = 0; k < measured_together; ++k)
    for_each_group(work, number + k, [&](std::int64_t first, std::int64_t end) {
      stage.group.enclose(work, first, end, false);
      if (!measured.serves(stage.group)) {
        const float field = measured_field(work, softening, stage);
        stretch = stretch_of(degree, walks.header->box_error * field);
        measured.keep(stage.group);
      }
      if (threadIdx.x % 32 == 0) walks.stretch[first] = stretch;
    });
}

}  // namespace

void lay_places(const TreeWork& work, float4* memory, double box_error, const Expandable& expandable) {
  const Walks walks = walks_in(memory, work.tree.boxes);
  const double* plane = work.rule.axes == 3 ? nullptr : work.sources > 0 ? work.source[2] : work.target[2];
  for_each_index(
      work.tree.boxes,
      LayPlace{work.tree, work.rule, work.m2p_sources, walks, static_cast<float>(box_error), expandable, plane},
      work.stream, "places of boxes");
}

template <class Real>
void find_signs(const NearWork<Real>& work) {
  for_each_index(work.sources, FindSigns<Real>{work.strength, walks_of(work).header}, work.stream, "signs");
}

void measure_groups(const TreeWork& work, int degree, const Softening& softening) {
  constexpr int of_block = measuring_warps * measured_together;
  const std::int64_t blocks = (groups_of(work.targets) + of_block - 1) / of_block;
  const auto length = static_cast<float>(softening.length / reach_over_length(softening.kind));
  measure_groups_kernel<<<static_cast<unsigned>(blocks), measuring_warps * 32, 0, work.stream>>>(work, degree, length);
  require_launch("measure_groups_kernel");
}

template void find_signs(const NearWork<float>&);
template void find_signs(const NearWork<double>&);

}  // namespace farfield::cuda
