/* Errors and statuses of calls that parked, and lines about calls that wait. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

static int class_of(int error) {
  int class = -1;
  OK(MPI_Error_class(error, &class));
  return class;
}

/* ---- errors go to the caller ----------------------------------------------------------------- */

typedef struct receiver {
  MPI_Comm comm;
  int peer, tag, error, count;
  MPI_Status status;
} receiver;

static void receive_too_little(void *argument) {
  receiver *const one = argument;
  char got[8];
  one->error = MPI_Recv(got, sizeof got, MPI_CHAR, one->peer, one->tag, one->comm, &one->status);
}
static void wait_for_too_little(void *argument) {
  receiver *const one = argument;
  char got[8];
  MPI_Request request;
  OK(MPI_Irecv(got, sizeof got, MPI_CHAR, one->peer, one->tag, one->comm, &request));
  one->error = MPI_Wait(&request, &one->status);
}
static void send_to_none(void *argument) {
  receiver *const one = argument;
  one->error = MPI_Send(one, 1, MPI_CHAR, 12345, 0, one->comm);
}
static void broadcast_from_none(void *argument) {
  receiver *const one = argument;
  one->error = MPI_Bcast(one, 1, MPI_CHAR, 12345, one->comm);
}

static MPI_Comm handled;
static int handled_class, calls_of_handler;
static void handle(MPI_Comm *comm, int *error, ...) {
  handled = *comm;
  handled_class = class_of(*error);
  ++calls_of_handler;
}

/* MPICH 5 returns MPI_SUCCESS once a handler of the program's has returned. */
static bool hides_handled;

static bool is_mpich_5(void) {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  static const char begin[] = "MPICH Version:";
  int length = 0;
  OK(MPI_Get_library_version(text, &length));
  return strncmp(text, begin, sizeof begin - 1) == 0 && atoi(text + sizeof begin - 1) >= 5;
}

/* On one rank the message is there first: Open MPI 4.1 alone does not tell of one of the own process
 * that is too long for a receive that waits already. On two, the receive of rank 0 waits already. */
static void check_error(weft_function function, MPI_Comm comm, bool needs_message, int wanted) {
  static char sent[100];
  char go = 0;
  receiver one = {.comm = comm, .peer = ranks - 1, .tag = 4};
  if (rank == 1 && needs_message) {
    OK(MPI_Recv(&go, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Send(sent, sizeof sent, MPI_CHAR, 0, one.tag, comm));
  }
  if (rank == 1) return;
  MPI_Request request = MPI_REQUEST_NULL;
  if (needs_message && ranks == 1) OK(MPI_Isend(sent, sizeof sent, MPI_CHAR, 0, one.tag, comm, &request));
  running receiving = start(ULT, function, &one);
  let_others_run();
  if (needs_message && ranks == 2) OK(MPI_Send(&go, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD));
  finish(&receiving);
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(class_of(one.error) == wanted || (hides_handled && one.error == MPI_SUCCESS));
}

void test_errors(void) {
  MPI_Comm comm;
  MPI_Errhandler handler, known;
  OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &known));
  CHECK(known == MPI_ERRORS_ARE_FATAL);
  CHECK(ranks <= 2);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  check_error(receive_too_little, comm, true, MPI_ERR_TRUNCATE);
  check_error(send_to_none, comm, false, MPI_ERR_RANK);
  check_error(broadcast_from_none, comm, false, MPI_ERR_ROOT);

  OK(MPI_Comm_create_errhandler(handle, &handler));
  OK(MPI_Comm_set_errhandler(comm, handler));
  hides_handled = is_mpich_5();
  check_error(receive_too_little, comm, true, MPI_ERR_TRUNCATE);
  hides_handled = false;
  CHECK(rank == 1 || (handled == comm && handled_class == MPI_ERR_TRUNCATE && calls_of_handler == 1));
  OK(MPI_Comm_get_errhandler(comm, &known));
  CHECK(known == handler);
  OK(MPI_Errhandler_free(&known));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_get_errhandler(comm, &known));
  CHECK(known == MPI_ERRORS_ARE_FATAL);

  /* An error of a request that the program waits for itself: MPICH tells MPI_COMM_WORLD of it. */
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  check_error(wait_for_too_little, comm, true, MPI_ERR_TRUNCATE);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &known));
  CHECK(known == MPI_ERRORS_ARE_FATAL);
  OK(MPI_Comm_free(&comm));
}

