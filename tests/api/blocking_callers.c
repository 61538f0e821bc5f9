/* Each kind of wait, by each kind of caller: what ends the wait is done by an OS thread outside,
 * later, and the caller is then where it has to be. */
#define _GNU_SOURCE /* gettid, pipe2 */
#include <fcntl.h>
#include <unistd.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"
#include "os_thread.h"

__attribute__((noinline)) static pid_t os_thread_now(void) { return gettid(); }

/* All that a wait may wait for. */
struct news {
  int ends[2], source_ends[2];
  atomic_int flag;
  uint64_t word;
  weft_syncvar variable;
  weft_semaphore arrived; /* released by the source */
  weft_source *source;
};

/* ---- the kinds ---- */

static void read_one(void *argument) {
  char byte;
  CHECK(read(((struct news *)argument)->ends[0], &byte, 1) == 1);
}

static void in_a_region(struct news *news) { OK(weft_blocking(read_one, news)); }

static void in_nested_regions(struct news *news) {
  OK(weft_blocking_begin());
  OK(weft_blocking_begin());
  OK(weft_blocking(read_one, news));
  OK(weft_blocking_end());
  CHECK(weft_worker_self() == -1);
  OK(weft_blocking_end());
}

static void for_a_semaphore_in_a_region(struct news *news) {
  OK(weft_blocking_begin());
  OK(weft_semaphore_acquire(&news->arrived));
  OK(weft_blocking_end());
}

static void for_a_source(struct news *news) { OK(weft_semaphore_acquire(&news->arrived)); }

static bool is_set(void *argument) { return atomic_load(&((struct news *)argument)->flag) != 0; }
static void by_polling(struct news *news) { OK(weft_wait_poll(is_set, news, WEFT_FOREVER)); }
static void in_a_polling_loop(struct news *news) {
  while (!is_set(news)) OK(weft_yield_or_wait(WEFT_FOREVER));
}

static void to_take_a_word(struct news *news) {
  uint64_t value = 0;
  OK(weft_feb_read_fe(&news->word, &value));
  CHECK(value == 7);
}
static void to_overwrite_a_word(struct news *news) {
  OK(weft_feb_write_ff(&news->word, 8));
  OK(weft_feb_empty(&news->word));
}
static void to_take_a_variable(struct news *news) {
  uint64_t value = 0;
  OK(weft_syncvar_read_fe(&news->variable, &value));
  CHECK(value == 7);
}
static void to_overwrite_a_variable(struct news *news) {
  OK(weft_syncvar_write_ff(&news->variable, 8));
  OK(weft_syncvar_empty(&news->variable));
}

