// Atoms: positions and charges of all ranks on rank 0, and results back to the ranks that own the atoms.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "pointers.h"

namespace farfield::lammps {

class Atoms : protected LAMMPS_NS::Pointers {
 public:
  explicit Atoms(LAMMPS_NS::LAMMPS* host) : Pointers(host) {}

  /// Fills xyz and charges on rank 0, in the order of ranks. Called by all ranks.
  void gather();
  std::vector<double> xyz, charges;

  /// This rank's part of a rank-0 array with `each` numbers per atom. Called by all ranks, after gather().
  std::vector<double> scatter(const double* all, int each) const;

  double memory() const { return 8 * static_cast<double>(xyz.capacity() + charges.capacity()); }

 private:
  struct Parts {
    std::vector<int> count, begin;
  };
  Parts parts(int each) const;
  std::vector<double> gathered(const double* own, int each) const;

  std::vector<int> local_;  // atoms of each rank; on rank 0
};

/// What rank 0 has to say to all: numbers, or why there are none. The others sleep while they wait, so that their cores
/// are free for rank 0's threads.
struct News {
  std::array<double, 7> numbers{};
  std::string failure;
};
void broadcast(News& news, MPI_Comm world);

/// Ranks on this rank's host.
int ranks_of_host(MPI_Comm world);

}  // namespace farfield::lammps
