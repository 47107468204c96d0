// l2l: adds to the locals of the boxes of one level the locals of their parents. The matrix is the transpose of m2m's
// (both re-expand R about a shifted centre), times the ratio of the edges that locals are scaled with; one product
// serves all eight children (octants.hpp). A thread computes one coefficient for a group of parents: all eight S_k in
// registers, and from these the coefficients of the children, added to the old values that asynchronous copies have
// fetched meanwhile. Consecutive threads write consecutive coefficients of one child. Cost: (d+1)^4 / 2 multiply-adds
// and 17 (d+1)^2 numbers of traffic per parent.
#include <cuda_pipeline_primitives.h>

#include "backends/cuda/far/few/l2l.hpp"
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/far/octant_shapes.hpp"
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/m2l/product.hpp"
#include "backends/cuda/planar/stages.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// The matrix into shared memory, rows in the order of OctantView::index: rows of one parity are consecutive.
template <class Real>
__device__ void stage_by_parity(const Real* matrix, const OctantView& octants, int count, int pitch, Real* staged) {
  for (int i = static_cast<int>(threadIdx.x); i < count * count; i += static_cast<int>(blockDim.x))
    staged[i] = matrix[octants.index[i / count] * pitch + i % count];
}

/// The same by a block of many threads, asynchronously: it asks for all of the matrix before it looks for its parents.
template <class Real>
__device__ void copy_by_parity(const Real* matrix, const OctantView& octants, int count, int pitch, Real* staged) {
  const int warps = static_cast<int>(blockDim.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < count; i += warps) {
    const Real* const row = matrix + octants.index[i] * pitch;
    for (int j = lane; j < count; j += 32) __pipeline_memcpy_async(&staged[i * count + j], &row[j], sizeof(Real));
  }
  __pipeline_commit();
}

/// Old values of one coefficient of a group's children. A thread reads only values that it has copied: no barrier.
template <class Real, int threads>
struct OldValues {
  Real value[8][Parents<Real>::size][threads];
};

/// Missing children copy a coefficient that is not used, so that the eight copies issue without a branch.
template <class Real, int threads>
__device__ void copy_children(const Work<Real>& work, int stride, const Siblings<Real>& siblings, int group, int i,
                              OldValues<Real, threads>& old) {
  constexpr int size = Parents<Real>::size;
  BoxId child[8][size];  // read before the first copy: reads of shared memory would wait for one copy after another
#pragma unroll
  for (int octant = 0; octant < 8; ++octant)
#pragma unroll
    for (int p = 0; p < size; ++p) child[octant][p] = siblings.child[octant][group * size + p];
  const BoxId other = siblings.all[0];
#pragma unroll
  for (int octant = 0; octant < 8; ++octant)
#pragma unroll
    for (int p = 0; p < size; ++p) {
      const BoxId box = child[octant][p] == no_box ? other : child[octant][p];
      __pipeline_memcpy_async(&old.value[octant][p][threadIdx.x], coefficient_of(work, stride, box, i), sizeof(Real));
    }
  __pipeline_commit();
}

/// sum[k] = S_k(i) of the parents in `local`. The lanes of a warp sum over the same terms, so that they read the same
/// words of shared memory: from the lowest degree of these lanes on. Below a lane's own degree the matrix has zeros,
/// but for one that is `coupled`.
template <class Real, bool staged, int unrolled, bool coupled>
__device__ void sum_by_parity(const Real* matrix, int pitch, int count, int i, const Parents<Real>* local,
                              const ByParity& by, Parents<Real> sum[8]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, lowest = i < lane ? 0 : i - lane;
  const std::int16_t *begin = by.begin + 8 * (coupled ? 0 : SolidShape::degree_of(lowest)),
                     *end = by.begin + 8 * (SolidShape::degree_of(count - 1) + 1);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sum[k] = {};
    const Real* row = matrix + (staged ? begin[k] * pitch : 0) + i;
    const Parents<Real>* x = local + begin[k];
#pragma unroll unrolled
    for (int s = begin[k]; s < end[k]; ++s) {
      const Real a = staged ? *row : row[by.index[s] * pitch];
#pragma unroll
      for (int p = 0; p < Parents<Real>::size; ++p) sum[k].value[p] += a * x->value[p];
      ++x;
      if (staged) row += pitch;
    }
  }
}

