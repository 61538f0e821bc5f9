/* Stacks: sizes, the caller's own memory, and the FP control words of threads that asked to keep
 * them. */
#include <fenv.h>
#include <string.h>

#include "check.h"

/* ---- sizes ---- */

/* Touches so many bytes of stack, in steps that no guard can be jumped over with. */
static __attribute__((noinline)) size_t use_stack(size_t bytes) {
  volatile char frame[1024];
  memset((char *)frame, 1, sizeof frame);
  if (bytes <= sizeof frame) return (size_t)frame[0];
  return use_stack(bytes - sizeof frame) + (size_t)frame[sizeof frame - 1];
}

static void use_bytes(void *argument) {
  CHECK(use_stack(*(size_t *)argument) > 0);
  weft_yield();
  CHECK(use_stack(*(size_t *)argument) > 0);
}

static void has_the_size_asked_for(void) {
  static const size_t sizes[] = {WEFT_STACK_MIN, WEFT_STACK_MIN + 1, 50000, 1 << 20, 8 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = sizes[i];
    size_t used = sizes[i] / 4; /* instrumented frames are larger */
    weft_thread *threads[8];
    OK(weft_thread_create_many(use_bytes, &used, 0, 8, &attr, threads));
    OK(weft_thread_join_many(threads, 8));
  }
}

static uint64_t stacks_made(void) {
  weft_stats stats = WEFT_STATS_INIT;
  OK(weft_stats_read(WEFT_ANY_WORKER, &stats));
  return stats.stacks_made;
}

/* Stacks of a size that was asked for serve again: a few, whatever the number of threads. */
static void sizes_are_recycled(void) {
  enum { ROUNDS = 200, AT_ONCE = 4 };
  static const size_t sizes[] = {65536, 100000, 256 * 1024};
  const uint64_t before = stacks_made();
  for (int round = 0; round < ROUNDS; ++round) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = sizes[round % 3];
    size_t used = sizes[round % 3] / 4;
    weft_thread *threads[AT_ONCE];
    OK(weft_thread_create_many(use_bytes, &used, 0, AT_ONCE, &attr, threads));
    OK(weft_thread_join_many(threads, AT_ONCE));
  }
  /* Of 4 times as many threads; 4 workers keep some ready. */
  CHECK(stacks_made() - before < ROUNDS);
}

/* More sizes than there are classes. */
static void every_size_is_heeded(void) {
  for (size_t pages = 8; pages < 40; ++pages) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = pages * 4096;
    size_t used = attr.stack_bytes / 4;
    weft_thread *threads[2];
    OK(weft_thread_create_many(use_bytes, &used, 0, 2, &attr, threads));
    OK(weft_thread_join_many(threads, 2));
  }
}

/* ---- the caller's memory ---- */

struct extent {
  char *low, *high;
  atomic_int is_inside;
};

static void look_where_it_stands(void *argument) {
  struct extent *extent = argument;
  char here;
  char *volatile at = __builtin_frame_address(0);
  (void)here;
  atomic_store(&extent->is_inside, at >= extent->low && at < extent->high);
  weft_yield();
  use_stack(4096);
}

enum { OWN_BYTES = 128 * 1024 };

static weft_thread *start_on(char *memory, size_t bytes, int worker, weft_function function, void *argument) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = worker;
  attr.stack = memory;
  attr.stack_bytes = bytes;
  weft_thread *made;
  OK(weft_thread_create(function, argument, &attr, &made));
  return made;
}

static void stands_on_the_memory_given(void) {
  char *memory = malloc(OWN_BYTES + 64);
  CHECK(memory != NULL);
  for (size_t shift = 0; shift < 64; shift += 13) { /* no alignment is asked for */
    struct extent extent = {memory + shift, memory + shift + OWN_BYTES, 0};
    OK(weft_thread_join(start_on(extent.low, OWN_BYTES, WEFT_ANY_WORKER, look_where_it_stands, &extent)));
    CHECK(atomic_load(&extent.is_inside) == 1);
  }
  free(memory);
}

static void yield_once(void *argument) {
  (void)argument;
  weft_yield();
}

