/* Processes that have died, and communicators that were revoked, as Open MPI 5 tells of them under
 * `mpirun --with-ft ulfm` (User Level Failure Mitigation). MPI_Test and MPI_Wait then return the
 * error for a request that no process will complete any more. MPI_Request_get_status, which the
 * engine asks, does not tell of it, so the engine asks Open MPI's own function, too. An MPI that
 * has no such function ends the job, or tells nothing. */
#ifndef WEFT_MPI_FAULTS_H
#define WEFT_MPI_FAULTS_H

#include <stdbool.h>

#include "family.h"

/* Once MPI is initialised. */
void prepare_faults(void);

/* Whether the MPI tells of failed requests in this job. */
bool tells_faults(void);

/* Whether the request will not complete because a process has died or its communicator was revoked.
 * The caller that completes it then gets the error from the MPI. */
bool has_failed(MPI_Request request);

/* The error that a blocking call returns where the wait for its request has returned `error`: the
 * MPI keeps a receive from any rank when a rank has died, so that its caller may go on with it, but
 * a blocking receive returns, and its request must end. */
int error_of_blocking(int error, MPI_Request *request);

#endif
