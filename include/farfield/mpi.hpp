// Distributed plans over MPI. In a library of its own: link farfield::mpi. EXPERIMENTAL, as distributed.hpp is.
#pragma once
#include <farfield/distributed.hpp>

namespace farfield::distributed {

/// A communicator over a duplicate of an MPI communicator, whose processes all call this. `fortran_handle`:
/// MPI_Comm_c2f(comm), which is a number in every MPI, so that this header needs none. The caller initialises MPI
/// before and destroys the communicator before MPI_Finalize; one thread of each process uses both. Where a rank does
/// not arrive within `timeout` seconds the others throw Error(device); messages to it may still be on their way, so
/// that the process should then end. An MPI without fault tolerance ends all processes itself where one of them dies.
/// Throws Error(usage) before MPI_Init or after MPI_Finalize.
FARFIELD_API std::unique_ptr<Communicator> over_mpi(int fortran_handle, double timeout = 60);

}  // namespace farfield::distributed