/* Kept until the thread was joined, and not a moment longer: the joiner is on another worker, if
 * there is one. */
static void is_done_with_the_memory_once_joined(void) {
  const int elsewhere = (int)weft_worker_count() - 1;
  for (int round = 0; round < 1000; ++round) {
    char *memory = malloc(OWN_BYTES); /* a sanitizer sees an access after free */
    CHECK(memory != NULL);
    weft_thread *one = start_on(memory, OWN_BYTES, elsewhere, round % 3 == 0 ? yield_once : nothing, NULL);
    if (round % 2 == 0 && elsewhere != 0) {
      while (weft_thread_try_join(one) != WEFT_OK) sched_yield();
    } else {
      OK(weft_thread_join(one));
    }
    free(memory);
  }
}

/* ---- FP control ---- */

static void round_up_for_ever(void *argument) {
  atomic_int *stop = argument;
  fesetround(FE_UPWARD);
  while (atomic_load(stop) == 0) {
    weft_yield();
    CHECK(fegetround() == FE_UPWARD);
  }
  OK(weft_sleep_ns(1000));
  CHECK(fegetround() == FE_UPWARD);
  fesetround(FE_TONEAREST);
}

static void round_down_for_a_while(void *argument) {
  fesetround(FE_DOWNWARD);
  for (int i = 0; i < 100; ++i) {
    weft_yield();
    CHECK(fegetround() == FE_DOWNWARD);
  }
  atomic_store((atomic_int *)argument, 1);
  fesetround(FE_TONEAREST);
}

static void keeps_rounding(void) {
  atomic_int stop = 0;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.keep_fp = true;
  weft_thread *threads[3];
  OK(weft_thread_create(round_up_for_ever, &stop, &attr, &threads[0]));
  attr.stack_bytes = 65536;
  OK(weft_thread_create(round_up_for_ever, &stop, &attr, &threads[1]));
  OK(weft_thread_create(round_down_for_a_while, &stop, &attr, &threads[2]));
  OK(weft_thread_join_many(threads, 3));
  fesetround(FE_TONEAREST);
}

static void round_up_and_end(void *argument) {
  fesetround(FE_UPWARD);
  atomic_store((atomic_int *)argument, 1);
  weft_yield();
  CHECK(fegetround() == FE_UPWARD);
}

static void check_rounding(void *argument) {
  (void)argument;
  CHECK(fegetround() == FE_TONEAREST);
  weft_yield();
  CHECK(fegetround() == FE_TONEAREST);
}

static void keeps_rounding_to_itself(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.keep_fp = true;
  for (int round = 0; round < 10; ++round) {
    attr.stack_bytes = round % 2 == 0 ? 0 : 65536;
    atomic_int has_started = 0;
    weft_thread *keeper, *others[4];
    OK(weft_thread_create(round_up_and_end, &has_started, &attr, &keeper));
    for (int i = 0; i < 2; ++i) OK(weft_thread_create(check_rounding, NULL, NULL, &others[i]));
    wait_for(&has_started, 1);
    for (int i = 2; i < 4; ++i) OK(weft_thread_create(check_rounding, NULL, NULL, &others[i]));
    check_rounding(NULL);
    OK(weft_thread_join(keeper));
    check_rounding(NULL);
    OK(weft_thread_join_many(others, 4));
  }
}

/* ---- the runtime's default ---- */

static void deep_default(void) {
  size_t used = 200 * 1024;
  weft_thread *threads[8];
  OK(weft_thread_create_many(use_bytes, &used, 0, 8, NULL, threads));
  OK(weft_thread_join_many(threads, 8));
}

static void default_size_is_heeded(void) {
  phase = "default of 1 MiB";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.stack_bytes = 1 << 20;
  OK(weft_init(&config));
  RUN(deep_default);
  OK(weft_finalize());
}

static void all(void) {
  RUN(has_the_size_asked_for);
  RUN(sizes_are_recycled);
  RUN(every_size_is_heeded);
  RUN(stands_on_the_memory_given);
  RUN(is_done_with_the_memory_once_joined);
  RUN(keeps_rounding);
  RUN(keeps_rounding_to_itself);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, all);
  default_size_is_heeded();
  return 0;
}
