// SpecialPairs: takes the excluded part of bonded pairs off a sum over all pairs, from LAMMPS' own lists of 1-2, 1-3
// and 1-4 neighbours (special_bonds).
#pragma once
#include <array>

#include "pointers.h"

namespace farfield::lammps {

class SpecialPairs : protected LAMMPS_NS::Pointers {
 public:
  explicit SpecialPairs(LAMMPS_NS::LAMMPS* host) : Pointers(host) {}

  /// Are there pairs that count less than in full?
  bool any() const;

  struct Tally {
    double energy = 0;
    std::array<double, 6> virial{};
  };
  /// Adds -(1 - special_coul) * constant * q q / r of this rank's atoms to their forces, and to their energies where
  /// `each` is not null; gives back the rank's share of energy and virial.
  Tally subtract(double constant, double* each);

 private:
  void subtract_of(int i, double constant, double* each, Tally& tally);
  std::array<double, 3> to_image_of(int i, LAMMPS_NS::tagint partner) const;
};

}  // namespace farfield::lammps
