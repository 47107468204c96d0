// m2l of the plane: the choice of the kernel, and the one for any degree, which also serves the parents of the reduced
// stencil. There a warp has a target; its lanes are rows of P, which it reads once for four sources.
#include "backends/cuda/planar/m2l_fixed.hpp"
#include "backends/cuda/planar/stages.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "tree/far.hpp"

namespace farfield::cuda {
namespace {

constexpr int most_links = 27, at_once = 4, warps = planar_threads / 32;

/// The sources of one target, and the places of their factors.
struct LinksOfTarget {
  BoxId source[most_links + 5];
  int offset[most_links + 5];

  /// By a whole warp: a lane looks at one or two of the 36 children of the colleagues of `around`. Returns how many
  /// sources there are.
  template <class Offset>
  __device__ int find(const TreeView& tree, BoxId around, const Offset& offset_of) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int count = 0;
    for (int i = lane; i < 64; i += 32) {
      const int near = i / 4, o = i % 4;
      BoxId box = no_box;
      int place = -1;
      if (near < 9) {
        place = offset_of(near % 3 - 1, near / 3 - 1, o);
        if (place >= 0)
          box = PlanarChildren(tree, tree.colleague[std::int64_t(around) * colleagues_per_box + 9 + near])(o);
      }
      const unsigned found = __ballot_sync(0xffffffffu, box != no_box);
      const int at = count + __popc(found & ((1u << lane) - 1u));
      if (box != no_box) source[at] = box, offset[at] = place;
      count += __popc(found);
    }
    __syncwarp();
    return count;
  }
};

/// C M of up to four sources, for a warp: [source][k].
template <class Real>
__device__ void turn_sources(const Work<Real>& work, const LinksOfTarget& links, int from, int now,
                             Complex<Real>* turned_sources) {
  const int lane = static_cast<int>(threadIdx.x) % 32, size = work.planar.size;
  const std::int64_t numbers = factor_numbers(work.planar.padded);
#pragma unroll
  for (int j = 0; j < at_once; ++j)
    for (int k = lane; k < size; k += 32) {
      Complex<Real> x{0, 0};
      if (j < now) {
        x = as_complex(work.multipole + std::int64_t(links.source[from + j]) * work.tables.stride)[k];
        if (k == 0) x.im = 0;
        x = x * as_complex(work.planar.factors + links.offset[from + j] * numbers)[k];
      }
      turned_sources[j * size + k] = x;
    }
  __syncwarp();
}

/// Row n of the sum over all sources.
template <class Real>
__device__ Complex<Real> sum_row(const Work<Real>& work, const LinksOfTarget& links, int count, int n,
                                 Complex<Real>* turned_sources) {
  const int size = work.planar.size, padded = work.planar.padded;
  const std::int64_t numbers = factor_numbers(padded);
  Complex<Real> sum{0, 0};
  for (int from = 0; from < count; from += at_once) {
    const int now = min(at_once, count - from);
    turn_sources(work, links, from, now, turned_sources);
    Complex<Real> product[at_once] = {};
    if (n < size)
      for (int k = 0; k < size; ++k) {
        const Real p = work.planar.pascal[k * padded + n];
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
          const Complex<Real> x = turned_sources[j * size + k];
          product[j].re += p * x.re;
          product[j].im += p * x.im;
        }
      }
    for (int j = 0; j < now && n < size; ++j) {
      const Real* factors = work.planar.factors + links.offset[from + j] * numbers;
      const Complex<Real> y = as_complex(factors)[padded + n] * product[j];
      sum = sum + Complex<Real>{y.re, -y.im};
      if (n > 0) continue;
      const Complex<Real> m = as_complex(work.multipole + std::int64_t(links.source[from + j]) * work.tables.stride)[0];
      sum.re += m.im + factors[4 * padded] * m.re;
    }
    __syncwarp();
  }
  if (n == 0) sum.im = 0;
  return sum;
}

