/* Below MPI_THREAD_MULTIPLE (WEFT_MPI_LEVEL): the program is told MPI_THREAD_MULTIPLE, threads of all
 * kinds call MPI at once, and one that waits keeps no other out. */
#include "check.h"

#include <sched.h>
#include <weft/loops.h>

enum { MESSAGES = 40, LATE_TAG = 90, PROBED_TAG, RELEASE_TAG, OWN_TAG = 200 };

static void check_levels(void) {
  int said = -1;
  int provided = -1;
  int is_main = 0;
  OK(MPI_Query_thread(&said));
  OK(PMPI_Query_thread(&provided));
  OK(MPI_Is_thread_main(&is_main));
  CHECK(said == MPI_THREAD_MULTIPLE && provided != MPI_THREAD_MULTIPLE && is_main);
}

/* ---- calls that wait for long, on OS threads and tasklets ------------------------------------ */

static void receive_late(void *argument) {
  OK(MPI_Recv(argument, 1, MPI_INT, 1 - rank, LATE_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void probe_late(void *argument) {
  MPI_Status status;
  OK(MPI_Probe(1 - rank, PROBED_TAG, MPI_COMM_WORLD, &status));
  OK(MPI_Recv(argument, 1, MPI_INT, 1 - rank, PROBED_TAG, MPI_COMM_WORLD, &status));
}

static void wait_for_any(void *argument) {
  int got[2] = {-1, -1};
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int found = -1;
  OK(MPI_Irecv(&got[0], 1, MPI_INT, 1 - rank, RELEASE_TAG, MPI_COMM_WORLD, &requests[1]));
  OK(MPI_Waitany(3, requests, &found, MPI_STATUS_IGNORE));
  CHECK(requests[1] == MPI_REQUEST_NULL);
  *(int *)argument = got[0];
}

/* ---- meanwhile ------------------------------------------------------------------------------- */

static int failures_told; /* atomic */

static void note_failure(MPI_Comm *comm, int *code, ...) {
  int kind = MPI_SUCCESS;
  int own = -1;
  OK(MPI_Error_class(*code, &kind));
  OK(MPI_Comm_rank(*comm, &own)); /* inside the call that failed */
  CHECK(kind == MPI_ERR_TRUNCATE && own == 0);
  __atomic_fetch_add(&failures_told, 1, __ATOMIC_RELAXED);
}

typedef struct work {
  MPI_Comm own; /* of this process alone, with the handler */
  int number;
} work;

static void exchange_with_itself(const work *one, int round) {
  const int values[2] = {one->number * 1000 + round, 1};
  int got[2] = {-1, -1};
  MPI_Request request;
  MPI_Datatype type;
  int flag = 0;
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_Irecv(got, 1, type, 0, OWN_TAG + one->number, one->own, &request));
  OK(MPI_Send(values, 2, MPI_INT, 0, OWN_TAG + one->number, one->own));
  while (flag == 0) {
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    if (flag == 0) sched_yield();
  }
  OK(MPI_Type_free(&type));
  CHECK(got[0] == values[0] && got[1] == 1);
}

static void exchange_with_other(const work *one, int round) {
  const int tag = 1000 + one->number;
  int got = -1;
  const int value = one->number + round;
  OK(MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, tag, &got, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(got == value);
}

static void fail(const work *one) {
  const int values[2] = {1, 2};
  int got = 0;
  MPI_Request request;
  OK(MPI_Isend(values, 2, MPI_INT, 0, OWN_TAG + one->number, one->own, &request));
  CHECK(MPI_Recv(&got, 1, MPI_INT, 0, OWN_TAG + one->number, one->own, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void call_much(void *argument) {
  const work *const one = argument;
  for (int round = 0; round < MESSAGES; ++round) {
    exchange_with_itself(one, round);
    exchange_with_other(one, round);
  }
  fail(one);
}

/* Forks of one thread, which share its identity on every worker. */
static void make_types(size_t from, size_t to, void *unused) {
  (void)unused;
  for (size_t i = from; i < to; ++i) {
    MPI_Datatype type;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_free(&type));
  }
}

enum { WORKERS = 12, TYPES = 2000 };

static void start_work(MPI_Comm own, work *all, running *threads) {
  for (int i = 0; i < WORKERS; ++i) {
    all[i] = (work){own, i};
    threads[i] = start(i % 4 == 3 ? OS_THREAD : ULT, call_much, &all[i]);
  }
}

/* Two ranks. */
void test_serial(void) {
  int late = -1;
  int probed = -1;
  int any = -1;
  const int value = 7;
  MPI_Comm own;
  MPI_Errhandler handler;
  work all[WORKERS];
  running threads[WORKERS];
  check_levels();
  OK(MPI_Comm_dup(MPI_COMM_SELF, &own));
  OK(MPI_Comm_create_errhandler(note_failure, &handler));
  OK(MPI_Comm_set_errhandler(own, handler));
  running first = start(OS_THREAD, receive_late, &late);
  running second = start(OS_THREAD, probe_late, &probed);
  running third = start(OS_THREAD, wait_for_any, &any);
  start_work(own, all, threads);
  for (int i = 0; i < WORKERS; ++i) finish(&threads[i]);
  CHECK(weft_parallel_for(0, TYPES, 1, make_types, NULL) == WEFT_OK);
  OK(MPI_Barrier(MPI_COMM_WORLD)); /* the three wait in both ranks until here */
  OK(MPI_Send(&value, 1, MPI_INT, 1 - rank, LATE_TAG, MPI_COMM_WORLD));
  OK(MPI_Send(&value, 1, MPI_INT, 1 - rank, PROBED_TAG, MPI_COMM_WORLD));
  OK(MPI_Send(&value, 1, MPI_INT, 1 - rank, RELEASE_TAG, MPI_COMM_WORLD));
  finish(&first);
  finish(&second);
  finish(&third);
  CHECK(late == value && probed == value && any == value);
  CHECK(__atomic_load_n(&failures_told, __ATOMIC_RELAXED) == WORKERS);
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Comm_free(&own));
}
