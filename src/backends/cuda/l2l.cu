// l2l: locals of the boxes of one level receive their parent's. The matrix is the transpose of m2m's (both re-expand R
// about a shifted centre), times the ratio of the edges that locals are scaled with; one product for all eight children
// (octants.hpp). Cost: (d+1)^4 / 2 multiply-adds and 17 (d+1)^2 numbers of traffic per parent.
#include <cmath>

#include "backends/cuda/octants.hpp"
#include "backends/cuda/product.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

/// OctantView's lists in shared memory.
struct ByParity {
  std::int16_t *index, *begin;
  unsigned char* parity;
};

__device__ inline void load_lists(const OctantView& octants, int count, const ByParity& by) {
  const int begins = 8 * (degree_of(count - 1) + 2);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += octant_threads) {
    by.index[i] = octants.index[i];
    by.parity[i] = octants.parity[i];
  }
  for (int i = static_cast<int>(threadIdx.x); i < begins; i += octant_threads) by.begin[i] = octants.begin[i];
}

/// The parents' locals into shared memory, [group][coefficient][parent of the group].
template <class Real>
__device__ void load_parents(const Work<Real>& work, const Families<Real>& families, int groups, int count,
                             Parents<Real>* local) {
  constexpr int size = Parents<Real>::size;
  for (int place = static_cast<int>(threadIdx.x); place < groups * count * size; place += octant_threads) {
    const int i = place / size % count, p = place / size / count * size + place % size;
    const BoxId parent = families.parent[p];
    reinterpret_cast<Real*>(local)[place] =
        parent == no_box ? 0 : work.local[static_cast<std::int64_t>(parent) * work.tables.stride + i];
  }
}

/// S_k(i) of the parents.
template <class Real>
__device__ void sum_by_parity(const Real* matrix, int pitch, int groups, int count, const Parents<Real>* local,
                              const ByParity& by, const EightFold<Real>& sums) {
  const std::int16_t* end = by.begin + 8 * (degree_of(count - 1) + 1);
  for (int place = static_cast<int>(threadIdx.x); place < 8 * groups * count; place += octant_threads) {
    const int i = place % count, k = place / count % 8, group = place / count / 8;
    Parents<Real> sum{};
    for (int s = by.begin[8 * degree_of(i) + k]; s < end[k]; ++s) {
      const int j = by.index[s];
      const Real a = matrix[j * pitch + i];
      const Parents<Real> x = local[group * count + j];
#pragma unroll
      for (int p = 0; p < Parents<Real>::size; ++p) sum.value[p] += a * x.value[p];
    }
    sums(k, group, i) = sum;
  }
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

template <class Real>
__device__ void add_parents(const Work<Real>& work, const Families<Real>& families, int groups, int count,
                            const ByParity& by, const EightFold<Real>& sums) {
  constexpr int size = Parents<Real>::size;
  for (int place = static_cast<int>(threadIdx.x); place < groups * count * size; place += octant_threads) {
    const int i = place / size % count, p = place / size / count * size + place % size;
    Real x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = sums.number(k, place);
    walsh_hadamard(x);
    const auto own = static_cast<unsigned>(by.parity[i]);
#pragma unroll
    for (unsigned w = 0; w < 8; ++w)
      if (__popc(w & own) & 1) x[w] = -x[w];
    add_to_children(work, families, p, i, x);
  }
}

template <class Real, int fixed, bool staged>
__global__ void __launch_bounds__(octant_threads)
    l2l_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, OctantShape shape) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Families<Real> families;
  const int count = fixed ? fixed : work.tables.coefficients, groups = shape.groups;
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * shape.boxes;
  find_parents(work.tree, begin, begin + shape.boxes < last ? begin + shape.boxes : last, families);
  if (families.parents == 0) return;
  const EightFold<Real> sums{reinterpret_cast<Parents<Real>*>(shared), count, EightFold<Real>::pitch_of(groups, count)};
  Parents<Real>* local = sums.at + 8 * sums.pitch;
  auto* own_matrix = reinterpret_cast<Real*>(local + groups * count);
  auto* index = reinterpret_cast<std::int16_t*>(own_matrix + (staged ? count * count : 0));
  const ByParity by{index, index + count,
                    reinterpret_cast<unsigned char*>(index + count + 8 * (degree_of(count - 1) + 2))};
  load_lists(work.octants, count, by);
  if constexpr (staged) stage_matrix(matrix, count, work.tables.pitch, own_matrix);
  for (int from = 0; from < families.parents; from += groups * Parents<Real>::size) {
    __syncthreads();
    const int now = find_children(work.tree, from, groups, true, families);
    load_parents(work, families, now, count, local);
    __syncthreads();
    if constexpr (staged)
      sum_by_parity(own_matrix, count, now, count, local, by, sums);
    else
      sum_by_parity(matrix, work.tables.pitch, now, count, local, by, sums);
    __syncthreads();
    add_parents(work, families, now, count, by, sums);
  }
}

template <class Real>
static std::size_t shared_bytes(int groups, int count) {
  const auto numbers = static_cast<std::size_t>(count);
  const std::size_t words = 8 * static_cast<std::size_t>(EightFold<Real>::pitch_of(groups, count)) +
                            static_cast<std::size_t>(groups) * numbers;
  return sizeof(Parents<Real>) * words + (is_staged<Real>(count) ? sizeof(Real) * numbers * numbers : 0) +
         sizeof(std::int16_t) * (numbers + 8 * (static_cast<std::size_t>(std::sqrt(numbers)) + 2)) + numbers;
}

template <class Real>
static OctantShape shape_of(std::int64_t parents, int coefficients) {
  return octant_shape<Real>(parents, coefficients, shared_bytes<Real>(1, coefficients) + sizeof(Families<Real>) + 64);
}

template <class Real>
bool l2l_by_octants(int coefficients) {
  return shape_of<Real>(1, coefficients).groups > 0;
}

template <class Real>
void l2l(const Work<Real>& work, int level) {
  if (level == 2 && !work.reduced) return;  // nothing is far from boxes of level 1
  const BoxId first = work.tree.level_begin[level - 1], last = work.tree.level_begin[level];
  const int count = work.tables.coefficients;
  const OctantShape shape = shape_of<Real>(last - first, count);
  if (shape.groups == 0)  // degrees beyond 50
    return product_of_classes<Real>(work, {&work.tables, &work.tables.l2l, Reach::parent, work.local, work.local, true},
                                    level, level + 1);
  with_fixed_count<Real>(count, [&](auto constant) {
    constexpr int fixed = decltype(constant)::value;
    const auto kernel = is_staged<Real>(count) ? l2l_kernel<Real, fixed, true> : l2l_kernel<Real, fixed, false>;
    allow_shared_memory(reinterpret_cast<const void*>(kernel));
    kernel<<<shape.blocks, octant_threads, shared_bytes<Real>(shape.groups, count), work.stream>>>(
        work, octant_matrix(work.tables, work.tables.l2l), first, last, shape);
    require_launch("l2l");
  });
}

template bool l2l_by_octants<float>(int);
template bool l2l_by_octants<double>(int);
template void l2l<float>(const Work<float>&, int);
template void l2l<double>(const Work<double>&, int);

}  // namespace farfield::cuda
