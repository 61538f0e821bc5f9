/* See waited.h. A call that the MPI completes at once does not enter the list at
 * MPI_THREAD_MULTIPLE: from its begin to its first look nothing lets another thread run, so a
 * request that is freed meanwhile might as well have been freed before the call. */
#include "waited.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/weft.h>

#include "rank.h"
#include "real.h"
#include "say.h"
#include "serial.h"
#include "wait_name.h"

static struct {
  pthread_mutex_t lock; /* no holder switches */
  mpi_wait *first;
} waited = {PTHREAD_MUTEX_INITIALIZER, NULL};

void list_waited(mpi_wait *wait) {
  wait->thread = weft_self();
  wait->os_thread = wait->thread == NULL ? (int)syscall(SYS_gettid) : 0;
  wait->has_seen = false;
  pthread_mutex_lock(&waited.lock);
  wait->before = NULL;
  wait->behind = waited.first;
  if (waited.first != NULL) waited.first->before = wait;
  __atomic_store_n(&waited.first, wait, __ATOMIC_RELAXED);
  wait->is_listed = true;
  pthread_mutex_unlock(&waited.lock);
}

void note_incomplete(mpi_wait *wait, MPI_Request request) {
  pthread_mutex_lock(&waited.lock);
  wait->has_seen = true;
  wait->seen = request;
  pthread_mutex_unlock(&waited.lock);
}

void unlist_waited(mpi_wait *wait) {
  if (!wait->is_listed) return;
  pthread_mutex_lock(&waited.lock);
  if (wait->behind != NULL) wait->behind->before = wait->before;
  if (wait->before != NULL) {
    wait->before->behind = wait->behind;
  } else {
    __atomic_store_n(&waited.first, wait->behind, __ATOMIC_RELAXED);
  }
  wait->is_listed = false;
  pthread_mutex_unlock(&waited.lock);
}

bool begin_completion(mpi_wait *wait) {
  const bool is_taken = begin_turn();
  unlist_waited(wait);
  return is_taken;
}

static bool waits_for(const mpi_wait *wait, MPI_Request request, bool is_complete) {
  if (is_complete && wait->kind == WAITS_FOR_ALL && !(wait->has_seen && wait->seen == request)) return false;
  for (int i = 0; i < wait->count; ++i) {
    if (wait->requests[i] == request) return true;
  }
  return false;
}

static void report_waiter(const mpi_wait *wait) {
  const int length = (int)(strlen(wait->call) - WAIT_NAME_BEGIN - WAIT_NAME_END);
  const char *const call = wait->call + WAIT_NAME_BEGIN;
  const char *const name = wait->thread == NULL ? "" : weft_thread_get_name(wait->thread);
  const char *const requests = wait->count == 1 ? "request" : "requests";
  say("weft-mpi: rank %d: error: MPI_Request_free of a request for which a call waits; free it once that call has returned, or "
      "end the wait by MPI_Cancel",
      own_rank());
  if (wait->thread == NULL) {
    say("weft-mpi: rank %d: OS thread %d waits in %.*s for %d %s", own_rank(), wait->os_thread, length, call, wait->count,
        requests);
    return;
  }
  say("weft-mpi: rank %d: %s #%llu%s%s waits in %.*s for %d %s", own_rank(),
      weft_thread_is_tasklet(wait->thread) ? "tasklet" : "thread", (unsigned long long)weft_thread_id(wait->thread),
      name[0] == 0 ? "" : " ", name, length, call, wait->count, requests);
}

bool report_waiter_of(MPI_Request request) {
  if (__atomic_load_n(&waited.first, __ATOMIC_RELAXED) == NULL || request == NULL_REQUEST) return false;
  const bool is_complete = is_request_complete(request);
  (void)own_rank(); /* its first call may switch */
  pthread_mutex_lock(&waited.lock);
  const mpi_wait *wait = waited.first;
  while (wait != NULL && !waits_for(wait, request, is_complete)) wait = wait->behind;
  if (wait != NULL) report_waiter(wait);
  pthread_mutex_unlock(&waited.lock);
  return wait != NULL;
}
