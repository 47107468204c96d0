// l2l: locals of the boxes of one level receive their parent's. The matrix is the transpose of m2m's (both re-expand R
// about a shifted centre), times the ratio of the edges that locals are scaled with; one product for all eight children
// (octants.hpp). Cost: (d+1)^4 / 2 multiply-adds and 17 (d+1)^2 numbers of traffic per parent.
#include "backends/cuda/octants.hpp"
#include "backends/cuda/product.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

/// Coefficients by parity, ascending: those of parity k are index[begin[k]] ... index[begin[k + 1] - 1].
struct ByParity {
  short* index;
  int begin[9];
};

/// By all threads of the block.
template <class Real>
__device__ void sort_by_parity(const TablesView<Real>& tables, ByParity& by) {
  const int warps = octant_threads / 32, lane = static_cast<int>(threadIdx.x) % 32;
  __shared__ int counts[8];
  for (int pass = 0; pass < 2; ++pass) {  // count, then fill
    for (int k = static_cast<int>(threadIdx.x) / 32; k < 8; k += warps) {
      int found = pass == 0 ? 0 : by.begin[k];
      for (int from = 0; from < tables.coefficients; from += 32) {
        const int i = from + lane;
        const bool mine = i < tables.coefficients && parity_of(tables, i) == k;
        const unsigned all = __ballot_sync(0xffffffffu, mine);
        if (pass == 1 && mine) by.index[found + __popc(all & ((1u << lane) - 1u))] = static_cast<short>(i);
        found += __popc(all);
      }
      if (pass == 0 && lane == 0) counts[k] = found;
    }
    __syncthreads();
    if (pass == 0 && threadIdx.x == 0) {
      by.begin[0] = 0;
      for (int k = 0; k < 8; ++k) by.begin[k + 1] = by.begin[k] + counts[k];
    }
    __syncthreads();
  }
}

/// The first of those of parity k with index >= least.
__device__ inline int first_from(const ByParity& by, int k, int least) {
  int low = by.begin[k], high = by.begin[k + 1];
  while (low < high) {
    const int middle = (low + high) / 2;
    if (by.index[middle] < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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
__global__ void __launch_bounds__(octant_threads)
    l2l_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, int groups) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Families<Real> families;
  __shared__ ByParity by;
  constexpr int size = Parents<Real>::size;
  const int count = work.tables.coefficients, stride = work.tables.stride, pitch = work.tables.pitch;
  auto* from = reinterpret_cast<Parents<Real>*>(shared);  // [group][coefficient]
  if (threadIdx.x == 0) by.index = reinterpret_cast<short*>(from + groups * count);
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * groups * size;
  find_families(work.tree, begin, last, groups * size, families);
  sort_by_parity(work.tables, by);
  for (int i = static_cast<int>(threadIdx.x); i < 8 * groups * size; i += octant_threads) {
    BoxId& child = families.child[i % 8][i / 8];
    if (child != no_box && work.tree.target_count(child) == 0) child = no_box;
  }
  for (int place = static_cast<int>(threadIdx.x); place < groups * size * count; place += octant_threads) {
    const int p = place % (groups * size), j = place / (groups * size);
    const BoxId parent = families.parent[p];
    from[p / size * count + j].value[p % size] =
        parent == no_box ? 0 : work.local[static_cast<std::int64_t>(parent) * stride + j];
  }
  __syncthreads();

  for (int place = static_cast<int>(threadIdx.x); place < groups * count; place += octant_threads) {
    const int i = place % count, group = place / count, n = degree_of(i);
    Real sum[size][8] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k)
      for (int s = first_from(by, k, n * n); s < by.begin[k + 1]; ++s) {
        const int j = by.index[s];
        const Real a = matrix[j * pitch + i];
        const Parents<Real> x = from[group * count + j];
#pragma unroll
        for (int p = 0; p < size; ++p) sum[p][k] += a * x.value[p];
      }
    const int own = parity_of(work.tables, i);
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

template <class Real>
static std::size_t shared_bytes(int groups, int count) {
  return (sizeof(Parents<Real>) * static_cast<std::size_t>(groups) + sizeof(short)) * static_cast<std::size_t>(count);
}

template <class Real>
void l2l(const Work<Real>& work, int level) {
  const BoxId first = work.tree.level_begin[level - 1], last = work.tree.level_begin[level];
  const int count = work.tables.coefficients;
  const int groups = groups_per_block<Real>(last - first, count, shared_bytes<Real>(1, count) + sizeof(Families<Real>));
  allow_shared_memory(reinterpret_cast<const void*>(l2l_kernel<Real>));
  const int parents = groups * Parents<Real>::size;
  l2l_kernel<Real><<<static_cast<unsigned>((last - first + parents - 1) / parents), octant_threads,
                     shared_bytes<Real>(groups, count), work.stream>>>(work, octant_matrix(work.tables, work.tables.l2l),
                                                                     first, last, groups);
  require_launch("l2l");
}

template void l2l<float>(const Work<float>&, int);
template void l2l<double>(const Work<double>&, int);

}  // namespace farfield::cuda
