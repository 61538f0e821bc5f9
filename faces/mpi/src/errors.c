/* See errors.h. */
#include "errors.h"

#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "faults.h"
#include "fortran.h"
#include "rank.h"
#include "real.h"
#include "say.h"
#include "serial.h"

#if defined(OPEN_MPI)

bool return_errors(bool passes) {
  (void)passes;
  return false;
}

bool has_passed_error(void) { return false; }

int complete_on(MPI_Comm comm, MPI_Request *request, MPI_Status *status) {
  (void)comm;
  const int error = CALL(Wait, request, status);
  return error == MPI_SUCCESS ? error : error_of_blocking(error, request);
}

void prepare_errors(void) { prepare_faults(); }

#else

static __thread bool errors_pass;
static __thread bool a_stand_in_was_called;
static __thread int passed_error; /* what it was called with: MPICH 5 then returns MPI_SUCCESS */
static MPI_Errhandler stands_for_fatal = MPI_ERRHANDLER_NULL;
static MPI_Errhandler stands_for_return = MPI_ERRHANDLER_NULL;

bool return_errors(bool passes) {
  const bool before = errors_pass;
  if (passes) a_stand_in_was_called = false;
  errors_pass = passes;
  return before;
}

bool has_passed_error(void) { return a_stand_in_was_called; }

static void return_error(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  passed_error = *code;
  a_stand_in_was_called = true;
}

static void end_job(MPI_Comm *comm, int *code, ...) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  a_stand_in_was_called = true;
  passed_error = *code;
  if (errors_pass) return;
  CALL(Error_string, *code, text, &length);
  say("weft-mpi: rank %d: fatal error in MPI: %s", own_rank(), text);
  let_lines_pass();
  PMPI(Abort)(*comm, *code);
  _Exit(1); /* MPICH 5.0's MPI_Abort returns to a program of the standard ABI */
}

/* If none of the stand-ins was called, MPICH has called the communicator's own handler. */
int complete_on(MPI_Comm comm, MPI_Request *request, MPI_Status *status) {
  const bool is_taken = begin_turn(); /* may switch, so it comes first */
  const bool before = return_errors(true);
  int error = CALL(Wait, request, status);
  if (a_stand_in_was_called) error = passed_error;
  return_errors(before);
  if (error != MPI_SUCCESS && a_stand_in_was_called) CALL(Comm_call_errhandler, comm, error);
  leave_turn(is_taken);
  return error;
}

static MPI_Errhandler stand_in_of(MPI_Errhandler errhandler) {
  if (stands_for_fatal == MPI_ERRHANDLER_NULL) return errhandler;
  if (errhandler == MPI_ERRORS_ARE_FATAL) return stands_for_fatal;
  if (stands_for_return == MPI_ERRHANDLER_NULL) return errhandler;
  return errhandler == MPI_ERRORS_RETURN ? stands_for_return : errhandler;
}

/* MPICH 5 returns MPI_SUCCESS when a handler of a program's has returned, so it keeps
 * MPI_ERRORS_RETURN: a stand-in would hide the errors of all calls on MPI_COMM_WORLD. */
static bool returns_errors_after_handlers(void) {
  static const char begin[] = "MPICH Version:";
  static char text[VERSION_BYTES];
  int length = 0;
  PMPI(Get_library_version)(text, &length);
  return strncmp(text, begin, sizeof begin - 1) == 0 && strtol(text + sizeof begin - 1, NULL, 10) < 5;
}

void prepare_errors(void) {
  MPI_Errhandler current = MPI_ERRHANDLER_NULL;
  if (stands_for_fatal != MPI_ERRHANDLER_NULL) return;
  if (returns_errors_after_handlers() && CALL(Comm_create_errhandler, return_error, &stands_for_return) != MPI_SUCCESS) return;
  if (CALL(Comm_create_errhandler, end_job, &stands_for_fatal) != MPI_SUCCESS) return;
  if (CALL(Comm_get_errhandler, MPI_COMM_WORLD, &current) != MPI_SUCCESS) return;
  CALL(Comm_set_errhandler, MPI_COMM_WORLD, stand_in_of(current));
}

/* The program sees the handlers that it knows. A communicator inherits the stand-in by
 * MPI_Comm_dup. */

EXPORT int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler) {
  const int error = CALL(Comm_get_errhandler, comm, errhandler);
  if (error != MPI_SUCCESS || *errhandler == MPI_ERRHANDLER_NULL) return error;
  const bool is_fatal = *errhandler == stands_for_fatal;
  if (!is_fatal && *errhandler != stands_for_return) return error;
  CALL(Errhandler_free, errhandler);
  *errhandler = is_fatal ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;
  return MPI_SUCCESS;
}
PROFILING_ENTRY(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler), comm, errhandler)

EXPORT int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return CALL(Comm_set_errhandler, comm, comm == MPI_COMM_WORLD ? stand_in_of(errhandler) : errhandler);
}
PROFILING_ENTRY(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler), comm, errhandler)

#endif
