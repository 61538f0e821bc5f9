// Calls of an MPI in a thread with a default stack, beneath 4000 bytes of its own, beside threads
// that keep a pattern on theirs: a line for each call says whether its result is right, and how many
// bytes the others lost. The argument names a file that the ranks share. Exits with 1 if a result is
// wrong or a byte was lost.
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

enum { neighbours = 10, kept_bytes = 40000, own_bytes = 4000, pattern = 0x5a, megabyte = 1 << 20, requests = 1000 };

static int rank, ranks, next, previous;
static const char* shared_file;
static unsigned char large[2][megabyte];
static int words[2][requests];
static volatile char* kept[neighbours];
static weft_event is_over = WEFT_EVENT_INIT;
static bool has_failed;

static void need(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "mpi_stacks: %s\n", what);
  abort();
}

static bool all_are(const unsigned char* bytes, unsigned char value) {
  return bytes[0] == value && memcmp(bytes, bytes + 1, megabyte - 1) == 0;
}

// ---- the calls: each says whether its result is right ----

static bool send_and_receive(unsigned char* out, unsigned char* in, int bytes) {
  MPI_Request request;
  in[bytes - 1] = 0;
  MPI_Irecv(in, bytes, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out, bytes, MPI_BYTE, next, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  bool const is_first_right = in[bytes - 1] == previous + 1;
  in[bytes - 1] = 0;
  MPI_Isend(out, bytes, MPI_BYTE, next, 2, MPI_COMM_WORLD, &request);
  MPI_Recv(in, bytes, MPI_BYTE, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return is_first_right && in[bytes - 1] == previous + 1;
}

static bool small_messages(void) {
  unsigned char out[8], in[8];
  memset(out, rank + 1, sizeof out);
  return send_and_receive(out, in, sizeof out);
}

static bool large_messages(void) {
  memset(large[0], rank + 1, megabyte);
  return send_and_receive(large[0], large[1], megabyte) && all_are(large[1], (unsigned char)(previous + 1));
}

static bool sums_in(MPI_Comm communicator, int wanted) {
  int const one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, communicator);
  return sum == wanted;
}

static bool small_allreduce(void) { return sums_in(MPI_COMM_WORLD, ranks); }

static bool large_allreduce(void) {
  memset(large[0], 3, megabyte);
  MPI_Allreduce(large[0], large[1], megabyte, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
  return all_are(large[1], (unsigned char)(3 * ranks));
}

static bool barrier(void) { return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS; }

static bool broadcast(void) {
  memset(large[0], rank == 0 ? 7 : 0, megabyte);
  MPI_Bcast(large[0], megabyte, MPI_BYTE, 0, MPI_COMM_WORLD);
  return all_are(large[0], 7);
}

static bool all_to_all(void) {
  int const share = requests / ranks;
  for (int i = 0; i < requests; ++i) words[0][i] = rank + 1;
  MPI_Alltoall(words[0], share, MPI_INT, words[1], share, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < share * ranks; ++i) {
    if (words[1][i] != i / share + 1) return false;
  }
  return true;
}

static bool many_requests(void) {
  static MPI_Request all[requests];
  static MPI_Status ends[requests];
  for (int i = 0; i < requests / 2; ++i) {
    words[0][i] = rank * requests + i;
    MPI_Irecv(&words[1][i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &all[i]);
  }
  for (int i = 0; i < requests / 2; ++i) MPI_Isend(&words[0][i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &all[requests / 2 + i]);
  MPI_Waitall(requests, all, ends);
  for (int i = 0; i < requests / 2; ++i) {
    if (words[1][i] != previous * requests + i) return false;
  }
  return true;
}

static bool vector_type(void) {
  MPI_Datatype every_other;
  MPI_Type_vector(100, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int i = 0; i < 200; ++i) words[0][i] = rank * requests + i, words[1][i] = -1;
  MPI_Sendrecv(words[0], 1, every_other, next, 3, words[1], 1, every_other, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_other);
  for (int i = 0; i < 200; ++i) {
    if (words[1][i] != (i % 2 == 0 ? previous * requests + i : -1)) return false;
  }
  return true;
}

static bool is_good(MPI_Comm made, int wanted) {
  bool const is_right = sums_in(made, wanted);
  MPI_Comm_free(&made);
  return is_right;
}

static bool duplicate(void) {
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return is_good(made, ranks);
}

static bool split(void) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &made);
  return is_good(made, 1);
}

static bool split_type(void) {
  MPI_Comm made;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  return is_good(made, ranks);
}

static bool window(void) {
  int64_t* count = NULL;
  int64_t const one = 1;
  int64_t before = -1;
  MPI_Win made;
  MPI_Win_allocate(sizeof *count, sizeof *count, MPI_INFO_NULL, MPI_COMM_WORLD, &count, &made);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, made);
  *count = 0;
  MPI_Win_unlock(rank, made);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, made);
  MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, made);
  MPI_Win_unlock(0, made);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, made);
  bool const is_right = before >= 0 && before < ranks && *count == (rank == 0 ? ranks : 0);
  MPI_Win_unlock(rank, made);
  MPI_Win_free(&made);
  return is_right;
}

