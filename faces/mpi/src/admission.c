/* See admission.h. Nonblocking reductions over the program's own communicator put all calls into
 * one order that all ranks share: collectives on one communicator come in the same order on all
 * ranks, so a reduction meets its like. No lock is held meanwhile. The first reduction tells that
 * all ranks have come to the call, so that the second ends whatever other calls do. In the second
 * each rank offers a number above all that it knows, and the greatest is the call's. A rank admits
 * the call whose number is the least of all that wait in it; a call without its number so far
 * counts with that which the rank has offered, since its own is not less. No two calls have one
 * number, so all ranks that two calls share admit them in the same order. The third tells that all
 * ranks have admitted the call: had one begun before, its lock would keep out the second reductions
 * of others. */
#include "admission.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <weft/weft.h>

#include "caller.h"
#include "engine.h"
#include "rank.h"
#include "serial.h"

#define LEAST_PAUSE_NS 20000u
#define MOST_PAUSE_NS 1000000u

/* A call that waits to begin, on the stack of its caller. */
typedef struct offer {
  struct offer *next;
  uint64_t number;
} offer;

static pthread_mutex_t offers_lock = PTHREAD_MUTEX_INITIALIZER;
static offer *offers;
static uint64_t latest;   /* the greatest number that this rank knows */
static bool has_admitted; /* a call that has not ended */

typedef struct meeting {
  const char *call;
  MPI_Comm comm;
  caller_way way;
  bool is_inter;
} meeting;

/* Between the ranks of a group; of an intercommunicator, what the other group says. */
static bool reduce(const meeting *of, uint64_t own, uint64_t *most) {
  MPI_Request request;
  if (CALL(Iallreduce, &own, most, 1, UINT64_TYPE, MAXIMUM, of->comm, &request) != MPI_SUCCESS) return false;
  mpi_wait wait = {.call = of->call, .kind = WAITS_FOR_ALL, .requests = &request, .count = 1, .has_comm = true, .comm = of->comm};
  wait_until_complete(&wait, of->way);
  const int error = CALL(Wait, &request, MPI_STATUS_IGNORE);
  end_wait(&wait);
  return error == MPI_SUCCESS;
}

/* The greatest of the numbers of all ranks. */
static bool reduce_all(const meeting *of, uint64_t own, uint64_t *most) {
  uint64_t others = 0;
  uint64_t again = 0;
  const bool is_known = reduce(of, own, &others) && (!of->is_inter || reduce(of, others, &again));
  *most = others > again ? others : again;
  return is_known;
}

/* The low half tells apart what the ranks of a job offer, and most likely those of two jobs that
 * meet. */
static uint64_t own_half(void) {
  static const unsigned rank_bits = 20;
  return ((uint64_t)getpid() << rank_bits | (uint64_t)own_rank()) & UINT32_MAX;
}

static void offer_number(offer *one) {
  const uint64_t own = own_half();
  pthread_mutex_lock(&offers_lock);
  latest = ((latest >> 32) + 1) << 32 | own;
  one->number = latest;
  one->next = offers;
  offers = one;
  pthread_mutex_unlock(&offers_lock);
}

static void agree_on_number(offer *one, uint64_t number) {
  pthread_mutex_lock(&offers_lock);
  one->number = number;
  if (number > latest) latest = number;
  pthread_mutex_unlock(&offers_lock);
}

static void remove_offer(const offer *one) {
  offer **at = &offers;
  while (*at != one) at = &(*at)->next;
  *at = one->next;
}

static void withdraw(const offer *one) {
  pthread_mutex_lock(&offers_lock);
  remove_offer(one);
  pthread_mutex_unlock(&offers_lock);
}

static bool try_admit(const offer *one) {
  pthread_mutex_lock(&offers_lock);
  bool is_first = !has_admitted;
  for (const offer *other = offers; other != NULL; other = other->next) is_first = is_first && other->number >= one->number;
  if (is_first) {
    remove_offer(one);
    has_admitted = true;
  }
  pthread_mutex_unlock(&offers_lock);
  return is_first;
}

static void rest(uint64_t pause_ns) {
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)pause_ns};
  if (weft_sleep_ns(pause_ns) != WEFT_OK) nanosleep(&pause, NULL); /* not a ULT */
}

