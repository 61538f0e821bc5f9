/* What the caller of an MPI function may do while the call waits. */
#ifndef WEFT_MPI_CALLER_H
#define WEFT_MPI_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "wait_name.h"
#include "way.h"

/* How the caller waits in a call that has a nonblocking twin. If it is a ULT and does not park, a
 * line on stderr says why, once. */
caller_way way_of_caller(void);

/* For a call without a nonblocking twin: begins a blocking region of a ULT that may park, and ends
 * it. name: of WAIT_NAME (wait_name.h). */
typedef struct mpi_region {
  bool is_open;
  const char *name;
  uint64_t since_ns;
} mpi_region;
mpi_region begin_region(const char *name);
void end_region(const mpi_region *region);

/* The level that MPI_Init_thread provided to the calling OS thread. */
void note_level(int provided);
int provided_level(void);

/* Where calls go one at a time: a line on stderr, once for each flag, that no other thread can call
 * MPI until this call returns. */
void note_call_without_twin(const char *call, bool *was_said);

/* "MPI_THREAD_MULTIPLE" */
const char *name_of_level(int provided);

/* MPI_Finalize was called. */
void note_end(void);

#endif
