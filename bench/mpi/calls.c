/* What MPI calls of threads cost, beside the same MPI without libweft-mpi in the same process: the
 * profiling names, PMPI_Recv and others, pass the library by. Two ranks, one worker each.
 *
 * usage: mpirun -n 2 micro-mpi-MPI pingpong BYTES | pairs COUNT | halo BLOCKS | idle SECONDS | memory COUNT
 *
 * Rank 0 prints lines of a name, a value and a unit; figures of repetitions are medians. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weft/weft.h>

#define REPEATS 15
#define EXCHANGE_REPEATS 201 /* short ones: other processes disturb few of them */
#define MOST_SECONDS 20
#define MOST_PAIRS 20000

static int rank;

static void check(int code, const char *what) {
  if (code == 0) return; /* MPI_SUCCESS and WEFT_OK */
  fprintf(stderr, "micro-mpi: rank %d: %s failed with %d\n", rank, what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define OK(call) check((call), #call)

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static double now_s(void) { return seconds_of(CLOCK_MONOTONIC); }

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return (left > right) - (left < right);
}
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

static double quartile(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 4];
}

static void print(const char *name, double value, const char *unit) {
  if (rank == 0) printf("%-36s %12.4g %s\n", name, value, unit);
}

/* On an OS thread that Weft does not know. */
static void on_os_thread(void (*function)(void *), void *argument) {
  pthread_t made;
  OK(pthread_create(&made, NULL, (void *(*)(void *))(void *)function, argument));
  OK(pthread_join(made, NULL));
}

/* ---- ping-pong ------------------------------------------------------------------------------- */

static char *buffer;
static int bytes, rounds;

#define EXCHANGES(NAME, SEND, RECEIVE)                                                      \
  static void NAME(void *out) {                                                             \
    const double begin = now_s();                                                           \
    for (int i = 0; i < rounds; ++i) {                                                      \
      if (rank == 0) OK(SEND(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD));               \
      OK(RECEIVE(buffer, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); \
      if (rank == 1) OK(SEND(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD));               \
    }                                                                                       \
    *(double *)out = (now_s() - begin) / rounds / 2;                                        \
  }
EXCHANGES(exchange_by_library, MPI_Send, MPI_Recv)
EXCHANGES(exchange_by_mpi, PMPI_Send, PMPI_Recv)

/* The lower quartile: a process that the kernel takes from its CPU says nothing about either. */
static void print_beside(const char *name, double *library, double *alone, int count) {
  char text[64];
  const double ours = quartile(library, count);
  const double theirs = quartile(alone, count);
  snprintf(text, sizeof text, "%s, MPI alone", name);
  print(text, theirs * 1e6, "us");
  print(name, ours * 1e6, "us");
  snprintf(text, sizeof text, "%s : MPI alone", name);
  print(text, ours / theirs, "");
}

static void pingpong(int size) {
  static double mpi[EXCHANGE_REPEATS + 1], ult[EXCHANGE_REPEATS + 1], os_mpi[EXCHANGE_REPEATS + 1], os[EXCHANGE_REPEATS + 1];
  bytes = size;
  rounds = size < 4096 ? 100 : size < 1 << 20 ? 20 : 1;
  buffer = calloc(1, (size_t)size + 1);
  int count = 0;
  const double begin = now_s();
  for (int goes_on = 1; goes_on; ++count) { /* the first is not counted */
    const int at = count == 0 ? 0 : count - 1;
    exchange_by_mpi(&mpi[at]);
    exchange_by_library(&ult[at]); /* main is a ULT */
    on_os_thread(exchange_by_mpi, &os_mpi[at]);
    on_os_thread(exchange_by_library, &os[at]);
    goes_on = count < EXCHANGE_REPEATS && now_s() < begin + MOST_SECONDS;
    OK(PMPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD));
  }
  print_beside("ULT", ult, mpi, count - 1);
  print_beside("OS thread", os, os_mpi, count - 1);
  free(buffer);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int sent[MOST_PAIRS], got[MOST_PAIRS];
static int started;
static pthread_t os_threads[2 * MOST_PAIRS];
static weft_thread *threads[2 * MOST_PAIRS];

#define PAIR(SUFFIX, SEND, RECEIVE)                                                                                       \
  static void send_##SUFFIX(void *one) { OK(SEND(one, 1, MPI_INT, 1 - rank, (int)((int *)one - sent), MPI_COMM_WORLD)); } \
  static void receive_##SUFFIX(void *one) {                                                                               \
    OK(RECEIVE(one, 1, MPI_INT, 1 - rank, (int)((int *)one - got), MPI_COMM_WORLD, MPI_STATUS_IGNORE));                   \
  }
PAIR(by_library, MPI_Ssend, MPI_Recv)
PAIR(by_mpi, PMPI_Ssend, PMPI_Recv)

static void *send_on_os_thread(void *one) { return send_by_mpi(one), NULL; }
static void *receive_on_os_thread(void *one) { return receive_by_mpi(one), NULL; }

static double pairs_of_ults(int count) {
  const double begin = now_s();
  for (int i = 0; i < count; ++i) OK((int)weft_thread_create(receive_by_library, &got[i], NULL, &threads[i]));
  for (int i = 0; i < count; ++i) OK((int)weft_thread_create(send_by_library, &sent[i], NULL, &threads[count + i]));
  OK((int)weft_thread_join_many(threads, 2 * (size_t)count));
  return now_s() - begin;
}

static double pairs_of_os_threads(int count) {
  const double begin = now_s();
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, 256 << 10));
  for (int i = 0; i < count; ++i) OK(pthread_create(&os_threads[i], &attributes, receive_on_os_thread, &got[i]));
  for (int i = 0; i < count; ++i) OK(pthread_create(&os_threads[count + i], &attributes, send_on_os_thread, &sent[i]));
  for (int i = 0; i < 2 * count; ++i) OK(pthread_join(os_threads[i], NULL));
  return now_s() - begin;
}

