// BoundStages: the stages on one evaluator's arrays, as the method page (methods/fmm.hpp) wants them.
#pragma once
#include "backends/cuda/check.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
struct BoundStages {
  const Work<Real>& work;

  int levels() const { return work.tree.levels; }
  void p2m() { cuda::p2m<Kernel>(work); }
  void m2m(int level) { cuda::m2m(work, level); }
  void m2l() {
    clear(work.local);
    cuda::m2l(work);
  }
  void p2l() {
    if (work.has_p2l) cuda::p2l<Kernel>(work);
  }
  void l2l(int level) { cuda::l2l(work, level); }
  void l2p() { cuda::l2p<Kernel>(work); }
  void m2p() {
    if (work.has_m2p) cuda::m2p<Kernel>(work);
  }
  void p2p() { cuda::p2p<Kernel>(work); }

 private:
  void clear(Real* expansions) const {
    const auto bytes =
        static_cast<std::size_t>(work.tree.boxes) * static_cast<std::size_t>(work.tables.stride) * sizeof(Real);
    require(cudaMemsetAsync(expansions, 0, bytes, work.stream), "cudaMemsetAsync");
  }
};

}  // namespace farfield::cuda
