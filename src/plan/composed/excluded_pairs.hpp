// What excluded pairs contribute to a Coulomb sum, to be taken off it.
#pragma once
#include <farfield/coulomb.hpp>

#include "tree/cell/unit_cell.hpp"

namespace farfield {

/// Takes (1 - kept) of the pair 1/r at its shortest image off the potential (N), and off the forces q F (N, 3) and the
/// virial. Each particle gathers from its partners, so that the bits do not depend on the number of threads. `cell`
/// null: open space. `positions`: (N, 3).
void take_off(const Exclusions& pairs, const UnitCell* cell, std::span<const double> positions,
              std::span<const double> charges, int threads, CoulombSums& sums);

}  // namespace farfield
