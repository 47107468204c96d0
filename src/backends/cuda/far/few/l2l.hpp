// l2l of few parents: a block has 32 coefficients of some groups of boxes, each of its eight warps the sums of one
// parity, then every thread the children of a parent. A lane reads 32 numbers of the matrix at once: up to degree 13
// all that it needs.
#pragma once
#include "backends/cuda/far/few/parents.hpp"
#include "backends/cuda/far/l2l_parents.hpp"

namespace farfield::cuda {

inline constexpr int few_groups = 4;  ///< of a block, at most
template <class Real>
inline constexpr int l2l_few_blocks = tuning::single<Real> ? 3 : 2;  ///< for which registers must suffice

/// Shared memory of a block.
template <class Real>
struct FewLocals {
  static constexpr int size = Parents<Real>::size, tasks = few_columns * size;
  using Sums = Parents<Real>[8][few_columns];
  int groups, count;
  Sums* sum;             ///< [group][parity][coefficient]
  Parents<Real>* local;  ///< [group][coefficient], coefficients sorted by parity
  Real* old;             ///< of children, [octant][group][coefficient][parent of the group]
  BoxId (*child)[8];     ///< [parent][octant]; no_box where there is none

  __device__ FewLocals(unsigned char* shared, int groups, int count)
      : groups(groups),
        count(count),
        sum(reinterpret_cast<Sums*>(shared)),
        local(reinterpret_cast<Parents<Real>*>(sum + groups)),
        old(reinterpret_cast<Real*>(local + groups * count)),
        child(reinterpret_cast<BoxId (*)[8]>(old + 8 * groups * tasks)) {}
  static std::size_t bytes(int groups, int count) {
    return static_cast<std::size_t>(groups) * (sizeof(Sums) + sizeof(Parents<Real>) * static_cast<std::size_t>(count) +
                                               sizeof(Real[8][tasks]) + sizeof(BoxId[size][8]));
  }
  __device__ Real& old_of(int octant, int task) const { return old[octant * groups * tasks + task]; }
};

/// The terms of one parity, places `at` ... end - 1 of OctantView::index; a lane knows the rows of two.
struct FewTerms {
  int at, end, row, next;

  __device__ FewTerms(const OctantView& octants, int lowest, int degree, int parity)
      : at(octants.begin[8 * lowest + parity]), end(octants.begin[8 * (degree + 1) + parity]) {
    row = row_of(octants, at), next = row_of(octants, at + 32);
  }
  __device__ int row_of(const OctantView& octants, int from) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return from + lane < end ? octants.index[from + lane] : 0;
  }
  /// 32 numbers of a column of the matrix.
  template <class Real>
  __device__ void fetch(const Real* column, int pitch, Real a[32]) const {
#pragma unroll
    for (int t = 0; t < 32; ++t) {
      const int from = __shfl_sync(0xffffffffu, row, t);
      a[t] = at + t < end ? column[from * pitch] : 0;
    }
  }
  __device__ void advance(const OctantView& octants) {
    at += 32, row = next;
    next = row_of(octants, at + 32);
  }
};

/// Copies what the block's coefficients take of the parents' locals: rows from `lowest` on. Leaves' are not used.
template <class Real>
__device__ void copy_locals(const Work<Real>& work, BoxId begin, BoxId last, int lowest, const FewLocals<Real>& few) {
  constexpr int size = Parents<Real>::size, step = few_threads / size, together = 4;
  const int p = static_cast<int>(threadIdx.x) % size;
  for (int from = static_cast<int>(threadIdx.x) / size; from < few.count; from += together * step) {
    int row[together];
#pragma unroll
    for (int n = 0; n < together; ++n) row[n] = from + n * step < few.count ? work.octants.index[from + n * step] : -1;
#pragma unroll
    for (int n = 0; n < together; ++n)
#pragma unroll 1
      for (int group = 0; group < few.groups; ++group)
        if (const BoxId place = begin + group * size + p; row[n] >= lowest && place < last)
          __pipeline_memcpy_async(&few.local[group * few.count + from + n * step].value[p],
                                  coefficient_of(work, work.tables.stride, work.box_at(place), row[n]), sizeof(Real));
  }
  __pipeline_commit();
}

/// Adds up to 32 terms to S_k(i) of all groups, as sum_by_parity does; the first ones begin the sums.
template <class Real>
__device__ void sum_few(const FewTerms& terms, bool first, int k, const Real a[32], const FewLocals<Real>& few) {
#pragma unroll 1
  for (int group = 0; group < few.groups; ++group) {
    Parents<Real>& whole = few.sum[group][k][threadIdx.x % 32];
    Parents<Real> sum{};
    if (!first) sum = whole;
    const Parents<Real>* x = few.local + group * few.count + terms.at;
#pragma unroll
    for (int t = 0; t < 32; ++t)
      if (terms.at + t < terms.end)
#pragma unroll
        for (int p = 0; p < Parents<Real>::size; ++p) sum.value[p] += a[t] * x[t].value[p];
    whole = sum;
  }
}

