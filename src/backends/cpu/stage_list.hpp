// Declarations of every stage in this translation unit's instruction-set namespace, and their instantiation.
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/stages.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real>
void p2m(const Work<Real>&);
template <class Real>
void m2m(const Work<Real>&, int level);
template <class Real>
void m2l(const Work<Real>&);
template <class Kernel, class Real>
void p2l(const Work<Real>&);
template <class Real>
void l2l(const Work<Real>&, int level);
template <class Kernel, class Real>
void l2p(const Work<Real>&);
template <class Kernel, class Real>
void m2p(const Work<Real>&);
template <class Kernel, class Real>
void m2p_boxes(const Work<Real>&);
template <class Kernel, class Real>
void p2p(const Work<Real>&);
template <class Kernel, class Real>
void direct(const Work<Real>&, std::int64_t sources, std::int64_t targets);
/// The same two where points have softening lengths; of kernels that are softened.
template <class Kernel, class Real>
void p2p_with_lengths(const Work<Real>&);
template <class Kernel, class Real>
void direct_with_lengths(const Work<Real>&, std::int64_t sources, std::int64_t targets);
/// And with dipoles or Hessians; of kernels that are Differentiates.
template <class Kernel, class Real>
void p2p_moments(const Work<Real>&);
template <class Kernel, class Real>
void p2p_densities(const Work<Real>&);
template <class Kernel, class Real>
void direct_moments(const Work<Real>&, std::int64_t sources, std::int64_t targets);

template <class Kernel, class Real>
void cutoff(const Work<Real>&);
template <class Real>
void spread(const Work<Real>&);
template <class Real>
void convolve(const Work<Real>&, int axis);
template <class Real>
void interpolate(const Work<Real>&);
template <class Real>
void hermite_sum(const HermiteWork<Real>&);
void sweep_exponentials(const SweepWork&);

template <class Kernel>
void direct_sums(const DirectInput&, const std::int64_t* targets, std::int64_t count, DirectSum* sums);

template <class Real>
Stages<Real> stages(Kernel kernel);

}  // namespace farfield::cpu::FARFIELD_ISA

// Stages of pairs and points are compiled once per kernel, in a unit for one or more of them (src/CMakeLists.txt):
// FARFIELD_INSTANTIATE(stage, types of further arguments).
#if defined(FARFIELD_KERNELS_OF_UNIT)
#include FARFIELD_KERNELS_OF_UNIT
#define FARFIELD_INSTANCE(Kernel, stage, ...)                                          \
  template void stage<Kernel, double>(const Work<double>& __VA_OPT__(, ) __VA_ARGS__); \
  template void stage<Kernel, float>(const Work<float>& __VA_OPT__(, ) __VA_ARGS__);
#define FARFIELD_INSTANTIATE(...) FARFIELD_EACH_KERNEL(FARFIELD_INSTANCE, __VA_ARGS__)
#endif
