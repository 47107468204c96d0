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

/// Adds number(begin) ... number(begin + count - 1), at most side_by_side.
template <class Number>
void extend_by(NumberRange& range, std::int64_t begin, std::int64_t count, const Number& number) {
  double x[side_by_side];
  for (std::int64_t i = 0; i < count; ++i) x[i] = number(begin + i);
  extend(range, x, count);
}

}  // namespace farfield::cpu
