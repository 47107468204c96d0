// accumulate: sums sources into an expansion of any degree, a warp per box, for p2m and p2l.
#pragma once
#include "backends/cuda/far/visitors.hpp"
#include "backends/cuda/levels/view.hpp"
#include "backends/cuda/m2l/tensor/operands.hpp"
#include "expansions/basis.hpp"

namespace farfield::cuda {

/// Sums sources [begin, end) into the expansion `out` about the frame of a box with these tables; with `add`, on top of
/// its old values.
template <class Kernel, class Real, bool inverted>
__device__ void accumulate(const Work<Real>& work, const TablesView<Real>& tables, const BoxFrame& frame,
                           std::int64_t begin, std::int64_t end, bool add, Real* column, Real* out) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  constexpr Real idle = Inverts<typename Kernel::Basis, Real> ? 1 : 0.5;  // in the box: R may overflow beyond it
  for (std::int64_t first = begin; first < end; first += warp, add = true) {
    const std::int64_t s = first + lane;
    Real u[3] = {idle, idle, idle}, q = 0, weight = 1;
    if (s < end) {
      point_in_box(work.source, s, frame, u);
      q = work.strength[s];
    }
    if constexpr (inverted && Inverts<typename Kernel::Basis, Real>)
      Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
    Accumulate<Kernel, Real> visit{q * weight, tables.degree, lane, add, column, out};
    if constexpr (inverted && !Inverts<typename Kernel::Basis, Real>)
      Kernel::Basis::singular_columns(tables.degree, tables.recurrence, u[0], u[1], u[2], inverse_length(u), visit);
    else
      Kernel::Basis::columns(tables.degree, tables.recurrence, u[0], u[1], u[2], visit);
  }
}

template <class Kernel, class Real, class... Levels>
__global__ void p2m_kernel(Work<Real> work, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t box = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (box >= work.tree.boxes) return;
  const auto b = static_cast<BoxId>(box);
  if (!work.tree.is_leaf(b)) return;
  Real* column = reinterpret_cast<Real*>(shared) + own * column_numbers(work.tables.degree);
  Real* multipole = work.multipole + box * work.tables.stride;
  accumulate<Kernel, Real, false>(work, tables_of(work, b, levels...), BoxFrame(work.tree, b),
                                  work.tree.source_begin[b], work.tree.source_end[b], false, column, multipole);
  if constexpr (sizeof(Real) == 4) {
    if (!work.tensor.ready) return;
    __syncwarp();
    const float scale = operand_scale(work.tensor, work.tree.level[b]);
    for (int i = static_cast<int>(threadIdx.x) % warp; i < work.tensor.full.width; i += warp)
      store_operands(work.tensor, box, i, multipole[i], scale);
  }
}

template <class Kernel, class Real, class... Levels>
__global__ void p2l_kernel(Work<Real> work, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t box = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (box >= work.tree.boxes) return;
  const auto b = static_cast<BoxId>(box);
  const ListView& list = work.lists.p2l;
  Real* column = reinterpret_cast<Real*>(shared) + own * column_numbers(work.tables.degree);
  for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k) {
    const BoxId source = list.items[k];
    accumulate<Kernel, Real, true>(work, tables_of(work, b, levels...), BoxFrame(work.tree, b),
                                   work.tree.source_begin[source], work.tree.source_end[source], true, column,
                                   work.local + box * work.tables.stride);
  }
}

template <class Real>
void clear_multipoles(const Work<Real>& work) {
  const auto bytes =
      static_cast<std::size_t>(work.tree.boxes) * static_cast<std::size_t>(work.tables.stride) * sizeof(Real);
  require(cudaMemsetAsync(work.multipole, 0, bytes, work.stream), "cudaMemsetAsync");
}

/// Launches a warp per box, with shared memory for its column (Accumulate).
template <class Real, class Launch, class... Levels>
void launch_accumulation(const Work<Real>& work, const char* name, Launch kernel, const Levels&... levels) {
  const std::size_t bytes = static_cast<std::size_t>(column_numbers(work.tables.degree)) * sizeof(Real);
  launch_warps(name, kernel, work.tree.boxes, 1, bytes, work.stream, work, levels...);
}

}  // namespace farfield::cuda