static const struct {
  const char *name;
  void (*wait)(struct news *news);
} kinds[] = {{"in a region", in_a_region},
             {"in nested regions", in_nested_regions},
             {"for a semaphore in a region", for_a_semaphore_in_a_region},
             {"for a source", for_a_source},
             {"by polling", by_polling},
             {"in a polling loop", in_a_polling_loop},
             {"to take a word", to_take_a_word},
             {"to overwrite a word", to_overwrite_a_word},
             {"to take a variable", to_take_a_variable},
             {"to overwrite a variable", to_overwrite_a_variable}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- what ends the wait ---- */

static size_t poll_source(void *argument) {
  struct news *news = argument;
  char byte;
  if (read(news->source_ends[0], &byte, 1) != 1) return 0;
  OK(weft_semaphore_release(&news->arrived, 1));
  return 1;
}

static void tell(void *argument) {
  struct news *news = argument;
  CHECK(usleep(1000) == 0);
  atomic_store(&news->flag, 1);
  OK(weft_feb_write_f(&news->word, 7));
  OK(weft_syncvar_write_f(&news->variable, 7));
  CHECK(write(news->ends[1], "x", 1) == 1 && write(news->source_ends[1], "x", 1) == 1);
  weft_ext_source_notify(news->source);
}

static void open_news(struct news *news) {
  *news = (struct news){.arrived = WEFT_SEMAPHORE_INIT(0), .variable = WEFT_SYNCVAR_EMPTY_INIT};
  CHECK(pipe2(news->ends, O_CLOEXEC) == 0 && pipe2(news->source_ends, O_CLOEXEC | O_NONBLOCK) == 0);
  OK(weft_feb_empty(&news->word));
  OK(weft_ext_source_add(poll_source, news, &news->source));
}

static void close_news(struct news *news) {
  OK(weft_ext_source_remove(news->source));
  OK(weft_feb_fill(&news->word));
  for (int end = 0; end < 2; ++end) CHECK(close(news->ends[end]) == 0 && close(news->source_ends[end]) == 0);
}

/* ---- the callers ---- */

struct call {
  int kind;
  struct news *news;
  atomic_int has_begun;
};

static void wait_in_call(struct call *call) {
  const weft_thread *self = weft_self();
  atomic_store(&call->has_begun, 1);
  kinds[call->kind].wait(call->news);
  CHECK(weft_self() == self && (weft_worker_self() >= 0) == (self != NULL));
}

static void wait_and_stay(struct call *call) {
  const int worker = weft_worker_self();
  const pid_t before = os_thread_now();
  wait_in_call(call);
  CHECK(weft_worker_self() == worker && os_thread_now() == before);
}

static void of_a_thread(void *argument) { wait_in_call(argument); }
static void of_a_pinned_one(void *argument) { wait_and_stay(argument); }

static void by_thread(struct call *call) { OK(weft_thread_join(start(of_a_thread, call))); }

static void by_pinned(struct call *call) {
  OK(weft_thread_join(start_pinned(of_a_pinned_one, call, (int)weft_worker_count() - 1)));
}

static void by_main(struct call *call) { wait_and_stay(call); }

static void of_a_fork(void *work) { wait_in_call(*(struct call **)work); }

static void by_fork(struct call *call) {
  weft_forked *forked = weft_fork(of_a_fork, &call, sizeof call);
  weft_fork_join(forked, of_a_fork, &call, sizeof call);
}

/* Another worker takes it while the forker computes. */
static void by_taken_fork(struct call *call) {
  if (weft_worker_count() == 1) return by_fork(call);
  weft_forked *forked = weft_fork(of_a_fork, &call, sizeof call);
  while (atomic_load(&call->has_begun) == 0) sched_yield();
  weft_fork_join(forked, of_a_fork, &call, sizeof call);
}

static void be_adopted(void *argument) {
  struct call *call = argument;
  OK(weft_worker_adopt(NULL));
  wait_and_stay(call);
  OK(weft_worker_leave());
}

static void be_outside(void *argument) { wait_and_stay(argument); }

static void by_adopted(struct call *call) { on_os_thread(be_adopted, call); }
static void by_outside(struct call *call) { on_os_thread(be_outside, call); }

static const struct {
  const char *name;
  void (*call)(struct call *call);
} callers[] = {{"a thread", by_thread},
               {"a pinned thread", by_pinned},
               {"main", by_main},
               {"a fork that is not taken", by_fork},
               {"a fork that is taken", by_taken_fork},
               {"an adopted OS thread", by_adopted},
               {"an OS thread outside", by_outside}};
enum { CALLERS = sizeof callers / sizeof callers[0] };

static void all(void) {
  for (int kind = 0; kind < KINDS; ++kind) {
    for (int caller = 0; caller < CALLERS; ++caller) {
      char words[128];
      snprintf(words, sizeof words, "%s waits %s", callers[caller].name, kinds[kind].name);
      current_case = words;
      struct news news;
      open_news(&news);
      struct os_thread teller;
      begin(&teller, tell, &news);
      struct call call = {kind, &news, 0};
      callers[caller].call(&call);
      join(&teller);
      close_news(&news);
    }
  }
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  CHECK(setenv("WEFT_BLOCKING", "0", 1) == 0);
  with_workers("at once", 2, all);
  return 0;
}
