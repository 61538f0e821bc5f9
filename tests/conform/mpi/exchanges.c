/* Calls for one message and for requests: A waits for what B does. On one rank both are callers of
 * one process, on one worker: a call that kept the worker would wait for ever. On two ranks, each
 * kind of caller meets each. */
#include "check.h"

enum { LENGTH = 20000, BYTES = LENGTH * (int)sizeof(int) }; /* above what an MPI sends without a receiver */

typedef struct exchange {
  MPI_Comm comm;
  int peer, tag;
  int *a, *b;
} exchange;

#define NAMED(NAME) NAME
#define MPI_CALL(NAME) MPI_##NAME
#include "exchange_calls.h"
#undef MPI_CALL
#undef NAMED
#if MPI_VERSION >= 4
#define NAMED(NAME) NAME##_c
#define MPI_CALL(NAME) MPI_##NAME##_c
#include "exchange_calls.h"
#endif

static void nothing_b(void *argument) { (void)argument; }

static void probe_a(void *argument) {
  exchange *const one = argument;
  MPI_Status status;
  int count = 0;
  OK(MPI_Probe(one->peer, one->tag, one->comm, &status));
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == LENGTH && status.MPI_TAG == one->tag);
  receive_b(argument);
}

static void wait_a(void *argument) {
  exchange *const one = argument;
  MPI_Request request;
  MPI_Status status;
  OK(MPI_Irecv(one->b, LENGTH, MPI_INT, one->peer, one->tag, one->comm, &request));
  OK(MPI_Wait(&request, &status));
  CHECK(request == MPI_REQUEST_NULL && status.MPI_TAG == one->tag);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
}

static void waitall_a(void *argument) {
  exchange *const one = argument;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  OK(MPI_Irecv(one->b, LENGTH / 2, MPI_INT, one->peer, one->tag, one->comm, &requests[0]));
  OK(MPI_Irecv(one->b + LENGTH / 2, LENGTH / 2, MPI_INT, one->peer, one->tag + 1, one->comm, &requests[2]));
  OK(MPI_Waitall(3, requests, statuses));
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL);
  CHECK(statuses[0].MPI_TAG == one->tag && statuses[2].MPI_TAG == one->tag + 1);
  CHECK(statuses[1].MPI_SOURCE == MPI_ANY_SOURCE && statuses[1].MPI_TAG == MPI_ANY_TAG);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
}

static void halves_b(void *argument) {
  exchange *const one = argument;
  OK(MPI_Send(one->a + LENGTH / 2, LENGTH / 2, MPI_INT, one->peer, one->tag + 1, one->comm));
  let_others_run();
  OK(MPI_Send(one->a, LENGTH / 2, MPI_INT, one->peer, one->tag, one->comm));
}

/* Null and inactive requests do not end the wait. */
static void waitany_a(void *argument) {
  exchange *const one = argument;
  int unused = 0;
  int index = -1;
  bool has[2] = {false, false};
  MPI_Status status;
  MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  OK(MPI_Recv_init(&unused, 1, MPI_INT, one->peer, one->tag + 2, one->comm, &requests[0]));
  OK(MPI_Irecv(one->b, LENGTH / 2, MPI_INT, one->peer, one->tag, one->comm, &requests[2]));
  OK(MPI_Irecv(one->b + LENGTH / 2, LENGTH / 2, MPI_INT, one->peer, one->tag + 1, one->comm, &requests[3]));
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Waitany(4, requests, &index, &status));
    CHECK((index == 2 || index == 3) && !has[index - 2] && requests[index] == MPI_REQUEST_NULL);
    CHECK(status.MPI_TAG == one->tag + index - 2);
    has[index - 2] = true;
  }
  OK(MPI_Waitany(4, requests, &index, &status));
  CHECK(index == MPI_UNDEFINED);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
  OK(MPI_Request_free(&requests[0]));
}