static void pairs(int count) {
  double ults[REPEATS], all_os_threads[REPEATS], ratios[REPEATS];
  const int repeats = count > 2000 ? 3 : 5;
  if (count < 1 || count > MOST_PAIRS) {
    fprintf(stderr, "micro-mpi: from 1 to %d pairs\n", MOST_PAIRS);
    exit(2);
  }
  for (int i = 0; i < repeats; ++i) {
    OK(PMPI_Barrier(MPI_COMM_WORLD));
    ults[i] = pairs_of_ults(count);
    OK(PMPI_Barrier(MPI_COMM_WORLD));
    if (count > 2000) continue; /* the limit of OS threads */
    all_os_threads[i] = pairs_of_os_threads(count);
    ratios[i] = ults[i] / all_os_threads[i];
  }
  print("pairs of ULTs", median(ults, repeats) * 1e3, "ms");
  if (count > 2000) return;
  print("pairs of OS threads, MPI alone", median(all_os_threads, repeats) * 1e3, "ms");
  print("ULTs : OS threads", median(ratios, repeats), "");
}

/* ---- halo exchange --------------------------------------------------------------------------- */

/* A block of a grid that is cut in two between the ranks: each step sends an edge, receives one, and
 * smooths the inside. */
#define SIDE 96
#define STEPS 60
typedef struct block {
  double cells[SIDE][SIDE], edge[SIDE];
  int index;
} block;
static block *blocks;
static int block_count;

static void smooth(block *one) {
  memcpy(one->cells[0], one->edge, sizeof one->edge);
  for (int i = 1; i < SIDE - 1; ++i) {
    for (int j = 1; j < SIDE - 1; ++j) {
      one->cells[i][j] = 0.25 * (one->cells[i - 1][j] + one->cells[i + 1][j] + one->cells[i][j - 1] + one->cells[i][j + 1]);
    }
  }
}

