/* The life of MPI: its start, which provides MPI_THREAD_MULTIPLE to every program (serial.h), and
 * its end, which waits for calls that are parked. */
#include <stdlib.h>
#include <weft/ext.h>

#include "agree.h"
#include "caller.h"
#include "engine.h"
#include "errors.h"
#include "export.h"
#include "fortran.h"
#include "rank.h"
#include "real.h"
#include "report.h"
#include "say.h"
#include "serial.h"
#include "settings.h"

#define LOOK_AT_WAITING_NS 1000000u
#define DEFAULT_PATIENCE_NS 60000000000u

__attribute__((constructor)) static void when_loaded(void) {
  prepare_engine();
  prepare_turns();
  check_order();
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  (void)required; /* this library makes MPI_THREAD_MULTIPLE of each level */
  const int error = PMPI(Init_thread)(argc, argv, mpi_settings()->level, provided);
  if (error != MPI_SUCCESS) return error;
  note_level(*provided);
  prepare_errors();
  agree_with_ranks();
  report_start(*provided);
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}
PROFILING_ENTRY(Init_thread, (int *argc, char ***argv, int required, int *provided), argc, argv, required, provided)

EXPORT int MPI_Init(int *argc, char ***argv) {
  int provided = 0;
  return MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}
PROFILING_ENTRY(Init, (int *argc, char ***argv), argc, argv)

EXPORT int MPI_Query_thread(int *provided) {
  const int error = PMPI(Query_thread)(provided);
  if (error == MPI_SUCCESS && is_serial()) *provided = MPI_THREAD_MULTIPLE;
  return error;
}
PROFILING_ENTRY(Query_thread, (int *provided), provided)

static void end_job_with_waiting_calls(void) {
  const unsigned count = waiting_calls();
  say("weft-mpi: rank %d: error: MPI_Finalize was called, and %u MPI %s; the job ends here. Join the threads that call MPI "
      "before MPI_Finalize, and send what they wait for",
      own_rank(), count, count == 1 ? "call still waits" : "calls still wait");
  report_waiting_calls();
  let_lines_pass();
  PMPI(Abort)(WORLD, 1);
  _Exit(1); /* MPICH 5.0's MPI_Abort returns to a program of the standard ABI */
}

/* What they wait for may still come: other ranks may be late. */
static void wait_for_waiting_calls(void) {
  const uint64_t patience_ns = mpi_settings()->stall_ns != 0 ? mpi_settings()->stall_ns : DEFAULT_PATIENCE_NS;
  unsigned before = 0;
  uint64_t waited_ns = 0;
  for (unsigned now = waiting_calls(); now != 0; now = waiting_calls()) {
    if (now != before) waited_ns = 0;
    if (waited_ns >= patience_ns) end_job_with_waiting_calls();
    before = now;
    if (weft_sleep_ns(LOOK_AT_WAITING_NS) != WEFT_OK) weft_yield();
    waited_ns += LOOK_AT_WAITING_NS;
  }
}

EXPORT int MPI_Finalize(void) {
  wait_for_waiting_calls();
  const mpi_region region = begin_region(WAIT_NAME("MPI_Finalize"));
  const int error = CALL(Finalize);
  if (error == MPI_SUCCESS) note_end();
  end_region(&region);
  return error;
}
PROFILING_ENTRY(Finalize, (void), )
