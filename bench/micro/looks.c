/* What the look for deadlocks costs: the CPU time of a process in which so many threads wait, and
 * nothing else happens.
 *
 *     looks [THREADS [WORKERS [SECONDS [event | sleep | mutex]]]]
 *
 * THREADS of them wait for an event, sleep, or wait for a mutex each that main holds, while main
 * sleeps for SECONDS. Printed is the CPU time of all OS threads of the process in these, and its
 * part of one CPU. Set WEFT_DEADLOCK=off for what the rest of the runtime takes. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <weft/weft.h>

static weft_event never = WEFT_EVENT_INIT;
static atomic_long started;

static void must(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "looks: %s failed\n", what);
  exit(1);
}

static void wait_for_event(void *argument) {
  (void)argument;
  ++started;
  must(weft_event_wait(&never) == WEFT_OK, "weft_event_wait");
}

static void sleep_long(void *argument) {
  (void)argument;
  ++started;
  must(weft_sleep_ns(UINT64_C(3600) * 1000 * 1000 * 1000) == WEFT_OK, "weft_sleep_ns");
}

static void wait_for_mutex(void *mutex) {
  ++started;
  must(weft_mutex_lock(mutex) == WEFT_OK, "weft_mutex_lock");
}

static weft_function what_of(const char *name) {
  if (strcmp(name, "event") == 0) return wait_for_event;
  if (strcmp(name, "sleep") == 0) return sleep_long;
  must(strcmp(name, "mutex") == 0, "event, sleep or mutex: none of these");
  return wait_for_mutex;
}

static double cpu_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void make(long threads, weft_function run) {
  weft_mutex *mutexes = calloc((size_t)threads, sizeof *mutexes);
  must(mutexes != NULL, "calloc");
  for (long each = 0; each < threads; ++each) {
    must(weft_mutex_lock(&mutexes[each]) == WEFT_OK, "weft_mutex_lock");
    must(weft_thread_create(run, &mutexes[each], NULL, NULL) == WEFT_OK, "weft_thread_create");
  }
  while (started != threads) must(weft_sleep_ns(10 * 1000 * 1000) == WEFT_OK, "weft_sleep_ns");
}

int main(int count, char **words) {
  const long threads = count > 1 ? atol(words[1]) : 100000;
  const double seconds = count > 3 ? atof(words[3]) : 10;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = count > 2 ? (uint32_t)atol(words[2]) : 2;
  must(threads > 0 && seconds > 0, "reading the numbers");
  must(weft_init(&config) == WEFT_OK, "weft_init");
  make(threads, what_of(count > 4 ? words[4] : "event"));
  const double before = cpu_seconds();
  must(weft_sleep_ns((uint64_t)(seconds * 1e9)) == WEFT_OK, "weft_sleep_ns");
  const double used = cpu_seconds() - before;
  printf("%ld threads, %u workers: %.3f s of CPU time in %.1f s, %.2f %% of a CPU\n", threads, weft_worker_count(), used, seconds,
         100 * used / seconds);
  fflush(stdout);
  _Exit(0); /* the threads wait for ever */
}