/* The job ends. */
void test_fatal(void) {
  check_error(receive_too_little, MPI_COMM_WORLD, true, MPI_SUCCESS);
  if (rank == 0) puts("an error of MPI_COMM_WORLD did not end the job");
}

/* ---- statuses -------------------------------------------------------------------------------- */

static void receive_any(void *argument) {
  receiver *const one = argument;
  char got[100];
  one->error = MPI_Recv(got, sizeof got, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, one->comm, &one->status);
}

void test_statuses(void) {
  const int to = (rank + 1) % ranks;
  const int from = (rank + ranks - 1) % ranks;
  receiver one = {.comm = MPI_COMM_WORLD, .error = -1};
  running waiting = start(ULT, receive_any, &one);
  let_others_run();
  char sent[40] = {0};
  OK(MPI_Send(sent, 30 + rank, MPI_CHAR, to, 70 + rank, MPI_COMM_WORLD));
  finish(&waiting);
  OK(one.error);
  OK(MPI_Get_count(&one.status, MPI_CHAR, &one.count));
  CHECK(one.status.MPI_SOURCE == from && one.status.MPI_TAG == 70 + from && one.count == 30 + from);
  one.error = -1;
  running none = start(ULT, receive_any, &one);
  let_others_run();
  OK(MPI_Sendrecv(sent, 1, MPI_CHAR, to, 5, sent, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &one.status));
  CHECK(one.status.MPI_SOURCE == MPI_PROC_NULL && one.status.MPI_TAG == MPI_ANY_TAG);
  finish(&none);
  OK(one.error);
}

/* ---- the end of MPI -------------------------------------------------------------------------- */

static void receive_at_end(void *argument) {
  receiver *const one = argument;
  char got[100];
  one->error = MPI_Recv(got, sizeof got, MPI_CHAR, 1 - rank, one->tag, one->comm, &one->status);
}
static void send_at_end(void *argument) {
  receiver *const one = argument;
  for (int i = 0; i < 20; ++i) OK(weft_sleep_ns(1000000));
  OK(MPI_Send("x", 1, MPI_CHAR, 1 - rank, one->tag, one->comm));
}

/* MPI_Finalize waits for a call that a message still ends. */
void test_late(void) {
  static receiver one = {.tag = 3};
  weft_thread *thread = NULL;
  CHECK(ranks == 2);
  one.comm = MPI_COMM_WORLD;
  if (rank == 0) {
    OK(weft_thread_create(receive_at_end, &one, NULL, &thread));
    OK(weft_thread_detach(thread));
    let_others_run();
  } else {
    running sending = start(ULT, send_at_end, &one);
    finish(&sending);
  }
}

/* MPI_Finalize ends the job. */
void test_left_parked(void) {
  static receiver one = {.tag = 31};
  weft_thread *thread = NULL;
  one.comm = MPI_COMM_WORLD;
  if (rank != 0) return;
  OK(weft_thread_create(receive_at_end, &one, NULL, &thread));
  OK(weft_thread_set_name(thread, "listener"));
  let_others_run();
}

/* The same of an OS thread, below MPI_THREAD_MULTIPLE. */
void test_left_polling(void) {
  static receiver one = {.tag = 31};
  one.comm = MPI_COMM_WORLD;
  if (rank != 0) return;
  (void)start(OS_THREAD, receive_at_end, &one);
  OK(weft_sleep_ns(20000000));
}

/* ---- what is freed under a call ---------------------------------------------------------------- */

static MPI_Request waited_for;

static void wait_for_it(void *argument) {
  receiver *const one = argument;
  one->error = MPI_Wait(&waited_for, &one->status);
}

static void free_it(void *argument) {
  MPI_Request copy = waited_for;
  receiver *const one = argument;
  one->error = MPI_Request_free(&copy);
}

