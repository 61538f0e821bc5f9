/* Below MPI_THREAD_MULTIPLE, a collective call without a nonblocking twin keeps all other calls of
 * its rank out of MPI while it waits for other ranks. If a thread of one rank opens one file, and a
 * thread of another rank another file, each keeps out what the other waits for. So all ranks of
 * such a call first agree that it is the one that begins: a rank admits one of them at a time, and
 * all ranks admit them in one order. */
#ifndef WEFT_MPI_ADMISSION_H
#define WEFT_MPI_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "real.h"

/* Waits until all ranks of the communicator have come to this call and admit it. Returns false at
 * once where calls need not go one at a time, or the call waits for no other rank. call:
 * WAIT_NAME("MPI_File_open"). May switch. */
bool begin_admission(const char *call, MPI_Comm comm);
void end_admission(bool is_admitted);

/* Calls on a file or a window name no communicator, so one of its ranks is kept for each.
 * is_admitted: what begin_admission returned for the call that makes it; else there is none. */
MPI_Comm copy_ranks(MPI_Comm comm, bool is_admitted);

/* handle: the value of the handle; 0: nothing was made. */
void keep_ranks(uintptr_t handle, MPI_Comm ranks);
MPI_Comm ranks_of(uintptr_t handle); /* NULL_COMM: none is kept */

/* Before the call that frees the handle, since the MPI may give its value to the next one at once.
 * Returns null if none is kept. */
typedef struct kept_ranks kept_ranks;
kept_ranks *take_ranks(uintptr_t handle);
void end_ranks(kept_ranks *one, bool is_freed); /* else they are kept again */

#endif
