#include "motion/diagnostics.hpp"

#include <cmath>

namespace farfield::motion {

Diagnostics diagnose(const Sums& sums) {
  Diagnostics d;
  d.kinetic = sums.kinetic;
  d.potential = sums.potential;
  d.total = sums.kinetic + sums.potential;
  d.virial_ratio = 2 * sums.kinetic / std::fabs(sums.potential);
  d.momentum = sums.momentum;
  d.angular_momentum = sums.angular;
  for (std::size_t c = 0; c < 3; ++c) d.centre[c] = sums.moment[c] / sums.mass;
  return d;
}

double energy_change(const Diagnostics& now, const Diagnostics& first) {
  constexpr double cancelled = 1e-6;  // what is left of E_0 then is mostly the error of the sums
  const double parts = first.kinetic + std::fabs(first.potential);
  const double size = std::fabs(first.total) > cancelled * parts ? std::fabs(first.total) : parts;
  return size > 0 ? (now.total - first.total) / size : 0;
}

double length(const Vector& a) { return std::hypot(a[0], a[1], a[2]); }

}  // namespace farfield::motion
