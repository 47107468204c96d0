// m2m: multipoles of the parents of one level from their children, M_parent = sum over children of T_octant M_child, by
// one product for all eight (octants.hpp). Cost: (d+1)^4 / 2 multiply-adds and 9 (d+1)^2 numbers of traffic per parent.
#include "backends/cuda/octants.hpp"
#include "backends/cuda/product.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

/// Transforms of the children's coefficients: [w][group][coefficient][parent of the group], an odd number of 16-byte
/// words per w, so that threads with eight different w meet different banks.
template <class Real>
struct Transforms {
  Parents<Real>* at;
  int count, pitch;
  __host__ __device__ static int pitch_of(int groups, int count) { return groups * count | 1; }
  __device__ Parents<Real>& operator()(int w, int group, int i) const { return at[w * pitch + group * count + i]; }
};

template <class Real>
__device__ void transform_children(const Work<Real>& work, const Families<Real>& families, int groups,
                                   const Transforms<Real>& transforms) {
  constexpr int size = Parents<Real>::size;
  const int parents = groups * size;
  for (int place = static_cast<int>(threadIdx.x); place < parents * transforms.count; place += octant_threads) {
    const int p = place % parents, i = place / parents;
    Real x[8];
#pragma unroll
    for (int octant = 0; octant < 8; ++octant) {
      const BoxId child = families.child[octant][p];
      x[7 - octant] = child == no_box ? 0 : work.multipole[static_cast<std::int64_t>(child) * work.tables.stride + i];
    }
    walsh_hadamard(x);
#pragma unroll
    for (int w = 0; w < 8; ++w) transforms(w, p / size, i).value[p % size] = x[w];
  }
}

/// The parents' coefficients from the transforms, and the rest of their strides.
template <class Real>
__device__ void sum_children(const Work<Real>& work, const Real* matrix, int pitch, const Families<Real>& families,
                             int groups, const Transforms<Real>& transforms, const unsigned char* parity) {
  constexpr int size = Parents<Real>::size;
  const int count = transforms.count, stride = work.tables.stride;
  for (int place = static_cast<int>(threadIdx.x); place < groups * count; place += octant_threads) {
    const int j = place % count, group = place / count, own = parity[j], n = degree_of(j), below = (n + 1) * (n + 1);
    Parents<Real> sum{};
#pragma unroll 4
    for (int i = 0; i < below; ++i) {
      const Real a = matrix[i * pitch + j];
      const Parents<Real> x = transforms(parity[i] ^ own, group, i);
#pragma unroll
      for (int p = 0; p < size; ++p) sum.value[p] += a * x.value[p];
    }
#pragma unroll
    for (int p = 0; p < size; ++p) {
      const BoxId parent = families.parent[group * size + p];
      if (parent != no_box) work.multipole[static_cast<std::int64_t>(parent) * stride + j] = sum.value[p];
    }
  }
  const int rest = stride - count;
  for (int place = static_cast<int>(threadIdx.x); place < groups * size * rest; place += octant_threads) {
    const BoxId parent = families.parent[place / rest];
    if (parent != no_box) work.multipole[static_cast<std::int64_t>(parent) * stride + count + place % rest] = 0;
  }
}

template <class Real, bool staged>
__global__ void __launch_bounds__(octant_threads)
    m2m_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, OctantShape shape) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Families<Real> families;
  const int count = work.tables.coefficients, groups = shape.groups, parents = groups * Parents<Real>::size;
  const Transforms<Real> transforms{reinterpret_cast<Parents<Real>*>(shared), count,
                                    Transforms<Real>::pitch_of(groups, count)};
  auto* own_matrix = reinterpret_cast<Real*>(transforms.at + 8 * transforms.pitch);
  auto* parity = reinterpret_cast<unsigned char*>(own_matrix + (staged ? count * count : 0));
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * shape.boxes;
  find_parents(work.tree, begin, begin + shape.boxes < last ? begin + shape.boxes : last, families);
  if (families.parents == 0) return;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += octant_threads) parity[i] = work.octants.parity[i];
  if constexpr (staged) stage_matrix(matrix, count, work.tables.pitch, own_matrix);
  for (int from = 0; from < families.parents; from += parents) {
    __syncthreads();
    find_children(work.tree, from, parents, false, families);
    transform_children(work, families, groups, transforms);
    __syncthreads();
    if constexpr (staged)
      sum_children(work, own_matrix, count, families, groups, transforms, parity);
    else
      sum_children(work, matrix, work.tables.pitch, families, groups, transforms, parity);
  }
}

template <class Real>
static std::size_t shared_bytes(int groups, int count) {
  const auto numbers = static_cast<std::size_t>(count);
  return sizeof(Parents<Real>) * 8 * static_cast<std::size_t>(Transforms<Real>::pitch_of(groups, count)) +
         (is_staged<Real>(count) ? sizeof(Real) * numbers * numbers : 0) + numbers;
}

template <class Real>
void m2m(const Work<Real>& work, int level) {
  const BoxId first = work.tree.level_begin[level], last = work.tree.level_begin[level + 1];
  const int count = work.tables.coefficients;
  const OctantShape shape =
      octant_shape<Real>(last - first, count, shared_bytes<Real>(1, count) + sizeof(Families<Real>) + 64);
  if (shape.groups == 0)  // degrees beyond 50
    return product_of_parents<Real>(
        work, {&work.tables, &work.tables.m2m, Reach::child, work.multipole, work.multipole, false}, first, last);
  const auto kernel = is_staged<Real>(count) ? m2m_kernel<Real, true> : m2m_kernel<Real, false>;
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<shape.blocks, octant_threads, shared_bytes<Real>(shape.groups, count), work.stream>>>(
      work, octant_matrix(work.tables, work.tables.m2m), first, last, shape);
  require_launch("m2m");
}

template void m2m<float>(const Work<float>&, int);
template void m2m<double>(const Work<double>&, int);

}  // namespace farfield::cuda
