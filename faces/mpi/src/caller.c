/* See caller.h. */
#include "caller.h"

#include <weft/ext.h>

#include "describe.h"
#include "engine.h"
#include "real.h"
#include "say.h"

/* Unknown: MPI was initialised by a call that this library did not see, or is not. */
enum { LEVEL_UNKNOWN, LEVEL_MULTIPLE, LEVEL_BELOW, LEVEL_ENDED };
static int level; /* atomic */

const char *name_of_level(int provided) {
  switch (provided) {
    case MPI_THREAD_MULTIPLE: return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "an unknown level";
  }
}

void note_level(int provided) {
  const int now = provided == MPI_THREAD_MULTIPLE ? LEVEL_MULTIPLE : LEVEL_BELOW;
  const int before = __atomic_exchange_n(&level, now, __ATOMIC_RELAXED);
  if (now == LEVEL_MULTIPLE || before == now) return;
  say("weft-mpi: rank %d: the MPI library provides %s, not MPI_THREAD_MULTIPLE, so MPI calls of Weft threads keep their workers "
      "while they wait; use a library that was built with threads",
      own_rank(), name_of_level(provided));
}

void note_end(void) { __atomic_store_n(&level, LEVEL_ENDED, __ATOMIC_RELAXED); }

static bool is_level_multiple(void) {
  const int known = __atomic_load_n(&level, __ATOMIC_RELAXED);
  int is_initialized = 0;
  int is_finalized = 0;
  int provided = 0;
  if (known != LEVEL_UNKNOWN) return known == LEVEL_MULTIPLE;
  PMPI(Initialized)(&is_initialized);
  PMPI(Finalized)(&is_finalized);
  if (is_initialized == 0 || is_finalized != 0 || PMPI(Query_thread)(&provided) != MPI_SUCCESS) return false;
  note_level(provided);
  return provided == MPI_THREAD_MULTIPLE;
}

static void say_once_that_calls_wait(void) {
  static bool was_said; /* atomic */
  if (__atomic_exchange_n(&was_said, true, __ATOMIC_RELAXED)) return;
  say("weft-mpi: rank %d: this library was loaded after weft_init, or Weft had no memory for its source, so MPI calls of Weft "
      "threads keep their workers while they wait; link the program with weft-mpi, or start it by `weft mpi`",
      own_rank());
}

bool may_park(void) {
  const weft_thread *const self = weft_self();
  if (self == NULL || weft_thread_is_tasklet(self) || !is_level_multiple()) return false;
  if (has_engine()) return true;
  say_once_that_calls_wait();
  return false;
}

bool begin_region(void) {
  const weft_thread *const self = weft_self();
  if (self == NULL || weft_thread_is_tasklet(self) || !is_level_multiple()) return false;
  return weft_blocking_begin() == WEFT_OK;
}

void end_region(bool is_open) {
  if (!is_open) return;
  const weft_status result = weft_blocking_end();
  (void)result; /* the caller has a region */
}
