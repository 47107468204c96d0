// Vortex particles, and those of a circular filament.
#pragma once
#include <cmath>
#include <numbers>
#include <vector>

namespace farfield::testing {

struct Vortices {
  std::vector<double> places, strengths, targets;  ///< interleaved; no targets: the particles
  const std::vector<double>& where() const { return targets.empty() ? places : targets; }
};

/// A circular filament of unit radius and circulation, cut into `count` pieces.
inline Vortices ring(std::size_t count) {
  Vortices v;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count),
                 length = 2 * std::numbers::pi / static_cast<double>(count);
    v.places.insert(v.places.end(), {std::cos(angle), std::sin(angle), 0});
    v.strengths.insert(v.strengths.end(), {-length * std::sin(angle), length * std::cos(angle), 0});
  }
  return v;
}

}  // namespace farfield::testing