/// Adds coefficient i of the children, from its S_k; `parity` is c(i). x[w] = sum_k (-1)^(bits of w & (k ^ parity))
/// S_k; the parity's signs are applied within the transform.
template <class Real, int threads>
__device__ void add_to_children(const Work<Real>& work, int stride, const Siblings<Real>& siblings, int group, int i,
                                unsigned parity, const Parents<Real> sum[8], const OldValues<Real, threads>& old) {
  constexpr int size = Parents<Real>::size;
  Real sign[3];
#pragma unroll
  for (int bit = 0; bit < 3; ++bit) sign[bit] = parity >> bit & 1u ? Real(-1) : Real(1);
#pragma unroll
  for (int p = 0; p < size; ++p) {
    Real x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = sum[k].value[p];
    walsh_hadamard(x, sign);
#pragma unroll
    for (int octant = 0; octant < 8; ++octant) {
      const BoxId child = siblings.child[octant][group * size + p];
      const Real value = old.value[octant][p][threadIdx.x] + x[7 - octant];
      if (child != no_box) *coefficient_of(work, stride, child, i) = value;
    }
  }
}

/// Adds to the children of a batch of groups of parents.
template <class Real, int fixed, bool staged, bool coupled, bool many, int threads>
__device__ void sum_parents(const Work<Real>& work, const Real* matrix, const Siblings<Real>& siblings, int groups,
                            const ByParity& by, Parents<Real>* local, OldValues<Real, threads>& old) {
  constexpr int unrolled = fixed && fixed < 50 ? 1 : staged ? 4 : 8;  // rows of one parity are (d+1)^2 / 8
  const int count = fixed ? fixed : work.tables.coefficients, places = groups * count;
  const int stride = fixed ? stride_of<Real>(fixed) : work.tables.stride, pitch = staged ? count : work.tables.pitch;
  int place = static_cast<int>(threadIdx.x);
  if (place < places) copy_children(work, stride, siblings, place / count, place % count, old);
  load_parents(work, siblings, groups, count, by, local);
  if constexpr (many) __pipeline_wait_prior(0);  // for the matrix, too
  __syncthreads();
  while (place < places) {
    const int i = place % count, group = place / count;
    Parents<Real> sum[8];
    sum_by_parity<Real, staged, unrolled, coupled>(matrix, pitch, count, i, local + group * count, by, sum);
    __pipeline_wait_prior(0);
    add_to_children(work, stride, siblings, group, i, by.parity[i], sum, old);
    if (fixed || many) break;  // no thread has a second place, see octant_shape and many_shape
    place += static_cast<int>(blockDim.x);
    if (place < places) copy_children(work, stride, siblings, place / count, place % count, old);
  }
}

template <class Real, int fixed, bool staged, bool coupled, int threads = tuning::octant_threads>
__global__ void __launch_bounds__(threads, tuning::l2l_blocks* tuning::octant_threads / threads)
    l2l_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, OctantShape shape) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Siblings<Real> siblings;
  constexpr bool many = threads == tuning::many_octant_threads;
  const int count = fixed ? fixed : work.tables.coefficients, groups = shape.groups;
  auto& old = *reinterpret_cast<OldValues<Real, threads>*>(shared);
  auto* local = reinterpret_cast<Parents<Real>*>(&old + 1);
  auto* own_matrix = reinterpret_cast<Real*>(local + groups * count);
  auto* index = reinterpret_cast<std::int16_t*>(own_matrix + (staged ? count * count : 0));
  const ByParity by{index, index + count,
                    reinterpret_cast<unsigned char*>(index + count + 8 * (SolidShape::degree_of(count - 1) + 2))};
  const auto has_targets = [&](BoxId box) { return work.alike || work.tree.target_count(box) > 0; };
  const auto with_targets = [&](BoxId box) { return has_targets(box) ? box : no_box; };
  if constexpr (many) copy_by_parity(matrix, work.octants, count, work.tables.pitch, own_matrix);
  const auto wanted_at = [&](BoxId place) { return with_targets(work.box_at(place)); };
  for (PlacesOfBlock places = places_of_block<many>(first, last, shape); places.any(); places.advance()) {
    find_parents(work.tree, places, wanted_at, siblings);
    if (siblings.parents == 0) continue;
    load_lists(work.octants, count, by);
    if constexpr (staged && !many) stage_by_parity(matrix, work.octants, count, work.tables.pitch, own_matrix);
    for (int from = 0; from < siblings.parents; from += groups * Parents<Real>::size) {
      __syncthreads();
      const int now = find_children(work.tree, from, groups, with_targets, siblings);
      sum_parents<Real, fixed, staged, coupled, many>(work, staged ? own_matrix : matrix, siblings, now, by, local,
                                                      old);
    }
  }
}

