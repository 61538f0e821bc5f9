/* Waits of Weft threads for MPI, and the one source that ends them. A thread that must wait leaves
 * its worker; one worker at a time asks the MPI for all that wait. Nothing here completes a request
 * or receives a message: the thread does so itself once it runs again, with its own arguments, so
 * that statuses, errors and error handlers are those of the MPI. */
#ifndef WEFT_MPI_ENGINE_H
#define WEFT_MPI_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <weft/ext.h>

#include "arrivals.h"
#include "family.h"
#include "way.h"

typedef enum mpi_wait_kind {
  WAITS_FOR_ALL,    /* of the requests */
  WAITS_FOR_ANY,    /* of the requests, each of which is active */
  WAITS_FOR_MESSAGE /* from peer with tag */
} mpi_wait_kind;

typedef enum mpi_peer_kind { HAS_NO_PEER, HAS_SOURCE, HAS_DESTINATION } mpi_peer_kind;

/* One call that waits, on the stack of its caller, which fills in the first part. */
typedef struct mpi_wait {
  mpi_link link;    /* the engine's */
  const char *call; /* WAIT_NAME("MPI_Recv") of caller.h */
  mpi_wait_kind kind;
  const MPI_Request *requests;
  int count;     /* of requests */
  bool has_comm; /* comm is meant */
  MPI_Comm comm;
  mpi_peer_kind peer_kind;
  int peer, tag;      /* of the first request, or the message */
  bool is_of_program; /* the requests are: it may free them */

  /* The engine's. */
  int completed; /* WAITS_FOR_ALL: so many of the first requests are complete */
  bool is_open, is_described;
  uint64_t since_ns;
  weft_thread *thread; /* null: an OS thread outside polls */
  int os_thread;       /* of a caller that polls, for reports; else 0 */
  char *text;          /* for reports and dumps: the call, and more after a while (texts.h) */

  /* Of waited.h. */
  bool is_listed, has_seen;
  MPI_Request seen; /* has_seen: was not complete when the caller looked */
  struct mpi_wait *before, *behind;
} mpi_wait;

static inline mpi_wait *next_of(const mpi_wait *one) { return (mpi_wait *)one->link.next; }

/* Called once, when this library is loaded. */
void prepare_engine(void);

/* Whether the engine can serve ULTs of this runtime. */
bool has_engine(void);

/* Waits until the condition of *wait is met, in the way that way_of_caller() has said; a caller
 * that CALLS_MPI does not wait. It then completes its call, and ends it by end_wait. */
void wait_until_complete(mpi_wait *wait, caller_way way);
void end_wait(const mpi_wait *wait);

/* Whether a wait for the request would return at once. Completes nothing, and calls no error
 * handler. */
bool is_request_complete(MPI_Request request);

/* How many calls spin, poll or have parked, and are not ended. */
unsigned waiting_calls(void);

/* Writes a line for each call that has parked or polls, up to a number of each. */
void report_waiting_calls(void);

/* From now on the reports call the communicator freed, and do not ask the MPI about it. */
void forget_communicator(MPI_Comm comm);

#endif
