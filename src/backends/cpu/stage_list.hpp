// Declarations of every stage in this translation unit's instruction-set namespace, and their instantiation.
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/stages.hpp"
#include "kernels/count.hpp"
#include "kernels/laplace3d.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real>
void p2m(const Work<Real>&);
template <class Kernel, class Real>
void m2m(const Work<Real>&, int level);
template <class Kernel, class Real>
void m2l(const Work<Real>&);
template <class Kernel, class Real>
void p2l(const Work<Real>&);
template <class Kernel, class Real>
void l2l(const Work<Real>&, int level);
template <class Kernel, class Real>
void l2p(const Work<Real>&);
template <class Kernel, class Real>
void m2p(const Work<Real>&);
template <class Kernel, class Real>
void p2p(const Work<Real>&);
template <class Kernel, class Real>
void direct(const Work<Real>&, std::int64_t sources, std::int64_t targets);

template <class Real>
Stages<Real> stages(Kernel kernel);

}  // namespace farfield::cpu::FARFIELD_ISA

// One line per kernel and precision; a new kernel on a known basis adds its two lines here and one in stages.cpp.
#define FARFIELD_FOR_EACH_KERNEL(MACRO, stage) \
  MACRO(stage, Laplace3d, double)              \
  MACRO(stage, Laplace3d, float)               \
  MACRO(stage, Count, double)                  \
  MACRO(stage, Count, float)

#define FARFIELD_PLAIN(stage, K, R) template void stage<K, R>(const Work<R>&);
#define FARFIELD_LEVEL(stage, K, R) template void stage<K, R>(const Work<R>&, int);
#define FARFIELD_COUNTS(stage, K, R) template void stage<K, R>(const Work<R>&, std::int64_t, std::int64_t);
#define FARFIELD_INSTANTIATE(stage) FARFIELD_FOR_EACH_KERNEL(FARFIELD_PLAIN, stage)
#define FARFIELD_INSTANTIATE_LEVEL(stage) FARFIELD_FOR_EACH_KERNEL(FARFIELD_LEVEL, stage)
#define FARFIELD_INSTANTIATE_DIRECT(stage) FARFIELD_FOR_EACH_KERNEL(FARFIELD_COUNTS, stage)
