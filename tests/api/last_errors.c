/* Calls that fail, each for one of the causes that its Errors names, and what weft_last_error()
 * says then: a line each of function, status, cause as in the header, and text. last_errors_test.py
 * reads them, and knows which ones there must be. Those with a null argument are generated from the
 * headers. */
#include <string.h>

#include <weft/at_worker.h>
#include <weft/await.h>
#include <weft/context.h>
#include <weft/ext.h>
#include <weft/loops.h>

#include "check.h"
#include "last_errors_callbacks.h"

/* ---- what the calls get ---- */

static weft_mutex mutex = WEFT_MUTEX_INIT, held = WEFT_MUTEX_INIT;
static weft_mutex recursive = WEFT_MUTEX_RECURSIVE_INIT, recursive_held = WEFT_MUTEX_RECURSIVE_INIT;
static weft_cond cond = WEFT_COND_INIT;
static weft_rwlock rwlock = WEFT_RWLOCK_INIT, rwlock_written = WEFT_RWLOCK_INIT;
static weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0), full = WEFT_SEMAPHORE_INIT(UINT32_MAX);
static weft_barrier barrier, never_started;
static weft_event event = WEFT_EVENT_INIT, latch_of_two = WEFT_LATCH_INIT(2);
static weft_once once = WEFT_ONCE_INIT, running_once = WEFT_ONCE_INIT;
static weft_future future = WEFT_FUTURE_INIT, set_future = WEFT_FUTURE_INIT;
static uint64_t words[2], awaited;
static uint64_t *const crooked = (uint64_t *)(void *)((char *)words + 4);
static weft_thread *blocked, *joiner, *ended, *detached, *joined, *pinned_away, *tasklet;
static weft_pool *pool, *private_pool, *served;
static weft_key deleted;
static uint32_t spin;
static atomic_int is_over, is_up;
static weft_stats stats = WEFT_STATS_INIT;
static weft_counts counted = WEFT_COUNTS_INIT;

static union {
  void *pointer;
  weft_thread *thread;
  weft_pool *pool;
  weft_source *source;
  weft_context *context;
  weft_ext_cpu cpu;
  weft_key key;
  uint64_t word;
  size_t size;
  unsigned number;
  bool truth;
} out;

static void *address_of_words(void) { return words; }
static const weft_reduction reduction = {8, words, reduce_body, combine};
static const weft_row row = {sizeof row, no_unit, NULL, NULL, NULL, NULL};
static const weft_pool_ops ops = {sizeof ops, push, none, nothing_comes, NULL, NULL};
static weft_awaiter awaiter = WEFT_AWAITER_INIT(no_delivery);
static weft_await_case await_cases[1] = {{.object = &event, .kind = WEFT_AWAIT_EVENT}};

/* ---- what is noted ---- */

static void note(const char *function, weft_status wanted, const char *cause, weft_status got) {
  if (got != wanted) {
    fprintf(stderr, "%s (%s): wanted %s, got %s: %s\n", function, cause, weft_status_name(wanted), weft_status_name(got),
            weft_last_error());
    abort();
  }
  const size_t length = strcspn(function, "(");
  printf("%.*s\t%s\t%s\t%s\n", (int)length, function, weft_status_name(got), cause, weft_last_error());
}

#define FAILS(wanted, cause, call) note(#call, wanted, cause, call)
#define FAILS_AS(function, wanted, cause, call) note(function, wanted, cause, call)

#include "last_errors_null.h"
#include "last_errors_variables.h"

static weft_thread_attr attr_with(size_t size, size_t stack_bytes, int worker, unsigned priority) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.size = size;
  attr.stack_bytes = stack_bytes;
  attr.worker = worker;
  attr.priority = priority;
  return attr;
}

#define ATTR_CAUSE                                                                                           \
  "attr has a wrong size, a stack that is too small, a priority that is too large or a worker that does not" \
  " exist"

static void creations_with(const weft_thread_attr *attr, bool makes_stacks) {
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_thread_create(nothing, NULL, attr, &out.thread));
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_thread_create_copy(nothing, words, 8, attr, &out.thread));
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_thread_create_many(nothing, NULL, 0, 1, attr, &out.thread));
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_ext_thread_make(nothing, NULL, attr, false, &out.thread));
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_ext_thread_make_copy(nothing, words, 8, attr, false, &out.thread));
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_ext_thread_create_filled(nothing, 8, fill, NULL, attr, &out.thread, NULL));
  static const weft_ext_place place = {"file.c", "function", 1, 1};
  FAILS(WEFT_INVALID, ATTR_CAUSE, weft_ext_thread_create_at(nothing, NULL, attr, &out.thread, &place));
  if (!makes_stacks) FAILS(WEFT_INVALID, ATTR_CAUSE, weft_tasklet_create(nothing, NULL, attr, &out.thread));
}

