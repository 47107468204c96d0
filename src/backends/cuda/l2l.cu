// l2l: locals of the boxes of one level receive their parent's. The matrix is the transpose of m2m's (both re-expand R
// about a shifted centre), times the ratio of the edges that locals are scaled with; one product for all eight children
// (octants.hpp). Cost: (d+1)^4 / 2 multiply-adds and 17 (d+1)^2 numbers of traffic per parent.
#include "backends/cuda/octants.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

/// OctantView's lists in shared memory.
struct ByParity {
  std::int16_t *index, *begin;
};

__device__ inline void load_lists(const OctantView& octants, int count, const ByParity& by) {
  const int begins = 8 * (degree_of(count - 1) + 2);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += octant_threads) by.index[i] = octants.index[i];
  for (int i = static_cast<int>(threadIdx.x); i < begins; i += octant_threads) by.begin[i] = octants.begin[i];
}

/// Adds x[7 - octant] to coefficient i of the children of parent p. All loads before the first store: they overlap.
template <class Real>
__device__ void add_to_children(const Work<Real>& work, const Families<Real>& families, int p, int i, const Real x[8]) {
  Real before[8];
#pragma unroll
  for (int octant = 0; octant < 8; ++octant) {
    const BoxId child = families.child[octant][p];
    before[octant] = child == no_box ? 0 : work.local[static_cast<std::int64_t>(child) * work.tables.stride + i];
  }
#pragma unroll
  for (int octant = 0; octant < 8; ++octant) {
    const BoxId child = families.child[octant][p];
    if (child != no_box)
      work.local[static_cast<std::int64_t>(child) * work.tables.stride + i] = before[octant] + x[7 - octant];
  }
}

/// The parents' locals into shared memory, [group][coefficient].
template <class Real>
__device__ void load_parents(const Work<Real>& work, const Families<Real>& families, int groups, Parents<Real>* local) {
  constexpr int size = Parents<Real>::size;
  const int count = work.tables.coefficients, parents = groups * size;
  for (int place = static_cast<int>(threadIdx.x); place < parents * count; place += octant_threads) {
    const int p = place % parents, j = place / parents;
    const BoxId parent = families.parent[p];
    local[p / size * count + j].value[p % size] =
        parent == no_box ? 0 : work.local[static_cast<std::int64_t>(parent) * work.tables.stride + j];
  }
}

template <class Real>
__device__ void add_parents(const Work<Real>& work, const Real* matrix, int pitch, const Families<Real>& families,
                            int groups, const Parents<Real>* local, const ByParity& by) {
  constexpr int size = Parents<Real>::size;
  const int count = work.tables.coefficients;
  const std::int16_t* end = by.begin + 8 * (degree_of(count - 1) + 1);
  for (int place = static_cast<int>(threadIdx.x); place < groups * count; place += octant_threads) {
    const int i = place % count, group = place / count;
    const std::int16_t* from = by.begin + 8 * degree_of(i);
    Real sum[size][8] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k)
      for (int s = from[k]; s < end[k]; ++s) {
        const int j = by.index[s];
        const Real a = matrix[j * pitch + i];
        const Parents<Real> x = local[group * count + j];
#pragma unroll
        for (int p = 0; p < size; ++p) sum[p][k] += a * x.value[p];
      }
    const int own = work.octants.parity[i];
#pragma unroll
    for (int p = 0; p < size; ++p) {
      walsh_hadamard(sum[p]);
#pragma unroll
      for (int w = 0; w < 8; ++w)
        if (__popc(static_cast<unsigned>(w & own)) & 1) sum[p][w] = -sum[p][w];
      add_to_children(work, families, group * size + p, i, sum[p]);
    }
  }
}

template <class Real, bool staged>
__global__ void __launch_bounds__(octant_threads, 5)
    l2l_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, OctantShape shape) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Families<Real> families;
  const int count = work.tables.coefficients, groups = shape.groups, parents = groups * Parents<Real>::size;
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * shape.boxes;
  find_parents(work.tree, begin, begin + shape.boxes < last ? begin + shape.boxes : last, families);
  if (families.parents == 0) return;
  auto* local = reinterpret_cast<Parents<Real>*>(shared);
  auto* own_matrix = reinterpret_cast<Real*>(local + groups * count);
  auto* index = reinterpret_cast<std::int16_t*>(own_matrix + (staged ? count * count : 0));
  const ByParity by{index, index + count};
  load_lists(work.octants, count, by);
  if constexpr (staged) stage_matrix(matrix, count, work.tables.pitch, own_matrix);
  for (int from = 0; from < families.parents; from += parents) {
    __syncthreads();
    find_children(work.tree, from, parents, true, families);
    load_parents(work, families, groups, local);
    __syncthreads();
    if constexpr (staged)
      add_parents(work, own_matrix, count, families, groups, local, by);
    else
      add_parents(work, matrix, work.tables.pitch, families, groups, local, by);
  }
}

template <class Real>
static std::size_t shared_bytes(int groups, int count) {
  const auto numbers = static_cast<std::size_t>(count);
  return sizeof(Parents<Real>) * static_cast<std::size_t>(groups) * numbers +
         (is_staged<Real>(count) ? sizeof(Real) * numbers * numbers : 0) +
         sizeof(std::int16_t) * (numbers + 8 * most_degrees);
}

template <class Real>
void l2l(const Work<Real>& work, int level) {
  if (level == 2 && !work.reduced) return;  // nothing is far from boxes of level 1
  const BoxId first = work.tree.level_begin[level - 1], last = work.tree.level_begin[level];
  const int count = work.tables.coefficients;
  const OctantShape shape =
      octant_shape<Real>(last - first, count, shared_bytes<Real>(1, count) + sizeof(Families<Real>) + 64);
  const auto kernel = is_staged<Real>(count) ? l2l_kernel<Real, true> : l2l_kernel<Real, false>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<shape.blocks, octant_threads, shared_bytes<Real>(shape.groups, count), work.stream>>>(
      work, octant_matrix(work.tables, work.tables.l2l), first, last, shape);
  require_launch("l2l");
}

template void l2l<float>(const Work<float>&, int);
template void l2l<double>(const Work<double>&, int);

}  // namespace farfield::cuda
