/* Requests of the program for which MPI_Wait, MPI_Waitall, MPI_Waitany or MPI_Waitsome waits. Such
 * a call stands in a list from before anything else may run until it completes its requests, so
 * that MPI_Request_free finds it wherever it is: spinning, on its way to park, parked, or woken and
 * not yet running. */
#ifndef WEFT_MPI_WAITED_H
#define WEFT_MPI_WAITED_H

#include <stdbool.h>

#include "engine.h"

/* Puts the call into the list. Does not switch. */
void list_waited(mpi_wait *wait);

/* The caller, whose call is in the list, has found the request not complete. */
void note_incomplete(mpi_wait *wait, MPI_Request request);

/* Takes the call out of the list, if it is there. */
void unlist_waited(mpi_wait *wait);

/* Takes the call out of the list, in the turn in which its caller completes the requests: a handle
 * may be another request's afterwards. Returns what leave_turn takes. */
bool begin_completion(mpi_wait *wait);

/* Whether a call waits for the request, which is to be freed. Lines then say so. Many sends that
 * are complete may share one handle, so a complete request counts only where the call is known to
 * have found it incomplete. May switch. */
bool report_waiter_of(MPI_Request request);

#endif
