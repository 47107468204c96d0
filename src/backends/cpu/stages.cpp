// The table of this instruction set's stages for each kernel of the registry.
#include "backends/cpu/stages.hpp"

#include "backends/cpu/stage_list.hpp"
#include "kernels/registry.hpp"

namespace farfield::cpu::FARFIELD_ISA {

#if defined(__AVX512F__)
static constexpr Simd compiled_for = Simd::avx512;
#elif defined(__AVX2__)
static constexpr Simd compiled_for = Simd::avx2;
#else
static constexpr Simd compiled_for = Simd::baseline;
#endif

template <class Kernel, class Real>
static Stages<Real> table() {
  return {compiled_for,       p2m<Kernel, Real>, m2m<Real>,         m2l<Real>,         p2l<Kernel, Real>,
          l2l<Real>,          l2p<Kernel, Real>, m2p<Kernel, Real>, m2p_boxes<Kernel, Real>, p2p<Kernel, Real>, direct<Kernel, Real>,
          direct_sums<Kernel>};
}

template <class Real>
Stages<Real> stages(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return table<decltype(k), Real>(); });
}

template Stages<float> stages<float>(Kernel);
template Stages<double> stages<double>(Kernel);

}  // namespace farfield::cpu::FARFIELD_ISA
