/* What reports, dumps and traces say about calls that wait. The caller is inside the engine. */
#ifndef WEFT_MPI_DESCRIBE_H
#define WEFT_MPI_DESCRIBE_H

#include "engine.h"

/* Adds to the text of a call, which dumps may read meanwhile, what it waits for. Once in the life
 * of a call. */
void describe_wait(mpi_wait *one);

/* The same for the calls of the list that wait on the communicator, before it is freed. */
void describe_waits_on(mpi_wait *first, MPI_Comm comm);

/* A line for each call of the list, up to a number. */
void report_calls(mpi_wait *first, unsigned count, uint64_t now_ns);

/* As report_calls, with a line before that says how long no call has completed. */
void report_stalled_calls(mpi_wait *first, unsigned count, uint64_t now_ns, uint64_t quiet_ns);

/* A line that says that the call, which polls, has waited for long. */
void report_long_call(mpi_wait *one, uint64_t now_ns);

#endif
