// The `farfield-mpi` command: `run` and `check` of `farfield` over the processes of MPI.
#include <farfield/mpi.hpp>

#include "cli/mpi/process.hpp"
#include "cli/ranks/command.hpp"

int main(int count, char** words) {
  namespace cli = farfield::cli;
  // A rank may read for long while others wait. One that has died ends all by MPI itself.
  constexpr double patience = 3600;
  const std::vector<std::string> typed(words, words + count);
  cli::Process process(count, words);
  cli::Ending ending;
  {
    const auto communicator = farfield::distributed::over_mpi(process.communicator(), patience);
    ending = cli::run_command(typed, *communicator, {process.threads(), process.number()});
  }
  if (ending.broken) process.abort(ending.code);
  return ending.code;
}
