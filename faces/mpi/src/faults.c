/* See faults.h. */
#include "faults.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "real.h"
#include "serial.h"

#if defined(OMPI_HAVE_MPIX_COMM_GET_FAILED)

/* Open MPI's, of which MPI_Test and MPI_Wait ask. It marks a failed request and begins to cancel
 * it. */
static bool (*is_failed)(MPI_Request request);

void prepare_faults(void) {
  const bool *const is_enabled = find_optional_symbol("ompi_ftmpi_enabled");
  if (is_enabled == NULL || !*is_enabled) return;
  is_failed = (bool (*)(MPI_Request))find_optional_symbol("ompi_request_is_failed_fn");
}

bool tells_faults(void) { return is_failed != NULL; }

bool has_failed(MPI_Request request) { return is_failed != NULL && request != NULL_REQUEST && is_failed(request); }

int error_of_blocking(int error, MPI_Request *request) {
  if (error != MPIX_ERR_PROC_FAILED_PENDING || *request == NULL_REQUEST) return error;
  CALL(Cancel, request);
  CALL(Wait, request, MPI_STATUS_IGNORE);
  return MPIX_ERR_PROC_FAILED;
}

#else

void prepare_faults(void) {}

bool tells_faults(void) { return false; }

bool has_failed(MPI_Request request) {
  (void)request;
  return false;
}

int error_of_blocking(int error, MPI_Request *request) {
  (void)request;
  return error;
}

#endif
