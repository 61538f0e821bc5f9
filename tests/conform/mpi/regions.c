/* Calls without a nonblocking twin: a thread of one rank makes them, while another thread of its worker
 * sends what the other rank waits for before it makes its own. That ends only if the first thread does not
 * keep the worker. */
#include "check.h"

#include <unistd.h>

/* A thread of rank 0 calls first; another thread of its worker then sends what rank 1 waits for before it
 * calls. */
static void send_go(void *argument) {
  (void)argument;
  OK(MPI_Send("", 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD));
}
static void meet(void (*function)(void *)) {
  MPI_Comm comm;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  if (rank == 1) OK(MPI_Recv(NULL, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  running calling = start(ULT, function, &comm);
  if (rank == 0) {
    running other = start(ULT, send_go, NULL);
    finish(&other);
  }
  finish(&calling);
  OK(MPI_Comm_free(&comm));
}

/* Each rank of the new communicator is there. */
static void use_and_free(MPI_Comm made, int size) {
  int sum = 0;
  const int one = 1;
  CHECK(made != MPI_COMM_NULL);
  OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made));
  CHECK(sum == size);
  OK(MPI_Comm_free(&made));
}

static void split(void *argument) {
  MPI_Comm made;
  MPI_Group group;
  const MPI_Comm comm = *(MPI_Comm *)argument;
  OK(MPI_Comm_split(comm, 0, -rank, &made));
  use_and_free(made, ranks);
  OK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
  use_and_free(made, ranks);
  OK(MPI_Comm_group(comm, &group));
  OK(MPI_Comm_create(comm, group, &made));
  use_and_free(made, ranks);
  OK(MPI_Comm_create_group(comm, group, 5, &made));
  OK(MPI_Group_free(&group));
  OK(MPI_Comm_disconnect(&made));
}

static void graphs(void *argument) {
  MPI_Info info;
  MPI_Comm made, part;
  const MPI_Comm comm = *(MPI_Comm *)argument;
  const int periodic = 1;
  const int stays = 1;
  int next = (rank + 1) % ranks;
  int before = (rank + ranks - 1) % ranks;
  const int degree = 1;
  const int weight = 1;
  int index[8], edges[8];
  OK(MPI_Info_create(&info));
  OK(MPI_Comm_set_info(comm, info));
  OK(MPI_Info_free(&info));
  OK(MPI_Cart_create(comm, 1, &ranks, &periodic, 0, &made));
  OK(MPI_Cart_sub(made, &stays, &part));
  use_and_free(part, ranks);
  use_and_free(made, ranks);
  CHECK(ranks <= 8);
  for (int i = 0; i < ranks; ++i) {
    index[i] = i + 1;
    edges[i] = (i + 1) % ranks;
  }
  OK(MPI_Graph_create(comm, ranks, index, edges, 0, &made));
  use_and_free(made, ranks);
  OK(MPI_Dist_graph_create(comm, 1, &rank, &degree, &next, &weight, MPI_INFO_NULL, 0, &made));
  use_and_free(made, ranks);
  OK(MPI_Dist_graph_create_adjacent(comm, 1, &before, &weight, 1, &next, &weight, MPI_INFO_NULL, 0, &made));
  use_and_free(made, ranks);
}

static void merge(void *argument) {
  MPI_Comm half, between, made;
  const MPI_Comm comm = *(MPI_Comm *)argument;
  OK(MPI_Comm_split(comm, rank % 2, 0, &half));
  OK(MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 6, &between));
  OK(MPI_Intercomm_merge(between, rank % 2, &made));
  use_and_free(made, ranks);
  OK(MPI_Comm_free(&between));
  OK(MPI_Comm_free(&half));
}

void test_communicators(void) {
  CHECK(ranks % 2 == 0);
  meet(split);
  meet(graphs);
  meet(merge);
}

/* ---- windows --------------------------------------------------------------------------------- */

