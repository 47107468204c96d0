// NumberRange: how far numbers reach and whether all are finite, found in vectors.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace farfield::cpu {

struct NumberRange {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double least = low;  ///< smallest absolute value that is not 0
  double poison = 0;   ///< sum of 0 x: 0 while all numbers are finite, nan otherwise

  bool finite() const { return poison == 0; }
  /// The largest absolute value; 0 of no numbers.
  double largest() const { return std::max({0.0, -low, high}); }
  void join(const NumberRange& other) {
    low = std::min(low, other.low), high = std::max(high, other.high);
    least = std::min(least, other.least), poison += other.poison;
  }
};

/// So many numbers are read side by side, for vectors.
inline constexpr std::int64_t side_by_side = 512;

/// Adds numbers to the range.
void extend(NumberRange& range, const double* numbers, std::int64_t count);

/// The largest absolute value of numbers; nan unless all of them are finite.
double largest_of(const double* numbers, std::int64_t count, int threads);
double largest_of(const float* numbers, std::int64_t count, int threads);

}  // namespace farfield::cpu
