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
  Stages<Real> s;
  s.simd = compiled_for;
  s.direct = direct<Kernel, Real>;
  s.direct_sums = direct_sums<Kernel>;
  s.hermite = hermite_sum<Real>;
  s.exponentials = sweep_exponentials;
  if constexpr (has_expansions<Kernel>()) {
    s.p2m = p2m<Kernel, Real>, s.m2m = m2m<Real>, s.m2l = m2l<Real>, s.p2l = p2l<Kernel, Real>;
    s.l2l = l2l<Real>, s.l2p = l2p<Kernel, Real>, s.m2p = m2p<Kernel, Real>, s.m2p_boxes = m2p_boxes<Kernel, Real>;
    s.p2p = p2p<Kernel, Real>;
  }
  if constexpr (FallsOff<Kernel>) {
    s.cutoff = cutoff<Kernel, Real>;
    s.spread = spread<Real>, s.convolve = convolve<Real>, s.interpolate = interpolate<Real>;
  }
  return s;
}

template <class Real>
Stages<Real> stages(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return table<decltype(k), Real>(); });
}

template Stages<float> stages<float>(Kernel);
template Stages<double> stages<double>(Kernel);

}  // namespace farfield::cpu::FARFIELD_ISA
