/* See describe.h. */
#include "describe.h"

#include <stdio.h>
#include <string.h>

#include "rank.h"
#include "real.h"
#include "say.h"
#include "serial.h"
#include "texts.h"

#define MOST_LINES 20u

static void name_communicator(MPI_Comm comm, char *out, size_t bytes) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  int rank = -1;
  int size = 0;
  CALL(Comm_rank, comm, &rank);
  CALL(Comm_size, comm, &size);
  CALL(Comm_get_name, comm, name, &length);
  if (length > 0) {
    snprintf(out, bytes, " as rank %d of %.60s", rank, name);
  } else {
    snprintf(out, bytes, " as rank %d of an unnamed communicator of %d ranks", rank, size);
  }
}

static void name_peer(const mpi_wait *one, char *out, size_t bytes) {
  const char *const way = one->peer_kind == HAS_SOURCE ? "from" : "to";
  char peer[32] = "any rank";
  char tag[32] = "any tag";
  if (one->peer != MPI_ANY_SOURCE) snprintf(peer, sizeof peer, "rank %d", one->peer);
  if (one->tag != MPI_ANY_TAG) snprintf(tag, sizeof tag, "tag %d", one->tag);
  snprintf(out, bytes, ", %s %s, %s", way, peer, tag);
}

void describe_wait(mpi_wait *one) {
  char comm[128] = "";
  char peer[96] = "";
  char requests[64] = "";
  one->is_described = true;
  if (one->has_comm) name_communicator(one->comm, comm, sizeof comm);
  if (one->has_comm && one->peer_kind != HAS_NO_PEER) name_peer(one, peer, sizeof peer);
  if (!one->has_comm && one->kind == WAITS_FOR_ALL) {
    snprintf(requests, sizeof requests, " of %d requests, of which the first %d are complete", one->count, one->completed);
  } else if (!one->has_comm) {
    snprintf(requests, sizeof requests, " of %d active requests", one->count);
  }
  /* Behind the end of the text first, so that a reader finds the short text or all of it. */
  const size_t length = strlen(one->text);
  if (length + 2 > CALL_TEXT_BYTES) return;
  snprintf(one->text + length + 1, CALL_TEXT_BYTES - length - 1, "%s%s%s", comm + (comm[0] == ' '), peer,
           requests + (requests[0] == ' '));
  /* [M15] release: the rest of the text, for dumps on other OS threads; pairs with [M15] */
  __atomic_store_n(&one->text[length], ' ', __ATOMIC_RELEASE);
}

void describe_waits_on(mpi_wait *first, MPI_Comm comm) {
  for (mpi_wait *one = first; one != NULL; one = next_of(one)) {
    if (one->has_comm && one->comm == comm && !one->is_described) describe_wait(one);
  }
}

static void report_call(mpi_wait *one, uint64_t now_ns) {
  const double waited_s = (double)(now_ns - one->since_ns) * 1e-9;
  const char *const name = one->thread == NULL ? "" : weft_thread_get_name(one->thread);
  if (!one->is_described) describe_wait(one);
  if (one->thread == NULL) {
    say("weft-mpi: rank %d: OS thread %d waits for %.3f s in %s", own_rank(), one->os_thread, waited_s, one->text);
    return;
  }
  say("weft-mpi: rank %d: %s #%llu%s%s waits for %.3f s in %s", own_rank(),
      weft_thread_is_tasklet(one->thread) ? "tasklet" : "thread", (unsigned long long)weft_thread_id(one->thread),
      name[0] == 0 ? "" : " ", name, waited_s, one->text);
}

void report_calls(mpi_wait *first, unsigned count, uint64_t now_ns) {
  unsigned lines = 0;
  for (mpi_wait *one = first; one != NULL && lines < MOST_LINES; one = next_of(one), ++lines) report_call(one, now_ns);
  if (lines < count) say("weft-mpi: rank %d: and %u more", own_rank(), count - lines);
}

void report_stalled_calls(mpi_wait *first, unsigned count, uint64_t now_ns, uint64_t quiet_ns) {
  say("weft-mpi: rank %d: no MPI call of a Weft thread has completed for %.1f s, and %u wait; look at the ranks for which they "
      "wait, and whether all ranks of a collective have libweft-mpi (WEFT_MPI_STALL sets the time, off ends these lines)",
      own_rank(), (double)quiet_ns * 1e-9, count);
  report_calls(first, count, now_ns);
}

void report_long_call(mpi_wait *one, uint64_t now_ns) {
  say("weft-mpi: rank %d: an MPI call has waited for %.1f s; look at the ranks for which it waits (WEFT_MPI_STALL sets the "
      "time, off ends these lines)",
      own_rank(), (double)(now_ns - one->since_ns) * 1e-9);
  report_call(one, now_ns);
}
