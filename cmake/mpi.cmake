# Sets FARFIELD_HAVE_MPI. MPI is a library of its own, farfield::mpi: programs that do without it need none.
set(FARFIELD_HAVE_MPI OFF)
if(NOT FARFIELD_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX TRUE)  # the bindings for C suffice
  if(FARFIELD_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS CXX)
  else()
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
  set(FARFIELD_HAVE_MPI ${MPI_CXX_FOUND})
endif()