enum { WINDOW_BYTES = 64 }; /* MPICH 4.0 alone loses a put into a window of 4 bytes */

static void fences(void *argument) {
  MPI_Info info;
  MPI_Win window;
  const MPI_Comm comm = *(MPI_Comm *)argument;
  int *memory = NULL;
  const int mine = 100 + rank;
  const int next = (rank + 1) % ranks;
  OK(MPI_Win_allocate(WINDOW_BYTES, sizeof(int), MPI_INFO_NULL, comm, &memory, &window));
  OK(MPI_Info_create(&info));
  OK(MPI_Win_set_info(window, info));
  OK(MPI_Info_free(&info));
  OK(MPI_Win_fence(0, window));
  OK(MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, window));
  OK(MPI_Win_fence(0, window));
  CHECK(*memory == 100 + (rank + ranks - 1) % ranks);
  OK(MPI_Win_free(&window));
}

static void locks(void *argument) {
  MPI_Win window;
  MPI_Comm comm = *(MPI_Comm *)argument;
  int *memory = NULL;
  int got = 0;
  const int mine = 200 + rank;
  const int next = (rank + 1) % ranks;
  OK(MPI_Win_allocate_shared(WINDOW_BYTES, sizeof(int), MPI_INFO_NULL, comm, &memory, &window));
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window));
  OK(MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, window));
  OK(MPI_Win_unlock(next, window));
  OK(MPI_Barrier(comm));
  OK(MPI_Win_lock_all(0, window));
  OK(MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, window));
  OK(MPI_Win_flush_local(next, window));
  OK(MPI_Win_flush_local_all(window));
  OK(MPI_Win_flush(next, window));
  OK(MPI_Win_flush_all(window));
  CHECK(got == mine);
  OK(MPI_Win_unlock_all(window));
  OK(MPI_Barrier(comm));
  OK(MPI_Win_free(&window));
}

static void epochs(void *argument) {
  MPI_Win window;
  MPI_Group all, group;
  const MPI_Comm comm = *(MPI_Comm *)argument;
  int *memory = NULL;
  int mine = 300 + rank;
  int other = (rank + 1) % ranks;
  OK(MPI_Win_allocate(WINDOW_BYTES, sizeof(int), MPI_INFO_NULL, comm, &memory, &window));
  OK(MPI_Comm_group(comm, &all));
  OK(MPI_Group_incl(all, 1, &other, &group));
  OK(MPI_Win_post(group, 0, window));
  OK(MPI_Win_start(group, 0, window));
  OK(MPI_Put(&mine, 1, MPI_INT, other, 0, 1, MPI_INT, window));
  OK(MPI_Win_complete(window));
  OK(MPI_Win_wait(window));
  CHECK(*memory == 300 + other);
  OK(MPI_Group_free(&group));
  OK(MPI_Group_free(&all));
  OK(MPI_Win_free(&window));
}

/* An MPI may have no windows of these kinds for MPI_THREAD_MULTIPLE: the result is that of the MPI. */
static void other_windows(void *argument) {
  MPI_Win window;
  const MPI_Comm comm = *(MPI_Comm *)argument;
  int memory = 0;
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  if (MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &window) == MPI_SUCCESS)
    OK(MPI_Win_free(&window));
  if (MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window) == MPI_SUCCESS) OK(MPI_Win_free(&window));
#if MPI_VERSION >= 4
  int *shared = NULL;
  if (MPI_Win_create_c(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &window) == MPI_SUCCESS)
    OK(MPI_Win_free(&window));
  OK(MPI_Win_allocate_c(WINDOW_BYTES, sizeof(int), MPI_INFO_NULL, comm, &shared, &window));
  OK(MPI_Win_free(&window));
  OK(MPI_Win_allocate_shared_c(WINDOW_BYTES, sizeof(int), MPI_INFO_NULL, comm, &shared, &window));
  OK(MPI_Win_free(&window));
#endif
}

