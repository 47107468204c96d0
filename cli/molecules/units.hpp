// Units of energies: what e^2/length is in them, as the programs have it whose files these are.
#pragma once
#include <span>
#include <string>

namespace farfield::cli {

/// q q / r in energies: LAMMPS' qqr2e of its unit styles (src/update.cpp), and GROMACS' 1/(4 pi eps0) of CODATA 2018
/// (api/legacy/include/gromacs/math/units.h).
struct Units {
  const char* name;
  double coulomb_constant;
  double angstrom, electron;  ///< one Angstrom and one elementary charge
  const char *length, *energy, *force;

  /// Force of two elementary charges 1 Angstrom apart: what LAMMPS' accuracies are relative to.
  double two_charge_force() const { return coulomb_constant * electron * electron / (angstrom * angstrom); }
};

std::span<const Units> all_units();
const Units& units_named(const std::string& name);

}  // namespace farfield::cli
