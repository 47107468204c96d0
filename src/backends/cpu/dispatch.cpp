// Chooses the instruction set at run time. Compiled for the baseline; the only file that names all levels.
#include <farfield/error.hpp>
#include <string>

#include "backends/cpu/periodic/block_stages.hpp"
#include "backends/cpu/stages.hpp"

namespace farfield::cpu {

#if defined(FARFIELD_HAVE_X86_LEVELS)
#define FARFIELD_LEVELS(MACRO) MACRO(baseline) MACRO(avx2) MACRO(avx512)
#else
#define FARFIELD_LEVELS(MACRO) MACRO(baseline)
#endif
#define FARFIELD_DECLARE(isa)      \
  namespace isa {                  \
  template <class Real>            \
  Stages<Real> stages(Kernel);     \
  void block_m2l(const BlockM2l&); \
  void block_p2m(const BlockP2m&); \
  void block_l2p(const BlockL2p&); \
  }
FARFIELD_LEVELS(FARFIELD_DECLARE)

static bool machine_has(Simd level) {
#if defined(FARFIELD_HAVE_X86_LEVELS)
  if (level == Simd::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (level == Simd::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return level == Simd::baseline;
}

Simd resolve_simd(Simd wanted) {
  if (wanted != Simd::automatic) {
    if (machine_has(wanted)) return wanted;
    throw Error(ErrorCode::device, std::string("simd: this machine or build does not offer ") +
                                       (wanted == Simd::avx512 ? "avx512" : "avx2") + "; use automatic or baseline");
  }
  for (Simd level : {Simd::avx512, Simd::avx2})
    if (machine_has(level)) return level;
  return Simd::baseline;
}

template <class Real>
Stages<Real> stages(Kernel kernel, Simd simd) {
#if defined(FARFIELD_HAVE_X86_LEVELS)
  if (simd == Simd::avx512) return avx512::stages<Real>(kernel);
  if (simd == Simd::avx2) return avx2::stages<Real>(kernel);
#endif
  (void)simd;
  return baseline::stages<Real>(kernel);
}

template Stages<float> stages<float>(Kernel, Simd);
template Stages<double> stages<double>(Kernel, Simd);

BlockStages block_stages(Simd simd) {
#if defined(FARFIELD_HAVE_X86_LEVELS)
  if (simd == Simd::avx512) return {avx512::block_m2l, avx512::block_p2m, avx512::block_l2p};
  if (simd == Simd::avx2) return {avx2::block_m2l, avx2::block_p2m, avx2::block_l2p};
#endif
  (void)simd;
  return {baseline::block_m2l, baseline::block_p2m, baseline::block_l2p};
}

}  // namespace farfield::cpu
