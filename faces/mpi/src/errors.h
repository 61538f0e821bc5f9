/* Errors of calls that are made of a nonblocking twin and a wait. An MPI calls the error handler of
 * the communicator when the twin is at fault. When the request is, Open MPI still does. MPICH does
 * so for some requests, and for others calls that of MPI_COMM_WORLD, by default the one that ends
 * the job. So on MPICH this library puts handlers of its own in the place of MPI_ERRORS_ARE_FATAL
 * and MPI_ERRORS_RETURN there, which let errors of its own calls pass, and then calls the
 * communicator's handler. A handler of the program's on MPI_COMM_WORLD stays, and MPICH calls it as
 * it always does. */
#ifndef WEFT_MPI_ERRORS_H
#define WEFT_MPI_ERRORS_H

#include <stdbool.h>

#include "family.h"

/* Whether, from now on, the default handler lets errors of this OS thread's calls pass. Returns
 * what held before. The caller must not switch in between. */
bool return_errors(bool passes);

/* Whether it has let one pass since the last return_errors(true): the call may have returned
 * MPI_SUCCESS then. */
bool has_passed_error(void);

/* Completes a request of a call on a communicator. Returns MPI_SUCCESS or the error, of which the
 * communicator's handler has been told. */
int complete_on(MPI_Comm comm, MPI_Request *request, MPI_Status *status);

/* Once MPI is initialised. */
void prepare_errors(void);

#endif
