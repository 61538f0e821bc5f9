/* The environment variables of this library. */
#ifndef WEFT_MPI_SETTINGS_H
#define WEFT_MPI_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct mpi_settings {
  uint64_t poll_ns;  /* WEFT_MPI_POLL: the longest pause of an idle process between two looks */
  uint64_t start_ns; /* WEFT_MPI_START: how long MPI_Init waits for the words of other ranks; 0: it asks none */
  uint64_t stall_ns; /* WEFT_MPI_STALL: a report after so long without a completion; 0: never */
  int level;         /* WEFT_MPI_LEVEL: the thread level for which the MPI is asked */
  bool reports;      /* WEFT_MPI_REPORT: the first rank says at the start what there is */
};

/* Reads the variables at its first call. A value that cannot be used gives a line on stderr and
 * ends the process; an unknown name that begins with WEFT_MPI_ gives a line. */
const struct mpi_settings *mpi_settings(void);

#endif
