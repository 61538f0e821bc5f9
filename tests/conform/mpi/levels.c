/* MPI_Init_thread provides MPI_THREAD_MULTIPLE, whatever a program asks for, and blocking calls of
 * threads work also without weft_init, and from a ULT of a runtime that starts before MPI. The
 * profiling names are the MPI's for a C program. */
#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

int rank, ranks;

static void receive(void *argument) { OK(MPI_Recv(argument, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)); }

static void send_and_receive(int value) {
  weft_config config = WEFT_CONFIG_INIT;
  weft_thread *thread = NULL;
  int got = -1;
  config.workers = 1;
  OK(weft_init(&config));
  OK(weft_thread_create(receive, &got, NULL, &thread));
  weft_yield();
  OK(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
  OK(weft_thread_join(thread));
  CHECK(got == value);
  OK(weft_finalize());
}

static void receive_from_mpi_itself(void *argument) {
  OK(PMPI_Recv(argument, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* As a tool calls it, whose threads must not leave their worker. */
static void call_by_profiling_name(void) {
  weft_config config = WEFT_CONFIG_INIT;
  weft_thread *thread = NULL;
  int got = -1;
  config.workers = 1;
  OK(weft_init(&config));
  OK(weft_thread_create(receive_from_mpi_itself, &got, NULL, &thread));
  weft_yield();
  CHECK(got == 5); /* the thread has kept its worker until it had the message */
  OK(weft_thread_join(thread));
  OK(weft_finalize());
}

static void send_late(void) {
  const int value = 5;
  usleep(20000);
  OK(MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
}

/* A second MPI in the process. */
static void load_another(void) {
  const char *const name = getenv("WEFT_TEST_OTHER_MPI");
  if (name != NULL) CHECK(dlopen(name, RTLD_NOW | RTLD_LOCAL) != NULL);
}

int main(int count, char **words) {
  int provided = -1;
  int asked = -1;
  int sum = 0;
  int is_main = 0;
  load_another();
  OK(MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  OK(MPI_Query_thread(&asked));
  OK(MPI_Is_thread_main(&is_main));
  CHECK(provided == MPI_THREAD_MULTIPLE && asked == MPI_THREAD_MULTIPLE && is_main);
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)); /* no runtime */
  CHECK(sum == ranks * (ranks - 1) / 2);
  for (int life = 0; life < 3; ++life) send_and_receive(life); /* a runtime of its own each time */
  if (ranks > 1 && rank == 0) call_by_profiling_name();
  if (rank == 1) send_late();
  OK(MPI_Finalize());
  if (rank == 0) puts("passed");
  return 0;
}
