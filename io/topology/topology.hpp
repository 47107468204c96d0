// What files of molecules say beside positions and charges: names of atoms, molecules, bonds.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace farfield::io {

/// In the order of the file's atoms; empty where the format, or the file, has none.
struct Topology {
  std::vector<std::string> names;       ///< of gro
  std::vector<std::int64_t> molecules;  ///< which one an atom is of, any numbers; of gro a residue
  std::vector<std::int64_t> bonds;      ///< of LAMMPS data, two atoms each, counted from 0
};

/// Of a gro file or LAMMPS data, each also within gzip; of others nothing. A file that `read` has taken: what is wrong
/// with its atoms is told there. Pipes cannot be read again: nothing. Throws Error(input) as `read`
/// does.
Topology read_topology(const std::string& path);

}  // namespace farfield::io
