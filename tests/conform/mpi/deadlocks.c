/* Programs of two ranks, one worker each, in which a thread (ULT) waits in the MPI for another one
 * of its worker. They end with libweft-mpi, and hang without: what the program is linked with.
 *
 * usage: mpirun -n 2 deadlocks receivers | held | fence */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                           \
    }                                                                         \
  } while (0)
#define OK(call) CHECK((call) == 0) /* MPI_SUCCESS and WEFT_OK */

enum { receivers = 16, tag = 7 };

static int rank;
static int numbers[receivers];
static weft_mutex mutex = WEFT_MUTEX_INIT;

static void say_that_it_waits(void) {
  if (rank == 0) puts("waits");
  fflush(stdout);
}

static void send(void *number) { OK(MPI_Send(number, 1, MPI_INT, 1 - rank, tag + *(int *)number, MPI_COMM_WORLD)); }

static void receive(void *number) {
  int got;
  OK(MPI_Recv(&got, 1, MPI_INT, 1 - rank, tag + *(int *)number, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(got == *(int *)number);
}

static weft_thread *start(void (*function)(void *), void *argument) {
  weft_thread *made = NULL;
  OK(weft_thread_create(function, argument, NULL, &made));
  return made;
}

/* ---- more receivers than workers --------------------------------------------------------------- */

static void receivers_first(void) {
  weft_thread *threads[2 * receivers];
  for (int i = 0; i < receivers; ++i) numbers[i] = i;
  for (int i = 0; i < receivers; ++i) threads[i] = start(receive, &numbers[i]);
  for (int i = 0; i < receivers; ++i) threads[receivers + i] = start(send, &numbers[i]);
  say_that_it_waits();
  for (int i = 0; i < 2 * receivers; ++i) OK(weft_thread_join(threads[i]));
}

/* ---- a lock that is held while its holder waits in the MPI -------------------------------------- */

static void lock(void *argument) {
  (void)argument;
  OK(weft_mutex_lock(&mutex));
  OK(weft_mutex_unlock(&mutex));
}

static void receive_under_lock(void *number) {
  OK(weft_mutex_lock(&mutex));
  weft_thread *const other = start(lock, NULL);
  weft_thread *const sender = start(send, number);
  say_that_it_waits();
  receive(number);
  OK(weft_mutex_unlock(&mutex));
  OK(weft_thread_join(other));
  OK(weft_thread_join(sender));
}

static void held_lock(void) { OK(weft_thread_join(start(receive_under_lock, &numbers[0]))); }

/* ---- a fence over a shared window, before what lets the other rank come to it ------------------ */

static void fence_before_send(void) {
  MPI_Win window;
  int *memory = NULL;
  OK(MPI_Win_allocate_shared(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&memory, &window));
  weft_thread *const sender = rank == 0 ? start(send, &numbers[0]) : NULL;
  say_that_it_waits();
  if (rank == 1) receive(&numbers[0]);
  OK(MPI_Win_fence(0, window));
  if (sender != NULL) OK(weft_thread_join(sender));
  OK(MPI_Win_free(&window));
}

int main(int count, char **words) {
  int level;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  OK(weft_init(&config));
  OK(MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(count == 2 && level == MPI_THREAD_MULTIPLE);
  if (strcmp(words[1], "receivers") == 0) receivers_first();
  if (strcmp(words[1], "held") == 0) held_lock();
  if (strcmp(words[1], "fence") == 0) fence_before_send();
  OK(MPI_Finalize());
  OK(weft_finalize());
  if (rank == 0) puts("passed");
  return 0;
}
