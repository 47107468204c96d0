// What a file of molecules and the command line together say: charges, cell, pairs that are left out, units.
#pragma once
#include <farfield/coulomb.hpp>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/molecules/units.hpp"
#include "io/bodies.hpp"
#include "io/topology/topology.hpp"

namespace farfield::cli {

struct ChargedSystem {
  io::Bodies bodies;
  io::Topology topology;
  std::vector<double> charges;
  Options options;  ///< those asked for, with the cell
  Exclusions exclusions;
  const Units* units = nullptr;
  std::string cell, excluded;              ///< in words
  std::optional<double> reference_energy;  ///< where the file brings potentials of this very sum
};

ChargedSystem read_system(const CoulombArguments& arguments);

}  // namespace farfield::cli
