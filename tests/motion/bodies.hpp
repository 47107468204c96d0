// Bodies whose motion is known, and the ways the tests of this folder move them.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "motion/diagnostics.hpp"
#include "motion/host_arrays.hpp"
#include "motion/leapfrog.hpp"
#include "support/random.hpp"

namespace farfield::motion::testing {

using Values = std::vector<double>;

/// Direct sums in double: forces without another error than rounding.
inline Options exact() {
  Options o;
  o.method = Method::direct, o.precision = Precision::double_, o.backend = Backend::cpu, o.threads = 1;
  return o;
}

struct Start {
  Values positions, velocities, masses, lengths = {};  ///< lengths: of the softening, or none
  HostArrays arrays() const { return {positions, velocities, masses, lengths}; }
};

/// Masses 0.7 and 0.3 on an ellipse of semi-major axis 1 and eccentricity 1/2, apart by 1.5 at first; centre at rest.
inline Start ellipse(double gravity) {
  constexpr double a = 1, e = 0.5, m1 = 0.7, m2 = 0.3;
  const double apart = a * (1 + e), speed = std::sqrt(gravity * (m1 + m2) / a * (1 - e) / (1 + e));
  return {{-m2 * apart, 0, 0, m1 * apart, 0, 0}, {0, -m2 * speed, 0, 0, m1 * speed, 0}, {m1, m2}};
}

/// Plummer's model with mass 1 and scale 1, cut at radius 10, with velocities drawn from its local dispersion
/// sigma^2 = 1 / (6 sqrt(1 + r^2)): in equilibrium nearly.
inline Start plummer(std::int64_t n, std::uint64_t seed) {
  farfield::testing::Stream random(seed);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
  };
  Start start;
  while (static_cast<std::int64_t>(start.masses.size()) < n) {
    const double within = random.between(1e-6, 1), r = 1 / std::sqrt(std::pow(within, -2.0 / 3) - 1);
    if (r > 10) continue;
    const Vector out{normal(), normal(), normal()};
    const double sigma = std::sqrt(1 / (6 * std::sqrt(1 + r * r)));
    for (std::size_t c = 0; c < 3; ++c) {
      start.positions.push_back(r * out[c] / length(out));
      start.velocities.push_back(sigma * normal());
    }
    start.masses.push_back(1 / static_cast<double>(n));
  }
  return start;
}

/// The largest |E - E_0| / |E_0| on the way, and the bodies where they come to.
struct Ride {
  HostArrays arrays;
  double worst = 0;
};

inline Ride ride(const Start& start, const Options& options, const Course& course, int steps) {
  Ride r{start.arrays()};
  Leapfrog leapfrog(r.arrays, options, course);
  const Diagnostics first = diagnose(r.arrays.sums());
  for (int step = 0; step < steps; ++step) {
    leapfrog.step();
    r.worst = std::max(r.worst, std::fabs(energy_change(diagnose(r.arrays.sums()), first)));
  }
  return r;
}

inline double farthest(const Values& a, const Values& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

}  // namespace farfield::motion::testing
