// The table of this instruction set's stages. A kernel on a known basis is one more case here.
#include "backends/cpu/stages.hpp"

#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

#if defined(__AVX512F__)
static constexpr Simd level = Simd::avx512;
#elif defined(__AVX2__)
static constexpr Simd level = Simd::avx2;
#else
static constexpr Simd level = Simd::baseline;
#endif

template <class Kernel, class Real>
static Stages<Real> table() {
  return {level,
          p2m<Kernel, Real>,
          m2m<Kernel, Real>,
          m2l<Kernel, Real>,
          p2l<Kernel, Real>,
          l2l<Kernel, Real>,
          l2p<Kernel, Real>,
          m2p<Kernel, Real>,
          p2p<Kernel, Real>,
          direct<Kernel, Real>};
}

template <class Real>
Stages<Real> stages(Kernel kernel) {
  return kernel == Kernel::count ? table<Count, Real>() : table<Laplace3d, Real>();
}

template Stages<float> stages<float>(Kernel);
template Stages<double> stages<double>(Kernel);

}  // namespace farfield::cpu::FARFIELD_ISA
