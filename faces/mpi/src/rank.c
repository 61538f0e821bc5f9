/* See rank.h. */
#include "rank.h"

#include "real.h"
#include "serial.h"

int own_rank(void) {
  static int rank = -1; /* atomic */
  int known = __atomic_load_n(&rank, __ATOMIC_RELAXED);
  int is_initialized = 0;
  if (known >= 0) return known;
  PMPI(Initialized)(&is_initialized);
  if (is_initialized != 0 && CALL(Comm_rank, WORLD, &known) == MPI_SUCCESS) __atomic_store_n(&rank, known, __ATOMIC_RELAXED);
  return known;
}