/* The request stays, and the message ends the wait. */
void test_freed_request(void) {
  receiver waiting = {.error = -1};
  receiver freeing = {.error = -1};
  int got = 0;
  const int value = 7;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Irecv(&got, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &waited_for));
  running first = start(ULT, wait_for_it, &waiting);
  let_others_run();
  running second = start(ULT, free_it, &freeing);
  finish(&second);
  CHECK(class_of(freeing.error) == MPI_ERR_REQUEST);
  OK(MPI_Send(&value, 1, MPI_INT, rank, 12, MPI_COMM_WORLD));
  finish(&first);
  OK(waiting.error);
  CHECK(got == value);
  OK(MPI_Irecv(&got, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &waited_for)); /* no call waits: it is freed */
  running third = start(ULT, free_it, &freeing);
  finish(&third);
  OK(freeing.error);
  OK(MPI_Send(&value, 1, MPI_INT, rank, 12, MPI_COMM_WORLD));
}

static void wait_for_two(void *argument) {
  int got = 0;
  const int value = 5;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  (void)argument;
  OK(MPI_Irecv(&got, 1, MPI_INT, rank, 14, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Isend(&value, 1, MPI_INT, rank, 15, MPI_COMM_WORLD, &requests[1]));
  OK(MPI_Waitall(2, requests, statuses));
}

static void send_and_free(void *argument) {
  const int value = 6;
  MPI_Request request;
  (void)argument;
  OK(MPI_Isend(&value, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, &request));
  OK(MPI_Request_free(&request));
}

/* An MPI may give all small sends that are complete at once the same handle. */
void test_freed_send(void) {
  int got[2] = {0, 0};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int i = 0; i < 2; ++i) OK(MPI_Irecv(&got[i], 1, MPI_INT, rank, 15 + i, MPI_COMM_WORLD, &requests[i]));
  running waiting = start(ULT, wait_for_two, NULL);
  let_others_run();
  OK(weft_sleep_ns(1000000)); /* parked by now */
  running freeing = start(ULT, send_and_free, NULL);
  finish(&freeing);
  OK(MPI_Send(&got[0], 1, MPI_INT, rank, 14, MPI_COMM_WORLD));
  finish(&waiting);
  OK(MPI_Waitall(2, requests, statuses));
  CHECK(got[0] == 5 && got[1] == 6);
}

/* A call that the engine has not yet found complete, or whose thread was woken and does not run yet. */
void test_freed_complete(void) {
  receiver waiting = {.error = -1};
  int got = 0;
  int is_complete = 0;
  const int value = 7;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Irecv(&got, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &waited_for));
  running first = start(ULT, wait_for_it, &waiting);
  let_others_run();
  OK(weft_sleep_ns(1000000)); /* parked by now */
  OK(MPI_Send(&value, 1, MPI_INT, rank, 12, MPI_COMM_WORLD));
  while (!is_complete) OK(PMPI_Request_get_status(waited_for, &is_complete, MPI_STATUS_IGNORE)); /* lets no thread run */
  MPI_Request copy = waited_for;
  CHECK(class_of(MPI_Request_free(&copy)) == MPI_ERR_REQUEST);
  finish(&first);
  OK(waiting.error);
  CHECK(got == value && waited_for == MPI_REQUEST_NULL);
}

/* ---- a call that waits for its turn ------------------------------------------------------------ */

static running early;
static receiver early_waiting = {.error = -1};
static bool early_begins;
static int error_of_free;

static void wait_early(void *argument) {
  early_begins = true;
  wait_for_it(argument);
}

/* The handler's call has the turn, so the thread waits in MPI_Wait for its first look. */
static void start_and_free(MPI_Comm *comm, int *error, ...) {
  (void)comm;
  (void)error;
  early = start(ULT, wait_early, &early_waiting);
  while (!early_begins) weft_yield();
  for (int i = 0; i < 10; ++i) weft_yield();
  MPI_Request copy = waited_for;
  error_of_free = MPI_Request_free(&copy);
}

/* Below MPI_THREAD_MULTIPLE. */
void test_freed_early(void) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  int got = 0;
  const int value = 7;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_create_errhandler(start_and_free, &handler));
  OK(MPI_Comm_set_errhandler(comm, handler));
  OK(MPI_Irecv(&got, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &waited_for));
  OK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
  CHECK(class_of(error_of_free) == MPI_ERR_REQUEST);
  OK(MPI_Send(&value, 1, MPI_INT, rank, 12, MPI_COMM_WORLD));
  finish(&early);
  OK(early_waiting.error);
  CHECK(got == value);
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Comm_free(&comm));
}

