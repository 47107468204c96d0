// accumulate: sums sources into an expansion of any degree, a warp per box, for p2m and p2l.
#pragma once
#include "backends/cuda/far/visitors.hpp"
#include "backends/cuda/levels/view.hpp"
#include "expansions/basis.hpp"

namespace farfield::cuda {

/// Sums sources [begin, end) into the expansion `out` about the frame of a box with these tables; with `add`, on top of
/// its old values.
template <class Kernel, class Real, bool inverted, int moments>
__device__ void accumulate(const Work<Real>& work, const TablesView<Real>& tables, const BoxFrame& frame,
                           std::int64_t begin, std::int64_t end, bool add, Real* column, Real* out) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  for (std::int64_t first = begin; first < end; first += warp, add = true) {
    const std::int64_t s = first + lane;
    Source<Real, moments> source;
    auto& u = source.u;
    if constexpr (!Inverts<typename Kernel::Basis, Real>)
      u[0] = u[1] = u[2] = Real(0.5);  // idle lanes in the box: R may overflow beyond it
    if (s < end) source.read(work, s, frame);
    typename Source<Real, moments>::Number weight = 1;
    if constexpr (inverted && Inverts<typename Kernel::Basis, Real>)
      Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
    Accumulate<Kernel, Real, decltype(weight)> visit{source.weight * weight, tables.degree, lane, add, column, out};
    if constexpr (inverted && !Inverts<typename Kernel::Basis, Real>)
      Kernel::Basis::singular_columns(tables.degree, tables.recurrence, u[0], u[1], u[2], inverse_length(u), visit);
    else
      Kernel::Basis::columns(tables.degree, tables.recurrence, u[0], u[1], u[2], visit);
  }
}

/// Launches a warp per box, with shared memory for its column (Accumulate).
template <class Real, class Launch, class... Levels>
void launch_accumulation(const Work<Real>& work, const char* name, Launch kernel, const Levels&... levels) {
  const std::size_t bytes = static_cast<std::size_t>(column_numbers(work.tables.degree)) * sizeof(Real);
  launch_warps(name, kernel, work.tree.boxes, 1, bytes, work.stream, work, levels...);
}

}  // namespace farfield::cuda
