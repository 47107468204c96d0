// m2m and l2l of the plane. The matrices of the four octants differ by powers of i: that of the octant i^r (1 + i)/4 is
// A_nk i^(r (n-k)), A the one of octant 3. So one product serves four children:
//   m2m  M_n = sum_k A_nk Z^(n-k)_k,  Z^s = sum_r i^(r s) M^r;    l2l  L^r_k += sum_s i^(-r s) S^s_k,
//   S^s_k = sum over n with n - k = s mod 4 of conj(A_nk) L_n.
// Bound by reading and writing the coefficients.
#include <algorithm>
#include <cmath>

#include "backends/cuda/planar/parents.hpp"
#include "backends/cuda/planar/stages.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

/// Z^0 ... Z^3 of the numbers of four children in the order of turns.
template <class Real>
__device__ void combine_turns(const Complex<Real> child[4], Complex<Real> z[4]) {
  const Complex<Real> a = child[0] + child[2], b = child[1] + child[3], c = child[0] - child[2],
                      d = turned(child[1] - child[3]);
  z[0] = a + b, z[1] = c + d, z[2] = a - b, z[3] = c - d;
}

/// Coefficient k of the children of a parent, zeros for absent ones.
template <class Real>
__device__ void read_children(const Work<Real>& work, const PlanarChildren& children, int k, Complex<Real> child[4]) {
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const BoxId box = children(octant_of(r));
    child[r] =
        box == no_box ? Complex<Real>{0, 0} : as_complex(work.multipole + std::int64_t(box) * work.tables.stride)[k];
  }
}

/// Writes whole strides of the parents among a block's boxes. `unit`: -log of their edge in the caller's unit of
/// length. M_unit is this times M_0; as the sum over the children, which have larger logarithms of opposite sign, it
/// would err by several times as much in single.
template <class Real>
__global__ void __launch_bounds__(planar_threads)
    planar_m2m_kernel(const __grid_constant__ Work<Real> work, BoxId first, BoxId last, int each, int groups,
                      Real unit) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ ParentsOfBlock parents;
  auto* z = reinterpret_cast<Complex<Real>*>(shared);  // [groups][4][size]
  const int size = work.planar.size, thread = static_cast<int>(threadIdx.x), half = work.tables.stride / 2;
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * each;
  const int count = parents.find(work.tree, begin, min(begin + each, last));
  const Complex<Real>* shift = as_complex(work.planar.shift);
  for (int from = 0; from < count; from += groups) {
    const int now = min(groups, count - from);
    for (int i = thread; i < now * size; i += planar_threads) {
      Complex<Real> child[4], turns[4];
      const int group = i / size, k = i - group * size;
      read_children(work, PlanarChildren(work.tree, parents.box[from + group]), k, child);
      if (k == 0)  // their second numbers belong to the unit of length
        for (int r = 0; r < 4; ++r) child[r].im = 0;
      combine_turns(child, turns);
      for (int s = 0; s < 4; ++s) z[(group * 4 + s) * size + k] = turns[s];
    }
    __syncthreads();
    for (int i = thread; i < now * half; i += planar_threads) {
      const int group = i / half, n = i - group * half;
      Complex<Real> sum{0, 0};
      const Complex<Real>* own = z + group * 4 * size;
      if (n < size)
        for (int k = 0; k <= n; ++k) sum = sum + shift[k * size + n] * own[((n - k) & 3) * size + k];
      Complex<Real>* to = as_complex(work.multipole + std::int64_t(parents.box[from + group]) * work.tables.stride) + n;
      *to = n == 0 ? Complex<Real>{sum.re, unit * sum.re} : sum;
    }
    __syncthreads();
  }
}

/// Adds to the locals of the children of the parents among a block's boxes.
template <class Real>
__global__ void __launch_bounds__(planar_threads)
    planar_l2l_kernel(const __grid_constant__ Work<Real> work, BoxId first, BoxId last, int each, int groups) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ ParentsOfBlock parents;
  auto* local = reinterpret_cast<Complex<Real>*>(shared);  // [groups][size]
  const int size = work.planar.size, thread = static_cast<int>(threadIdx.x);
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * each;
  const int count = parents.find(work.tree, begin, min(begin + each, last));
  const Complex<Real>* shift = as_complex(work.planar.shift_by_row);
  for (int from = 0; from < count; from += groups) {
    const int now = min(groups, count - from);
    for (int i = thread; i < now * size; i += planar_threads) {
      const int group = i / size, n = i - group * size;
      Complex<Real> own = as_complex(work.local + std::int64_t(parents.box[from + group]) * work.tables.stride)[n];
      if (n == 0) own.im = 0;
      local[i] = own;
    }
    __syncthreads();
    for (int i = thread; i < now * size; i += planar_threads) {
      const int group = i / size, k = i - group * size;
      const PlanarChildren children(work.tree, parents.box[from + group]);
      const Complex<Real>* own = local + group * size;
      Complex<Real> sum[4] = {};
      for (int n = k; n < size; n += 4)
#pragma unroll
        for (int s = 0; s < 4; ++s)
          if (n + s < size) {
            const Complex<Real> a = shift[(n + s) * size + k];
            sum[s] = sum[s] + Complex<Real>{a.re, -a.im} * own[n + s];
          }
      const Complex<Real> even = sum[0] + sum[2], odd = sum[1] + sum[3], across = sum[0] - sum[2],
                          turn = turned(sum[1] - sum[3]);
      const Complex<Real> of_child[4] = {even + odd, across - turn, even - odd, across + turn};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const BoxId box = children(octant_of(r));
        if (box == no_box || work.tree.target_count(box) == 0) continue;
        Complex<Real>* to = as_complex(work.local + std::int64_t(box) * work.tables.stride) + k;
        if (k == 0)
          to->re += of_child[r].re;
        else
          *to = *to + of_child[r];
      }
    }
    __syncthreads();
  }
}

/// `numbers`: complex numbers of shared memory for each group of a parent.
template <class Real, class... More>
static void launch_shift(const char* name, void (*kernel)(Work<Real>, BoxId, BoxId, int, int, More...),
                         const Work<Real>& work, BoxId first, BoxId last, int numbers, More... more) {
  if (first >= last) return;
  const int each = boxes_per_block(last - first, device_limits().multiprocessors),
            groups = std::clamp(planar_threads / work.planar.size, 1, each);
  const auto bytes =
      sizeof(Complex<Real>) * static_cast<std::size_t>(groups) * static_cast<std::size_t>(numbers * work.planar.size);
  launch_kernel(name, kernel, {static_cast<unsigned>((last - first + each - 1) / each), planar_threads, bytes},
                work.stream, work, first, last, each, groups, more...);
}

template <class Real>
void planar_m2m(const Work<Real>& work, int level) {
  const auto unit = static_cast<Real>(work.parameters.log_unit - std::log(work.tree.lattice.edge(level)));
  launch_shift("m2m", planar_m2m_kernel<Real>, work, work.tree.level_begin[level], work.tree.level_begin[level + 1], 4,
               unit);
}

template <class Real>
void planar_l2l(const Work<Real>& work, int level) {
  if (level == 2 && !work.reduced) return;  // nothing is far from boxes of level 1
  launch_shift("l2l", planar_l2l_kernel<Real>, work, work.tree.level_begin[level - 1], work.tree.level_begin[level], 1);
}

template void planar_m2m<float>(const Work<float>&, int);
template void planar_m2m<double>(const Work<double>&, int);
template void planar_l2l<float>(const Work<float>&, int);
template void planar_l2l<double>(const Work<double>&, int);

}  // namespace farfield::cuda
