/* RMA-MT over the threads interface: what puts and gets of many threads cost between two ranks, by
 * the way in which they are synchronised. Written from the published description of RMA-MT.
 *
 * usage: mpirun -n 2 rma-mt-VARIANT KERNEL OPERATION SYNC THREADS [--workers N] [--iterations N]
 *                                                                 [--size BYTES] [--check]
 *
 * KERNEL: bandwidth, bidirectional, latency. OPERATION: put, get. SYNC: fence, lock, lock_all,
 * flush, pscw. WEFT_THREADS chooses the implementation of the interface. Rank 0 prints a record of
 * the microseconds that an operation takes, by size. Before each size is measured, a round of it
 * is checked word by word; --check does such rounds alone. --iterations: how often a measured round
 * synchronises (50); --size: one of the sizes alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft_threads/threads.h>

#include "rma.h"

enum { most_threads = 16, most_workers = 256, most_operations = 64, most_iterations = 1000000, size_count = 6 };
enum { checked_rounds = 4, usual_iterations = 50 };
static const size_t sizes[size_count] = {8, 64, 512, 4096, 32768, 262144};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "rma-mt: %s: %s\n", what, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void must(threads_status status, const char *what) {
  if (status != THREADS_OK) fail(what, threads_last_error());
}
#define OK(call) must((call), #call)

/* ---- the team -------------------------------------------------------------------------------- */

/* The published program spins at its barrier without a yield, which is for OS threads with a CPU
 * each. Waiters of this one let other threads run. */
struct barrier {
  threads_mutex mutex;
  threads_cond cond;
  unsigned size, arrived, generation;
};

static void wait_at(struct barrier *barrier) {
  OK(threads_mutex_lock(&barrier->mutex));
  const unsigned generation = barrier->generation;
  if (++barrier->arrived == barrier->size) {
    barrier->arrived = 0;
    ++barrier->generation;
    OK(threads_cond_broadcast(&barrier->cond));
  }
  while (barrier->generation == generation) OK(threads_cond_wait(&barrier->cond, &barrier->mutex));
  OK(threads_mutex_unlock(&barrier->mutex));
}

static struct barrier barrier = {THREADS_MUTEX_INIT, THREADS_COND_INIT, 0, 0, 0};
static struct rma_lane lanes[most_threads];
static uint64_t ends_ns[most_threads];
static struct rma_round current;
static bool is_over;