static bool file(void) {
  MPI_File made;
  int const mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  if (MPI_File_open(MPI_COMM_WORLD, shared_file, mode, MPI_INFO_NULL, &made) != MPI_SUCCESS) return false;
  for (int i = 0; i < requests; ++i) words[0][i] = rank * requests + i, words[1][i] = -1;
  MPI_Offset const at = (MPI_Offset)rank * (MPI_Offset)sizeof words[0];
  MPI_File_write_at_all(made, at, words[0], requests, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(made, at, words[1], requests, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&made);
  return memcmp(words[0], words[1], sizeof words[0]) == 0;
}

static const struct {
  const char* name;
  bool (*is_right)(void);
} calls[] = {{"send and receive 8 B", small_messages},
             {"send and receive 1 MB", large_messages},
             {"allreduce of one", small_allreduce},
             {"allreduce of 1 MB", large_allreduce},
             {"barrier", barrier},
             {"bcast", broadcast},
             {"alltoall", all_to_all},
             {"waitall of 1000", many_requests},
             {"sendrecv of a vector type", vector_type},
             {"comm_dup", duplicate},
             {"comm_split", split},
             {"comm_split_type", split_type},
             {"window", window},
             {"file", file}};

// ---- threads ----

static void keep(void* number) {
  volatile char pad[kept_bytes];
  for (int i = 0; i < kept_bytes; ++i) pad[i] = pattern;
  kept[(intptr_t)number] = pad;
  need(weft_event_wait(&is_over) == WEFT_OK, "weft_event_wait");
  kept[(intptr_t)number] = NULL;
}

static int lost_bytes(void) {
  int lost = 0;
  for (int each = 0; each < neighbours; ++each) {
    for (int i = 0; i < kept_bytes; ++i) {
      lost += kept[each][i] != pattern;
      kept[each][i] = pattern;
    }
  }
  return lost;
}

__attribute__((noinline)) static bool beneath_own_frame(bool (*is_right)(void)) {
  volatile char own[own_bytes];
  for (int i = 0; i < own_bytes; i += 512) own[i] = 1;
  bool const result = is_right();
  return result && own[0] == 1;
}

static void make_calls(void* nothing) {
  (void)nothing;
  for (int each = 0; each < neighbours; ++each) {
    while (kept[each] == NULL) weft_yield();
  }
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    bool const is_right = beneath_own_frame(calls[i].is_right);
    int const lost = lost_bytes();
    has_failed = has_failed || !is_right || lost != 0;
    printf("rank %d of %d: %s: %s, %d bytes lost\n", rank, ranks, calls[i].name, is_right ? "right" : "wrong", lost);
  }
}

int main(int count, char** arguments) {
  need(count == 2, "usage: mpi_stacks FILE");
  shared_file = arguments[1];
  int level = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  previous = (rank + ranks - 1) % ranks;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;  // so that all threads run on the OS thread of MPI_Init
  need(weft_init(&config) == WEFT_OK, "weft_init");
  weft_thread* threads[neighbours];
  weft_thread* caller = NULL;
  for (intptr_t i = 0; i < neighbours; ++i) {
    if (i == neighbours / 2) need(weft_thread_create(make_calls, NULL, NULL, &caller) == WEFT_OK, "weft_thread_create");
    need(weft_thread_create(keep, (void*)i, NULL, &threads[i]) == WEFT_OK, "weft_thread_create");
  }
  need(weft_thread_join(caller) == WEFT_OK, "weft_thread_join");
  need(weft_event_set(&is_over) == WEFT_OK, "weft_event_set");
  for (int i = 0; i < neighbours; ++i) need(weft_thread_join(threads[i]) == WEFT_OK, "weft_thread_join");
  need(weft_finalize() == WEFT_OK, "weft_finalize");
  MPI_Finalize();
  return has_failed ? 1 : 0;
}
