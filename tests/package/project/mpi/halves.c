/* A thread receives what another thread of its worker sends later: that ends only if MPI_Recv lets others
 * run. */
#include <mpi.h>
#include <stdio.h>
#include <weft/weft.h>

static int got;

static void receive(void *argument) {
  (void)argument;
  MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void send(void *argument) {
  (void)argument;
  int number = 42;
  MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
}

int main(int count, char **words) {
  weft_config config = WEFT_CONFIG_INIT;
  weft_thread *threads[2];
  config.workers = 1;
  MPI_Init(&count, &words);
  if (weft_init(&config) != WEFT_OK) return 1;
  if (weft_thread_create(receive, NULL, NULL, &threads[0]) != WEFT_OK) return 1;
  weft_yield();
  if (weft_thread_create(send, NULL, NULL, &threads[1]) != WEFT_OK) return 1;
  if (weft_thread_join_many(threads, 2) != WEFT_OK) return 1;
  MPI_Finalize();
  printf("%d\n", got);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