/* The job ends, if the handler is the default one. */
void test_freed_fatal(void) {
  receiver waiting = {.error = -1};
  receiver freeing = {.error = -1};
  int got = 0;
  OK(MPI_Irecv(&got, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &waited_for));
  running first = start(ULT, wait_for_it, &waiting);
  let_others_run();
  running second = start(ULT, free_it, &freeing);
  finish(&second);
  finish(&first);
}

/* A communicator is freed under a receive that is parked: the message comes, and reports name it. */
void test_freed_communicator(void) {
  receiver one = {.tag = 9, .error = -1};
  char go = 0;
  CHECK(ranks == 2);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &one.comm));
  OK(MPI_Comm_set_name(one.comm, "meadow"));
  running waiting = {.kind = ULT};
  if (rank == 0) {
    waiting = start(ULT, receive_at_end, &one);
    let_others_run();
    OK(weft_sleep_ns(1000000)); /* parked by now */
  }
  MPI_Comm copy = one.comm;
  if (rank == 0) {
    OK(MPI_Comm_free(&copy));
    OK(weft_sleep_ns(200000000)); /* WEFT_MPI_STALL has passed */
    OK(MPI_Send(&go, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD));
    finish(&waiting);
    OK(one.error);
  } else {
    OK(MPI_Recv(&go, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Send(&go, 1, MPI_CHAR, 0, 9, one.comm));
    OK(MPI_Comm_free(&copy));
  }
}

/* ---- lines about calls that wait -------------------------------------------------------------- */

/* Whether all words are in what is written to a pipe in the place of stderr. */
typedef struct listener {
  int from, stderr_before;
  char text[20000];
  size_t length;
} listener;

static void listen_to_stderr(listener *to) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  to->from = ends[0];
  to->length = 0;
  to->stderr_before = dup(STDERR_FILENO);
  CHECK(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
  close(ends[1]);
}

static void hear(listener *to, const char *words) {
  for (;;) {
    const ssize_t got = read(to->from, to->text + to->length, sizeof to->text - 1 - to->length);
    if (got > 0) to->length += (size_t)got;
    to->text[to->length] = 0;
    if (strstr(to->text, words) != NULL) return;
    OK(weft_sleep_ns(1000000));
  }
}

static void stop_listening(listener *to) {
  CHECK(dup2(to->stderr_before, STDERR_FILENO) == STDERR_FILENO);
  close(to->from);
}

/* Rank 1 sends once rank 0 has heard of the call. */
static void with_parked_receive(void (*hear_of_it)(void)) {
  receiver one = {.comm = MPI_COMM_WORLD, .tag = 7, .error = -1};
  char go = 0;
  CHECK(ranks == 2);
  if (rank == 0) {
    running waiting = start(ULT, receive_at_end, &one);
    OK(weft_thread_set_name(waiting.thread, "north"));
    hear_of_it();
    OK(MPI_Send(&go, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD));
    finish(&waiting);
    OK(one.error);
  } else {
    OK(MPI_Recv(&go, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Send(&go, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD));
  }
}

static void hear_of_stall(void) {
  static listener to;
  listen_to_stderr(&to);
  hear(&to, "weft-mpi: rank 0: no MPI call of a Weft thread has completed for ");
  hear(&to, " north waits for ");
  hear(&to, "MPI_Recv as rank 0 of MPI_COMM_WORLD, from rank 1, tag 7\n");
  stop_listening(&to);
}
void test_stall(void) { with_parked_receive(hear_of_stall); }

static bool dump_has(const char *words) {
  static char text[200000];
  FILE *const file = tmpfile();
  CHECK(file != NULL);
  OK(weft_dump(fileno(file)));
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return strstr(text, words) != NULL;
}
static void hear_of_dump(void) {
  while (!dump_has("MPI_Recv as rank 0 of MPI_COMM_WORLD, from rank 1, tag 7")) OK(weft_sleep_ns(1000000));
}
void test_dump(void) { with_parked_receive(hear_of_dump); }
