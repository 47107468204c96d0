// Translations between a parent and its eight children by the reflections that relate them.
//
// The matrix of octant o is P_o A P_o, A that of octant 7 and P_o diagonal: coefficient i keeps or changes its sign under
// the reflection of an axis, three bits c(i) in all, so that P_o has (-1)^(bits common to c(i) and 7 - o). Hence
//   m2m  M(j)   = sum_i A(j, i) H_{c(i) ^ c(j)}(i),      H_w(i) = sum_o (-1)^(w & 7-o) M_o(i)
//   l2l  L_o(i) = sum_k (-1)^(7-o & k ^ c(i)) S_k(i),    S_k(i) = sum_{j: c(j) = k} A^T(i, j) L(j)
// H and the sum over k are Walsh-Hadamard transforms of eight numbers: 24 additions. One product with A serves eight
// children, and what remains is reading and writing the coefficients. A maps no degree to a lower one, so half of the
// products are left out. With eight matrices per parent (product.cu) the work was sixteen times as much.
#pragma once
#include "backends/cuda/check.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

inline constexpr int octant_threads = 128;

/// 16 bytes of parents: what one thread sums at a time.
template <class Real>
struct alignas(16) Parents {
  static constexpr int size = 16 / static_cast<int>(sizeof(Real));
  Real value[size];
};

/// x[w] = sum_k (-1)^(bits of w & k) x[k]
template <class Real>
__device__ void walsh_hadamard(Real x[8]) {
#pragma unroll
  for (int half = 1; half < 8; half *= 2)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (!(k & half)) {
        const Real a = x[k], b = x[k | half];
        x[k] = a + b;
        x[k | half] = a - b;
      }
}

/// c(i): bit a is set where coefficient i changes its sign under the reflection of axis a.
template <class Real>
__device__ int parity_of(const TablesView<Real>& tables, int i) {
  const Real* sign = tables.rotation.sign + i;
  const int count = tables.coefficients;
  return (sign[count] < 0) | (sign[2 * count] < 0) << 1 | (sign[4 * count] < 0) << 2;
}

/// n of coefficient i = n^2 + n + m.
__device__ inline int degree_of(int i) {
  int n = static_cast<int>(sqrtf(static_cast<float>(i) + 0.5f));
  return n;
}

/// The matrix of octant 7 among the eight of m2m or l2l: element (in, out) at [in * pitch + out].
template <class Real>
const Real* octant_matrix(const TablesView<Real>& tables, const Operators<Real>& operators) {
  return operators.matrix + static_cast<std::int64_t>(7) * tables.stride * tables.pitch;
}

/// Parents of the block, and their children: no_box where there is none.
inline constexpr int most_groups = 16;
template <class Real>
struct Families {
  BoxId parent[most_groups * Parents<Real>::size];
  BoxId child[8][most_groups * Parents<Real>::size];
};

/// Parents first ... first + count - 1 below `last`, those that are no leaves.
template <class Real>
__device__ void find_families(const TreeView& tree, BoxId first, BoxId last, int count, Families<Real>& families) {
  for (int i = static_cast<int>(threadIdx.x); i < 8 * count; i += octant_threads) {
    const int p = i / 8, octant = i % 8;
    const bool exists = first + p < last && !tree.is_leaf(first + p);
    families.child[octant][p] = exists ? tree.child(first + p, octant) : no_box;
    if (octant == 0) families.parent[p] = exists ? first + p : no_box;
  }
  __syncthreads();
}

/// Groups of parents per block: as many as give every thread a coefficient, fewer where shared memory or the number
/// of blocks would suffer; 0: not even one group fits.
template <class Real>
int groups_per_block(std::int64_t boxes, int coefficients, std::size_t bytes_per_group) {
  const auto fit = static_cast<int>(static_cast<std::size_t>(device_limits().shared_bytes) / bytes_per_group);
  int groups = 1;
  while (groups < most_groups && groups * coefficients < octant_threads &&
         boxes > 2ll * groups * Parents<Real>::size * 2 * device_limits().multiprocessors)
    groups *= 2;
  return groups < fit ? groups : fit;
}

}  // namespace farfield::cuda
