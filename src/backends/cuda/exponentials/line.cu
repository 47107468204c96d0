#include <algorithm>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>

#include "backends/cuda/exponentials/line.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr std::int64_t longest_stretch = 256, shortest_stretch = 32;

/// Stretches and groups by the number of points alone: some thousand warps where there are points enough, and carries
/// over stretches of a group that are about as long as those over groups.
struct LineShape {
  std::int64_t steps, stretches, together, groups;
  explicit LineShape(std::int64_t points) {
    constexpr std::int64_t many = 4096;
    steps = std::clamp((points + many - 1) / many, shortest_stretch, longest_stretch);
    stretches = (points + steps - 1) / steps;
    together = std::max<std::int64_t>(1, std::llround(std::ceil(std::sqrt(static_cast<double>(stretches)))));
    groups = (stretches + together - 1) / together;
  }
};

/// Keys that are ordered like the coordinates; -0 is 0.
struct MakeKeys {
  const double *source, *target;
  std::int64_t sources;
  std::uint64_t* key;
  std::uint32_t* order;
  __device__ void operator()(std::int64_t i) const {
    const double x = (i < sources ? source[i] : target[i - sources]) + 0.0;
    const auto bits = static_cast<std::uint64_t>(__double_as_longlong(x));
    key[i] = bits >> 63 ? ~bits : bits | 1ull << 63;
    order[i] = static_cast<std::uint32_t>(i);
  }
};

struct TakePlaces {
  const double *source, *target;
  std::int64_t sources;
  const std::uint32_t* order;
  double* at;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t p = order[i];
    at[i] = p < sources ? source[p] : target[p - sources];
  }
};

template <class Real>
struct TakeStrengths {
  const Real* strength;
  std::int64_t sources;
  const std::uint32_t* order;
  double* sorted;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t p = order[i];
    sorted[i] = p < sources ? static_cast<double>(strength[p]) : 0.0;
  }
};

/// `first`: the number of points before the targets.
template <class Real>
struct Deliver {
  LineView view;
  const std::uint32_t* order;
  std::int64_t first;
  int axis;
  ResultArrays<Real> result;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t t = static_cast<std::int64_t>(order[i]) - first;
    if (t < 0) return;
    result[0][t] = static_cast<Real>(view.potential[i]);
    if (!view.derivative) return;
    for (int a = 0; a < 3; ++a)
      result[1 + a][t] = a == axis ? static_cast<Real>(view.derivative[i] * view.per_bandwidth) : Real(0);
  }
};

}  // namespace

LineSums::LineSums(DeviceMemory& memory) : memory_(memory) {
  use_all(memory, at_, strength_, sum_[0], sum_[1], head_[0], head_[1], group_head_[0], group_head_[1], order_);
}

std::int64_t LineSums::bytes(std::int64_t points, bool gradient) {
  const LineShape shape(points);
  const std::int64_t heads = shape.stretches + shape.groups;
  return points * (4 + 8 * (gradient ? 4 : 3)) + 2 * heads * exponentials::most_terms * 16 + points * 40 +
         (std::int64_t(1) << 22);  // keys and order, twice, and what the sort needs
}

void LineSums::lay_out(std::int64_t points, const LineScheme& scheme) {
  const LineShape shape(points);
  view_.sum = exponentials::make_sum(scheme.tolerance, scheme.gradient);
  view_.per_bandwidth = 1 / scheme.bandwidth;
  view_.points = points;
  view_.steps = shape.steps, view_.stretches = shape.stretches;
  view_.together = shape.together, view_.groups = shape.groups;
  for (DeviceArray<double>* array : {&at_, &strength_, &sum_[0]}) array->resize(points);
  sum_[1].resize(scheme.gradient ? points : 0);
  for (int side = 0; side < 2; ++side) {
    head_[side].resize(shape.stretches * view_.sum.terms);
    group_head_[side].resize(shape.groups * view_.sum.terms);
    view_.head[side] = head_[side].data(), view_.group_head[side] = group_head_[side].data();
  }
  view_.at = at_.data(), view_.strength = strength_.data();
  view_.potential = sum_[0].data(), view_.derivative = scheme.gradient ? sum_[1].data() : nullptr;
}

void LineSums::build(const double* source, std::int64_t sources, const double* target, std::int64_t targets,
                     const LineScheme& scheme) {
  sources_ = sources, alike_ = targets < 0;
  const std::int64_t points = sources + std::max<std::int64_t>(targets, 0);
  lay_out(points, scheme);
  DeviceArray<std::uint64_t> key(memory_), key_scratch(memory_);
  DeviceArray<std::uint32_t> order_scratch(memory_);
  key.resize(points), key_scratch.resize(points), order_.resize(points), order_scratch.resize(points);
  for_each_index(points, MakeKeys{source, target, sources, key.data(), order_.data()}, memory_.stream, "line keys");
  cub::DoubleBuffer<std::uint64_t> keys(key.data(), key_scratch.data());
  cub::DoubleBuffer<std::uint32_t> orders(order_.data(), order_scratch.data());
  with_temporary(memory_, "sort", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, orders, points, 0, 64, memory_.stream);
  });
  if (orders.Current() != order_.data()) order_.swap(order_scratch);
  for_each_index(points, TakePlaces{source, target, sources, order_.data(), at_.data()}, memory_.stream, "line places");
}

template <class Real>
void LineSums::sum(const NearWork<Real>& work) {
  for_each_index(view_.points, TakeStrengths<Real>{work.strength, sources_, order_.data(), strength_.data()},
                 work.stream, "line strengths");
  sweep_line(view_, work.stream);
  for_each_index(view_.points, Deliver<Real>{view_, order_.data(), alike_ ? 0 : sources_, axis, work.result},
                 work.stream, "line results");
}

template void LineSums::sum(const NearWork<float>&);
template void LineSums::sum(const NearWork<double>&);

}  // namespace farfield::cuda
