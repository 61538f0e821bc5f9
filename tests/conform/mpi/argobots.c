/* A program on weft.h beside an MPI that starts Argobots, as an Open MPI on libweft-abt does in
 * MPI_Init and ends it in MPI_Finalize. This MPI is any, and the calls of ABT_ stand beside it.
 * Two ranks exchange messages among threads of both interfaces, with more receivers than workers.
 *
 * usage: mpirun -n 2 argobots mpi_first | weft_first | elsewhere | same_time
 *   mpi_first   MPI_Init, then weft_init: one worker becomes two
 *   weft_first  weft_init with two workers, then MPI_Init by its caller
 *   elsewhere   weft_init with two workers, then MPI_Init on another OS thread
 *   same_time   both at the same time, on two OS threads */
#include <abt.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                           \
    }                                                                         \
  } while (0)
#define OK(call) CHECK((call) == 0) /* MPI_SUCCESS, WEFT_OK and ABT_SUCCESS */

enum { pairs = 8, workers = 2 };

static int rank;
static int numbers[2 * pairs];
static atomic_int has_begun, may_end, has_ended;

static void send(void *number) { OK(MPI_Send(number, 1, MPI_INT, 1 - rank, *(int *)number, MPI_COMM_WORLD)); }

static void receive(void *number) {
  int got = -1;
  OK(MPI_Recv(&got, 1, MPI_INT, 1 - rank, *(int *)number, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(got == *(int *)number);
}

/* ---- the library: an MPI, and the Argobots that it starts -------------------------------------- */

static void begin_library(void) {
  int level;
  OK(ABT_init(0, NULL));
  OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level));
  CHECK(level == MPI_THREAD_MULTIPLE);
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
}

/* ULTs of its own, on the caller's stream. */
static void exchange_by_library(void) {
  ABT_xstream stream;
  ABT_pool pool;
  ABT_thread threads[2 * pairs];
  OK(ABT_xstream_self(&stream));
  OK(ABT_xstream_get_main_pools(stream, 1, &pool));
  for (int i = 0; i < 2 * pairs; ++i)
    OK(ABT_thread_create(pool, i < pairs ? receive : send, &numbers[pairs + i % pairs], ABT_THREAD_ATTR_NULL, &threads[i]));
  for (int i = 0; i < 2 * pairs; ++i) OK(ABT_thread_free(&threads[i]));
}

static void end_library(void) {
  OK(MPI_Finalize());
  OK(ABT_finalize());
}

static bool is_runtimes_own(void) { return weft_self() != NULL && weft_thread_id(weft_self()) == 1; }

static void *run_library(void *unused) {
  begin_library();
  atomic_store(&has_begun, 1);
  exchange_by_library();
  while (atomic_load(&may_end) == 0) OK(ABT_thread_yield());
  while (is_runtimes_own() && atomic_load(&has_ended) == 0) OK(ABT_thread_yield()); /* the runtime ends here */
  end_library();
  return unused;
}

/* ---- the program --------------------------------------------------------------------------------- */

static void begin_program(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  OK(weft_init(&config));
  CHECK(weft_worker_count() >= workers);
}

static void exchange_by_program(void) {
  weft_thread *threads[2 * pairs];
  for (int i = 0; i < 2 * pairs; ++i) OK(weft_thread_create(i < pairs ? receive : send, &numbers[i % pairs], NULL, &threads[i]));
  for (int i = 0; i < 2 * pairs; ++i) OK(weft_thread_join(threads[i]));
}

static void with_its_own_thread(bool at_the_same_time) {
  pthread_t library;
  if (!at_the_same_time) begin_program();
  CHECK(pthread_create(&library, NULL, run_library, NULL) == 0);
  if (at_the_same_time) begin_program();
  while (atomic_load(&has_begun) == 0) weft_self() != NULL ? weft_yield() : (void)sched_yield();
  exchange_by_program();
  atomic_store(&may_end, 1);
  OK(weft_finalize());
  atomic_store(&has_ended, 1);
  CHECK(pthread_join(library, NULL) == 0);
}

int main(int count, char **words) {
  const char *const order = count == 2 ? words[1] : "";
  for (int i = 0; i < 2 * pairs; ++i) numbers[i] = i;
  if (strcmp(order, "mpi_first") == 0 || strcmp(order, "weft_first") == 0) {
    const bool is_mpi_first = strcmp(order, "mpi_first") == 0;
    if (is_mpi_first) {
      begin_library();
      CHECK(weft_worker_count() == 1);
    }
    begin_program();
    if (!is_mpi_first) begin_library();
    CHECK(weft_worker_count() == workers);
    exchange_by_program();
    exchange_by_library();
    end_library();
    OK(weft_finalize());
  } else if (strcmp(order, "elsewhere") == 0 || strcmp(order, "same_time") == 0) {
    with_its_own_thread(strcmp(order, "same_time") == 0);
  } else {
    return 2;
  }
  if (weft_is_initialized() || ABT_initialized() == ABT_SUCCESS) return 3;
  if (rank == 0) puts("passed");
  return 0;
}
