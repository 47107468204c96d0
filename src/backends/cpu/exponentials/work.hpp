// What the sweeps of method exponentials read and write, as plain pointers.
#pragma once
#include <cstdint>

#include "expansions/exponentials/sum.hpp"

namespace farfield::cpu {

/// Sources and targets in the order of their coordinate, cut into stretches of `steps` points each by their number
/// alone. Point i of stretch p is element (p / 8 * steps + i) * 8 + p % 8: eight stretches are swept together, whatever
/// the vectors' width. The last ones repeat the last point, with no strength.
struct SweepWork {
  static constexpr int together = 8;
  exponentials::Sum sum;
  double per_bandwidth = 0;  ///< of differences of coordinates
  std::int64_t groups = 0, steps = 0;
  const double* at = nullptr;
  const double* strength = nullptr;                    ///< 0 at targets
  double* head[2] = {};                                ///< [stretches][2 terms]: by points below, by points above
  double *potential = nullptr, *derivative = nullptr;  ///< derivative null: not asked for
  int threads = 1;
};

}  // namespace farfield::cpu
