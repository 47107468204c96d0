#include "cli/mpi/process.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace farfield::cli {

Process::Process(int& count, char**& words) {
  int provided = 0;  // threads of OpenMP compute, and the one that began calls MPI; all give at least that
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
}

Process::~Process() { MPI_Finalize(); }

int Process::communicator() const { return static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD)); }

int Process::threads() const {
  cpu_set_t own;
  CPU_ZERO(&own);
  const bool told = sched_getaffinity(0, sizeof own, &own) == 0;
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, machine);
  MPI_Comm_free(&machine);
  if (!told || std::getenv("OMP_NUM_THREADS")) return 0;
  const auto alike = std::count_if(all.begin(), all.end(), [&](cpu_set_t& other) { return CPU_EQUAL(&own, &other); });
  return std::max(1, CPU_COUNT(&own) / static_cast<int>(alike));
}

int Process::number() const {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int number = 0;
  MPI_Comm_rank(machine, &number);
  MPI_Comm_free(&machine);
  return number;
}

void Process::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace farfield::cli
