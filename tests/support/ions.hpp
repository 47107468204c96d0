// Clouds of ions whose sums are harder than their points tell.
#pragma once
#include <cmath>

#include "support/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {

/// Pairs of opposite charges about as near to one another as to the next pair, some of them a hundred times larger:
/// the potential is much smaller than its terms, and comes from few boxes.
inline Cloud ions(Stream& random, std::int64_t count, std::int64_t strong) {
  Cloud c;
  c.label = "ions";
  const double distance = 1 / std::cbrt(static_cast<double>(count));
  for (std::int64_t i = 0; i < count; i += 2) {
    double at[3];
    for (double& x : at) x = random.between(0, 1);
    for (const double q : {1.0, -1.0}) {
      for (const double x : at) c.sources.push_back(x + distance * random.between(-0.5, 0.5));
      c.strengths.push_back(i < 2 * strong ? 100 * q : q);
    }
  }
  return c;
}

}  // namespace farfield::testing
