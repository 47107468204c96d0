#include "backends/cpu/transfer/number_range.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/tuning.hpp"
#include "core/chunks.hpp"
#include "core/loops/widest_vectors.hpp"

namespace farfield::cpu {

FARFIELD_WIDEST_VECTORS
void extend(NumberRange& range, const double* numbers, std::int64_t count) {
  const double none = std::numeric_limits<double>::infinity();
  double low = none, high = -none, least = none, poison = 0;
#pragma omp simd reduction(min : low, least) reduction(max : high) reduction(+ : poison)
  for (std::int64_t i = 0; i < count; ++i) {
    const double v = numbers[i], size = std::fabs(v), above = size > 0 ? size : none;
    low = v < low ? v : low;
    high = v > high ? v : high;
    least = above < least ? above : least;
    poison += 0 * v;
  }
  range.join({low, high, least, poison});
}

template <class T>
static inline __attribute__((always_inline)) double largest_in(const T* numbers, std::int64_t count) {
  T largest = 0, poison = 0;
#pragma omp simd reduction(max : largest) reduction(+ : poison)
  for (std::int64_t i = 0; i < count; ++i) {
    const T size = std::fabs(numbers[i]);
    largest = size > largest ? size : largest;
    poison += 0 * size;
  }
  return static_cast<double>(largest + poison);
}

FARFIELD_WIDEST_VECTORS
static double largest_of_chunk(const double* numbers, std::int64_t count) { return largest_in(numbers, count); }
FARFIELD_WIDEST_VECTORS
static double largest_of_chunk(const float* numbers, std::int64_t count) { return largest_in(numbers, count); }

template <class T>
static double largest_of_chunks(const T* numbers, std::int64_t count, int threads) {
  std::vector<double> parts(static_cast<std::size_t>(chunk_count(count, tuning::points_per_chunk)));
  for_chunks(count, tuning::points_per_chunk, threads, [&](std::int64_t begin, std::int64_t end, std::int64_t chunk) {
    parts[static_cast<std::size_t>(chunk)] = largest_of_chunk(numbers + begin, end - begin);
  });
  double largest = 0, poison = 0;
  for (const double part : parts) largest = std::max(largest, part), poison += 0 * part;
  return largest + poison;
}

double largest_of(const double* numbers, std::int64_t count, int threads) {
  return largest_of_chunks(numbers, count, threads);
}
double largest_of(const float* numbers, std::int64_t count, int threads) {
  return largest_of_chunks(numbers, count, threads);
}

}  // namespace farfield::cpu
