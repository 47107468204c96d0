// The norms that a degree is chosen by (model/placement.hpp), over all pairs.
#pragma once
#include <cmath>

#include "model/placement.hpp"

namespace farfield::testing {

inline ResultNorms norms_over_all_pairs(const PlacedPoints& sources, std::int64_t count, const PlacedPoints& targets,
                                        std::int64_t at) {
  double square = 0, fourth = 0, sixth = 0, eighth = 0;
#pragma omp parallel for reduction(+ : square, fourth, sixth, eighth)
  for (std::int64_t t = 0; t < at; ++t)
    for (std::int64_t s = 0; s < count; ++s) {
      double r2 = 0;
      for (int a = 0; a < 3; ++a) {
        const double d = targets.axis[a][t] - sources.axis[a][s];
        r2 += d * d;
      }
      if (r2 > 0) square += 1 / r2, fourth += 1 / (r2 * r2), sixth += std::pow(r2, -3), eighth += std::pow(r2, -4);
    }
  const auto count_of = static_cast<double>(at);
  return {{square / count_of, fourth / count_of, sixth / count_of, eighth / count_of}};
}

}  // namespace farfield::testing
