// How the boxes of a level are divided among the blocks of m2m and l2l, and where a block has its matrix. Levels of few
// boxes: few/parents.hpp.
#pragma once
#include <algorithm>

#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/runtime/device.hpp"

namespace farfield::cuda {

/// Is a matrix so small that each of the several blocks of a multiprocessor has it in shared memory?
template <class Real>
bool is_staged(int count) {
  return sizeof(Real) * static_cast<std::size_t>(count) * static_cast<std::size_t>(count) <= tuning::most_staged_bytes;
}

/// With a thread for each coefficient, a block does with one look at the matrix, which waits for its numbers.
inline int octant_threads_of(int coefficients) {
  return coefficients > tuning::octant_threads ? 2 * tuning::octant_threads : tuning::octant_threads;
}

/// A block has `boxes` of a level's boxes and processes `groups` groups of parents at a time, as many as give every
/// thread a coefficient. Blocks have fewer boxes where there would be few blocks. groups == 0: not even one group fits
/// into shared memory beside the fixed needs of a block.
struct OctantShape {
  int groups, boxes;
  unsigned blocks;
};
template <class Real>
OctantShape octant_shape(std::int64_t boxes, int coefficients, std::size_t bytes_of_block,
                         std::size_t bytes_per_group) {
  const auto room = static_cast<std::size_t>(device_limits().shared_bytes);
  if (bytes_of_block + bytes_per_group > room) return {0, 0, 0};
  const auto fit = static_cast<int>((room - bytes_of_block) / bytes_per_group);
  OctantShape shape{std::min({tuning::octant_groups, fit, std::max(1, tuning::octant_threads / coefficients)}),
                    most_boxes, 0};
  while (shape.groups > 1 && boxes < std::int64_t(shape.groups) * Parents<Real>::size * device_limits().multiprocessors)
    shape.groups /= 2;
  while (shape.boxes > shape.groups * Parents<Real>::size &&
         boxes < std::int64_t(shape.boxes) * tuning::octant_blocks * device_limits().multiprocessors)
    shape.boxes /= 2;
  shape.blocks = static_cast<unsigned>((boxes + shape.boxes - 1) / shape.boxes);
  return shape;
}

/// Of many boxes, in single: where a matrix is too large for the shared memory of several blocks, each multiprocessor
/// has one block with it, which takes every so many-th box. groups == 0: there are too few boxes, or there is no room
/// for two groups. Of l2l: one H200, degree 12, 3,375 parents among images 44 us in place of 64, 4,096 so 50 in place
/// of 86; 2^24 points 0.52 ms in place of 0.73. m2m, whose threads look at one row after another, gained nothing by it.
template <class Real, class BytesOf>
OctantShape many_shape(std::int64_t boxes, int coefficients, const BytesOf& bytes_of) {
  const std::int64_t blocks = device_limits().multiprocessors;
  if (is_staged<Real>(coefficients) || boxes < blocks * Parents<Real>::size) return {0, 0, 0};
  const auto room = static_cast<std::size_t>(device_limits().shared_bytes);
  int groups = std::min(tuning::octant_groups, tuning::many_octant_threads / coefficients);
  while (groups > 0 && bytes_of(groups) + sizeof(Siblings<Real>) + 256 > room) --groups;
  if (groups < 2) return {0, 0, 0};
  return {groups, static_cast<int>(std::min<std::int64_t>(most_boxes, (boxes + blocks - 1) / blocks)),
          static_cast<unsigned>(blocks)};
}

/// What a block looks through first; `spread`: as many_shape has it.
template <bool spread>
__device__ PlacesOfBlock places_of_block(BoxId first, BoxId last, const OctantShape& shape) {
  const auto block = static_cast<BoxId>(blockIdx.x), blocks = static_cast<BoxId>(gridDim.x);
  return {first + block * (spread ? 1 : shape.boxes), spread ? blocks : 1, last, shape.boxes};
}

template <class Real>
using OctantKernel = void (*)(Work<Real>, const Real*, BoxId, BoxId, OctantShape);

template <class Real>
void launch_octants(const char* name, OctantKernel<Real> kernel, int threads, const Work<Real>& work,
                    const Operators<Real>& operators, BoxId first, BoxId last, const OctantShape& shape,
                    std::size_t bytes) {
  launch_kernel(name, kernel, {shape.blocks, threads, bytes}, work.stream, work, octant_matrix(work.tables, operators),
                first, last, shape);
}
/// A stage with the matrix in shared memory, without, and of more coefficients than a block of the others has threads.
template <class Real>
struct OctantKernels {
  OctantKernel<Real> staged, plain, wide;
};
template <class Real>
void launch_octants(const char* name, const OctantKernels<Real>& kernels, const Work<Real>& work,
                    const Operators<Real>& operators, BoxId first, BoxId last, const OctantShape& shape,
                    std::size_t bytes) {
  const int count = work.tables.coefficients, threads = octant_threads_of(count);
  const auto kernel = threads > tuning::octant_threads ? kernels.wide
                      : is_staged<Real>(count)         ? kernels.staged
                                                       : kernels.plain;
  launch_octants(name, kernel, threads, work, operators, first, last, shape, bytes);
}
/// Of many boxes, with a thread for each coefficient of all groups.
template <class Real>
void launch_many(const char* name, OctantKernel<Real> kernel, const Work<Real>& work, const Operators<Real>& operators,
                 BoxId first, BoxId last, const OctantShape& shape, std::size_t bytes) {
  const int threads = (shape.groups * work.tables.coefficients + 31) / 32 * 32;
  launch_octants(name, kernel, threads, work, operators, first, last, shape, bytes);
}

}  // namespace farfield::cuda
