// What excluded pairs contribute to a Coulomb sum, to be taken off it.
#pragma once
#include <farfield/coulomb.hpp>

#include "tree/cell/unit_cell.hpp"

namespace farfield {

/// Where it is taken off: potential (N), forces q F (N, 3), virial.
struct FromSums {
  double *potential, *forces;
  std::array<double, 6>& virial;
};

/// Takes (1 - kept) of the pair 1/r at its shortest image off. Each particle gathers from its partners, so that the
/// bits do not depend on the number of threads. `cell` null: open space. `positions`: (N, 3).
void take_off(const Exclusions& pairs, const UnitCell* cell, std::span<const double> positions,
              std::span<const double> charges, int threads, const FromSums& sums);

}  // namespace farfield
