// What tells whether a motion can be believed: energies, and what the laws of motion conserve.
#pragma once
#include "motion/arrays.hpp"

namespace farfield::motion {

struct Diagnostics {
  double kinetic = 0;         ///< K = sum of m v^2 / 2
  double potential = 0;       ///< W = sum of m u / 2, below 0
  double total = 0;           ///< E = K + W
  double virial_ratio = 0;    ///< 2 K / |W|: 1 in equilibrium
  Vector momentum{};          ///< sum of m v
  Vector angular_momentum{};  ///< sum of m x cross v, about the origin
  Vector centre{};            ///< of mass
};

Diagnostics diagnose(const Sums& sums);

/// (E - E_0) / |E_0|; where the two parts of E_0 cancel (bodies that can just escape): over K_0 + |W_0|.
double energy_change(const Diagnostics& now, const Diagnostics& first);

double length(const Vector& a);

}  // namespace farfield::motion
