/* See agree.h. Each rank sends its word to its neighbours in the ring of all ranks, and waits for
 * theirs: where all neighbours agree, all ranks do. It costs a rank two messages, whatever the size
 * of the job, and a rank without the library is found by two others, which know its number. A
 * collective would not do: such a rank takes no part in it, or takes it for one of the
 * program's. */
#include "agree.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rank.h"
#include "real.h"
#include "say.h"
#include "serial.h"
#include "settings.h"
#include "wait_name.h"

#define WORD_BYTES 64
#define TAG 32749 /* MPI permits 32767 everywhere */
/* What all ranks must have in common: which calls are made as others. */
#define RULES "weft-mpi: collectives as nonblocking ones, rule 1"
#define SERIAL_RULES "weft-mpi: one call at a time, others are admitted, rule 2"

enum { BEFORE, BEHIND, NEIGHBOURS };

typedef struct exchange {
  int ranks[NEIGHBOURS];
  MPI_Request requests[2 * NEIGHBOURS]; /* receives, then sends */
  char words[NEIGHBOURS][WORD_BYTES];
} exchange;

/* Below MPI_THREAD_MULTIPLE, calls without a twin meet by reductions of their own (admission.h). */
static const char *own_rules(void) { return is_serial() ? SERIAL_RULES : RULES; }

static void start(exchange *all) {
  static char own[WORD_BYTES];
  strcpy(own, own_rules());
  for (int i = 0; i < NEIGHBOURS; ++i) {
    CALL(Irecv, all->words[i], WORD_BYTES, BYTE_TYPE, all->ranks[i], TAG, WORLD, &all->requests[i]);
  }
  for (int i = 0; i < NEIGHBOURS; ++i) {
    CALL(Isend, own, WORD_BYTES, BYTE_TYPE, all->ranks[i], TAG, WORLD, &all->requests[NEIGHBOURS + i]);
  }
}

/* Returns whether all requests are complete. */
static bool wait_until(exchange *all, uint64_t deadline_ns) {
  struct timespec pause = {.tv_sec = 0, .tv_nsec = 1000};
  MPI_Status statuses[2 * NEIGHBOURS];
  int flag = 0;
  for (;;) {
    if (CALL(Testall, 2 * NEIGHBOURS, all->requests, &flag, statuses) != MPI_SUCCESS) return false;
    if (flag != 0) return true;
    if (now_ns() >= deadline_ns) return false;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 1000000) pause.tv_nsec *= 2;
  }
}

static void end_job(void) {
  let_lines_pass();
  PMPI(Abort)(WORLD, 1);
  _Exit(1); /* MPICH 5.0's MPI_Abort returns to a program of the standard ABI */
}

/* One that has not answered. Returns false where there is none. */
static bool refuse_silent(exchange *all, double seconds) {
  for (int i = 0; i < NEIGHBOURS; ++i) {
    int flag = 0;
    if (all->words[i][0] != 0 || (CALL(Test, &all->requests[i], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0)) continue;
    say("weft-mpi: rank %d: error: rank %d has not answered %.3g s after MPI_Init, so it seems to have no libweft-mpi, and its "
        "collectives would never meet those of ranks that have it; link the program of every rank with weft-mpi, or start all "
        "ranks by `weft mpi -- mpirun` (WEFT_MPI_START sets the time, off leaves this out)",
        own_rank(), all->ranks[i], seconds);
    end_job();
    return true;
  }
  return false;
}

static void refuse_others(exchange *all) {
  for (int i = 0; i < NEIGHBOURS; ++i) {
    all->words[i][WORD_BYTES - 1] = 0;
    if (strcmp(all->words[i], own_rules()) == 0) continue;
    say("weft-mpi: rank %d: error: rank %d does not go by \"%s\" but by \"%.*s\", so that collectives would never meet; "
        "start all ranks with the same version of libweft-mpi, and the same WEFT_MPI_LEVEL",
        own_rank(), all->ranks[i], own_rules(), WORD_BYTES - 1, all->words[i]);
    end_job();
    return;
  }
}

void agree_with_ranks(void) {
  exchange all;
  const uint64_t most_ns = mpi_settings()->start_ns;
  const int rank = own_rank();
  int ranks = 1;
  if (most_ns == 0 || CALL(Comm_size, WORLD, &ranks) != MPI_SUCCESS || ranks < 2) return;
  memset(all.words, 0, sizeof all.words);
  all.ranks[BEFORE] = (rank + ranks - 1) % ranks;
  all.ranks[BEHIND] = (rank + 1) % ranks;
  start(&all);
  /* Where all have answered, a word was too long, or one is still on its way to a neighbour. */
  if (!wait_until(&all, now_ns() + most_ns) && refuse_silent(&all, (double)most_ns * 1e-9)) return;
  refuse_others(&all);
}
