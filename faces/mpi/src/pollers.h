/* Callers that poll: those that cannot leave their worker, where a call that waits would keep all
 * others out of MPI. Reports read their records, so each stands in a list. What reports and
 * describes is for the holder of the engine, whose turn it is: it asks the MPI without a wait. */
#ifndef WEFT_MPI_POLLERS_H
#define WEFT_MPI_POLLERS_H

#include "engine.h"

/* By the caller itself. */
void add_poller(mpi_wait *wait);
void remove_poller(mpi_wait *wait);

/* The caller's own call, which has waited for long. */
void report_poller(mpi_wait *wait, uint64_t now);

/* A line for each, up to a number. */
void report_pollers(uint64_t now);

/* Before the communicator is freed. */
void describe_pollers_on(MPI_Comm comm);

#endif
