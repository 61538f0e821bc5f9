// For two ranks.
#include <mpi.h>
#include <string.h>

#include "calls.h"

enum { many = 1 << 17 };  // doubles: 1 MiB
static double from[many], to[many];

static void exchange(int count, MPI_Datatype type) {
  int rank;
  NEED(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
  const int other = 1 - rank;
  NEED(MPI_Sendrecv(from, count, type, other, 3, to, count, type, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void init_thread(void *unused) {
  (void)unused;
  int level;
  NEED(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS);
}

static void sendrecv_of_8_bytes(void *unused) {
  (void)unused;
  exchange(1, MPI_DOUBLE);
}

static void sendrecv_of_1_mib(void *unused) {
  (void)unused;
  exchange(many, MPI_DOUBLE);
}

static void allreduce_of_1_mib(void *unused) {
  (void)unused;
  NEED(MPI_Allreduce(from, to, many, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
}

static void sendrecv_of_a_vector_type(void *unused) {
  (void)unused;
  MPI_Datatype type;
  NEED(MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &type) == MPI_SUCCESS && MPI_Type_commit(&type) == MPI_SUCCESS);
  exchange(1, type);
  NEED(MPI_Type_free(&type) == MPI_SUCCESS);
}

static void comm_dup(void *unused) {
  (void)unused;
  MPI_Comm copy;
  NEED(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS && MPI_Comm_free(&copy) == MPI_SUCCESS);
}

static void comm_split(void *unused) {
  (void)unused;
  MPI_Comm part;
  NEED(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part) == MPI_SUCCESS && MPI_Comm_free(&part) == MPI_SUCCESS);
}

static void win_allocate_and_fetch_and_op(void *unused) {
  (void)unused;
  MPI_Win window;
  double *base;
  NEED(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&base, &window) == MPI_SUCCESS);
  NEED(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window) == MPI_SUCCESS);
  NEED(MPI_Fetch_and_op(from, to, MPI_DOUBLE, 0, 0, MPI_REPLACE, window) == MPI_SUCCESS);
  NEED(MPI_Win_unlock(0, window) == MPI_SUCCESS && MPI_Win_free(&window) == MPI_SUCCESS);
}

static void file_open_and_write_at_all(void *unused) {
  (void)unused;
  static const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File file;
  NEED(MPI_File_open(MPI_COMM_WORLD, "stacks.mpi", mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  NEED(MPI_File_write_at_all(file, 0, from, 1000, MPI_DOUBLE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  NEED(MPI_File_close(&file) == MPI_SUCCESS);
}

static void finalize(void *unused) {
  (void)unused;
  NEED(MPI_Finalize() == MPI_SUCCESS);
}

// "MPICH Version:\t4.0.2\n..." or "Open MPI v4.1.4, ...": the first figure and what belongs to it.
static const char *version(void) {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int bytes;
  NEED(MPI_Get_library_version(text, &bytes) == MPI_SUCCESS);
  char *const begin = strpbrk(text, "0123456789");
  NEED(begin != NULL);
  begin[strspn(begin, "0123456789.")] = '\0';
  return begin;
}

int main(void) {
  static const weft_function calls[] = {init_thread,
                                        sendrecv_of_8_bytes,
                                        sendrecv_of_1_mib,
                                        allreduce_of_1_mib,
                                        sendrecv_of_a_vector_type,
                                        comm_dup,
                                        comm_split,
                                        win_allocate_and_fetch_and_op,
                                        file_open_and_write_at_all,
                                        finalize};
  run_calls(version(), calls, sizeof calls / sizeof *calls);
  return 0;
}