/// Targets: boxes first ... last - 1, from the far lists, or, `parents`, from the children of their colleagues.
template <class Real, bool parents>
__global__ void __launch_bounds__(planar_threads)
    planar_m2l_any_kernel(const __grid_constant__ Work<Real> work, BoxId first, BoxId last) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ LinksOfTarget links_of_warp[warps];
  const TreeView& tree = work.tree;
  const int lane = static_cast<int>(threadIdx.x) % 32, own = static_cast<int>(threadIdx.x) / 32;
  const int size = work.planar.size;
  const std::int64_t at = first + std::int64_t(blockIdx.x) * warps + own;
  if (at >= last) return;
  const auto box = static_cast<BoxId>(at);
  if (tree.target_count(box) == 0 || (parents && tree.is_leaf(box))) return;
  LinksOfTarget& links = links_of_warp[own];
  const int octant = tree.octant[box] & 3;
  const bool reduced = work.reduced;
  const int count = links.find(tree, parents ? box : tree.parent[box], [&](int x, int y, int o) {
    const bool outer = x != 0 && y != 0 && o == (x > 0) + 2 * (y > 0);  // in space: children_for_parent
    if (parents) return outer ? planar_parent_offset(-x, -y) : -1;
    const int dx = from_cousin(octant & 1, o & 1, x), dy = from_cousin(octant >> 1, o >> 1, y);
    return (dx * dx < 4 && dy * dy < 4) || (reduced && outer) ? -1 : planar_offset(dx, dy);
  });
  auto* turned_sources = reinterpret_cast<Complex<Real>*>(shared) + own * at_once * size;
  Complex<Real>* to = as_complex(work.local + at * work.tables.stride);
  for (int base = 0; base < size; base += 32) {
    const Complex<Real> sum = sum_row(work, links, count, base + lane, turned_sources);
    if (base + lane < size) to[base + lane] = parents ? to[base + lane] + sum : sum;
  }
}

template <class Real, bool parents>
void launch_any(const Work<Real>& work, BoxId first, BoxId last) {
  if (first >= last) return;
  const auto bytes = sizeof(Complex<Real>) * static_cast<std::size_t>(warps * at_once * work.planar.size);
  launch_kernel("m2l", planar_m2l_any_kernel<Real, parents>,
                {static_cast<unsigned>((last - first + warps - 1) / warps), planar_threads, bytes}, work.stream, work,
                first, last);
}

template <class Real, int size, int residents>
void launch_fixed(const Work<Real>& work) {
  PascalOf<Real, size> pascal;
  const int padded = work.planar.padded;
  for (int n = 0; n < size; ++n)
    for (int k = 0; k < size; ++k)
      pascal.value[n][k] = n < padded && k < padded ? work.planar.host_pascal[k * padded + n] : Real(0);
  const BoxId first = work.tree.level_begin[1], last = work.tree.level_begin[work.tree.levels - 1];
  const int each = boxes_per_block(last - first, device_limits().multiprocessors);
  planar_m2l_kernel<Real, size, residents>
      <<<static_cast<unsigned>((last - first + each - 1) / each), planar_threads, 0, work.stream>>>(work, pascal, first,
                                                                                                    last, each);
  require_launch("m2l");
}

/// The least constant size that holds the coefficients; expansions end with zeros. Sizes are such that a rounded size
/// stays within the stride, and, the largest, that the registers suffice.
template <class Real>
bool by_constant_size(const Work<Real>& work) {
  const int size = work.planar.size;
  if (work.tables.stride < 16) return false;  // of the least size
  if constexpr (sizeof(Real) == 4) {
    if (size <= 8) return launch_fixed<Real, 8, 6>(work), true;
    if (size <= 10) return launch_fixed<Real, 10, 6>(work), true;
    if (size <= 12) return launch_fixed<Real, 12, 5>(work), true;
    if (size <= 14) return launch_fixed<Real, 14, 4>(work), true;
    if (size <= 16) return launch_fixed<Real, 16, 4>(work), true;
  } else {
    if (size <= 8) return launch_fixed<Real, 8, 3>(work), true;
    if (size <= 12) return launch_fixed<Real, 12, 2>(work), true;
    if (size <= 16) return launch_fixed<Real, 16, 2>(work), true;
    if (size <= 20) return launch_fixed<Real, 20, 2>(work), true;
    if (size <= 22) return launch_fixed<Real, 22, 2>(work), true;
    if (size <= 24) return launch_fixed<Real, 24, 2>(work), true;
  }
  return false;
}

}  // namespace

template <class Real>
void planar_m2l(const Work<Real>& work) {
  const TreeView& tree = work.tree;
  if (!by_constant_size(work)) launch_any<Real, false>(work, tree.level_begin[2], tree.level_begin[tree.levels]);
  if (work.reduced) launch_any<Real, true>(work, tree.level_begin[1], tree.level_begin[tree.levels - 1]);
}

template void planar_m2l<float>(const Work<float>&);
template void planar_m2l<double>(const Work<double>&);

}  // namespace farfield::cuda