template <class Real>
static std::size_t l2l_shared_bytes(int groups, int count, int threads, bool with_matrix) {
  const auto numbers = static_cast<std::size_t>(count);
  return 8 * sizeof(Parents<Real>) * static_cast<std::size_t>(threads) +
         sizeof(Parents<Real>) * static_cast<std::size_t>(groups) * numbers +
         (with_matrix ? sizeof(Real) * numbers * numbers : 0) +
         sizeof(std::int16_t) * (numbers + 8 * (static_cast<std::size_t>(SolidShape::degree_of(count)) + 2)) + numbers;
}
template <class Real>
static std::size_t l2l_shared_bytes(int groups, int count) {
  return l2l_shared_bytes<Real>(groups, count, octant_threads_of(count), is_staged<Real>(count));
}

template <class Real>
static OctantShape shape_of(std::int64_t parents, int coefficients) {
  return octant_shape<Real>(parents, coefficients,
                            l2l_shared_bytes<Real>(0, coefficients) + sizeof(Siblings<Real>) + 64,
                            sizeof(Parents<Real>) * static_cast<std::size_t>(coefficients));
}

template <class Real>
bool l2l_by_octants(int coefficients) {
  return shape_of<Real>(1, coefficients).groups > 0;
}

template <class Real, int fixed, bool coupled>
static void launch_l2l(const Work<Real>& work, BoxId first, BoxId last, const OctantShape& shape) {
  const int count = work.tables.coefficients;
  constexpr int most = tuning::many_octant_threads;
  const auto bytes_of = [&](int groups) { return l2l_shared_bytes<Real>(groups, count, most, true); };
  if (const FewShape few = l2l_few_shape<Real>(last - first, count); few.groups > 0)
    return launch_l2l_few(work, first, last, few, coupled);
  if constexpr (tuning::single<Real>)
    if (const OctantShape many = many_shape<Real>(last - first, count, bytes_of); many.groups > 0)
      return launch_many("l2l", l2l_kernel<Real, 0, true, coupled, most>, work, work.tables.l2l, first, last, many,
                         bytes_of(many.groups));
  launch_octants<Real>("l2l",
                       {l2l_kernel<Real, fixed, true, coupled>, l2l_kernel<Real, fixed, false, coupled>,
                        l2l_kernel<Real, 0, false, coupled, 2 * tuning::octant_threads>},
                       work, work.tables.l2l, first, last, shape, l2l_shared_bytes<Real>(shape.groups, count));
}

/// Calls launch(parents, their end, shape), or multiplies by eight matrices.
template <class Real, class Launch>
static void to_children(const Work<Real>& work, int level, const Launch& launch) {
  const BoxId first = work.first_place(level - 1), last = work.first_place(level);
  if (first == last) return;
  const OctantShape shape = shape_of<Real>(last - first, work.tables.coefficients);
  if (shape.groups == 0)  // high degrees on devices of little shared memory
    return product_of_classes<Real>(work, {&work.tables, &work.tables.l2l, Reach::parent, work.local, work.local, true},
                                    level, level + 1);
  launch(first, last, shape);
}

template <class Real>
void l2l(const Work<Real>& work, int level) {
  if (work.planar.ready) return planar_l2l(work, level);
  if (level == 2 && !work.reduced) return;  // nothing is far from boxes of level 1
  to_children(work, level, [&](BoxId first, BoxId last, const OctantShape& shape) {
    with_fixed_count<Real>(work.tables.coefficients, [&](auto constant) {
      launch_l2l<Real, decltype(constant)::value, false>(work, first, last, shape);
    });
  });
}

template <class Real>
void l2l_of_level(const Work<Real>& work, int level) {
  to_children(work, level, [&](BoxId first, BoxId last, const OctantShape& shape) {
    launch_l2l<Real, 0, true>(work, first, last, shape);
  });
}

template bool l2l_by_octants<float>(int);
template bool l2l_by_octants<double>(int);
template void l2l<float>(const Work<float>&, int);
template void l2l<double>(const Work<double>&, int);
template void l2l_of_level<float>(const Work<float>&, int);
template void l2l_of_level<double>(const Work<double>&, int);

}  // namespace farfield::cuda
