// The ordinary command started by a launcher of MPI, several times at once: each would do all of the work, and all
// would write the same files.
#pragma once
#include <string>

namespace farfield::cli {

struct Launch {
  int ranks = 1, rank = 0;
  bool first() const { return rank == 0; }
};

/// By what mpirun, mpiexec and srun set in the environment.
Launch launched();

/// Before the subcommand `name` runs on one of several ranks: `run` and `check` become farfield-mpi where that stands
/// beside this program, and pages are printed by rank 0 alone. Returns whether the subcommand is to run here. Throws
/// Error(usage) for all else.
bool settle_launch(const Launch& launch, const std::string& name, char** words);

}  // namespace farfield::cli
