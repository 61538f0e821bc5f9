/* A rank that dies, and a communicator that is revoked, under threads that wait: for an Open MPI with
 * User Level Failure Mitigation, started by `mpirun --with-ft ulfm` (wheels_test.py). */
#include "check.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#if defined(OMPI_HAVE_MPIX_COMM_GET_FAILED)
#include <signal.h>
#include <unistd.h>

/* The last of three ranks dies. No call of rank 0 that waits for it may wait on. */
enum { DYING = 2 };

typedef struct waiting {
  MPI_Comm comm;
  int (*run)(MPI_Comm comm);
  int error;
} waiting;

static int receive(MPI_Comm comm) {
  int got = 0;
  return MPI_Recv(&got, 1, MPI_INT, DYING, 1, comm, MPI_STATUS_IGNORE);
}
static int receive_any(MPI_Comm comm) {
  int got = 0;
  return MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE);
}
static int receive_from_living(MPI_Comm comm) {
  int got = 0;
  return MPI_Recv(&got, 1, MPI_INT, 1, 3, comm, MPI_STATUS_IGNORE);
}
static int send(MPI_Comm comm) { return MPI_Ssend("", 1, MPI_CHAR, DYING, 4, comm); }
static int exchange(MPI_Comm comm) {
  int got[2] = {0, 0};
  return MPI_Sendrecv(&got[0], 1, MPI_INT, 1, 5, &got[1], 1, MPI_INT, DYING, 5, comm, MPI_STATUS_IGNORE);
}
static int probe(MPI_Comm comm) {
  MPI_Status status;
  return MPI_Probe(DYING, 6, comm, &status);
}
static int wait_for_one(MPI_Comm comm) {
  int got = 0;
  MPI_Request request;
  OK(MPI_Irecv(&got, 1, MPI_INT, DYING, 7, comm, &request));
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static int wait_for_any_rank(MPI_Comm comm) {
  static int got;
  MPI_Request request;
  OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 8, comm, &request));
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
/* Of these, the first never comes. */
static void start_both(MPI_Comm comm, MPI_Request *requests) {
  static int got[2];
  OK(MPI_Irecv(&got[0], 1, MPI_INT, 1, 9, comm, &requests[0]));
  OK(MPI_Irecv(&got[1], 1, MPI_INT, DYING, 9, comm, &requests[1]));
}
static int wait_for_all(MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  start_both(comm, requests);
  const int error = MPI_Waitall(2, requests, statuses);
  return error == MPI_ERR_IN_STATUS ? statuses[1].MPI_ERROR : error;
}
static int wait_for_any(MPI_Comm comm) {
  int index = 0;
  MPI_Request requests[2];
  start_both(comm, requests);
  const int error = MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == 1);
  return error;
}
static int broadcast(MPI_Comm comm) {
  int got = 0;
  return MPI_Bcast(&got, 1, MPI_INT, DYING, comm);
}

static const struct {
  const char *name;
  int (*run)(MPI_Comm comm);
  caller kind;
  int wanted; /* class of the error */
} calls[] = {
    {"MPI_Recv", receive, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Recv", receive, OS_THREAD, MPIX_ERR_PROC_FAILED},
    {"MPI_Recv from any rank", receive_any, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Ssend", send, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Sendrecv", exchange, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Probe", probe, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Wait", wait_for_one, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Wait for any rank", wait_for_any_rank, ULT, MPIX_ERR_PROC_FAILED_PENDING},
    {"MPI_Waitall", wait_for_all, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Waitany", wait_for_any, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Bcast", broadcast, ULT, MPIX_ERR_PROC_FAILED},
    {"MPI_Recv on a communicator that is revoked", receive_from_living, ULT, MPIX_ERR_REVOKED},
};
#define CALLS (sizeof calls / sizeof calls[0])

static void run_one(void *argument) {
  waiting *const one = argument;
  one->error = one->run(one->comm);
}

static int class_of(int error) {
  int class = -1;
  OK(MPI_Error_class(error, &class));
  return class;
}

static void check_errors(const waiting *all) {
  for (size_t i = 0; i < CALLS; ++i) {
    if (class_of(all[i].error) == calls[i].wanted) continue;
    fprintf(stderr, "%s of caller %d returned %d\n", calls[i].name, (int)calls[i].kind, all[i].error);
    CHECK(!"the error that is wanted");
  }
}

/* The ranks that live go on with a communicator of their own. */
static void go_on(MPI_Comm comm) {
  MPI_Comm living;
  MPI_Group failed;
  int size = 0;
  int flag = 3;
  int got = -1;
  OK(MPIX_Comm_shrink(comm, &living));
  OK(MPI_Comm_size(living, &size));
  CHECK(size == 2);
  OK(MPIX_Comm_get_failed(comm, &failed));
  OK(MPI_Group_size(failed, &size));
  CHECK(size == 1);
  OK(MPI_Group_free(&failed));
  OK(MPIX_Comm_agree(living, &flag));
  CHECK(flag == 3);
  OK(MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &got, 1, MPI_INT, 1 - rank, 1, living, MPI_STATUS_IGNORE));
  CHECK(got == 1 - rank);
}

void test_dying(void) {
  running threads[CALLS];
  static waiting all[CALLS];
  CHECK(ranks == 3);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  for (size_t i = 0; i < CALLS; ++i) {
    all[i].run = calls[i].run;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm));
    OK(MPI_Comm_set_errhandler(all[i].comm, MPI_ERRORS_RETURN));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 0) {
    for (size_t i = 0; i < CALLS; ++i) threads[i] = start(calls[i].kind, run_one, &all[i]);
    OK(weft_sleep_ns(100000000)); /* they are parked by now */
    OK(MPI_Send("", 1, MPI_CHAR, DYING, 20, MPI_COMM_WORLD));
    for (size_t i = 0; i + 1 < CALLS; ++i) finish(&threads[i]);
    OK(MPIX_Comm_revoke(all[CALLS - 1].comm));
    finish(&threads[CALLS - 1]);
    check_errors(all);
  } else if (rank == DYING) {
    char go = 0;
    OK(MPI_Recv(&go, 1, MPI_CHAR, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    raise(SIGKILL);
  }
  go_on(MPI_COMM_WORLD);
  if (rank == 0) puts("passed");
  fflush(stdout);
  _exit(0); /* a job with a dead rank does not finalize */
}

#else

void test_dying(void) { puts("skipped: this MPI has no MPIX_Comm_get_failed"); }

#endif