static void creations(void) {
  const size_t good = sizeof(weft_thread_attr);
  weft_thread_attr attr = attr_with(good + 8, 0, WEFT_ANY_WORKER, 0);
  creations_with(&attr, false);
  attr = attr_with(good, WEFT_STACK_MIN - 1, WEFT_ANY_WORKER, 0);
  creations_with(&attr, true);
  attr = attr_with(good, 0, WEFT_ANY_WORKER, WEFT_POOL_PRIORITIES);
  creations_with(&attr, false);
  attr = attr_with(good, 0, 1000, 0);
  creations_with(&attr, false);
  attr = attr_with(good, WEFT_STACK_MIN, WEFT_ANY_WORKER, 0);
  attr.stack = words;
  FAILS(WEFT_INVALID, "attr->stack is not null", weft_thread_create_many(nothing, NULL, 0, 1, &attr, &out.thread));
  static const char too_large[] = "size is above WEFT_COPY_MAX", not_null[] = "bytes is null, and size is not 0";
  FAILS(WEFT_INVALID, too_large, weft_thread_create_copy(nothing, words, WEFT_COPY_MAX + 1, NULL, &out.thread));
  FAILS(WEFT_INVALID, too_large, weft_ext_thread_make_copy(nothing, words, WEFT_COPY_MAX + 1, NULL, false, &out.thread));
  FAILS(WEFT_INVALID, too_large, weft_ext_thread_create_filled(nothing, WEFT_COPY_MAX + 1, fill, NULL, NULL, &out.thread, NULL));
  FAILS(WEFT_INVALID, not_null, weft_thread_create_copy(nothing, NULL, 1, NULL, &out.thread));
  FAILS(WEFT_INVALID, not_null, weft_ext_thread_make_copy(nothing, NULL, 1, NULL, false, &out.thread));
  FAILS(WEFT_INVALID, "kind has other bits", weft_ext_thread_make_in(pool, nothing, 64, &out.thread));
  FAILS(WEFT_INVALID, "pool is not null and kind has WEFT_MAKE_CLEANED", weft_ext_thread_make_in(pool, nothing, 4, &out.thread));
  OK(weft_ext_thread_make_in(pool, nothing, 0, &out.thread));
  FAILS(WEFT_INVALID, "its home is a pool", weft_ext_thread_start(out.thread));
  FAILS(WEFT_INVALID, "its home is a pool", weft_ext_thread_offer(out.thread));
  weft_ext_thread_discard(out.thread);
}

static void pin_one_that_stays(void *worker) {
  FAILS(WEFT_BUSY, "the caller was created with WEFT_STARTING_WORKER", weft_pin(*(int *)worker));
}

static void handles(void) {
  static const char is_detached[] = "detached", itself[] = "thread is the caller";
  static const char is_joined[] = "the thread has not ended, and another caller is joining it";
  weft_thread *list[1] = {detached};
  FAILS(WEFT_INVALID, is_detached, weft_thread_join(detached));
  FAILS(WEFT_INVALID, is_detached, weft_thread_join_until(detached, WEFT_FOREVER));
  FAILS(WEFT_INVALID, is_detached, weft_thread_try_join(detached));
  FAILS(WEFT_INVALID, is_detached, weft_thread_join_many(list, 1));
  FAILS(WEFT_INVALID, is_detached, weft_thread_detach(detached));
  FAILS(WEFT_INVALID, is_detached, weft_ext_thread_wait(detached));
  list[0] = weft_self();
  FAILS(WEFT_DEADLOCK, itself, weft_thread_join(weft_self()));
  FAILS(WEFT_DEADLOCK, itself, weft_thread_join_until(weft_self(), WEFT_FOREVER));
  FAILS(WEFT_DEADLOCK, itself, weft_thread_join_many(list, 1));
  FAILS(WEFT_DEADLOCK, itself, weft_ext_thread_wait(weft_self()));
  list[0] = joined;
  FAILS(WEFT_BUSY, is_joined, weft_thread_join(joined));
  FAILS(WEFT_BUSY, is_joined, weft_thread_join_until(joined, WEFT_FOREVER));
  FAILS(WEFT_BUSY, is_joined, weft_thread_join_many(list, 1));
  FAILS(WEFT_BUSY, is_joined, weft_ext_thread_wait(joined));
  FAILS(WEFT_BUSY, "another caller is joining it", weft_thread_detach(joined));
  FAILS(WEFT_BUSY, "it has not ended", weft_thread_try_join(blocked));
  FAILS(WEFT_BUSY, "it has not ended", weft_ext_thread_revive(blocked, nothing, NULL));
  FAILS(WEFT_TIMEOUT, "the deadline passed before the thread ended", weft_thread_join_until(blocked, 0));
  FAILS(WEFT_INVALID, "threads is null, and count is not 0", weft_thread_join_many(NULL, 3));
  FAILS(WEFT_INVALID, "has ended", weft_yield_to(ended));
  FAILS(WEFT_AGAIN, "the thread is not ready in this worker's queue, or in a pool that this worker serves",
        weft_yield_to(joiner));
  FAILS(WEFT_INVALID, "a tasklet, or has ended", weft_resume(ended));
  FAILS(WEFT_INVALID, "a tasklet, or has ended", weft_resume(tasklet));
  FAILS(WEFT_INVALID, "no such worker", weft_pin(1000));
  FAILS(WEFT_NOT_OWNER, "the caller, a ULT, has no scope", weft_pinned_end());
  FAILS(WEFT_NOT_OWNER, "the caller, a ULT, has no region", weft_blocking_end());
  OK(weft_pinned_begin());
  FAILS(WEFT_BUSY, "the caller is in a scope of weft_pinned_begin", weft_pin(0));
  OK(weft_pinned_end());
  const weft_thread_attr staying = attr_with(sizeof staying, 0, WEFT_STARTING_WORKER, 0);
  OK(weft_thread_create(pin_one_that_stays, &(int){0}, &staying, list));
  OK(weft_thread_join(list[0]));
  FAILS(WEFT_INVALID, "has ended", weft_thread_migrate_to_worker(ended, 0));
  FAILS(WEFT_INVALID, "no such worker", weft_thread_migrate_to_worker(weft_self(), 1000));
  FAILS(WEFT_INVALID, "the thread has ended", weft_thread_migrate_to_pool(ended, pool));
}

