/* What a Python program calls by ctypes: Weft threads that exchange messages, in a process whose MPI
 * mpi4py has started. */
#include <mpi.h>
#include <stdlib.h>
#include <weft/weft.h>

typedef struct message {
  MPI_Comm comm;
  int peer, tag, value;
} message;

static void receive_one(void *argument) {
  message *const one = argument;
  if (MPI_Recv(&one->value, 1, MPI_INT, one->peer, one->tag, one->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) abort();
}

static void send_one(void *argument) {
  const message *const one = argument;
  if (MPI_Ssend(&one->value, 1, MPI_INT, one->peer, one->tag, one->comm) != MPI_SUCCESS) abort();
}

/* On one worker: `count` threads that receive, and then as many that send, between the two ranks of a
 * communicator. Returns the sum of what was received, or -1. */
__attribute__((visibility("default"))) long exchange(int count, int communicator) {
  weft_config config = WEFT_CONFIG_INIT;
  const MPI_Comm comm = MPI_Comm_f2c((MPI_Fint)communicator);
  int rank = 0;
  long sum = 0;
  config.workers = 1;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || weft_init(&config) != WEFT_OK) return -1;
  message *const messages = malloc(2 * (size_t)count * sizeof *messages);
  weft_thread **const threads = malloc(2 * (size_t)count * sizeof(weft_thread *));
  if (messages == NULL || threads == NULL) return -1;
  for (int i = 0; i < 2 * count; ++i) {
    messages[i] = (message){comm, 1 - rank, i % count, i % count};
    if (weft_thread_create(i < count ? receive_one : send_one, &messages[i], NULL, &threads[i]) != WEFT_OK) return -1;
  }
  if (weft_thread_join_many(threads, 2 * (size_t)count) != WEFT_OK) return -1;
  for (int i = 0; i < count; ++i) sum += messages[i].value;
  free(threads);
  free(messages);
  return weft_finalize() == WEFT_OK ? sum : -1;
}
