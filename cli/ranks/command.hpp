// `farfield-mpi run` and `farfield-mpi check`: the ordinary subcommands over ranks. MPI itself is not known here.
#pragma once
#include <farfield/distributed.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace farfield::cli {

class Crew;
struct Computation;

struct Ending {
  int code = 0;         ///< of exit
  bool broken = false;  ///< the communicator has failed: other ranks may wait for ever
};

/// A rank on its machine.
struct Seat {
  int threads = 0;  ///< where no option says
  int number = 0;   ///< among the ranks of the machine, which share its devices out
};

/// Parses and works; called by all ranks with the same words. Rank 0 prints.
Ending run_command(const std::vector<std::string>& words, distributed::Communicator& communicator,
                   const Seat& seat = {});
/// The same by ranks of this process, one for each of these devices. Returns the exit code.
int run_on_devices(const std::vector<std::string>& words, const std::vector<int>& devices);

// The steps.
/// Refuses what is not offered over several ranks, in the words of the command line.
void require_offered(const SumArguments& arguments);
/// As compute and write_results of one process, within Crew::together.
void compute_part(SumArguments& arguments, Crew& crew, class Progress& progress, Computation& computation);
void write_part_of_results(const SumArguments& arguments, Crew& crew, Progress& progress, Computation& computation);

}  // namespace farfield::cli
