#include <algorithm>

#include "backends/cuda/m2l/tensor/operands.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/evaluation/multipoles.hpp"
#include "methods/fmm.hpp"

namespace farfield::distributed {

using farfield::cuda::Work;

/// Number i of a box, from that of its three sources which has it. Ghosts without sources are sent by nobody: theirs
/// are 0, and so is what lies between the coefficients of two boxes.
template <class Real>
struct Join {
  const Real *own, *top;
  const BoxId *from_own, *from_top;
  Work<Real> to;
  BoxId first;
  int width;
  __device__ void operator()(std::int64_t k) const {
    const BoxId box = first + static_cast<BoxId>(k / width);
    const int i = static_cast<int>(k % width), stride = to.tables.stride;
    const std::int64_t place = std::int64_t(box) * stride + i;
    Real value = 0;
    if (i < to.tables.coefficients) {
      if (const BoxId from = from_own[box]; from != no_box)
        value = own[std::int64_t(from) * stride + i];
      else if (const BoxId shared = from_top[box]; shared != no_box)
        value = top[std::int64_t(shared) * stride + i];
      else if (to.tree.source_count(box) > 0)
        value = to.multipole[place];
    }
    if (i < stride) to.multipole[place] = value;
    if constexpr (sizeof(Real) == 4)
      if (to.tensor.ready) store_operands(to.tensor, box, i, value, operand_scale(to.tensor, to.tree.level[box]));
  }
};

template <class Real>
struct ClearLocals {
  TreeView tree;
  int stride;
  Real* local;
  __device__ void operator()(std::int64_t box) const {
    if (tree.target_count(static_cast<BoxId>(box)) > 0) return;
    for (int i = 0; i < stride; ++i) local[box * stride + i] = 0;
  }
};

template <class Real>
void Multipoles<Real>::clear_locals(const Work<Real>& one, cudaStream_t stream) const {
  farfield::cuda::for_each_index(one.tree.boxes, ClearLocals<Real>{one.tree, one.tables.stride, one.local}, stream,
                                 "locals of ghosts");
}

template <class Real>
void Multipoles<Real>::fetch(const Work<Real>& own, const Work<Real>& top, const Work<Real>& essential,
                             cudaStream_t stream) {
  rows_.fetch(
      transport_,
      BoxRowsOf<Real>{own.multipole, top.multipole, essential.multipole, own.tables.coefficients, own.tables.stride,
                      own.densities, own.expansion_pitch, top.expansion_pitch, essential.expansion_pitch},
      stream);
}

template <class Real>
void Multipoles<Real>::join(const Work<Real>& own, const Work<Real>& top, const Work<Real>& one, int vector,
                            cudaStream_t stream) {
  if (one.tree.boxes == 0) return;
  const BoxId first = one.tree.level_begin[std::min(coarsest, one.tree.levels)];
  const int width = std::max(one.tables.stride, one.tensor.ready ? one.tensor.full.width : 0);
  farfield::cuda::for_each_index(
      std::int64_t(one.tree.boxes - first) * width,
      Join<Real>{own.multipole + vector * own.expansion_pitch, top.multipole + vector * top.expansion_pitch,
                 share_.from_own.data(), share_.from_top.data(), one, first, width},
      stream, "multipoles of the essential tree");
}

template class Multipoles<float>;
template class Multipoles<double>;

}  // namespace farfield::distributed