static void keys_and_pools(void) {
  static const char no_key[] = "the key was deleted, or never created", no_worker[] = "no such worker, or it is being removed";
  FAILS(WEFT_INVALID, no_key, weft_key_delete(deleted));
  FAILS(WEFT_INVALID, no_key, weft_key_set(deleted, NULL));
  FAILS(WEFT_INVALID, "kind or access is not a value of its type",
        weft_pool_create((weft_pool_kind)9, WEFT_POOL_SHARED, &out.pool));
  FAILS(WEFT_INVALID, "kind or access is not a value of its type",
        weft_pool_create(WEFT_POOL_FIFO, (weft_pool_access)9, &out.pool));
  FAILS(WEFT_BUSY,
        "units are in the pool, blocked units belong to it, a worker serves it, or a call of weft_ext_wait_for_work waits for it",
        weft_pool_destroy(served));
  FAILS(WEFT_INVALID, no_worker, weft_pool_attach(pool, 1000));
  FAILS(WEFT_BUSY, "a private pool that a worker already serves", weft_pool_attach(private_pool, 0));
  FAILS(WEFT_INVALID, "no such worker, or it does not serve the pool", weft_pool_detach(pool, 1000));
  FAILS(WEFT_INVALID, "no such worker, or it does not serve the pool", weft_pool_detach(pool, 0));
  FAILS(WEFT_INVALID, "access is not a value of weft_pool_access",
        weft_ext_pool_create(&ops, NULL, (weft_pool_access)9, &out.pool));
  const weft_pool_ops no_pop = {sizeof ops, push, NULL, nothing_comes, NULL, NULL};
  FAILS(WEFT_INVALID, "ops has a wrong size, or no push, pop or count",
        weft_ext_pool_create(&no_pop, NULL, WEFT_POOL_SHARED, &out.pool));
  FAILS(WEFT_INVALID, "reason is not a value of weft_push_reason", weft_ext_pool_push(pool, blocked, (weft_push_reason)99));
  FAILS(WEFT_INVALID, no_worker, weft_ext_worker_set_scheduler(1000, NULL, NULL));
  const weft_scheduler_ops no_next = {.size = sizeof no_next};
  FAILS(WEFT_INVALID, "ops has a wrong size or no next", weft_ext_worker_set_scheduler(0, &no_next, NULL));
  FAILS(WEFT_INVALID, no_worker, weft_ext_source_add_at(5000, nothing_comes, NULL, &out.source));
  FAILS(WEFT_INVALID, no_worker, weft_ext_source_add_at(1000, nothing_comes, NULL, &out.source));
  const weft_source_ops no_wait = {.size = sizeof no_wait, .poll = nothing_comes};
  FAILS(WEFT_INVALID, "ops has a wrong size, or no poll, wait or wake", weft_ext_source_add_with(&no_wait, NULL, &out.source));
  FAILS(WEFT_INVALID, "none of this runtime", weft_ext_source_remove((weft_source *)(void *)words));
}

