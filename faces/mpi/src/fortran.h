/* Calls from Fortran. The Fortran libraries of an MPI call its C functions, some of them (MPICH's
 * mpi_f08, all of Open MPI) by the profiling names. So this library has the profiling name, too, of
 * every function that it replaces: what an MPI's Fortran library calls is treated as MPI_Recv of a
 * C program is, and every other caller, such as a tool or the MPI itself, gets the MPI. Handles,
 * LOGICAL, MPI_IN_PLACE, MPI_BOTTOM and statuses are converted by the MPI's own Fortran library. */
#ifndef WEFT_MPI_FORTRAN_H
#define WEFT_MPI_FORTRAN_H

#include <stdbool.h>

#include "export.h"
#include "real.h"

/* Whether the code at this address is in a Fortran library of an MPI. */
bool is_in_fortran_library(const void *address);

/* Defines PMPI_NAME beside MPI_NAME. (parameters), arguments... are those of MPI_NAME. */
#define PROFILING_ENTRY(NAME, PARAMETERS, ...)                                                                     \
  EXPORT int PMPI_##NAME PARAMETERS {                                                                              \
    return is_in_fortran_library(__builtin_return_address(0)) ? MPI_##NAME(__VA_ARGS__) : PMPI(NAME)(__VA_ARGS__); \
  }

#endif
