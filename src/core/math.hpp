// Functions that a pair formula may call, for any value type V: numbers here, vectors of the CPU's instruction sets in
// backends/cpu/runtime/simd.hpp.
#pragma once
#include <cmath>

#include "core/hd.hpp"

namespace farfield {

template <class V>
struct Math {
  FARFIELD_HD static V constant(double x) { return static_cast<V>(x); }
  FARFIELD_HD static V absolute(V x) { return x < V{} ? -x : x; }
  FARFIELD_HD static V square_root(V x) { return std::sqrt(x); }
  /// 1/sqrt(x) for x > 0.
  FARFIELD_HD static V inverse_sqrt(V x) {
#if defined(__CUDA_ARCH__)
    return rsqrt(x);
#else
    return 1 / std::sqrt(x);
#endif
  }
  /// 1/x and log x for positive normal x.
  FARFIELD_HD static V inverse(V x) { return 1 / x; }
  FARFIELD_HD static V log(V x) { return std::log(x); }
  /// 0 where e^x is below the smallest normal number.
  FARFIELD_HD static V exp(V x) { return std::exp(x); }
};

}  // namespace farfield