/* A thread of the team: four barriers a round, at each of which main is, too. */
static void work(void *argument) {
  const struct rma_lane *const lane = argument;
  for (;;) {
    wait_at(&barrier); /* main has said what to do */
    if (is_over) return;
    rma_begin(lane, &current);
    wait_at(&barrier);
    wait_at(&barrier); /* main has read the clock */
    rma_run(lane, &current);
    ends_ns[lane - lanes] = threads_now_ns();
    rma_end(lane, &current);
    wait_at(&barrier);
  }
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The nanoseconds of a round, as rank 0 sees it. */
static uint64_t run_round(unsigned threads) {
  wait_at(&barrier);
  wait_at(&barrier);
  MPI_Barrier(MPI_COMM_WORLD);
  const uint64_t begin = threads_now_ns();
  wait_at(&barrier);
  wait_at(&barrier);
  uint64_t end = begin;
  for (unsigned i = 0; i < threads; ++i) end = ends_ns[i] > end ? ends_ns[i] : end;
  MPI_Barrier(MPI_COMM_WORLD);
  return current.kernel == RMA_BIDIRECTIONAL ? threads_now_ns() - begin : end - begin;
}

struct tally {
  uint64_t checked, wrong;
};

static void run_checked_round(unsigned threads, unsigned number, struct tally *tally) {
  current.iterations = 1; /* a later one would write the same again */
  for (unsigned i = 0; i < threads; ++i) rma_fill(&lanes[i], &current, i, number);
  MPI_Barrier(MPI_COMM_WORLD);
  run_round(threads);
  for (unsigned i = 0; i < threads; ++i) tally->wrong += rma_count_wrong(&lanes[i], &current, i, number, &tally->checked);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The microseconds of an operation; of a thread's, where latency is asked for. */
static double measure(unsigned threads, unsigned iterations) {
  current.iterations = (int)iterations;
  const double us = (double)run_round(threads) / 1e3;
  const int directions = current.kernel == RMA_BIDIRECTIONAL ? 2 : 1;
  const double operations = current.kernel == RMA_LATENCY ? 1 : (double)threads * current.batch * directions;
  return us / iterations / operations;
}

static void choose_size(size_t bytes) {
  const size_t fit = RMA_WINDOW_BYTES / bytes;
  current.bytes = bytes;
  current.batch = current.kernel == RMA_LATENCY ? 1 : fit < most_operations ? (int)fit : most_operations;
}

struct words {
  unsigned threads, workers, iterations;
  size_t bytes; /* 0: all sizes */
  bool checks_only;
};

static bool is_wanted(const struct words *words, int i) { return words->bytes == 0 || words->bytes == sizes[i]; }

static void run(const struct words *words, struct tally *tally, double us[size_count]) {
  const unsigned rounds = words->checks_only ? checked_rounds : 1;
  for (int i = 0; i < size_count; ++i) {
    if (!is_wanted(words, i)) continue;
    choose_size(sizes[i]);
    for (unsigned number = 0; number < rounds; ++number) run_checked_round(words->threads, number, tally);
    us[i] = words->checks_only ? 0 : measure(words->threads, words->iterations);
  }
}

/* ---- words and the record ------------------------------------------------------------------ */

/* Which of the names a word is, or -1. */
static int find(const char *const *names, const char *word) {
  for (int i = 0; names[i] != NULL; ++i)
    if (strcmp(names[i], word) == 0) return i;
  return -1;
}

static int refuse(const char *what, const char *word) {
  fprintf(
      stderr,
      "rma-mt: bad %s '%s'\n"
      "usage: mpirun -n 2 rma-mt-VARIANT KERNEL OPERATION SYNC THREADS [--workers N] [--iterations N] [--size BYTES] [--check]\n"
      "KERNEL: bandwidth, bidirectional, latency; OPERATION: put, get; SYNC: fence, lock, lock_all, flush, pscw; THREADS: 1 to "
      "%d\n"
      "BYTES:",
      what, word, most_threads);
  for (int i = 0; i < size_count; ++i) fprintf(stderr, " %zu", sizes[i]);
  fputc('\n', stderr);
  return 2;
}

/* The number that a word is, or 0 where it is none from 1 to most. */
static unsigned number_of(const char *word, unsigned most) {
  char *end = NULL;
  const unsigned long number = strtoul(word, &end, 10);
  return *word >= '0' && *word <= '9' && *end == '\0' && number <= most ? (unsigned)number : 0;
}

static bool parse_option(const char *option, const char *value, struct words *out) {
  if (strcmp(option, "--workers") == 0) return (out->workers = number_of(value, most_workers)) != 0;
  if (strcmp(option, "--iterations") == 0) return (out->iterations = number_of(value, most_iterations)) != 0;
  if (strcmp(option, "--size") != 0) return false;
  out->bytes = number_of(value, RMA_WINDOW_BYTES);
  for (int i = 0; i < size_count; ++i)
    if (out->bytes == sizes[i]) return true;
  return false;
}

/* 0, or the exit status. */
static int parse(int count, char **words, struct words *out) {
  if (count < 5) return refuse("number of words", words[0]);
  const int kernel = find(rma_kernels, words[1]);
  const int operation = find(rma_operations, words[2]);
  const int sync = find(rma_syncs, words[3]);
  if (kernel < 0) return refuse("kernel", words[1]);
  if (operation < 0) return refuse("operation", words[2]);
  if (sync < 0) return refuse("synchronisation", words[3]);
  current.kernel = (enum rma_kernel)kernel;
  current.operation = (enum rma_operation)operation;
  current.sync = (enum rma_sync)sync;
  if ((out->threads = number_of(words[4], most_threads)) == 0) return refuse("number of threads", words[4]);
  for (int i = 5; i < count; i += 2) {
    const char *const value = i + 1 < count ? words[i + 1] : "";
    if (strcmp(words[i], "--check") == 0) {
      out->checks_only = true;
      --i; /* it has no value */
    } else if (!parse_option(words[i], value, out)) {
      return refuse("option or value", *value == '\0' ? words[i] : value);
    }
  }
  return 0;
}

static void print_record(const struct words *words, const struct tally *tally, const double us[size_count]) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, ",\n")] = '\0';
  for (char *each = version; *each != '\0'; ++each)
    if ((unsigned char)*each < ' ' || *each == '"' || *each == '\\') *each = ' ';
  printf("{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {", tally->wrong == 0 ? "true" : "false");
  const char *comma = "";
  for (int i = 0; i < size_count; ++i) {
    if (!is_wanted(words, i)) continue;
    printf("%s\"us_%zu\": %.6g", comma, sizes[i], us[i]);
    comma = ", ";
  }
  printf("}, \"facts\": {\"version\": \"%s\", \"settings\": \"%s, workers: %u\", \"threads\": %u, \"checked_words\": %llu}}\n",
         version, threads_implementation(), threads_worker_count(), words->threads, (unsigned long long)tally->checked);
}

static int run_team(const struct words *words) {
  threads_thread *team[most_threads];
  struct tally tally = {0, 0};
  double us[size_count] = {0};
  barrier.size = words->threads + 1;
  for (unsigned i = 0; i < words->threads; ++i) rma_lane_open(&lanes[i], current.rank);
  for (unsigned i = 0; i < words->threads; ++i) OK(threads_create(work, &lanes[i], &team[i]));
  run(words, &tally, us);
  is_over = true;
  wait_at(&barrier);
  for (unsigned i = 0; i < words->threads; ++i) OK(threads_join(team[i]));
  for (unsigned i = 0; i < words->threads; ++i) rma_lane_close(&lanes[i]);
  uint64_t mine[2] = {tally.checked, tally.wrong};
  uint64_t all[2];
  MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  tally = (struct tally){all[0], all[1]};
  if (current.rank == 0) print_record(words, &tally, us);
  return tally.wrong == 0 ? 0 : 1;
}

int main(int count, char **arguments) {
  struct words words = {0, 0, usual_iterations, 0, false};
  threads_config config = THREADS_CONFIG_INIT;
  int level;
  int ranks;
  const int refused = parse(count, arguments, &words);
  if (refused != 0) return refused;
  config.workers = words.workers;
  config.stack_bytes = 256 * 1024; /* an MPI runs on it */
  const threads_status started = threads_start(&config);
  if (started != THREADS_OK) return 1; /* it has said why */
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &current.rank);
  if (ranks != 2) fail("the job", "it takes two ranks: mpirun -n 2");
  if (level < MPI_THREAD_MULTIPLE) fail("this MPI", "it has no MPI_THREAD_MULTIPLE");
  const int status = run_team(&words);
  MPI_Finalize();
  OK(threads_stop());
  return status;
}
