// p2m: multipoles of the leaves, M_i = sum q R_i(u), u = (y - centre) / edge (Gumerov & Duraiswami 2008, eqs. 14-15).
// A warp per leaf, lanes are sources; sums over lanes go through shared memory, one azimuthal order at a time.
// p2l: the same with inverted points, S_i(u) = R_i(u / r^2) / r, for sources of coarser leaves.
#include "backends/cuda/check.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/visitors.hpp"
#include "kernels/count.hpp"
#include "kernels/laplace3d.hpp"

namespace farfield::cuda {

int warps_that_fit(std::size_t bytes, int most) {
  const auto fit = static_cast<int>(static_cast<std::size_t>(device_limits().shared_bytes) / (bytes ? bytes : 1));
  return fit < most ? fit : most;
}

/// Sources [begin, end) into the expansion `out` about the frame.
template <class Kernel, class Real, bool inverted>
__device__ void accumulate(const Work<Real>& work, const BoxFrame& frame, std::int64_t begin, std::int64_t end, bool add,
                           Real* column, Real* out) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  for (std::int64_t first = begin; first < end; first += warp, add = true) {
    const std::int64_t s = first + lane;
    Real u[3] = {1, 1, 1}, q = 0, weight = 1;
    if (s < end) {
      frame.place(work.source, s, u);
      q = work.strength[s];
    }
    if constexpr (inverted) Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
    Accumulate<Real> visit{q * weight, work.tables.degree, lane, add, column, out};
    Kernel::Basis::columns(work.tables.degree, work.tables.recurrence, u[0], u[1], u[2], visit);
  }
}

template <class Kernel, class Real>
__global__ void p2m_kernel(Work<Real> work) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t box = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (box >= work.tree.boxes) return;
  const auto b = static_cast<BoxId>(box);
  if (!work.tree.is_leaf(b) || work.tree.source_count(b) == 0) return;
  Real* column = reinterpret_cast<Real*>(shared) + own * Accumulate<Real>::column_numbers(work.tables.degree);
  accumulate<Kernel, Real, false>(work, BoxFrame(work.tree, b), work.tree.source_begin[b], work.tree.source_end[b], false,
                                  column, work.multipole + box * work.tables.stride);
}

template <class Kernel, class Real>
__global__ void p2l_kernel(Work<Real> work) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t box = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (box >= work.tree.boxes) return;
  const ListView& list = work.lists.p2l;
  Real* column = reinterpret_cast<Real*>(shared) + own * Accumulate<Real>::column_numbers(work.tables.degree);
  for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k) {
    const BoxId source = list.items[k];
    accumulate<Kernel, Real, true>(work, BoxFrame(work.tree, static_cast<BoxId>(box)), work.tree.source_begin[source],
                                   work.tree.source_end[source], true, column,
                                   work.local + box * work.tables.stride);
  }
}

template <class Real, class Launch>
static void launch(const Work<Real>& work, const char* name, Launch kernel) {
  const std::size_t bytes = static_cast<std::size_t>(Accumulate<Real>::column_numbers(work.tables.degree)) * sizeof(Real);
  const int warps = warps_that_fit(bytes, 4);
  const std::size_t all = bytes * static_cast<std::size_t>(warps);
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<static_cast<unsigned>((work.tree.boxes + warps - 1) / warps), static_cast<unsigned>(warps * warp), all,
           work.stream>>>(work);
  require_launch(name);
}

template <class Kernel, class Real>
void p2m(const Work<Real>& work) {
  launch(work, "p2m", p2m_kernel<Kernel, Real>);
}

template <class Kernel, class Real>
void p2l(const Work<Real>& work) {
  launch(work, "p2l", p2l_kernel<Kernel, Real>);
}

FARFIELD_INSTANTIATE(p2m)
FARFIELD_INSTANTIATE(p2l)

}  // namespace farfield::cuda
