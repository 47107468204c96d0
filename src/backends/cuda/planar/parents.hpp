// What m2m, m2l and l2l of the plane share: the parents among a block's boxes, and children in the plane. All points
// have the same third coordinate, so that of a box's eight octants either the lower or the upper four exist.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

inline constexpr int planar_threads = 128;  ///< of a block

/// The children of a box in the plane: bit o is octant o & 3, in the order of the boxes.
struct PlanarChildren {
  BoxId first = no_box;
  unsigned mask = 0;
  __device__ PlanarChildren() {}
  __device__ PlanarChildren(const TreeView& tree, BoxId box) {
    if (box == no_box) return;
    const unsigned all = tree.child_mask[box];
    mask = (all | all >> 4) & 15u;
    first = tree.first_child[box];
  }
  __device__ BoxId operator()(int octant) const {
    return mask >> octant & 1u ? first + __popc(mask & ((1u << octant) - 1u)) : no_box;
  }
};

/// Boxes first ... last - 1 that are no leaves, in order: the finest levels of an adaptive tree hold few of them.
struct ParentsOfBlock {
  BoxId box[planar_threads];
  int warp_count[planar_threads / 32];

  /// By all threads, of which each looks at one box; returns how many there are.
  __device__ int find(const TreeView& tree, BoxId first, BoxId last) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const bool parent = first + thread < last && !tree.is_leaf(first + thread);
    const unsigned among = __ballot_sync(0xffffffffu, parent);
    if (lane == 0) warp_count[thread / 32] = __popc(among);
    __syncthreads();
    int at = __popc(among & ((1u << lane) - 1u)), all = 0;
    for (int w = 0; w < planar_threads / 32; ++w) {
      if (w < thread / 32) at += warp_count[w];
      all += warp_count[w];
    }
    if (parent) box[at] = first + thread;
    __syncthreads();
    return all;
  }
};

/// How many boxes a block looks at: fewer where there would be few blocks.
inline int boxes_per_block(std::int64_t boxes, int multiprocessors) {
  int each = planar_threads;
  while (each > 8 && boxes < std::int64_t(each) * 8 * multiprocessors) each /= 2;
  return each;
}

/// Power of i that turns octant 3, at (1 + i)/4 from the parent's centre, into this octant.
__device__ inline int turns_of(int octant) { return octant == 3 ? 0 : octant == 2 ? 1 : octant == 0 ? 2 : 3; }
__device__ inline int octant_of(int turns) { return turns == 0 ? 3 : turns == 1 ? 2 : turns == 2 ? 0 : 1; }

/// A complex number, read and written as a whole.
template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
};
template <class Real>
__device__ Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class Real>
__device__ Complex<Real> operator-(Complex<Real> a, Complex<Real> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class Real>
__device__ Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// i a
template <class Real>
__device__ Complex<Real> turned(Complex<Real> a) {
  return {-a.im, a.re};
}
template <class Real>
__device__ const Complex<Real>* as_complex(const Real* numbers) {
  return reinterpret_cast<const Complex<Real>*>(numbers);
}
template <class Real>
__device__ Complex<Real>* as_complex(Real* numbers) {
  return reinterpret_cast<Complex<Real>*>(numbers);
}

}  // namespace farfield::cuda