static void waitsome_a(void *argument) {
  exchange *const one = argument;
  int unused = 0;
  int found = 0;
  int done = 0;
  int indices[4];
  MPI_Status statuses[4];
  MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  OK(MPI_Recv_init(&unused, 1, MPI_INT, one->peer, one->tag + 2, one->comm, &requests[1]));
  OK(MPI_Irecv(one->b, LENGTH / 2, MPI_INT, one->peer, one->tag, one->comm, &requests[2]));
  OK(MPI_Irecv(one->b + LENGTH / 2, LENGTH / 2, MPI_INT, one->peer, one->tag + 1, one->comm, &requests[3]));
  while (done < 2) {
    OK(MPI_Waitsome(4, requests, &found, indices, statuses));
    CHECK(found == 1 || found == 2);
    for (int i = 0; i < found; ++i) CHECK(statuses[i].MPI_TAG == one->tag + indices[i] - 2);
    done += found;
  }
  OK(MPI_Waitsome(4, requests, &found, indices, statuses));
  CHECK(found == MPI_UNDEFINED && done == 2);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
  OK(MPI_Request_free(&requests[1]));
}

/* A persistent request is waited for, and stays. */
static void persistent_a(void *argument) {
  exchange *const one = argument;
  MPI_Request request;
  OK(MPI_Recv_init(one->b, LENGTH, MPI_INT, one->peer, one->tag, one->comm, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); /* inactive */
  OK(MPI_Start(&request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(request != MPI_REQUEST_NULL);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
  OK(MPI_Request_free(&request));
}

#if MPI_VERSION >= 4
static void partitioned_a(void *argument) {
  exchange *const one = argument;
  MPI_Request request;
  OK(MPI_Precv_init(one->b, 2, LENGTH / 2, MPI_INT, one->peer, one->tag, one->comm, MPI_INFO_NULL, &request));
  OK(MPI_Start(&request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
  OK(MPI_Request_free(&request));
}

static void partitioned_b(void *argument) {
  exchange *const one = argument;
  MPI_Request request;
  OK(MPI_Psend_init(one->a, 2, LENGTH / 2, MPI_INT, one->peer, one->tag, one->comm, MPI_INFO_NULL, &request));
  OK(MPI_Start(&request));
  OK(MPI_Pready(1, request));
  let_others_run();
  OK(MPI_Pready(0, request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Request_free(&request));
}

static void isendrecv_a(void *argument) {
  exchange *const one = argument;
  MPI_Request request;
  OK(MPI_Isendrecv(one->a, LENGTH, MPI_INT, one->peer, one->tag, one->b, LENGTH, MPI_INT, one->peer, one->tag + 1, one->comm,
                   &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
  OK(MPI_Isendrecv_replace(one->b, LENGTH, MPI_INT, one->peer, one->tag, one->peer, one->tag + 1, one->comm, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
}
#endif

/* Ends by a cancellation, not by a message. */
static void cancelled_a(void *argument) {
  exchange *const one = argument;
  MPI_Status status;
  int is_cancelled = 0;
  MPI_Request request;
  OK(MPI_Irecv(one->b, LENGTH, MPI_INT, one->peer, one->tag, one->comm, &request));
  OK(MPI_Cancel(&request));
  OK(MPI_Wait(&request, &status));
  OK(MPI_Test_cancelled(&status, &is_cancelled));
  CHECK(is_cancelled);
}

static const struct {
  weft_function a, b;
} exchanges[] = {{send_a, receive_b},
                 {ssend_a, receive_b},
                 {recv_a, send_b},
                 {rsend_a, nothing_b},
                 {probe_a, send_b},
                 {mprobe_a, send_b},
                 {sendrecv_a, sendrecv_b},
                 {wait_a, send_b},
                 {waitall_a, halves_b},
                 {waitany_a, halves_b},
                 {waitsome_a, halves_b},
                 {persistent_a, send_b},
                 {cancelled_a, nothing_b},
#if MPI_VERSION >= 4
                 {send_a_c, receive_b_c},
                 {ssend_a_c, receive_b_c},
                 {recv_a_c, send_b_c},
                 {rsend_a_c, nothing_b},
                 {mprobe_a_c, send_b_c},
                 {sendrecv_a_c, sendrecv_b_c},
                 {isendrecv_a, sendrecv_b},
                 {partitioned_a, partitioned_b}
#endif
};

static exchange make_exchange(size_t which) {
  exchange one = {.comm = MPI_COMM_SELF, .tag = 10};
  one.a = malloc(BYTES);
  one.b = calloc(1, BYTES);
  CHECK(one.a != NULL && one.b != NULL);
  for (int i = 0; i < LENGTH; ++i) one.a[i] = i * 7 + (int)which;
  return one;
}

static void end_exchange(exchange *one) {
  free(one->a);
  free(one->b);
}

/* No OS thread and no tasklet: MPICH 4.0 alone does not always end a call of an OS thread that waits for
 * another OS thread of its process. */
static const struct {
  caller a, b;
} callers[] = {{ULT, ULT}, {ULT, MAIN}, {MAIN, ULT}};

static void exchange_here(size_t which, caller a, caller b, bool a_begins) {
  exchange one = make_exchange(which);
  running first = start(a_begins ? a : b, a_begins ? exchanges[which].a : exchanges[which].b, &one);
  if (first.kind == ULT) let_others_run();
  running second = start(a_begins ? b : a, a_begins ? exchanges[which].b : exchanges[which].a, &one);
  finish(first.kind == MAIN ? &first : &second);
  finish(first.kind == MAIN ? &second : &first);
  end_exchange(&one);
}

/* A on rank 0, B on rank 1. */
static void exchange_between_ranks(size_t which, caller a, caller b) {
  exchange one = make_exchange(which);
  one.comm = MPI_COMM_WORLD;
  one.peer = 1 - rank;
  running mine = start(rank == 0 ? a : b, rank == 0 ? exchanges[which].a : exchanges[which].b, &one);
  finish(&mine);
  end_exchange(&one);
}

void test_exchanges(void) {
  for (size_t which = 0; which < sizeof exchanges / sizeof exchanges[0]; ++which) {
    for (size_t each = 0; ranks == 1 && each < sizeof callers / sizeof callers[0]; ++each) {
      exchange_here(which, callers[each].a, callers[each].b, true);
      exchange_here(which, callers[each].a, callers[each].b, false);
    }
    for (int pair = 0; ranks == 2 && pair < 16; ++pair) exchange_between_ranks(which, (caller)(pair / 4), (caller)(pair % 4));
  }
}

/* ---- many at once, between two ranks --------------------------------------------------------- */

enum { PAIRS = 1000 };
static int sent[PAIRS], got[PAIRS];

static void send_one(void *argument) {
  const int tag = (int)((int *)argument - sent);
  OK(MPI_Ssend(argument, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD));
}
static void receive_one(void *argument) {
  const int tag = (int)((int *)argument - got);
  OK(MPI_Recv(argument, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* Both ranks receive first, the last message first, so that all threads are parked at once. */
void test_pairs(void) {
  static weft_thread *threads[2 * PAIRS];
  CHECK(ranks == 2);
  for (int i = 0; i < PAIRS; ++i) {
    sent[i] = 1000 * rank + i;
    OK(weft_thread_create(receive_one, &got[PAIRS - 1 - i], NULL, &threads[i]));
  }
  for (int i = 0; i < PAIRS; ++i) OK(weft_thread_create(send_one, &sent[i], NULL, &threads[PAIRS + i]));
  OK(weft_thread_join_many(threads, 2 * (size_t)PAIRS));
  for (int i = 0; i < PAIRS; ++i) CHECK(got[i] == 1000 * (1 - rank) + i);
}