void test_windows(void) {
  CHECK(ranks == 2);
  meet(fences);
  meet(locks);
  meet(epochs);
  meet(other_windows);
}

/* ---- files ----------------------------------------------------------------------------------- */

#define FILE_CALL(NAME) MPI_File_##NAME
#define FILES(NAME) NAME
#include "file_calls.h"
#undef FILE_CALL
#undef FILES
#if MPI_VERSION >= 4
#define FILE_CALL(NAME) MPI_File_##NAME##_c
#define FILES(NAME) NAME##_c
#include "file_calls.h"
#endif

static void buffered(void *argument) {
  enum { BYTES = 1000 + MPI_BSEND_OVERHEAD };
  static char memory[BYTES];
  char got[1000];
  void *detached = NULL;
  int size = 0;
  (void)argument;
  OK(MPI_Buffer_attach(memory, BYTES));
  OK(MPI_Bsend(got, 1000, MPI_CHAR, 0, 8, MPI_COMM_SELF));
  OK(MPI_Recv(got, 1000, MPI_CHAR, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  OK(MPI_Buffer_detach((void *)&detached, &size));
  CHECK(detached == memory && size == BYTES);
}

#if MPI_VERSION >= 5 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
enum { KEPT_BYTES = 1000 + MPI_BSEND_OVERHEAD };

static void buffered_in_a_session(void *memory) {
  MPI_Session made;
  void *detached = NULL;
  int size = 0;
  MPI_Count long_size = 0;
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made));
  OK(MPI_Session_attach_buffer(made, memory, KEPT_BYTES));
  OK(MPI_Session_flush_buffer(made));
  OK(MPI_Session_detach_buffer(made, (void *)&detached, &size));
  CHECK(detached == memory && size == KEPT_BYTES);
  OK(MPI_Session_attach_buffer_c(made, memory, KEPT_BYTES));
  OK(MPI_Session_detach_buffer_c(made, (void *)&detached, &long_size));
  CHECK(long_size == KEPT_BYTES);
  OK(MPI_Session_finalize(&made));
}

static void buffered_apart(void *argument) {
  static char memory[KEPT_BYTES];
  char got[1000];
  void *detached = NULL;
  int size = 0;
  MPI_Count long_size = 0;
  MPI_Comm comm;
  (void)argument;
  OK(MPI_Buffer_attach_c(memory, KEPT_BYTES));
  OK(MPI_Bsend(got, 1000, MPI_CHAR, 0, 8, MPI_COMM_SELF));
  OK(MPI_Recv(got, 1000, MPI_CHAR, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  OK(MPI_Buffer_flush());
  OK(MPI_Buffer_detach_c((void *)&detached, &long_size));
  CHECK(detached == memory && long_size == KEPT_BYTES);
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  OK(MPI_Comm_attach_buffer(comm, memory, KEPT_BYTES));
  OK(MPI_Bsend(got, 1000, MPI_CHAR, 0, 8, comm));
  OK(MPI_Recv(got, 1000, MPI_CHAR, 0, 8, comm, MPI_STATUS_IGNORE));
  OK(MPI_Comm_flush_buffer(comm));
  OK(MPI_Comm_detach_buffer(comm, (void *)&detached, &size));
  CHECK(detached == memory && size == KEPT_BYTES);
  OK(MPI_Comm_attach_buffer_c(comm, memory, KEPT_BYTES));
  OK(MPI_Comm_detach_buffer_c(comm, (void *)&detached, &long_size));
  CHECK(long_size == KEPT_BYTES);
  OK(MPI_Comm_free(&comm));
  buffered_in_a_session(memory);
}
#endif

void test_files(void) {
  CHECK(ranks == 2);
  meet(files);
#if MPI_VERSION >= 4
  meet(files_c);
#endif
  running one = start(ULT, buffered, NULL);
  finish(&one);
#if MPI_VERSION >= 5 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  running other = start(ULT, buffered_apart, NULL);
  finish(&other);
#endif
}
