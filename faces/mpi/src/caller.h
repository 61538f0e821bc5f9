/* What the caller of an MPI function may do while the call waits. */
#ifndef WEFT_MPI_CALLER_H
#define WEFT_MPI_CALLER_H

#include <stdbool.h>

/* Whether the caller is a ULT that leaves its worker, because the MPI provides
 * MPI_THREAD_MULTIPLE. If it is a ULT and does not, a line on stderr says why, once. */
bool may_park(void);

/* For a call without a nonblocking twin: begins a blocking region of a ULT that may park. Returns
 * whether end_region is to end one. */
bool begin_region(void);
void end_region(bool is_open);

/* The level that MPI_Init_thread provided. */
void note_level(int provided);

/* "MPI_THREAD_MULTIPLE" */
const char *name_of_level(int provided);

/* MPI_Finalize was called. */
void note_end(void);

#endif