static void runtime_calls(void) {
  FAILS(WEFT_INVALID, "no such worker, or it is being removed already", weft_worker_remove(1000));
  FAILS(WEFT_BUSY, "worker 0", weft_worker_remove(0));
  FAILS(WEFT_BUSY, "units or a source are pinned to the worker", weft_worker_remove(1));
  FAILS(WEFT_BUSY, "it serves a pool, which weft_pool_detach ends", weft_worker_remove(2));
  const weft_adopt_config bad = {.size = 1};
  FAILS(WEFT_INVALID, "config has a wrong size", weft_worker_adopt(&bad));
  FAILS(WEFT_BUSY, "the OS thread is a worker", weft_worker_adopt(NULL));
  OK(weft_blocking_begin());
  FAILS(WEFT_BUSY, "it is in a blocking region of a ULT", weft_worker_adopt(NULL));
  OK(weft_blocking_end());
  FAILS(WEFT_NOT_OWNER, "the caller is not such a ULT", weft_worker_leave());
  FAILS(WEFT_INVALID, "has a wrong size", weft_stats_read(0, &(weft_stats){.size = 1}));
  FAILS(WEFT_INVALID, "has a wrong size", weft_count_threads(&(weft_counts){.size = 1}));
  FAILS(WEFT_INVALID, "no such worker so far", weft_stats_read(1000, &stats));
  FAILS(WEFT_INVALID, "fd is negative", weft_dump(-1));
  FAILS(WEFT_UNSUPPORTED, "no trace is recorded", weft_trace_dump("/nonexistent/trace"));
  FAILS(WEFT_BUSY, "the runtime runs", weft_ext_worker_reserve(&out.number));
  FAILS(WEFT_BUSY, "the runtime runs", weft_ext_reserve(8, &out.size));
  FAILS(WEFT_BUSY, "the runtime runs", weft_ext_set_stack_provider(NULL));
  FAILS(WEFT_BUSY, "the runtime runs", weft_ext_set_stack_sink(NULL, NULL));
  FAILS(WEFT_BUSY, "the runtime runs", weft_ext_place_workers(&(unsigned){0}, 1));
  FAILS(WEFT_INVALID, "worker is 1024 or more", weft_ext_worker_cpu(1024, &out.cpu));
  const weft_stack_provider no_map = {.size = sizeof no_map};
  FAILS(WEFT_INVALID, "provider has a wrong size, or no map", weft_ext_set_stack_provider(&no_map));
  FAILS(WEFT_INVALID, "another size", weft_ext_carry(address_of_words, 3));
  FAILS(
      WEFT_BUSY,
      "the thread runs, was resumed meanwhile, is a scheduler ULT inside weft_ext_dispatch, or runs another thread on its stack",
      weft_ext_frames(weft_self(), visit_frame, NULL));
  const weft_context_attr small = {.size = sizeof small, .stack_bytes = 1};
  FAILS(WEFT_INVALID, "attr has a wrong size, a stack or a room of a size that is not allowed",
        weft_context_create(context_body, &small, &out.context, &out.pointer));
  weft_config config = WEFT_CONFIG_INIT;
  FAILS(WEFT_BUSY, "a runtime runs, in which nothing has changed", weft_ext_start(&config));
  config.size = 1;
  FAILS(WEFT_INVALID, "a bad setting, which a line on stderr names", weft_init(&config));
  FAILS(WEFT_INVALID, "a bad setting, which a line on stderr names", weft_ext_init(&config));
}

static void loops(void) {
  weft_reduction wrong = reduction;
  FAILS(WEFT_INVALID, "end is below begin", weft_parallel_for(2, 1, 0, loop_body, NULL));
  FAILS(WEFT_INVALID, "end is below begin", weft_parallel_reduce(2, 1, 0, &reduction, NULL, &out.word));
  wrong.value_bytes = WEFT_REDUCE_BYTES + 1;
  FAILS(WEFT_INVALID, "value_bytes is 0 or above WEFT_REDUCE_BYTES", weft_parallel_reduce(0, 1, 0, &wrong, NULL, &out.word));
  wrong = reduction;
  wrong.identity = NULL;
  FAILS(WEFT_INVALID, "its identity is null", weft_parallel_reduce(0, 1, 0, &wrong, NULL, &out.word));
  wrong = reduction;
  wrong.combine = NULL;
  FAILS(WEFT_INVALID, "one of its functions is null", weft_parallel_reduce(0, 1, 0, &wrong, NULL, &out.word));
  FAILS(WEFT_INVALID, "elements is null, and count is not 0", weft_parallel_sort(NULL, 2, 8, compare, NULL));
  FAILS(WEFT_INVALID, "element_bytes is 0", weft_parallel_sort(words, 2, 0, compare, NULL));
}

static void locks(void) {
  static const char no_holder[] = "no caller holds the mutex";
  FAILS(WEFT_TIMEOUT, "the caller does not hold the mutex", weft_mutex_lock_until(&held, 0));
  FAILS(WEFT_BUSY, "another caller holds it, or the caller holds it and it is plain", weft_mutex_try_lock(&held));
  FAILS(WEFT_NOT_OWNER, no_holder, weft_mutex_unlock(&mutex));
  FAILS(WEFT_NOT_OWNER, "it is recursive, and another caller holds it", weft_mutex_unlock(&recursive_held));
  FAILS(WEFT_NOT_OWNER, no_holder, weft_cond_wait(&cond, &mutex));
  FAILS(WEFT_NOT_OWNER, no_holder, weft_cond_wait_until(&cond, &mutex, 0));
  static const char not_holder[] = "for a recursive mutex, and in checked builds for any: the caller does not hold it";
  FAILS(WEFT_NOT_OWNER, not_holder, weft_cond_wait(&cond, &recursive_held));
  FAILS(WEFT_NOT_OWNER, not_holder, weft_cond_wait_until(&cond, &recursive_held, 0));
  OK(weft_mutex_lock(&mutex));
  FAILS(WEFT_TIMEOUT, "the deadline passed before a signal", weft_cond_wait_until(&cond, &mutex, 0));
  OK(weft_mutex_unlock(&mutex));
  FAILS(WEFT_TIMEOUT, "the caller does not hold the lock", weft_rwlock_read_lock_until(&rwlock_written, 0));
  FAILS(WEFT_TIMEOUT, "the caller does not hold the lock", weft_rwlock_write_lock_until(&rwlock_written, 0));
  FAILS(WEFT_BUSY, "a writer holds or awaits it", weft_rwlock_try_read_lock(&rwlock_written));
  FAILS(WEFT_BUSY, "a caller holds or awaits it", weft_rwlock_try_write_lock(&rwlock_written));
  FAILS(WEFT_NOT_OWNER, "no caller holds the lock", weft_rwlock_unlock(&rwlock));
}