static void step_of_ult(void *argument) {
  block *const one = argument;
  for (int step = 0; step < STEPS; ++step) {
    OK(MPI_Sendrecv(one->cells[SIDE - 2], SIDE, MPI_DOUBLE, 1 - rank, one->index, one->edge, SIDE, MPI_DOUBLE, 1 - rank,
                    one->index, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    smooth(one);
  }
}

static void step_of_all(void) {
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < block_count; ++i) {
      block *const one = &blocks[i];
      OK(PMPI_Sendrecv(one->cells[SIDE - 2], SIDE, MPI_DOUBLE, 1 - rank, one->index, one->edge, SIDE, MPI_DOUBLE, 1 - rank,
                       one->index, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      smooth(one);
    }
  }
}

static void fill_blocks(void) {
  for (int i = 0; i < block_count; ++i) {
    memset(&blocks[i], 0, sizeof blocks[i]);
    blocks[i].index = i;
    for (int j = 0; j < SIDE; ++j) blocks[i].cells[SIDE - 2][j] = rank + i + j;
  }
}

static double sum_of_blocks(void) {
  double sum = 0;
  for (int i = 0; i < block_count; ++i) {
    for (int j = 0; j < SIDE * SIDE; ++j) sum += blocks[i].cells[j / SIDE][j % SIDE];
  }
  return sum;
}

static void halo(int count) {
  double ults[REPEATS], plain[REPEATS], ratios[REPEATS];
  block_count = count;
  blocks = malloc((size_t)count * sizeof *blocks);
  if (blocks == NULL || count > MOST_PAIRS) exit(2);
  for (int i = 0; i < REPEATS; ++i) {
    fill_blocks();
    OK(PMPI_Barrier(MPI_COMM_WORLD));
    double begin = now_s();
    step_of_all();
    plain[i] = now_s() - begin;
    const double expected = sum_of_blocks();
    fill_blocks();
    OK(PMPI_Barrier(MPI_COMM_WORLD));
    begin = now_s();
    for (int j = 0; j < count; ++j) OK((int)weft_thread_create(step_of_ult, &blocks[j], NULL, &threads[j]));
    OK((int)weft_thread_join_many(threads, (size_t)count));
    ults[i] = now_s() - begin;
    ratios[i] = plain[i] / ults[i];
    check(sum_of_blocks() != expected, "the comparison of both results");
  }
  print("blocking, one thread, MPI alone", median(plain, REPEATS) * 1e3, "ms");
  print("a ULT a block", median(ults, REPEATS) * 1e3, "ms");
  print("blocking : ULTs", median(ratios, REPEATS), "");
  free(blocks);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void receive_one(void *one) {
  ++started; /* on the only worker */
  receive_by_library(one);
}

static void idle(int seconds) {
  double share = 0;
  OK(PMPI_Barrier(MPI_COMM_WORLD));
  if (rank == 1) {
    const struct timespec pause = {.tv_sec = seconds, .tv_nsec = 0};
    nanosleep(&pause, NULL); /* outside of MPI and of Weft */
    OK(PMPI_Ssend(&sent[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  } else {
    const double begin = now_s();
    const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    OK((int)weft_thread_create(receive_one, &got[0], NULL, &threads[0]));
    OK((int)weft_thread_join(threads[0]));
    share = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (now_s() - begin);
  }
  print("CPU time while a ULT waits", 100 * share, "%");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static double resident_bytes(void) {
  long size = 0;
  long pages = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &size, &pages) != 2) exit(2);
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void memory(int count) {
  static MPI_Request requests[MOST_PAIRS];
  if (count < 1 || count > MOST_PAIRS) exit(2);
  for (int phase = 0; phase < 2; ++phase) { /* without threads first: what the MPI itself needs */
    const double before = resident_bytes();
    for (int i = 0; i < count; ++i) {
      if (phase == 0) OK(PMPI_Irecv(&got[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]));
      if (phase == 1) OK((int)weft_thread_create(receive_one, &got[i], NULL, &threads[i]));
    }
    while (phase == 1 && started < count) weft_yield();
    OK((int)weft_sleep_ns(20000000)); /* until the last ones have parked */
    print(phase == 0 ? "a request, MPI alone" : "a parked receive", (resident_bytes() - before) / count, "bytes");
    OK(PMPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < count; ++i) OK(PMPI_Ssend(&sent[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD));
    for (int i = 0; phase == 0 && i < count; ++i) OK(PMPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    if (phase == 1) OK((int)weft_thread_join_many(threads, (size_t)count));
    OK(PMPI_Barrier(MPI_COMM_WORLD));
  }
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*run)(int number);
  } cases[] = {{"pingpong", pingpong}, {"pairs", pairs}, {"halo", halo}, {"idle", idle}, {"memory", memory}};
  weft_config config = WEFT_CONFIG_INIT;
  int ranks = 0;
  if (getenv("WEFT_WORKERS") == NULL) config.workers = 1;
  OK(MPI_Init(&count, &words));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  OK((int)weft_init(&config));
  for (size_t i = 0; ranks == 2 && count == 3 && i < sizeof cases / sizeof cases[0]; ++i) {
    if (strcmp(words[1], cases[i].name) != 0) continue;
    cases[i].run(atoi(words[2]));
    OK(MPI_Finalize());
    OK((int)weft_finalize());
    return 0;
  }
  fprintf(stderr, "usage: mpirun -n 2 micro-mpi-MPI pingpong BYTES | pairs COUNT | halo BLOCKS | idle SECONDS | memory COUNT\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
  return 2;
}
