// m2m: multipoles of the parents of one level from their children, M_parent = sum over children of T_octant M_child, by
// one product for all eight (octants.hpp). Cost: (d+1)^4 / 2 multiply-adds and 9 (d+1)^2 numbers of traffic per parent.
#include "backends/cuda/far/few/m2m.hpp"
#include "backends/cuda/far/octant_shapes.hpp"
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/m2l/product.hpp"
#include "backends/cuda/planar/stages.hpp"
#include "backends/cuda/runtime/residency.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

template <class Real>
__device__ void transform_children(const Work<Real>& work, const Siblings<Real>& siblings, int groups, int count,
                                   const EightFold<Real>& transforms) {
  constexpr int size = Parents<Real>::size;
  for (int place = static_cast<int>(threadIdx.x); place < groups * count * size;
       place += static_cast<int>(blockDim.x)) {
    const int i = place / size % count, p = place / size / count * size + place % size;
    Real x[8];
#pragma unroll
    for (int octant = 0; octant < 8; ++octant) {
      const BoxId child = siblings.child[octant][p];
      x[7 - octant] = child == no_box ? 0 : work.multipole[static_cast<std::int64_t>(child) * work.tables.stride + i];
    }
    walsh_hadamard(x);
#pragma unroll
    for (int w = 0; w < 8; ++w) transforms.number(w, place) = x[w];
  }
}

template <class Real>
__device__ void stage_matrix(const Real* matrix, int count, int pitch, Real* staged) {
  for (int i = static_cast<int>(threadIdx.x); i < count * count; i += static_cast<int>(blockDim.x))
    staged[i] = matrix[i / count * pitch + i % count];
}

/// The matrix, in shared or global memory, and the parities, in shared memory.
template <class Real>
struct Matrix {
  const Real* value;
  int pitch;
  const unsigned char* parity;
};

/// Sums the parents' coefficients from the transforms H_w; fills the rest of their strides with zeros. `coupled`: the
/// matrix maps degrees to lower ones, too.
template <bool coupled, int unrolled, class Real>
__device__ void sum_children(const Work<Real>& work, const Matrix<Real>& matrix, const Siblings<Real>& siblings,
                             int groups, int count, const EightFold<Real>& transforms, float scale) {
  constexpr int size = Parents<Real>::size;
  const int rest = work.tables.stride - count;
  for (int place = static_cast<int>(threadIdx.x); place < groups * count; place += static_cast<int>(blockDim.x)) {
    const int j = place % count, group = place / count, own = matrix.parity[j],
              below = coupled ? count : SolidShape::count(SolidShape::degree_of(j));
    Parents<Real> sum{};
#pragma unroll unrolled
    for (int i = 0; i < below; ++i) {
      const Real a = matrix.value[i * matrix.pitch + j];
      const Parents<Real> x = transforms(matrix.parity[i] ^ own, group, i);
#pragma unroll
      for (int p = 0; p < size; ++p) sum.value[p] += a * x.value[p];
    }
#pragma unroll
    for (int p = 0; p < size; ++p) {
      const BoxId parent = siblings.parent[group * size + p];
      if (parent != no_box) write_multipole(work, parent, j, sum.value[p], scale);
    }
  }
  for (int place = static_cast<int>(threadIdx.x); place < groups * size * rest; place += static_cast<int>(blockDim.x)) {
    const BoxId parent = siblings.parent[place / rest];
    if (parent != no_box) write_multipole(work, parent, count + place % rest, Real(0), scale);
  }
}