static void counts(void) {
  static const char too_many[] = "it would have more than 2^32-1 tokens";
  FAILS(WEFT_TIMEOUT, "the caller has no token", weft_semaphore_acquire_until(&semaphore, 0));
  FAILS(WEFT_BUSY, "there is none", weft_semaphore_try_acquire(&semaphore));
  FAILS(WEFT_INVALID, too_many, weft_semaphore_release(&full, 1));
  FAILS(WEFT_INVALID, too_many, weft_semaphore_release_from_handler(&full, 1));
  FAILS(WEFT_INVALID, "parties is 0", weft_barrier_init(&never_started, 0));
  FAILS(WEFT_INVALID, "was never initialised", weft_barrier_wait(&never_started, NULL));
  FAILS(WEFT_TIMEOUT, "", weft_event_wait_until(&event, 0));
  FAILS(WEFT_TIMEOUT, "the deadline has passed, even if other units had their turn", weft_yield_or_wait(0));
  FAILS(WEFT_TIMEOUT, "the deadline passed before is_done returned true", weft_wait_poll(is_never, NULL, 0));
  FAILS(WEFT_INVALID, "has less than count left, as one that is set", weft_latch_count_down(&latch_of_two, 3));
  FAILS(WEFT_BUSY, "another caller has set it, or is setting it", weft_future_set(&set_future, NULL));
  FAILS(WEFT_TIMEOUT, "*out is untouched", weft_future_get_until(&future, 0, &out.pointer));
}

