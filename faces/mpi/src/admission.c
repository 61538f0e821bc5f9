/* See admission.h. Each rank offers its admission to the call, and a nonblocking reduction over the
 * program's own communicator tells all of its ranks whether all have offered it: collectives on one
 * communicator come in the same order on all ranks, so the reduction meets its like. If a rank had
 * admitted another call, all take their offers back and try again after pauses of random length. */
#include "admission.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <weft/weft.h>

#include "caller.h"
#include "describe.h"
#include "engine.h"
#include "serial.h"

#define LEAST_PAUSE_NS 20000u
#define MOST_DOUBLINGS 6u

static sem_t admissions; /* its holder may be a ULT, which changes its OS thread */

void prepare_admission(void) { sem_init(&admissions, 0, 1); }

typedef struct meeting {
  const char *call;
  MPI_Comm comm;
  caller_way way;
  bool is_inter;
} meeting;

/* Between the ranks of a group; of an intercommunicator, what the other group says. */
static bool reduce(const meeting *of, unsigned char own, unsigned char *all) {
  MPI_Request request;
  if (CALL(Iallreduce, &own, all, 1, BYTE_TYPE, BITWISE_AND, of->comm, &request) != MPI_SUCCESS) return false;
  mpi_wait wait = {.call = of->call, .kind = WAITS_FOR_ALL, .requests = &request, .count = 1, .has_comm = true, .comm = of->comm};
  wait_until_complete(&wait, of->way);
  const int error = CALL(Wait, &request, MPI_STATUS_IGNORE);
  end_wait(&wait);
  return error == MPI_SUCCESS;
}

/* Whether *all says what all ranks say. */
static bool ask_all(const meeting *of, bool own, bool *all) {
  unsigned char others = 0;
  unsigned char again = 1;
  const bool is_known = reduce(of, own, &others) && (!of->is_inter || reduce(of, others, &again));
  *all = others != 0 && again != 0;
  return is_known;
}

static void rest(unsigned round) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const unsigned doublings = round < MOST_DOUBLINGS ? round : MOST_DOUBLINGS;
  const uint64_t random = ((uint64_t)now.tv_nsec + (uint64_t)own_rank() * 7919u) * 2654435761u >> 16;
  const uint64_t pause_ns = random % ((uint64_t)LEAST_PAUSE_NS << doublings);
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)pause_ns};
  if (weft_sleep_ns(pause_ns) != WEFT_OK) nanosleep(&pause, NULL); /* a tasklet */
}

static bool begin_meeting(meeting *of) {
  int is_inter = 0;
  int ranks = 0;
  of->way = way_of_caller();
  if (of->way == CALLS_MPI || CALL(Comm_test_inter, of->comm, &is_inter) != MPI_SUCCESS) return false;
  of->is_inter = is_inter != 0;
  return of->is_inter || (CALL(Comm_size, of->comm, &ranks) == MPI_SUCCESS && ranks > 1);
}

bool begin_admission(const char *call, MPI_Comm comm) {
  meeting one = {.call = call, .comm = comm};
  if (!is_serial() || comm == NULL_COMM || !begin_meeting(&one)) return false;
  for (unsigned round = 0;; ++round) {
    bool is_admitted = false;
    const bool is_offered = sem_trywait(&admissions) == 0;
    const bool is_known = ask_all(&one, is_offered, &is_admitted);
    if (is_known && is_admitted) return true;
    if (is_offered) sem_post(&admissions);
    if (!is_known) return false; /* the call itself tells of the error */
    rest(round);
  }
}

void end_admission(bool is_admitted) {
  if (is_admitted) sem_post(&admissions);
}

/* ---- ranks of files and windows ----------------------------------------------------------------- */

typedef struct entry {
  struct entry *next;
  uintptr_t handle;
  MPI_Comm ranks;
} entry;

static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries;

/* MPI_Comm_dup would call the program's functions that copy attributes. */
MPI_Comm copy_ranks(MPI_Comm comm, bool is_admitted) {
  MPI_Comm made = NULL_COMM;
  MPI_Group group;
  if (!is_admitted || CALL(Comm_group, comm, &group) != MPI_SUCCESS) return NULL_COMM;
  if (CALL(Comm_create, comm, group, &made) != MPI_SUCCESS) made = NULL_COMM;
  CALL(Group_free, &group);
  return made;
}

void keep_ranks(uintptr_t handle, MPI_Comm ranks) {
  if (ranks == NULL_COMM) return;
  entry *const one = handle != 0 ? malloc(sizeof *one) : NULL;
  if (one == NULL) {
    CALL(Comm_free, &ranks);
    return;
  }
  one->handle = handle;
  one->ranks = ranks;
  pthread_mutex_lock(&entries_lock);
  one->next = entries;
  entries = one;
  pthread_mutex_unlock(&entries_lock);
}

static entry **place_of(uintptr_t handle) {
  entry **at = &entries;
  while (*at != NULL && (*at)->handle != handle) at = &(*at)->next;
  return at;
}

MPI_Comm ranks_of(uintptr_t handle) {
  if (!is_serial()) return NULL_COMM;
  pthread_mutex_lock(&entries_lock);
  const entry *const one = *place_of(handle);
  const MPI_Comm ranks = one == NULL ? NULL_COMM : one->ranks;
  pthread_mutex_unlock(&entries_lock);
  return ranks;
}

void forget_ranks(uintptr_t handle) {
  if (!is_serial()) return;
  pthread_mutex_lock(&entries_lock);
  entry **const at = place_of(handle);
  entry *const one = *at;
  if (one != NULL) *at = one->next;
  pthread_mutex_unlock(&entries_lock);
  if (one == NULL) return;
  CALL(Comm_free, &one->ranks);
  free(one);
}
