// Names of the enums, the same in reports, messages and on the command line.
#pragma once
#include <farfield/options.hpp>

namespace farfield {

inline const char* name(Method m) { return m == Method::fmm ? "fmm" : m == Method::direct ? "direct" : "auto"; }
inline const char* name(Precision p) {
  return p == Precision::single_ ? "single" : p == Precision::double_ ? "double" : "auto";
}
inline const char* name(Backend b) { return b == Backend::cpu ? "cpu" : b == Backend::cuda ? "cuda" : "auto"; }
inline const char* name(Simd s) {
  return s == Simd::avx512 ? "avx512" : s == Simd::avx2 ? "avx2" : s == Simd::baseline ? "baseline" : "auto";
}

}  // namespace farfield
