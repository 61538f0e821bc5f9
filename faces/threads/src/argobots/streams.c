/* Set up as Argobots' authors advise where many threads are made: an execution stream a worker,
 * each with a pool of which it takes the newest and others steal the oldest (ABT_POOL_RANDWS). */
#include "streams.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <weft_threads/argobots/functions.h>

#include "../elsewhere.h"
#include "calls.h"

static struct {
  unsigned count;
  ABT_pool *pools;
  ABT_xstream *streams; /* [0]: the primary one */
  unsigned next;        /* atomic: where the next thread from outside goes */
} all;

unsigned streams_count(void) { return all.count; }

/* An OS thread is the same execution stream, or outside, as long as Argobots runs. */
static unsigned starts; /* which run it is, from 1 */
static bool has_outside;
static __thread struct {
  unsigned start;
  int rank; /* -1: outside */
} known;

static void learn_rank(void) {
  ABT_unit_type type = ABT_UNIT_TYPE_EXT;
  if (has_outside) ABT_self_get_type(&type);
  known.rank = -1;
  if (!has_outside || type != ABT_UNIT_TYPE_EXT) ABT_self_get_xstream_rank(&known.rank);
  known.start = starts;
}

/* Not inlined: a caller that switched in between would keep the address of another OS thread's
 * word. */
__attribute__((noinline)) static int own_rank(void) {
  if (__builtin_expect(known.start != starts, 0)) learn_rank();
  return known.rank;
}

bool threads_argobots_is_outside(void) { return own_rank() < 0; }

ABT_pool threads_argobots_pool(void) {
  const int rank = own_rank();
  if (rank >= 0) return all.pools[rank];
  return all.pools[__atomic_fetch_add(&all.next, 1, __ATOMIC_RELAXED) % all.count];
}

/* ---- start ----------------------------------------------------------------------------------- */

/* A stream's own pool first, then those that follow it. */
static ABT_sched new_scheduler(unsigned stream) {
  ABT_pool *const order = malloc(all.count * sizeof *order);
  ABT_sched scheduler = ABT_SCHED_NULL;
  if (order == NULL) return ABT_SCHED_NULL;
  for (unsigned i = 0; i < all.count; ++i) order[i] = all.pools[(stream + i) % all.count];
  ABT_sched_create_basic(ABT_SCHED_RANDWS, (int)all.count, order, ABT_SCHED_CONFIG_NULL, &scheduler);
  free(order);
  return scheduler;
}

static int start_streams(void) {
  for (unsigned i = 0; i < all.count; ++i) {
    const int code = ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &all.pools[i]);
    if (code != ABT_SUCCESS) return code;
  }
  int code = ABT_self_get_xstream(&all.streams[0]);
  if (code == ABT_SUCCESS) code = ABT_xstream_set_main_sched(all.streams[0], new_scheduler(0));
  for (unsigned i = 1; i < all.count && code == ABT_SUCCESS; ++i) code = ABT_xstream_create(new_scheduler(i), &all.streams[i]);
  return code;
}

static threads_status start_all(void) {
  all.pools = calloc(all.count, sizeof *all.pools);
  all.streams = calloc(all.count, sizeof *all.streams);
  if (all.pools == NULL || all.streams == NULL) return THREADS_NOMEM;
  const threads_status status = calls_start();
  return status == THREADS_OK ? threads_of_argobots("threads_start", start_streams()) : status;
}

static void end_all(void) {
  ABT_finalize();
  free(all.pools);
  free(all.streams);
}

threads_status streams_start(unsigned count) {
  threads_status status = threads_of_argobots("threads_start", ABT_init(0, NULL));
  if (status != THREADS_OK) return status;
  all.count = count;
  all.next = 0;
  ++starts;
  ABT_bool has = ABT_FALSE;
  has_outside = ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_EXTERNAL_THREAD, &has) == ABT_SUCCESS && has == ABT_TRUE;
  status = start_all();
  if (status != THREADS_OK) end_all();
  return status;
}

/* ---- stop ------------------------------------------------------------------------------------ */

/* Ready, or blocked and to come back. */
static bool is_something_left(void) {
  for (unsigned i = 0; i < all.count; ++i) {
    size_t left = 0;
    if (ABT_pool_get_total_size(all.pools[i], &left) == ABT_SUCCESS && left != 0) return true;
  }
  return false;
}

/* When what it runs has ended. The caller is stolen like any other thread, and must not wait for
 * the stream that it runs on. */
static void free_stream(unsigned stream) {
  while (own_rank() == (int)stream) ABT_self_yield();
  ABT_xstream_free(&all.streams[stream]);
}

void streams_stop(void) {
  while (is_something_left()) ABT_self_yield();
  for (unsigned i = 1; i < all.count; ++i) free_stream(i);
  while (is_something_left()) ABT_self_yield();
  calls_stop();
  end_all();
}

/* ---- on an OS thread of its own -------------------------------------------------------------- */

static elsewhere primary = ELSEWHERE_INIT;
static ABT_eventual end_of_primary;

static void *be_primary_stream(void *count) {
  threads_status status = streams_start(*(const unsigned *)count);
  if (status == THREADS_OK && !has_outside) {
    streams_stop();
    status = THREADS_UNSUPPORTED;
  }
  if (status == THREADS_OK) status = threads_of_argobots("threads_start", ABT_eventual_create(0, &end_of_primary));
  elsewhere_tell(&primary, status);
  if (status != THREADS_OK) return NULL;
  ABT_eventual_wait(end_of_primary, NULL); /* the stream serves its pool meanwhile */
  ABT_eventual_free(&end_of_primary);
  streams_stop();
  return NULL;
}

threads_status streams_start_elsewhere(unsigned count) { return elsewhere_start(&primary, be_primary_stream, &count); }

void streams_stop_elsewhere(void) {
  ABT_eventual_set(end_of_primary, NULL, 0);
  pthread_join(primary.os_thread, NULL);
}
