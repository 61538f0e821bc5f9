/* See caller.h. */
#include "caller.h"

#include <weft/ext.h>

#include "engine.h"
#include "rank.h"
#include "real.h"
#include "say.h"
#include "serial.h"

/* Unknown: MPI was initialised by a call that this library did not see, or is not. */
enum { LEVEL_UNKNOWN, LEVEL_KNOWN, LEVEL_ENDED };
static int state;                       /* atomic */
static int level = MPI_THREAD_MULTIPLE; /* atomic */

const char *name_of_level(int provided) {
  switch (provided) {
    case MPI_THREAD_MULTIPLE: return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "an unknown level";
  }
}

int provided_level(void) { return __atomic_load_n(&level, __ATOMIC_RELAXED); }

static bool is_below_serialized(int provided) { return provided == MPI_THREAD_SINGLE || provided == MPI_THREAD_FUNNELED; }

/* MPI wants the OS thread of MPI_Init, and another one calls: a line on stderr, once. */
static void warn_of_os_thread(void) {
  static bool was_said; /* atomic */
  if (__atomic_exchange_n(&was_said, true, __ATOMIC_RELAXED)) return;
  say("weft-mpi: rank %d: warning: the MPI library provides %s, which permits no OS thread but that of MPI_Init, and another one "
      "calls MPI; MPICH and Open MPI bear it, since calls go one at a time. Threads of Weft avoid it, if the OS thread of "
      "MPI_Init "
      "calls weft_init",
      own_rank(), name_of_level(provided_level()));
}

void note_level(int provided) {
  __atomic_store_n(&level, provided, __ATOMIC_RELAXED);
  if (provided != MPI_THREAD_MULTIPLE) serialize_calls(is_below_serialized(provided), warn_of_os_thread);
  __atomic_store_n(&state, LEVEL_KNOWN, __ATOMIC_RELAXED);
}

void note_end(void) { __atomic_store_n(&state, LEVEL_ENDED, __ATOMIC_RELAXED); }

static bool is_served(void) {
  const int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
  int is_initialized = 0;
  int is_finalized = 0;
  int provided = 0;
  if (known != LEVEL_UNKNOWN) return known == LEVEL_KNOWN;
  PMPI(Initialized)(&is_initialized);
  PMPI(Finalized)(&is_finalized);
  if (is_initialized == 0 || is_finalized != 0 || PMPI(Query_thread)(&provided) != MPI_SUCCESS) return false;
  note_level(provided);
  return true;
}

static void say_once_that_calls_wait(void) {
  static bool was_said; /* atomic */
  if (__atomic_exchange_n(&was_said, true, __ATOMIC_RELAXED)) return;
  say("weft-mpi: rank %d: this library was loaded after weft_init, or Weft had no memory for its source, so MPI calls of Weft "
      "threads keep their workers while they wait; link the program with weft-mpi, or start it by `weft mpi`",
      own_rank());
}

static bool is_ult(void) {
  const weft_thread *const self = weft_self();
  return self != NULL && !weft_thread_is_tasklet(self);
}

caller_way way_of_caller(void) {
  const bool may_park = is_ult();
  if ((!may_park && !is_serial()) || !is_served() || is_in_call()) return CALLS_MPI;
  if (may_park && has_engine()) return PARKS;
  if (may_park) say_once_that_calls_wait();
  return is_serial() ? POLLS : CALLS_MPI;
}

/* Where MPI wants the OS thread of MPI_Init, that one must go on running its worker. */
mpi_region begin_region(const char *name) {
  const bool may_begin = is_ult() && is_served() && !is_in_call() && !is_below_serialized(provided_level());
  const bool is_open = may_begin && weft_blocking_begin() == WEFT_OK;
  return (mpi_region){is_open, name, is_open ? now_ns() : 0};
}

void note_call_without_twin(const char *call, bool *was_said) {
  if (!is_serial() || __atomic_exchange_n(was_said, true, __ATOMIC_RELAXED)) return;
  say("weft-mpi: rank %d: %s has no nonblocking twin, so no other thread of this rank can call MPI until it returns (MPI calls "
      "go one at a time, because the MPI library provides %s)",
      own_rank(), call, name_of_level(provided_level()));
}

void end_region(const mpi_region *region) {
  if (!region->is_open) return;
  const weft_status result = weft_blocking_end();
  (void)result; /* the caller has a region */
  weft_ext_trace_note(region->name, now_ns() - region->since_ns);
}
