// This process as one of MPI's. The only place of the command that knows MPI.
#pragma once

namespace farfield::cli {

/// From MPI_Init to MPI_Finalize.
class Process {
 public:
  Process(int& count, char**& words);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int communicator() const;  ///< of all processes: its number in Fortran
  /// Threads for this process where nobody says: processes of one machine that may run on the same processors share
  /// them. 0: OpenMP's own number, where OMP_NUM_THREADS is set.
  int threads() const;
  int number() const;                 ///< of this process among those of its machine
  [[noreturn]] void abort(int code);  ///< ends all processes
};

}  // namespace farfield::cli
