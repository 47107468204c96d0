#include "hermite_series.hpp"

namespace farfield::lab {

namespace baseline {
void evaluate_all(const SeriesCase& from, int threads, std::vector<float>& result);
}
namespace avx2 {
void evaluate_all(const SeriesCase& from, int threads, std::vector<float>& result);
}
namespace avx512 {
void evaluate_all(const SeriesCase& from, int threads, std::vector<float>& result);
}

void evaluate_on_cpu(const SeriesCase& from, int threads, std::vector<float>& result) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512::evaluate_all(from, threads, result);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::evaluate_all(from, threads, result);
#endif
  baseline::evaluate_all(from, threads, result);
}

}  // namespace farfield::lab
