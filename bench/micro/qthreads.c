/* One text for Qthreads and for weft::qthread: a shepherd with one worker for each worker. */
#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <qthread/sinc.h>

#include <pthread.h>

#include "micro.h"

#define WORD_ROUNDS 1000000L
#define FORKS 1000000L
#define LOOPS 20000L
#define FIB 20
#define FIB_ANSWER 6765
#define FIB_TASKS 21891.0
#define RING 503
#define HOPS 200000L
#define TASKS 4
#define ROUNDS_OF_TASK 50000L

static void must(int result) { micro_check(result == QTHREAD_SUCCESS, "a call failed"); }

void micro_start(unsigned workers) { must(qthread_init((qthread_shepherd_id_t)workers)); }
void micro_stop(void) { qthread_finalize(); }

static void *as_argument(long number) { return (void *)(intptr_t)number; }
static aligned_t nothing(void *argument) {
  (void)argument;
  return 0;
}

static double fork_read(void) {
  aligned_t word;
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    must(qthread_fork(nothing, NULL, &word));
    must(qthread_readFF(NULL, &word));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

static double fork_sinc(void) {
  qt_sinc_t *sinc = qt_sinc_create(0, NULL, NULL, FORKS);
  const double start = micro_now();
  for (long i = 0; i < FORKS; ++i) must(qthread_spawn(nothing, NULL, 0, sinc, 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_RET_SINC_VOID));
  qt_sinc_wait(sinc, NULL);
  const double taken = micro_now() - start;
  qt_sinc_destroy(sinc);
  return taken / (double)FORKS;
}

static double word_read_write(void) {
  aligned_t word = 0;
  must(qthread_fill(&word));
  const double start = micro_now();
  for (long i = 0; i < WORD_ROUNDS; ++i) {
    must(qthread_readFE(NULL, &word));
    must(qthread_writeEF_const(&word, (aligned_t)i));
  }
  return (micro_now() - start) / (double)WORD_ROUNDS;
}

static double syncvar_read_write(void) {
  syncvar_t word = SYNCVAR_STATIC_INITIALIZER;
  uint64_t value = 0;
  const double start = micro_now();
  for (long i = 0; i < WORD_ROUNDS; ++i) {
    must(qthread_syncvar_readFE(&value, &word));
    must(qthread_syncvar_writeEF_const(&word, (uint64_t)i));
  }
  return (micro_now() - start) / (double)WORD_ROUNDS;
}

static aligned_t fib(void *argument) {
  const long n = (long)(intptr_t)argument;
  aligned_t one = 0, other = 0;
  if (n < 2) return (aligned_t)n;
  must(qthread_fork(fib, as_argument(n - 1), &one));
  must(qthread_fork(fib, as_argument(n - 2), &other));
  must(qthread_readFF(&one, &one));
  must(qthread_readFF(&other, &other));
  return one + other;
}

static double fib_by_reads(void) {
  aligned_t result = 0;
  const double start = micro_now();
  must(qthread_fork(fib, as_argument(FIB), &result));
  must(qthread_readFF(&result, &result));
  const double taken = micro_now() - start;
  micro_check(result == FIB_ANSWER, "fib");
  return taken / FIB_TASKS;
}

/* A call of fib whose sum is a task that starts once both parts are full. */
struct sum {
  aligned_t one, other;
  aligned_t *to;
};

static aligned_t add(void *argument) {
  struct sum *mine = argument;
  must(qthread_writeF_const(mine->to, mine->one + mine->other));
  free(mine);
  return 0;
}

struct part {
  long n;
  aligned_t *to;
};

static aligned_t fib_part(void *argument) {
  const struct part mine = *(struct part *)argument;
  if (mine.n < 2) {
    must(qthread_writeF_const(mine.to, (aligned_t)mine.n));
    return 0;
  }
  struct sum *sum = malloc(sizeof *sum);
  micro_check(sum != NULL, "memory");
  sum->to = mine.to;
  must(qthread_empty(&sum->one));
  must(qthread_empty(&sum->other));
  must(qthread_fork_precond(add, sum, NULL, 2, &sum->one, &sum->other));
  const struct part one = {mine.n - 1, &sum->one};
  const struct part other = {mine.n - 2, &sum->other};
  must(qthread_fork_copyargs(fib_part, &one, sizeof one, NULL));
  must(qthread_fork_copyargs(fib_part, &other, sizeof other, NULL));
  return 0;
}

static double fib_by_preconditions(void) {
  aligned_t result = 0;
  const struct part all = {FIB, &result};
  must(qthread_empty(&result));
  const double start = micro_now();
  must(qthread_fork_copyargs(fib_part, &all, sizeof all, NULL));
  must(qthread_readFF(&result, &result));
  const double taken = micro_now() - start;
  micro_check(result == FIB_ANSWER, "fib by preconditions");
  return taken / FIB_TASKS;
}

static double with_tasks(qthread_f function) {
  aligned_t words[TASKS];
  const double start = micro_now();
  for (int i = 0; i < TASKS; ++i) must(qthread_fork(function, NULL, &words[i]));
  for (int i = 0; i < TASKS; ++i) must(qthread_readFF(NULL, &words[i]));
  return (micro_now() - start) / (double)(TASKS * ROUNDS_OF_TASK);
}

static aligned_t yields(void *argument) {
  (void)argument;
  for (long i = 0; i < ROUNDS_OF_TASK; ++i) qthread_yield();
  return 0;
}
static double yield(void) { return with_tasks(yields); }

static aligned_t locked;
static aligned_t locks(void *argument) {
  (void)argument;
  for (long i = 0; i < ROUNDS_OF_TASK; ++i) {
    must(qthread_lock(&locked));
    must(qthread_unlock(&locked));
  }
  return 0;
}
static double lock_unlock(void) { return with_tasks(locks); }

/* A number goes round, one less at each place; below the number of places it ends them. */
static aligned_t places[RING];
static aligned_t pass_on(void *argument) {
  const long place = (long)(intptr_t)argument;
  aligned_t left = RING;
  while (left >= RING) {
    must(qthread_readFE(&left, &places[place]));
    must(qthread_writeEF_const(&places[(place + 1) % RING], left > 0 ? left - 1 : 0));
  }
  return 0;
}

static double thread_ring(void) {
  aligned_t words[RING];
  for (int i = 0; i < RING; ++i) must(qthread_empty(&places[i]));
  const double start = micro_now();
  for (long i = 0; i < RING; ++i) must(qthread_fork(pass_on, as_argument(i), &words[i]));
  must(qthread_writeEF_const(&places[0], HOPS));
  for (int i = 0; i < RING; ++i) must(qthread_readFF(NULL, &words[i]));
  const double taken = micro_now() - start;
  for (int i = 0; i < RING; ++i) must(qthread_fill(&places[i]));
  return taken / (double)HOPS;
}

static void do_nothing(size_t begin, size_t end, void *argument) {
  (void)begin;
  (void)end;
  (void)argument;
}

static double loop_balance(void) {
  const double start = micro_now();
  for (long i = 0; i < LOOPS; ++i) qt_loop_balance(0, 1000, do_nothing, NULL);
  return (micro_now() - start) / (double)LOOPS;
}

/* Bodies that are worth a second worker: some 20 microseconds a loop. */
#define INDEXES 1000
#define WORK 20
static uint64_t worked[INDEXES];
static void work(size_t begin, size_t end, void *argument) {
  (void)argument;
  for (size_t i = begin; i < end; ++i) {
    uint64_t value = i;
    for (int k = 0; k < WORK; ++k) value = value * 6364136223846793005u + 1;
    worked[i] += value;
  }
}
static double loop_work(void) {
  const double start = micro_now();
  for (long i = 0; i < LOOPS / 10; ++i) qt_loop_balance(0, INDEXES, work, NULL);
  return (micro_now() - start) / (double)(LOOPS / 10);
}

/* All tasks wait for a word that an OS thread outside fills later: percent of one CPU's time. */
#define WAITS_NS 300000000L
static aligned_t filled_later;
static void *fill_later(void *unused) {
  const struct timespec pause = {0, WAITS_NS};
  nanosleep(&pause, NULL);
  must(qthread_fill(&filled_later));
  return unused;
}
static double cpu_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}
static aligned_t waits(void *argument) {
  must(qthread_readFF(NULL, &filled_later));
  return (aligned_t)(intptr_t)argument;
}
static double waiting(void) {
  aligned_t words[TASKS];
  pthread_t outside;
  must(qthread_empty(&filled_later));
  for (int i = 0; i < TASKS; ++i) must(qthread_fork(waits, NULL, &words[i]));
  micro_check(pthread_create(&outside, NULL, fill_later, NULL) == 0, "an OS thread");
  const double used_before = cpu_seconds(), start = micro_now();
  for (int i = 0; i < TASKS; ++i) must(qthread_readFF(NULL, &words[i]));
  const double used = cpu_seconds() - used_before, taken = (micro_now() - start) / 1e9;
  pthread_join(outside, NULL);
  return used / taken * 100;
}

const struct micro micro_table[] = {{"fork-read", fork_read},
                                    {"fork-sinc", fork_sinc},
                                    {"word", word_read_write},
                                    {"syncvar", syncvar_read_write},
                                    {"fib", fib_by_reads},
                                    {"fib-preconditions", fib_by_preconditions},
                                    {"yield", yield},
                                    {"lock", lock_unlock},
                                    {"ring", thread_ring},
                                    {"loop-balance", loop_balance},
                                    {"loop-work", loop_work},
                                    {"waiting", waiting},
                                    {NULL, NULL}};

int main(int argc, char **argv) { return micro_main(argc, argv); }