static void full_and_empty(void) {
  static const char askew[] = "not aligned to 8 bytes";
  FAILS(WEFT_INVALID, askew, weft_feb_read_fe(crooked, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_read_ff(crooked, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_write_ef(crooked, 1));
  FAILS(WEFT_INVALID, askew, weft_feb_write_ff(crooked, 1));
  FAILS(WEFT_INVALID, askew, weft_feb_write_f(crooked, 1));
  FAILS(WEFT_INVALID, askew, weft_feb_read_xx(crooked, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_write_ff_until(crooked, 1, 0));
  FAILS(WEFT_INVALID, askew, weft_feb_try_write_ff(crooked, 1));
  FAILS(WEFT_INVALID, askew, weft_feb_purge_to(crooked, 1));
  FAILS(WEFT_INVALID, "the range passes the end of the address space", weft_feb_forget(&words[1], SIZE_MAX));
  FAILS(WEFT_BUSY, "a caller waits at a word of the range", weft_feb_forget(&awaited, sizeof awaited));
  FAILS(WEFT_INVALID, askew, weft_feb_read_fe_until(crooked, 0, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_read_ff_until(crooked, 0, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_write_ef_until(crooked, 1, 0));
  FAILS(WEFT_INVALID, askew, weft_feb_try_read_fe(crooked, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_try_read_ff(crooked, &out.word));
  FAILS(WEFT_INVALID, askew, weft_feb_try_write_ef(crooked, 1));
  FAILS(WEFT_INVALID, askew, weft_feb_fill(crooked));
  FAILS(WEFT_INVALID, askew, weft_feb_empty(crooked));
  FAILS(WEFT_INVALID, askew, weft_feb_purge(crooked));
  FAILS(WEFT_TIMEOUT, "", weft_feb_read_fe_until(&words[1], 0, &out.word));
  FAILS(WEFT_TIMEOUT, "", weft_feb_read_ff_until(&words[1], 0, &out.word));
  FAILS(WEFT_TIMEOUT, "", weft_feb_write_ef_until(&words[0], 1, 0));
  FAILS(WEFT_TIMEOUT, "", weft_feb_write_ff_until(&words[1], 1, 0));
  FAILS(WEFT_BUSY, "the word is empty", weft_feb_try_write_ff(&words[1], 1));
  FAILS(WEFT_BUSY, "the word is empty", weft_feb_try_read_fe(&words[1], &out.word));
  FAILS(WEFT_BUSY, "the word is empty", weft_feb_try_read_ff(&words[1], &out.word));
  FAILS(WEFT_BUSY, "the word is full", weft_feb_try_write_ef(&words[0], 1));
  FAILS(WEFT_INVALID, "not aligned", weft_word_wait((char *)words + 1, 8, 0, 0));
  FAILS(WEFT_INVALID, "another size", weft_word_wait(words, 3, 0, 0));
  FAILS(WEFT_AGAIN, "the word has another value", weft_word_wait(words, 8, 77, 0));
  FAILS(WEFT_TIMEOUT, "the deadline passed before a wake-up", weft_word_wait(words, 8, words[0], 0));
}

static weft_status await_one(void *object, weft_await_kind kind) { return weft_ext_await(&awaiter, object, kind, &out.truth); }
static weft_status await_in_a_row(void *object, weft_await_kind kind) {
  weft_await_case one[1] = {{.object = object, .kind = kind}};
  return weft_ext_await_any(&awaiter, one, 1, &out.truth);
}

static void awaits_with(const char *function, weft_status (*await)(void *object, weft_await_kind kind)) {
  FAILS_AS(function, WEFT_INVALID, "kind is not a value of weft_await_kind", await(&event, (weft_await_kind)99));
  FAILS_AS(function, WEFT_INVALID, "a word is not aligned", await(crooked, WEFT_AWAIT_FEB_READ));
  FAILS_AS(function, WEFT_INVALID, "object is null", await(NULL, WEFT_AWAIT_EVENT));
  FAILS_AS(function, WEFT_INVALID, "a recursive mutex", await(&recursive, WEFT_AWAIT_MUTEX));
  FAILS_AS(function, WEFT_INVALID, "a barrier that was not initialised", await(&never_started, WEFT_AWAIT_BARRIER));
  FAILS_AS(function, WEFT_INVALID, "a detached thread", await(detached, WEFT_AWAIT_THREAD));
  FAILS_AS(function, WEFT_INVALID, "the is_done of a weft_polled is null", await(&(weft_polled){NULL, NULL}, WEFT_AWAIT_POLLED));
  FAILS_AS(function, WEFT_BUSY, "another caller joins the thread", await(joined, WEFT_AWAIT_THREAD));
  awaiter.deadline_ns = 0;
  FAILS_AS(function, WEFT_TIMEOUT, "the deadline has passed", await(&event, WEFT_AWAIT_EVENT));
  awaiter.deadline_ns = WEFT_FOREVER;
  awaiter.ready = NULL;
  FAILS_AS(function, WEFT_INVALID, "its ready is null", await(&event, WEFT_AWAIT_EVENT));
  awaiter.ready = no_delivery;
}

static void awaits(void) {
  awaits_with("weft_ext_await", await_one);
  awaits_with("weft_ext_await_any", await_in_a_row);
  FAILS(WEFT_INVALID, "cases is null, and count is not 0", weft_ext_await_any(&awaiter, NULL, 1, &out.truth));
}

static weft_thread *make_owned(void) {
  weft_thread *made = NULL;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  OK(weft_ext_thread_make(nothing, NULL, &attr, false, &made));
  return made;
}

static void builders(void) {
  static const char away[] = "pinned to another worker";
  FAILS(WEFT_INVALID, away, weft_ext_dispatch(pinned_away));
  FAILS(WEFT_INVALID, away, weft_ext_dispatch_in_turn(pinned_away, &row));
  FAILS(WEFT_INVALID, away, weft_ext_yield_to_owned(pinned_away, false));
  weft_row wrong = row;
  wrong.next = NULL;
  FAILS(WEFT_INVALID, "has a wrong size, no next, or a pool without accepts or left", weft_ext_dispatch_in_turn(blocked, &wrong));
  FAILS(WEFT_INVALID, "pools is null, and count is not 0", weft_ext_wait_for_work(NULL, 1, 0, NULL, NULL));
  FAILS(WEFT_TIMEOUT, "", weft_ext_wait_for_work(&pool, 1, 0, NULL, NULL));
}

/* ---- callers that must not wait ---- */

static void not_in_a_tasklet(void *argument) {
  static const char joins[] = "the caller is a tasklet, and the thread has not ended", must_not[] = "the caller is a tasklet";
  static const char or_callback[] = "the caller is a tasklet or a callback";
  static const char or_outside[] = "the caller is a tasklet, or outside", no_ult[] = "the caller is not a ULT";
  weft_thread *list[1] = {blocked}, *owned = argument;
  FAILS(WEFT_CANNOT_BLOCK, must_not, weft_yield_or_wait(WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "the caller is a tasklet, and is_done returned false", weft_wait_poll(is_never, NULL, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, joins, weft_thread_join(blocked));
  FAILS(WEFT_CANNOT_BLOCK, joins, weft_thread_join_until(blocked, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, joins, weft_thread_join_many(list, 1));
  FAILS(WEFT_CANNOT_BLOCK, joins, weft_ext_thread_wait(blocked));
  FAILS(WEFT_CANNOT_BLOCK, or_outside, weft_yield_to(blocked));
  FAILS(WEFT_CANNOT_BLOCK, or_outside, weft_suspend());
  FAILS(WEFT_CANNOT_BLOCK, or_outside, weft_pin(0));
  FAILS(WEFT_CANNOT_BLOCK, must_not, weft_sleep_ns(1));
  FAILS(WEFT_CANNOT_BLOCK, must_not, weft_sleep_until(1));
  FAILS(WEFT_CANNOT_BLOCK, or_callback, weft_blocking_begin());
  FAILS(WEFT_CANNOT_BLOCK, or_callback, weft_blocking(nothing, NULL));
  FAILS(WEFT_CANNOT_BLOCK, must_not, weft_worker_remove(3));
  FAILS(WEFT_CANNOT_BLOCK, must_not, weft_word_wait(words, 8, words[0], WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, no_ult, weft_ext_park(commit, NULL, NULL));
  FAILS(WEFT_CANNOT_BLOCK, no_ult, weft_ext_park_unlocking(&spin, &out.thread, "test"));
  FAILS(WEFT_CANNOT_BLOCK, no_ult, weft_ext_dispatch(owned));
  FAILS(WEFT_CANNOT_BLOCK, no_ult, weft_ext_dispatch_in_turn(owned, &row));
  FAILS(WEFT_CANNOT_BLOCK, no_ult, weft_ext_yield_to_owned(owned, false));
  FAILS(WEFT_CANNOT_BLOCK, no_ult, weft_ext_yield_in_pool(accepts, NULL));
  FAILS(WEFT_CANNOT_BLOCK, or_callback, weft_ext_wait_for_work(&pool, 1, WEFT_FOREVER, NULL, NULL));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_mutex_lock(&held));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_mutex_lock_until(&held, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_cond_wait(&cond, &mutex));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_cond_wait_until(&cond, &mutex, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_rwlock_read_lock(&rwlock_written));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_rwlock_read_lock_until(&rwlock_written, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_rwlock_write_lock(&rwlock_written));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_rwlock_write_lock_until(&rwlock_written, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_semaphore_acquire(&semaphore));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_semaphore_acquire_until(&semaphore, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_event_wait(&event));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_event_wait_until(&event, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_future_get(&future, &out.pointer));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_future_get_until(&future, WEFT_FOREVER, &out.pointer));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_read_fe(&words[1], &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_read_ff(&words[1], &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_write_ef(&words[0], 1));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_read_fe_until(&words[1], WEFT_FOREVER, &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_read_ff_until(&words[1], WEFT_FOREVER, &out.word));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_write_ef_until(&words[0], 1, WEFT_FOREVER));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_write_ff(&words[1], 1));
  FAILS(WEFT_CANNOT_BLOCK, "", weft_feb_write_ff_until(&words[1], 1, WEFT_FOREVER));
  variables_that_wait();
  FAILS(WEFT_CANNOT_BLOCK, "the function is running in another caller", weft_once_call(&running_once, nothing, NULL));
  FAILS(WEFT_CANNOT_BLOCK, "the caller is not the last one, and is not counted", weft_barrier_wait(&barrier, NULL));
}

/* ---- without a runtime ---- */

static void without_a_runtime(void) {
  weft_thread *const some = (weft_thread *)(void *)words;
  weft_source *const source = (weft_source *)(void *)words;
  static const char no[] = "", ending[] = "also while weft_finalize ends the workers";
  static const weft_ext_place place = {"file.c", "function", 1, 1};
  FAILS(WEFT_NOT_INITIALIZED, no, weft_count_threads(&counted));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_finalize_with(WEFT_DROP));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_thread_create(nothing, NULL, NULL, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_thread_create_copy(nothing, words, 8, NULL, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_thread_create_many(nothing, NULL, 0, 1, NULL, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_tasklet_create(nothing, NULL, NULL, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_thread_make(nothing, NULL, NULL, false, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_thread_make_copy(nothing, words, 8, NULL, false, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_thread_make_in(pool, nothing, 0, &out.thread));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_thread_create_at(nothing, NULL, NULL, &out.thread, &place));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_thread_create_filled(nothing, 8, fill, NULL, NULL, &out.thread, NULL));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_context_create(context_body, NULL, &out.context, &out.pointer));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_pool_attach(pool, 0));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_pool_detach(pool, 0));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_stats_read(0, &stats));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_dump(2));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_trace_dump("/nonexistent/trace"));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_finalize());
  FAILS(WEFT_NOT_INITIALIZED, no, weft_worker_leave());
  FAILS(WEFT_NOT_INITIALIZED, ending, weft_worker_add(&out.number));
  FAILS(WEFT_NOT_INITIALIZED, ending, weft_worker_remove(0));
  FAILS(WEFT_NOT_INITIALIZED, "also once the last weft_finalize has begun", weft_worker_adopt(NULL));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_frames(some, visit_frame, NULL));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_source_add(nothing_comes, NULL, &out.source));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_bell_add(nothing_comes, NULL, &out.source));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_source_add_with(&nothing_to_wait_for, NULL, &out.source));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_source_add_at(0, nothing_comes, NULL, &out.source));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_source_remove(source));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_worker_set_scheduler(0, NULL, NULL));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_wait_for_work(&pool, 1, 0, NULL, NULL));
  FAILS_AS("weft_ext_await", WEFT_NOT_INITIALIZED, "it has a deadline, or kind is WEFT_AWAIT_THREAD or WEFT_AWAIT_POLLED",
           await_one(words, WEFT_AWAIT_THREAD));
  FAILS_AS("weft_ext_await_any", WEFT_NOT_INITIALIZED, "it has a deadline, or kind is WEFT_AWAIT_THREAD or WEFT_AWAIT_POLLED",
           await_in_a_row(words, WEFT_AWAIT_THREAD));
  FAILS(WEFT_NOT_INITIALIZED, no, weft_ext_worker_cpu(0, &out.cpu));
  FAILS(WEFT_INVALID, "a number is none of those that weft_ext_cpus lists", weft_ext_place_workers(&(unsigned){5000}, 1));
  FAILS(WEFT_INVALID, "out is null, and capacity is not 0", weft_ext_cpus(NULL, 1, &out.number));
  FAILS(WEFT_INVALID, "cpus is null, and count is not 0", weft_ext_place_workers(NULL, 1));
  FAILS(WEFT_INVALID, "more than 1024 numbers", weft_ext_place_workers(&(unsigned){0}, 1025));
  CHECK(setenv("WEFT_TOPOLOGY", "moon:1", 1) == 0);
  FAILS(WEFT_UNSUPPORTED, "WEFT_TOPOLOGY cannot be used", weft_ext_cpus(NULL, 0, &out.number));
  FAILS(WEFT_UNSUPPORTED, "WEFT_TOPOLOGY cannot be used", weft_ext_place_workers(&(unsigned){0}, 1));
  CHECK(unsetenv("WEFT_TOPOLOGY") == 0);
  FAILS(WEFT_INVALID, "bytes is 0 or too many", weft_ext_reserve(0, &out.size));
  for (int times = 0; times < 8; ++times) OK(weft_ext_worker_reserve(&out.number));
  FAILS(WEFT_INVALID, "all 8 are reserved", weft_ext_worker_reserve(&out.number));
}