static void wait_for_admission(const offer *one) {
  uint64_t pause_ns = LEAST_PAUSE_NS;
  while (!try_admit(one)) {
    rest(pause_ns);
    if (pause_ns < MOST_PAUSE_NS) pause_ns *= 2;
  }
}

static bool begin_meeting(meeting *of) {
  int is_inter = 0;
  int ranks = 0;
  of->way = way_of_caller();
  if (of->way == CALLS_MPI || CALL(Comm_test_inter, of->comm, &is_inter) != MPI_SUCCESS) return false;
  of->is_inter = is_inter != 0;
  return of->is_inter || (CALL(Comm_size, of->comm, &ranks) == MPI_SUCCESS && ranks > 1);
}

void end_admission(bool is_admitted) {
  if (!is_admitted) return;
  pthread_mutex_lock(&offers_lock);
  has_admitted = false;
  pthread_mutex_unlock(&offers_lock);
}

/* Where a reduction fails, the call itself tells of the error. */
bool begin_admission(const char *call, MPI_Comm comm) {
  meeting all = {.call = call, .comm = comm};
  offer one;
  uint64_t number = 0;
  if (!is_serial() || comm == NULL_COMM || !begin_meeting(&all) || !reduce_all(&all, 0, &number)) return false;
  offer_number(&one);
  if (!reduce_all(&all, one.number, &number)) {
    withdraw(&one);
    return false;
  }
  agree_on_number(&one, number);
  wait_for_admission(&one);
  const bool is_admitted = reduce_all(&all, 0, &number);
  end_admission(!is_admitted);
  return is_admitted;
}

/* ---- ranks of files and windows -------------------------------------------------------------- */

struct kept_ranks {
  struct kept_ranks *next;
  uintptr_t handle;
  MPI_Comm ranks;
};

static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
static kept_ranks *entries;

/* MPI_Comm_dup would call the program's functions that copy attributes. */
MPI_Comm copy_ranks(MPI_Comm comm, bool is_admitted) {
  MPI_Comm made = NULL_COMM;
  MPI_Group group;
  if (!is_admitted || CALL(Comm_group, comm, &group) != MPI_SUCCESS) return NULL_COMM;
  if (CALL(Comm_create, comm, group, &made) != MPI_SUCCESS) made = NULL_COMM;
  CALL(Group_free, &group);
  return made;
}

static void put_back(kept_ranks *one) {
  pthread_mutex_lock(&entries_lock);
  one->next = entries;
  entries = one;
  pthread_mutex_unlock(&entries_lock);
}

void keep_ranks(uintptr_t handle, MPI_Comm ranks) {
  if (ranks == NULL_COMM) return;
  kept_ranks *const one = handle != 0 ? malloc(sizeof *one) : NULL;
  if (one == NULL) {
    CALL(Comm_free, &ranks);
    return;
  }
  one->handle = handle;
  one->ranks = ranks;
  put_back(one);
}

static kept_ranks **place_of(uintptr_t handle) {
  kept_ranks **at = &entries;
  while (*at != NULL && (*at)->handle != handle) at = &(*at)->next;
  return at;
}

MPI_Comm ranks_of(uintptr_t handle) {
  if (!is_serial()) return NULL_COMM;
  pthread_mutex_lock(&entries_lock);
  const kept_ranks *const one = *place_of(handle);
  const MPI_Comm ranks = one == NULL ? NULL_COMM : one->ranks;
  pthread_mutex_unlock(&entries_lock);
  return ranks;
}

kept_ranks *take_ranks(uintptr_t handle) {
  if (!is_serial()) return NULL;
  pthread_mutex_lock(&entries_lock);
  kept_ranks **const at = place_of(handle);
  kept_ranks *const one = *at;
  if (one != NULL) *at = one->next;
  pthread_mutex_unlock(&entries_lock);
  return one;
}

void end_ranks(kept_ranks *one, bool is_freed) {
  if (one == NULL) return;
  if (!is_freed) {
    put_back(one);
    return;
  }
  CALL(Comm_free, &one->ranks);
  free(one);
}