template <class Real, int fixed, bool staged, bool coupled, int threads = tuning::octant_threads>
__global__ void __launch_bounds__(threads, blocks_held(tuning::m2m_blocks* tuning::octant_threads / threads, threads))
    m2m_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, OctantShape shape) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Siblings<Real> siblings;
  const int count = fixed ? fixed : work.tables.coefficients, groups = shape.groups;
  const EightFold<Real> transforms{reinterpret_cast<Parents<Real>*>(shared), count,
                                   EightFold<Real>::pitch_of(groups, count)};
  auto* own_matrix = reinterpret_cast<Real*>(transforms.at + 8 * transforms.pitch);
  auto* parity = reinterpret_cast<unsigned char*>(own_matrix + (staged ? count * count : 0));
  const PlacesOfBlock places = places_of_block<false>(first, last, shape);
  find_parents(
      work.tree, places, [&](BoxId place) { return work.box_at(place); }, siblings);
  if (siblings.parents == 0) return;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    parity[i] = work.octants.parity[i];
  if constexpr (staged) stage_matrix(matrix, count, work.tables.pitch, own_matrix);
  const float scale = work.tensor.ready ? operand_scale(work.tensor, work.tree.level[work.box_at(places.first)]) : 0;
  for (int from = 0; from < siblings.parents; from += groups * Parents<Real>::size) {
    __syncthreads();
    const auto expanded = [&](BoxId child) { return work.expanded(child); };
    const int now = find_children(work.tree, from, groups, expanded, siblings);
    transform_children(work, siblings, now, count, transforms);
    __syncthreads();
    const Matrix<Real> own{staged ? own_matrix : matrix, staged ? count : work.tables.pitch, parity};
    sum_children<coupled, staged ? 4 : 8>(work, own, siblings, now, count, transforms, scale);
  }
}

template <class Real>
static std::size_t m2m_shared_bytes(int groups, int count) {
  const auto numbers = static_cast<std::size_t>(count);
  return sizeof(Parents<Real>) * 8 * static_cast<std::size_t>(EightFold<Real>::pitch_of(groups, count)) +
         (is_staged<Real>(count) ? sizeof(Real) * numbers * numbers : 0) + numbers;
}

template <class Real, int fixed, bool coupled>
static void launch_m2m(const Work<Real>& work, BoxId first, BoxId last, const OctantShape& shape) {
  if (const FewShape few = m2m_few_shape<Real>(last - first, work.tables.coefficients); few.groups > 0)
    return launch_m2m_few(work, first, last, few, coupled);
  launch_octants<Real>("m2m",
                       {m2m_kernel<Real, fixed, true, coupled>, m2m_kernel<Real, fixed, false, coupled>,
                        m2m_kernel<Real, 0, false, coupled, 2 * tuning::octant_threads>},
                       work, work.tables.m2m, first, last, shape,
                       m2m_shared_bytes<Real>(shape.groups, work.tables.coefficients));
}

/// Calls launch(boxes, their end, shape), or multiplies by eight matrices.
template <class Real, class Launch>
static void to_parents(const Work<Real>& work, int level, const Launch& launch) {
  const BoxId first = work.first_place(level), last = work.first_place(level + 1);
  if (first == last) return;
  const int count = work.tables.coefficients;
  const OctantShape shape =
      octant_shape<Real>(last - first, count, 0, m2m_shared_bytes<Real>(1, count) + sizeof(Siblings<Real>) + 64);
  if (shape.groups == 0)  // degrees beyond 42 on an H200
    return product_of_parents<Real>(
        work, {&work.tables, &work.tables.m2m, Reach::child, work.multipole, work.multipole, false}, first, last);
  launch(first, last, shape);
}

template <class Real>
void m2m(const Work<Real>& work, int level) {
  if (work.planar.ready) return planar_m2m(work, level);
  to_parents(work, level, [&](BoxId first, BoxId last, const OctantShape& shape) {
    with_fixed_count<Real>(work.tables.coefficients, [&](auto constant) {
      launch_m2m<Real, decltype(constant)::value, false>(work, first, last, shape);
    });
  });
}

template <class Real>
void m2m_of_level(const Work<Real>& work, int level) {
  to_parents(work, level, [&](BoxId first, BoxId last, const OctantShape& shape) {
    launch_m2m<Real, 0, true>(work, first, last, shape);
  });
}

template void m2m<float>(const Work<float>&, int);
template void m2m<double>(const Work<double>&, int);
template void m2m_of_level<float>(const Work<float>&, int);
template void m2m_of_level<double>(const Work<double>&, int);

}  // namespace farfield::cuda