/* ---- the scene ---- */

static void hold_all(void *argument) {
  (void)argument;
  OK(weft_mutex_lock(&held));
  OK(weft_mutex_lock(&recursive_held));
  OK(weft_rwlock_write_lock(&rwlock_written));
  atomic_fetch_add(&is_up, 1);
  while (atomic_load(&is_over) == 0) weft_yield();
  OK(weft_mutex_unlock(&held));
  OK(weft_mutex_unlock(&recursive_held));
  OK(weft_rwlock_unlock(&rwlock_written));
}

static void run_long(void *argument) {
  (void)argument;
  atomic_fetch_add(&is_up, 1);
  while (atomic_load(&is_over) == 0) weft_yield();
}

static void read_it(void *word) { OK(weft_feb_read_ff(word, NULL)); }
static void join_it(void *argument) { OK(weft_thread_join(argument)); }
static void call_once(void *argument) {
  (void)argument;
  OK(weft_once_call(&running_once, run_long, NULL));
}

static void in_ult(void *argument) {
  (void)argument;
  null_arguments();
  creations();
  handles();
  keys_and_pools();
  runtime_calls();
  loops();
  locks();
  counts();
  full_and_empty();
  variables();
  awaits();
  builders();
}

static void stop_and_join(weft_thread *one) { OK(weft_thread_join(one)); }