/// Old values of the children's coefficients from `column` on; a thread reads only what it has copied.
template <class Real>
__device__ void copy_children(const Work<Real>& work, int column, const FewLocals<Real>& few) {
  constexpr int size = Parents<Real>::size, tasks = FewLocals<Real>::tasks;
#pragma unroll 1
  for (int task = static_cast<int>(threadIdx.x); task < few.groups * tasks; task += few_threads) {
    const int i = column + task / size % few_columns, parent = task / tasks * size + task % size;
#pragma unroll
    for (int octant = 0; octant < 8; ++octant)
      if (const BoxId child = few.child[parent][octant]; child != no_box && i < few.count)
        __pipeline_memcpy_async(&few.old_of(octant, task), coefficient_of(work, work.tables.stride, child, i),
                                sizeof(Real));
  }
  __pipeline_commit();
}

/// Adds the same coefficients, from the sums of all parities; `parity` of all that this thread adds.
template <class Real>
__device__ void add_to_children(const Work<Real>& work, int column, unsigned parity, const FewLocals<Real>& few) {
  constexpr int size = Parents<Real>::size, tasks = FewLocals<Real>::tasks;
  Real sign[3];
#pragma unroll
  for (int bit = 0; bit < 3; ++bit) sign[bit] = parity >> bit & 1u ? Real(-1) : Real(1);
#pragma unroll 1
  for (int task = static_cast<int>(threadIdx.x); task < few.groups * tasks; task += few_threads) {
    const int at = task / size % few_columns, i = column + at, parent = task / tasks * size + task % size;
    if (i >= few.count) return;
    Real x[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = few.sum[task / tasks][k][at].value[task % size];
    walsh_hadamard(x, sign);
#pragma unroll
    for (int octant = 0; octant < 8; ++octant)
      if (const BoxId child = few.child[parent][octant]; child != no_box)
        *coefficient_of(work, work.tables.stride, child, i) = few.old_of(octant, task) + x[7 - octant];
  }
}

/// The child that a thread looks up: octant threadIdx.x % 8 of box threadIdx.x / 8 of the block's `boxes`.
template <class Real>
__device__ BoxId own_child(const Work<Real>& work, BoxId begin, BoxId last, int boxes) {
  const int own = static_cast<int>(threadIdx.x) / 8;
  if (own >= boxes || begin + own >= last) return no_box;
  const BoxId box = work.box_at(begin + own);
  const unsigned mask = work.tree.child_mask[box], octant = threadIdx.x % 8;  // both looked up at once
  const BoxId first = work.tree.first_child[box];
  return mask >> octant & 1u ? first + __popc(mask & ((1u << octant) - 1u)) : no_box;
}

/// `coupled`: the matrix maps degrees to higher ones, too.
template <class Real>
__global__ void __launch_bounds__(few_threads, l2l_few_blocks<Real>)
    l2l_few_kernel(Work<Real> work, const Real* matrix, BoxId first, BoxId last, int groups, bool coupled) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int size = Parents<Real>::size;
  const int thread = static_cast<int>(threadIdx.x), count = work.tables.coefficients, pitch = work.tables.pitch,
            k = thread / 32, column = few_columns * static_cast<int>(blockIdx.y),
            own = column + thread / size % few_columns, lowest = coupled ? 0 : SolidShape::degree_of(column);
  const FewLocals<Real> few(shared, groups, count);
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * groups * size;
  if (blockIdx.x == 0) prefetch_rows(matrix + column, pitch, SolidShape::first(lowest) + thread, few_threads, count);
  FewTerms terms(work.octants, lowest, SolidShape::degree_of(count - 1), k);
  BoxId child = own_child(work, begin, last, groups * size);
  copy_locals(work, begin, last, SolidShape::first(lowest), few);
  for (bool beginning = true; beginning || terms.at < terms.end; beginning = false) {
    Real a[32];
    terms.fetch(matrix + column + thread % 32, pitch, a);
    if (beginning) {  // with the numbers of the matrix under way
      if (!work.alike && child != no_box && work.tree.target_count(child) == 0) child = no_box;
      if (thread < 8 * groups * size) few.child[thread / 8][thread % 8] = child;
      __pipeline_wait_prior(0);
      if (!__syncthreads_or(child != no_box)) return;
      copy_children(work, column, few);
    }
    sum_few(terms, beginning, k, a, few);
    terms.advance(work.octants);
  }
  const unsigned parity = own < count ? work.octants.parity[own] : 0;
  __syncthreads();
  __pipeline_wait_prior(0);
  add_to_children(work, column, parity, few);
}

template <class Real>
FewShape l2l_few_shape(std::int64_t boxes, int coefficients) {
  if (coefficients <= tuning::few_l2l_coefficients) return {};
  return few_shape<Real>(boxes, (coefficients + few_columns - 1) / few_columns, few_groups,
                         [&](int groups) { return FewLocals<Real>::bytes(groups, coefficients); });
}

template <class Real>
void launch_l2l_few(const Work<Real>& work, BoxId first, BoxId last, const FewShape& shape, bool coupled) {
  launch_kernel("l2l", l2l_few_kernel<Real>, {shape.blocks, few_threads, shape.bytes}, work.stream, work,
                octant_matrix(work.tables, work.tables.l2l), first, last, shape.groups, coupled);
}

}  // namespace farfield::cuda
