/* Waits for requests that the program started. A ULT parks until the call would return at once, and
 * then calls it; every other caller calls the MPI. */
#include <stdlib.h>

#include "caller.h"
#include "engine.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "serial.h"
#include "waited.h"

#define MOST_ON_STACK 32

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  mpi_wait wait = {.call = WAIT_NAME("MPI_Wait"), .kind = WAITS_FOR_ALL, .requests = request, .count = 1, .is_of_program = true};
  if (request != NULL) wait_until_complete(&wait, way_of_caller());
  const bool is_taken = begin_completion(&wait);
  const int error = CALL(Wait, request, status);
  leave_turn(is_taken);
  end_wait(&wait);
  return error;
}
PROFILING_ENTRY(Wait, (MPI_Request * request, MPI_Status *status), request, status)

EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses) {
  mpi_wait wait = {
      .call = WAIT_NAME("MPI_Waitall"), .kind = WAITS_FOR_ALL, .requests = requests, .count = count, .is_of_program = true};
  if (count > 0 && requests != NULL) wait_until_complete(&wait, way_of_caller());
  const bool is_taken = begin_completion(&wait);
  const int error = CALL(Waitall, count, requests, statuses);
  leave_turn(is_taken);
  end_wait(&wait);
  return error;
}
PROFILING_ENTRY(Waitall, (int count, MPI_Request requests[], MPI_Status *statuses), count, requests, statuses)

/* ---- one of several -------------------------------------------------------------------------- */

/* A request that is null or inactive looks complete, but ends no wait. The caller has found no
 * request complete, copies the others, and asks again: what is not copied is then inactive. */
static int copy_incomplete(int count, const MPI_Request *requests, MPI_Request *out) {
  int copied = 0;
  for (int i = 0; i < count; ++i) {
    if (!is_request_complete(requests[i])) out[copied++] = requests[i];
  }
  return copied;
}

/* Room for copies of the requests: `few`, or memory that the caller frees; null: there is none. */
static MPI_Request *room_for(int count, MPI_Request *few) {
  return count <= MOST_ON_STACK ? few : malloc((size_t)count * sizeof(MPI_Request));
}

EXPORT int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
  MPI_Request few[MOST_ON_STACK];
  int flag = 0;
  const caller_way way = way_of_caller();
  if (count <= 0 || requests == NULL || way == CALLS_MPI) return CALL(Waitany, count, requests, index, status);
  int error = CALL(Testany, count, requests, index, &flag, status);
  if (error != MPI_SUCCESS || flag != 0) return error;
  MPI_Request *const active = room_for(count, few);
  if (active == NULL) return CALL(Waitany, count, requests, index, status);
  const int copied = copy_incomplete(count, requests, active);
  error = CALL(Testany, count, requests, index, &flag, status);
  if (error == MPI_SUCCESS && flag == 0) {
    mpi_wait wait = {
        .call = WAIT_NAME("MPI_Waitany"), .kind = WAITS_FOR_ANY, .requests = active, .count = copied, .is_of_program = true};
    if (copied > 0) wait_until_complete(&wait, way);
    const bool is_taken = begin_completion(&wait);
    error = CALL(Waitany, count, requests, index, status);
    leave_turn(is_taken);
    end_wait(&wait);
  }
  if (active != few) free(active);
  return error;
}
PROFILING_ENTRY(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status), count, requests, index, status)

EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int *found, int indices[], MPI_Status statuses[]) {
  MPI_Request few[MOST_ON_STACK];
  const caller_way way = way_of_caller();
  if (count <= 0 || requests == NULL || way == CALLS_MPI) return CALL(Waitsome, count, requests, found, indices, statuses);
  int error = CALL(Testsome, count, requests, found, indices, statuses);
  if (error != MPI_SUCCESS || *found != 0) return error;
  MPI_Request *const active = room_for(count, few);
  if (active == NULL) return CALL(Waitsome, count, requests, found, indices, statuses);
  const int copied = copy_incomplete(count, requests, active);
  error = CALL(Testsome, count, requests, found, indices, statuses);
  if (error == MPI_SUCCESS && *found == 0) {
    mpi_wait wait = {
        .call = WAIT_NAME("MPI_Waitsome"), .kind = WAITS_FOR_ANY, .requests = active, .count = copied, .is_of_program = true};
    if (copied > 0) wait_until_complete(&wait, way);
    const bool is_taken = begin_completion(&wait);
    error = CALL(Waitsome, count, requests, found, indices, statuses);
    leave_turn(is_taken);
    end_wait(&wait);
  }
  if (active != few) free(active);
  return error;
}
PROFILING_ENTRY(Waitsome, (int count, MPI_Request requests[], int *found, int indices[], MPI_Status statuses[]), count, requests,
                found, indices, statuses)

/* ---- requests that are freed ----------------------------------------------------------------- */

/* An MPI would free what another thread waits for. */
EXPORT int MPI_Request_free(MPI_Request *request) {
  if (request == NULL || !report_waiter_of(*request)) return CALL(Request_free, request);
  CALL(Comm_call_errhandler, WORLD, MPI_ERR_REQUEST);
  return MPI_ERR_REQUEST;
}
PROFILING_ENTRY(Request_free, (MPI_Request * request), request)