static void all(void) {
  weft_thread *const holder = start(hold_all, NULL), *const caller_of_once = start(call_once, NULL);
  blocked = start(run_long, NULL);
  joined = start(run_long, NULL);
  wait_at_least(&is_up, 4);
  joiner = start(join_it, joined);
  wait_for_state(joiner, WEFT_THREAD_BLOCKED);
  OK(weft_feb_empty(&awaited));
  weft_thread *const reader = start(read_it, &awaited);
  wait_for_state(reader, WEFT_THREAD_BLOCKED);
  ended = start(nothing, NULL);
  OK(weft_tasklet_create(nothing, NULL, NULL, &tasklet));
  wait_for_state(ended, WEFT_THREAD_ENDED);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = 1;
  detached = start(run_long, NULL);
  OK(weft_thread_detach(detached));
  attr.pool = pool;
  OK(weft_ext_thread_make(nothing, NULL, &attr, false, &pinned_away));
  OK(weft_pool_attach(served, 2));
  OK(weft_pool_attach(private_pool, 2));
  OK(weft_key_create(NULL, &deleted));
  OK(weft_key_delete(deleted));
  OK(weft_barrier_init(&barrier, 2));
  OK(weft_feb_empty(&words[1]));
  weft_thread_attr at_0 = WEFT_THREAD_ATTR_INIT;
  at_0.worker = 0;
  stop_and_join(start_with(&at_0, in_ult, NULL));
  weft_thread *const owned = make_owned();
  weft_thread *refused = NULL;
  OK(weft_tasklet_create(not_in_a_tasklet, owned, NULL, &refused));
  OK(weft_thread_join(refused));
  weft_ext_thread_discard(owned);
  weft_ext_thread_discard(pinned_away);
  atomic_store(&is_over, 1);
  OK(weft_feb_fill(&words[1]));
  OK(weft_feb_fill(&awaited));
  weft_thread *const rest[] = {holder, caller_of_once, blocked, joiner, reader, ended, tasklet};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) OK(weft_thread_join(rest[i]));
  OK(weft_pool_detach(served, 2));
  OK(weft_pool_detach(private_pool, 2));
}

#include "last_errors_ended.h"

int main(void) {
  words[0] = 7;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &served));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE, &private_pool));
  OK(weft_future_set(&set_future, NULL));
  without_a_runtime();
  with_workers("four workers", 4, all);
  outlived();
  dropped();
  OK(weft_pool_destroy(pool));
  OK(weft_pool_destroy(served));
  OK(weft_pool_destroy(private_pool));
  return 0;
}
