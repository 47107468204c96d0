#include <algorithm>

#include "backends/cuda/periodic/blocks/box_sums.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

/// Coefficients that both the tree's expansions and the blocks' have.
int common_count(const FieldView& f, const Work<float>& work) { return std::min(f.count, work.tables.coefficients); }

/// Adds the charges of a box's sources, and these times the squares of their distances from the cell's centre.
__device__ void add_sources(const BlockBoxes& boxes, const Work<float>& work, BoxId box, double& charge,
                            double& second) {
  const std::int64_t end = work.tree.source_end[box];
  for (std::int64_t s = work.tree.source_begin[box] + threadIdx.x; s < end; s += sum_threads) {
    const double q = work.strength[s];
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double v = (work.source[axis][s] - boxes.root_centre[axis]) * boxes.root_factor;
      square += v * v;
    }
    charge += q, second += q * square;
  }
}

/// m2m; a block of threads for each box. `known`: coefficients that the tree has.
__global__ void __launch_bounds__(sum_threads)
    parts_of_boxes(FieldView f, BlockBoxes boxes, Work<float> work, int known) {
  extern __shared__ __align__(16) double shared[];
  __shared__ double lane[sum_threads];
  double *const scaled = shared, *const multipole = shared + 2 * f.count;
  const BlockBox own = boxes.box[blockIdx.x];
  const float* const given = work.multipole + std::int64_t(own.box) * work.tables.stride;
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += sum_threads) multipole[i] = i < known ? given[i] : 0;
  __syncthreads();
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(scaled, n, m, convolution::scaled(multipole, f.roots, n, m));
  });
  __syncthreads();
  double* const part = boxes.part + std::int64_t(blockIdx.x) * numbers_of_part(f.degree);
  const double* const unit = boxes.unit_charge + std::int64_t(2) * own.place * f.count;
  for_each_order(f.degree, [&](int i, int n, int m) {
    const convolution::Complex sum = convolution::m2m(scaled, unit, boxes.power, n, m);
    part[2 * i] = sum.real, part[2 * i + 1] = sum.imaginary;
  });
  double charge = 0, second = 0;
  add_sources(boxes, work, own.box, charge, second);
  charge = sum_of_block(charge, lane), second = sum_of_block(second, lane);
  double* const sums = part + 2 * convolution::orders(f.degree);
  if (threadIdx.x == 0) sums[0] = charge, sums[1] = second;
}

/// The parts of a block's boxes, one after the other.
struct AddBoxes {
  FieldView f;
  BlockBoxes boxes;
  __device__ void operator()(std::int64_t at) const {
    const int numbers = numbers_of_part(f.degree), block = static_cast<int>(at / (numbers / 2)),
              i = static_cast<int>(at % (numbers / 2));
    double first = 0, second = 0;
    for (std::int32_t box = boxes.begin[block]; box < boxes.begin[block + 1]; ++box) {
      const double* const part = boxes.part + std::int64_t(box) * numbers + 2 * i;
      first += part[0], second += part[1];
    }
    double* const multipole = f.multipole + std::int64_t(block) * f.count;
    if (i == convolution::orders(f.degree))
      multipole[0] = first, f.second[block] = second;
    else if (i > 0)
      put(multipole, convolution::Order(i), {first, second});
  }
  /// See SolidConvolution::unscaled.
  __device__ void put(double* multipole, const convolution::Order& at, const convolution::Complex& scaled) const {
    const double size = f.roots[SolidShape::index(at.n, at.m)] * (at.m > 0 ? convolution::root_of_two : 1.0);
    multipole[SolidShape::index(at.n, at.m)] = size * scaled.real;
    if (at.m > 0) multipole[SolidShape::index(at.n, -at.m)] = -size * scaled.imaginary;
  }
};

/// l2l; a block of threads for each box.
__global__ void __launch_bounds__(sum_threads)
    locals_of_boxes(FieldView f, BlockBoxes boxes, Work<float> work, int known) {
  extern __shared__ __align__(16) double shared[];
  double *const y = shared, *const local = shared + 2 * f.count;
  const BlockBox own = boxes.box[blockIdx.x];
  const double* const given = f.local + std::int64_t(4) * own.block * f.count;
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += sum_threads) local[i] = given[4 * i];
  __syncthreads();
  for_each_order(f.degree, [&](int, int n, int m) {
    convolution::set_both(y, n, m, convolution::of_local(local, f.roots, n, m));
  });
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < f.count; i += sum_threads) local[i] = 0;
  __syncthreads();
  const double* const unit = boxes.unit_charge + std::int64_t(2) * own.place * f.count;
  for_each_order(SolidShape::degree_of(known - 1), [&](int, int k, int l) {
    convolution::add_real_local(f.roots, k, l, convolution::l2l(f.degree, y, unit, boxes.power, k, l), local);
  });
  __syncthreads();
  float* const to = work.local + std::int64_t(own.box) * work.tables.stride;
  for (int i = static_cast<int>(threadIdx.x); i < known; i += sum_threads)
    to[i] += static_cast<float>(boxes.ratio * local[i]);
}

/// Of the largest strength, which is scaled to 1: what rounding leaves of a sum that is 0.
constexpr double no_charge = 1e-7;

struct AddNetCharge {
  const double* charge;
  BlockBoxes boxes;
  const double* target[3];
  ResultArrays<float> result;
  __device__ void operator()(std::int64_t t) const {
    if (fabs(*charge) <= no_charge) return;
    const double potential = *charge * boxes.root_factor, slope = 2 * potential * boxes.root_factor;
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double v = (target[axis][t] - boxes.root_centre[axis]) * boxes.root_factor;
      square += v * v;
      if (float* const gradient = result[1 + axis]) gradient[t] += static_cast<float>(slope * v);
    }
    if (result[0]) result[0][t] += static_cast<float>(potential * square);
  }
};

LaunchShape shape_of_boxes(const FieldView& f, const BlockBoxes& boxes) {
  return {dim3(static_cast<unsigned>(boxes.count)), sum_threads,
          3 * static_cast<std::size_t>(f.count) * sizeof(double)};
}

}  // namespace

void blocks_from_boxes(const FieldView& f, const BlockBoxes& boxes, const Work<float>& work) {
  if (boxes.count > 0)
    launch_kernel("m2m of boxes to blocks", parts_of_boxes, shape_of_boxes(f, boxes), work.stream, f, boxes, work,
                  common_count(f, work));
  for_each_index(std::int64_t(f.blocks) * (numbers_of_part(f.degree) / 2), AddBoxes{f, boxes}, work.stream,
                 "m2m of boxes to blocks");
}

void boxes_from_blocks(const FieldView& f, const BlockBoxes& boxes, const Work<float>& work) {
  if (boxes.count > 0)
    launch_kernel("l2l of blocks to boxes", locals_of_boxes, shape_of_boxes(f, boxes), work.stream, f, boxes, work,
                  common_count(f, work));
}

void add_net_charge(const FieldView& f, const BlockBoxes& boxes, const Work<float>& work) {
  if (f.quadratic == 0) return;
  const AddNetCharge add{f.charge, boxes, {work.target[0], work.target[1], work.target[2]}, work.result};
  for_each_index(work.targets, add, work.stream, "net charge of a cell");
}

}  // namespace farfield::cuda
