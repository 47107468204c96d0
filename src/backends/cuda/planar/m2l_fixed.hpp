// m2l of the plane with the number of coefficients as a constant: L = conj(D P C M) + (M_unit - log |t| M_0)
// (expansions/planar/translations.hpp). A thread per target keeps its local and the source's numbers in registers; the
// numbers of P are operands from constant memory. A block serves 32 parents at a time, a warp per octant of their
// children, so that all lanes of a warp have the same offset and the four warps read the same sources.
// Cost: 2 s^2 + 8 s multiply-adds per translation, s the number of complex coefficients, 27 translations per box.
#pragma once
#include "backends/cuda/planar/parents.hpp"

namespace farfield::cuda {

/// P at [n][k], as a kernel's argument.
template <class Real, int size>
struct PascalOf {
  Real value[size][size];
};

/// 16 bytes of numbers.
template <class Real>
struct alignas(16) PlanarPack {
  static constexpr int size = 16 / static_cast<int>(sizeof(Real));
  Real value[size];
};
template <int size, class Real>
__device__ void read_packs(const Real* from, Real (&to)[2 * size]) {
  constexpr int pack = PlanarPack<Real>::size;
  static_assert(2 * size % pack == 0);
#pragma unroll
  for (int i = 0; i < 2 * size; i += pack) {
    const PlanarPack<Real> p = *reinterpret_cast<const PlanarPack<Real>*>(from + i);
#pragma unroll
    for (int e = 0; e < pack; ++e) to[i + e] = p.value[e];
  }
}

/// Adds the translation of one multipole, `m`, to `local`. `factors`: of the offset, the same for the whole warp.
template <class Real, int size>
__device__ __forceinline__ void add_translation(const PascalOf<Real, size>& pascal, const Real* factors, int padded,
                                                Real (&m)[2 * size], Real (&local)[2 * size]) {
  const Complex<Real>*column = as_complex(factors), *row = column + padded;
  local[0] += m[1] + factors[4 * padded] * m[0];
  m[1] = 0;
#pragma unroll
  for (int k = 1; k < size; ++k) {
    const Complex<Real> c = column[k], x{m[2 * k], m[2 * k + 1]};
    m[2 * k] = c.re * x.re - c.im * x.im;
    m[2 * k + 1] = c.re * x.im + c.im * x.re;
  }
#pragma unroll
  for (int n = 0; n < size; ++n) {
    Real re = n > 0 ? pascal.value[n][0] * m[0] : Real(0), im = 0;
#pragma unroll
    for (int k = 1; k < size; ++k) {
      re += pascal.value[n][k] * m[2 * k];
      if (n > 0) im += pascal.value[n][k] * m[2 * k + 1];
    }
    if (n == 0) {
      local[0] += re;
      continue;
    }
    const Complex<Real> d = row[n];
    local[2 * n] += d.re * re - d.im * im;
    local[2 * n + 1] -= d.re * im + d.im * re;
  }
}

/// Sums all sources of the warp's targets, the children `octant` of the lanes' parents.
template <class Real, int size>
__device__ void sum_far(const Work<Real>& work, const PascalOf<Real, size>& pascal, BoxId parent, BoxId target,
                        int octant, Real (&local)[2 * size]) {
  const TreeView& tree = work.tree;
  const int padded = work.planar.padded, numbers = factor_numbers(padded);
#pragma unroll 1
  for (int near = 0; near < 9; ++near) {
    const int x = near % 3 - 1, y = near / 3 - 1;
    const PlanarChildren children(
        tree, target == no_box ? no_box : tree.colleague[std::int64_t(parent) * colleagues_per_box + 9 + near]);
    if (!__any_sync(0xffffffffu, children.mask)) continue;
    const unsigned left_out = work.reduced && x != 0 && y != 0 ? 1u << ((x > 0) + 2 * (y > 0)) : 0u;
#pragma unroll 1
    for (int o = 0; o < 4; ++o) {
      const int dx = (octant & 1) - (o & 1) - 2 * x, dy = (octant >> 1) - (o >> 1) - 2 * y;
      if ((dx * dx < 4 && dy * dy < 4) || (left_out >> o & 1u)) continue;
      const BoxId source = children(o);
      if (!__any_sync(0xffffffffu, source != no_box)) continue;
      Real m[2 * size];
      if (source != no_box) {
        read_packs<size>(work.multipole + std::int64_t(source) * work.tables.stride, m);
      } else {
#pragma unroll
        for (Real& number : m) number = 0;
      }
      add_translation<Real, size>(pascal, work.planar.factors + planar_offset(dx, dy) * numbers, padded, m, local);
    }
  }
}

/// Targets: the children of the boxes first ... last - 1.
template <class Real, int size, int residents>
__global__ void __launch_bounds__(planar_threads, residents)
    planar_m2l_kernel(const __grid_constant__ Work<Real> work, const __grid_constant__ PascalOf<Real, size> pascal,
                      BoxId first, BoxId last, int each) {
  __shared__ ParentsOfBlock parents;
  const int lane = static_cast<int>(threadIdx.x) % 32, octant = static_cast<int>(threadIdx.x) / 32;
  const TreeView& tree = work.tree;
  const BoxId begin = first + static_cast<BoxId>(blockIdx.x) * each;
  const int count = parents.find(tree, begin, min(begin + each, last));
  for (int from = 0; from < count; from += 32) {
    const BoxId parent = from + lane < count ? parents.box[from + lane] : no_box;
    BoxId target = PlanarChildren(tree, parent)(octant);
    if (target != no_box && tree.target_count(target) == 0) target = no_box;
    if (!__any_sync(0xffffffffu, target != no_box)) continue;
    Real local[2 * size] = {};
    sum_far<Real, size>(work, pascal, parent, target, octant, local);
    if (target == no_box) continue;
    constexpr int pack = PlanarPack<Real>::size;
    Real* to = work.local + std::int64_t(target) * work.tables.stride;
#pragma unroll
    for (int i = 0; i < 2 * size; i += pack) {
      PlanarPack<Real> p;
#pragma unroll
      for (int e = 0; e < pack; ++e) p.value[e] = local[i + e];
      *reinterpret_cast<PlanarPack<Real>*>(to + i) = p;
    }
  }
}

}  // namespace farfield::cuda
