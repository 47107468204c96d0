// l2l of few parents in single, with more coefficients than a thread of l2l.cu each fills a multiprocessor with: such a
// thread waits for one number of the matrix after another. Here four threads share each coefficient: each has the sums
// of two parities, then the children of one parent. The same sums in the same order, so the same bits. Degree 14, up to
// 700 parents: 17 us a level where l2l.cu takes 28 (one H100).
#pragma once
#include <cuda_pipeline_primitives.h>

#include "backends/cuda/far/l2l_parents.hpp"

namespace farfield::cuda {

/// Shared memory of a block, which does with Parents<float>::size parents at a time.
struct FewParents {
  static constexpr int coefficients = 256, parts = Parents<float>::size, threads = parts * coefficients;
  static constexpr int degrees = 16;
  static_assert(SolidShape::count(degrees - 1) <= coefficients);
  float old[8][threads];
  Parents<float> sum[8][coefficients], local[coefficients];
  std::int16_t index[coefficients], begin[8 * (degrees + 1)];
  unsigned char parity[coefficients];
};

inline bool are_few_parents(int coefficients, const OctantShape& shape) {
  return coefficients > tuning::octant_threads && coefficients <= FewParents::coefficients && shape.groups == 1 &&
         shape.blocks <= 2 * static_cast<unsigned>(device_limits().multiprocessors) &&
         sizeof(FewParents) + sizeof(Siblings<float>) + 64 <= static_cast<std::size_t>(device_limits().shared_bytes);
}

/// S_k(i) of all parents, as sum_by_parity adds it up; numbers of the matrix are read eight at a time.
template <bool coupled>
__device__ Parents<float> sum_of_parity(const float* matrix, int pitch, int count, int i, int k,
                                        const FewParents& few) {
  constexpr int together = 8;
  const int lane = static_cast<int>(threadIdx.x) % 32, lowest = i < lane ? 0 : i - lane;
  const int begin = few.begin[8 * (coupled ? 0 : SolidShape::degree_of(lowest)) + k],
            end = few.begin[8 * (SolidShape::degree_of(count - 1) + 1) + k];
  Parents<float> sum{};
  for (int s = begin; s < end; s += together) {
    float a[together];
#pragma unroll
    for (int t = 0; t < together; ++t) a[t] = s + t < end ? matrix[few.index[s + t] * pitch + i] : 0;
#pragma unroll
    for (int t = 0; t < together && s + t < end; ++t)
#pragma unroll
      for (int p = 0; p < Parents<float>::size; ++p) sum.value[p] += a[t] * few.local[s + t].value[p];
  }
  return sum;
}

/// Old values of coefficient i of the children of parent number `part`; a thread reads only what it has copied.
__device__ inline void copy_children(const Work<float>& work, const Siblings<float>& siblings, int part, int i,
                                     FewParents& few) {
#pragma unroll
  for (int octant = 0; octant < 8; ++octant)
    if (const BoxId child = siblings.child[octant][part]; child != no_box)
      __pipeline_memcpy_async(&few.old[octant][threadIdx.x], coefficient_of(work, work.tables.stride, child, i),
                              sizeof(float));
  __pipeline_commit();
}

/// Adds coefficient i of the children of parent number `part`, from the sums of all parities.
__device__ inline void add_to_children(const Work<float>& work, const Siblings<float>& siblings, int part, int i,
                                       const FewParents& few) {
  float x[8], sign[3];
#pragma unroll
  for (int bit = 0; bit < 3; ++bit) sign[bit] = few.parity[i] >> bit & 1u ? -1.f : 1.f;
#pragma unroll
  for (int k = 0; k < 8; ++k) x[k] = few.sum[k][i].value[part];
  walsh_hadamard(x, sign);
  __pipeline_wait_prior(0);
#pragma unroll
  for (int octant = 0; octant < 8; ++octant)
    if (const BoxId child = siblings.child[octant][part]; child != no_box)
      *coefficient_of(work, work.tables.stride, child, i) = few.old[octant][threadIdx.x] + x[7 - octant];
}

template <bool coupled>
__global__ void __launch_bounds__(FewParents::threads)
    l2l_few_kernel(Work<float> work, const float* matrix, BoxId first, BoxId last, OctantShape shape) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Siblings<float> siblings;
  auto& few = *reinterpret_cast<FewParents*>(shared);
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * shape.boxes;
  find_parents(work.tree, begin, begin + shape.boxes < last ? begin + shape.boxes : last, siblings);
  if (siblings.parents == 0) return;
  const int count = work.tables.coefficients, thread = static_cast<int>(threadIdx.x);
  const int i = thread % FewParents::coefficients, part = thread / FewParents::coefficients;
  const ByParity by{few.index, few.begin, few.parity};
  load_lists(work.octants, count, by);
  for (int from = 0; from < siblings.parents; from += Parents<float>::size) {
    __syncthreads();
    find_children(work.tree, from, 1, !work.alike, siblings);
    if (i < count) copy_children(work, siblings, part, i, few);
    load_parents(work, siblings, 1, count, by, few.local);
    __syncthreads();
    for (int k = 2 * part; i < count && k < 2 * part + 2; ++k)
      few.sum[k][i] = sum_of_parity<coupled>(matrix, work.tables.pitch, count, i, k, few);
    __syncthreads();
    if (i < count) add_to_children(work, siblings, part, i, few);
  }
}

template <bool coupled>
void launch_l2l_few(const Work<float>& work, BoxId first, BoxId last, const OctantShape& shape) {
  launch_kernel("l2l", l2l_few_kernel<coupled>, {shape.blocks, FewParents::threads, sizeof(FewParents)}, work.stream,
                work, octant_matrix(work.tables, work.tables.l2l), first, last, shape);
}

}  // namespace farfield::cuda
