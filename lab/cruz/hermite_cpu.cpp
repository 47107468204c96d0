// Hermite series on the CPU, once per instruction set.
#include "backends/cpu/runtime/simd.hpp"
#include "hermite_series.hpp"
#include "series_at.hpp"

namespace farfield::lab::FARFIELD_ISA {

using cpu::FARFIELD_ISA::Vec;
constexpr int lanes = cpu::FARFIELD_ISA::lanes<float>;

template <int P>
void evaluate(const SeriesCase& from, int threads, std::vector<float>& result) {
  const auto count = static_cast<std::int64_t>(result.size());
  const float* const x = from.x.data();
  const float* const y = from.y.data();
  float* const to = result.data();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto here = static_cast<std::size_t>(std::min<std::int64_t>(lanes, count - i)) * sizeof(float);
    Vec<float> px{}, py{}, sum{};
    std::memcpy(&px, x + i, here), std::memcpy(&py, y + i, here);
    for (int c = 0; c < cluster_count; ++c)
      sum += series_at<P>(from.coefficient.data() + c * P * P, P, px - static_cast<float>(c % clusters_along + 0.5),
                          py - static_cast<float>(c / clusters_along + 0.5));
    std::memcpy(to + i, &sum, here);
  }
}

void evaluate_all(const SeriesCase& from, int threads, std::vector<float>& result) {
  if (from.p == 5) return evaluate<5>(from, threads, result);
  if (from.p == 9) return evaluate<9>(from, threads, result);
  evaluate<12>(from, threads, result);
}

}  // namespace farfield::lab::FARFIELD_ISA
