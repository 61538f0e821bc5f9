/* What libraries use: locks, tracked keys, the main thread, guarded atomics. By threads and OS
 * threads, before the start, while an implementation runs, and after the stop. */
#include <pthread.h>

#include <weft_threads/guarded.h>
#include <weft_threads/lock.h>
#include <weft_threads/tracked.h>

#include "check.h"

enum { rounds = IS_SLOW ? 30 : 100, outsiders = 2 };

/* Runs function(argument) on so many OS threads and, if an implementation runs, in as many threads. */
static void run_on_all(threads_function function, void *argument) {
  pthread_t os_threads[outsiders];
  threads_thread *threads[outsiders];
  for (int i = 0; i < outsiders; ++i)
    CHECK(pthread_create(&os_threads[i], NULL, (void *(*)(void *))(void (*)(void))function, argument) == 0);
  const bool is_running = threads_is_started();
  for (int i = 0; is_running && i < outsiders; ++i) threads[i] = start(function, argument);
  for (int i = 0; is_running && i < outsiders; ++i) OK(threads_join(threads[i]));
  for (int i = 0; i < outsiders; ++i) pthread_join(os_threads[i], NULL);
}

static int callers(void) { return threads_is_started() ? 2 * outsiders : outsiders; }

static void run_outside(threads_function function, void *argument) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, (void *(*)(void *))(void (*)(void))function, argument) == 0);
  pthread_join(other, NULL);
}

/* ---- locks ---- */

static threads_lock plain = THREADS_LOCK_INIT, recursive = THREADS_LOCK_RECURSIVE_INIT;
static long counted;

static void count(void *lock) {
  for (int i = 0; i < rounds; ++i) {
    OK(threads_lock_acquire(lock));
    ++counted;
    if (i % 10 == 0) let_others_run(); /* so that others find it held */
    OK(threads_lock_release(lock));
  }
}

static void one_holds_a_lock_at_a_time(void) {
  counted = 0;
  run_on_all(count, &plain);
  run_on_all(count, &recursive);
  CHECK(counted == 2L * rounds * callers());
  OK(threads_lock_destroy(&plain));
  OK(threads_lock_destroy(&recursive));
}

static threads_spin spin = THREADS_SPIN_INIT;

static void count_by_spin(void *unused) {
  (void)unused;
  for (int i = 0; i < rounds; ++i) {
    OK(threads_spin_acquire(&spin));
    ++counted;
    if (i % 10 == 0) let_others_run(); /* more callers than OS threads wait: they must yield */
    OK(threads_spin_release(&spin));
  }
}

static void one_holds_a_spin_lock_at_a_time(void) {
  counted = 0;
  run_on_all(count_by_spin, NULL);
  CHECK(counted == (long)rounds * callers());
  OK(threads_spin_try_acquire(&spin));
  IS(THREADS_BUSY, threads_spin_try_acquire(&spin));
  OK(threads_spin_release(&spin));
  IS(THREADS_NOT_OWNER, threads_spin_release(&spin));
}

static void find_it_held(void *lock) {
  IS(THREADS_BUSY, threads_lock_try_acquire(lock));
  if (lock == &recursive) IS(THREADS_NOT_OWNER, threads_lock_release(lock));
}

static void its_holder_enters_a_recursive_lock_again(void) {
  for (int i = 0; i < 3; ++i) OK(i == 1 ? threads_lock_try_acquire(&recursive) : threads_lock_acquire(&recursive));
  for (int i = 0; i < 3; ++i) {
    run_on_all(find_it_held, &recursive);
    OK(threads_lock_release(&recursive));
  }
  IS(THREADS_NOT_OWNER, threads_lock_release(&recursive));
  OK(threads_lock_try_acquire(&recursive));
  IS(THREADS_BUSY, threads_lock_destroy(&recursive));
  OK(threads_lock_release(&recursive));
}

static void a_plain_lock_is_entered_once(void) {
  OK(threads_lock_acquire(&plain));
  IS(THREADS_BUSY, threads_lock_try_acquire(&plain));
  run_on_all(find_it_held, &plain);
  OK(threads_lock_release(&plain));
  IS(THREADS_NOT_OWNER, threads_lock_release(&plain));
}

static atomic_int have_come, have_passed;

static void pass(void *lock) {
  atomic_fetch_add(&have_come, 1);
  OK(threads_lock_acquire(lock));
  atomic_fetch_add(&have_passed, 1);
  OK(threads_lock_release(lock));
}

void check_a_lock_over_the_start(void) {
  atomic_store(&have_come, 0);
  atomic_store(&have_passed, 0);
  threads_thread *threads[2];
  for (int i = 0; i < 2; ++i) threads[i] = start(pass, &plain);
  wait_for(&have_come, 2);
  for (int i = 0; i < 10; ++i) threads_yield();
  CHECK(atomic_load(&have_passed) == 0);
  OK(threads_lock_release(&plain));
  for (int i = 0; i < 2; ++i) OK(threads_join(threads[i]));
  CHECK(atomic_load(&have_passed) == 2);
}

void take_a_lock_before_the_start(void) { OK(threads_lock_acquire(&plain)); }

/* ---- tracked keys ---- */

static atomic_int destroyed;
static void destroy(void *value) { atomic_fetch_add(&destroyed, *(int *)value); }

static threads_tracked_key tracked = THREADS_TRACKED_KEY_INIT(destroy);
static int one = 1, ten = 10;

static void keep_a_value(void *value) {
  CHECK(threads_tracked_get(&tracked) == NULL);
  OK(threads_tracked_set(&tracked, &ten));
  OK(threads_tracked_set(&tracked, value));
  let_others_run();
  CHECK(threads_tracked_get(&tracked) == value);
}

static void each_caller_has_a_value_that_ends_with_it(void) {
  atomic_store(&destroyed, 0);
  run_on_all(keep_a_value, &one);
  CHECK(atomic_load(&destroyed) == callers());
  run_on_all(keep_a_value, NULL);
  CHECK(atomic_load(&destroyed) == callers());
  OK(threads_tracked_delete(&tracked));
  CHECK(atomic_load(&destroyed) == callers());
}

static atomic_int have_arrived;

/* All set it at once. */
static void set_with_its_siblings(void *id) {
  *(uint64_t *)id = threads_self_id();
  atomic_fetch_add(&have_arrived, 1);
  wait_for(&have_arrived, workers);
  OK(threads_tracked_set(&tracked, &one));
  CHECK(threads_tracked_get(&tracked) == &one);
}

static void tasks_share_a_value_with_the_parent_whose_identity_they_have(void) {
  for (int i = 0; i < rounds; ++i) {
    uint64_t ids[workers];
    int values = 0;
    bool has_parents = false;
    threads_list list = THREADS_LIST_ANONYMOUS_INIT;
    atomic_store(&destroyed, 0);
    atomic_store(&have_arrived, 0);
    OK(threads_list_add_many(&list, set_with_its_siblings, ids, sizeof *ids, workers));
    OK(threads_list_wait(&list));
    for (int k = 0; k < workers; ++k) {
      const bool is_parents = ids[k] == threads_self_id();
      values += !is_parents || !has_parents;
      has_parents = has_parents || is_parents;
    }
    CHECK((threads_tracked_get(&tracked) == &one) == has_parents);
    OK(threads_tracked_delete(&tracked));
    CHECK(atomic_load(&destroyed) == values);
  }
}

static atomic_int have_set, may_end;

static void keep_it_until_told(void *value) {
  OK(threads_tracked_set(&tracked, value));
  atomic_fetch_add(&have_set, 1);
  while (atomic_load(&may_end) == 0) let_others_run();
  CHECK(threads_tracked_get(&tracked) == NULL);
}

static void *delete_when_all_have_set(void *unused) {
  while (atomic_load(&have_set) != callers()) let_others_run();
  OK(threads_tracked_delete(&tracked));
  CHECK(atomic_load(&destroyed) == callers());
  atomic_store(&may_end, 1);
  return unused;
}

static void a_deleted_key_frees_its_values(void) {
  pthread_t other;
  atomic_store(&destroyed, 0);
  atomic_store(&have_set, 0);
  atomic_store(&may_end, 0);
  CHECK(pthread_create(&other, NULL, delete_when_all_have_set, NULL) == 0);
  run_on_all(keep_it_until_told, &one);
  pthread_join(other, NULL);
  CHECK(atomic_load(&destroyed) == callers());
}

/* ---- the main thread ---- */

static void be_another(void *thread) {
  CHECK(!threads_is_main());
  CHECK(!threads_self_compare(thread));
  CHECK(!threads_self_compare(NULL));
}

static void one_caller_is_the_main_thread(void) {
  threads_set_main();
  CHECK(threads_is_main());
  CHECK(!threads_self_compare(NULL));
  run_on_all(be_another, NULL);
}

void check_that_this_is_still_main(void) { CHECK(threads_is_main()); }

static threads_thread *compared;
static atomic_int is_known;

static void compare_oneself(void *unused) {
  (void)unused;
  wait_for(&is_known, 1);
  CHECK(threads_self_compare(compared));
  atomic_store(&is_known, 2);
}

static void a_thread_knows_itself(void) {
  atomic_store(&is_known, 0);
  compared = start(compare_oneself, NULL);
  CHECK(!threads_self_compare(compared));
  run_outside(be_another, compared);
  atomic_store(&is_known, 1);
  OK(threads_join(compared));
  CHECK(atomic_load(&is_known) == 2);
}

/* ---- guarded atomics ---- */

static int32_t word_32;
static int64_t word_64;
static void *pointer;
static int64_t sum_64, swapped_64;
static int32_t swapped_32;

static void add(void *unused) {
  (void)unused;
  for (int i = 0; i < rounds; ++i) {
    threads_guarded_fetch_add_32(&word_32, 3);
    threads_guarded_fetch_add_64(&word_64, -3);
    threads_guarded_fetch_or_32(&word_32, 0);
    threads_guarded_fetch_xor_32(&word_32, 0);
    threads_guarded_fetch_and_32(&word_32, -1);
    threads_guarded_fetch_or_64(&word_64, 0);
    threads_guarded_fetch_xor_64(&word_64, 0);
    threads_guarded_fetch_and_64(&word_64, -1);
    int64_t seen = 0;
    while (!threads_guarded_compare_exchange_64(&sum_64, &seen, seen + 5)) {
    }
    const int32_t mine = threads_guarded_swap_32(&swapped_32, 0);
    threads_guarded_fetch_add_32(&swapped_32, mine + 1); /* what is taken out comes back, with one more */
    const int64_t mine_64 = threads_guarded_swap_64(&swapped_64, 0);
    threads_guarded_fetch_add_64(&swapped_64, mine_64 + 1);
  }
}

static void each_changes_what_is_there(void) {
  int32_t expected = 7;
  void *other = &ten;
  word_32 = INT32_MAX;
  word_64 = INT64_MIN;
  CHECK(threads_guarded_fetch_add_32(&word_32, 1) == INT32_MAX && word_32 == INT32_MIN);
  CHECK(threads_guarded_fetch_add_64(&word_64, -1) == INT64_MIN && word_64 == INT64_MAX);
  word_32 = 12;
  CHECK(threads_guarded_fetch_or_32(&word_32, 3) == 12 && word_32 == 15);
  CHECK(threads_guarded_fetch_and_32(&word_32, 6) == 15 && word_32 == 6);
  CHECK(threads_guarded_fetch_xor_32(&word_32, 5) == 6 && word_32 == 3);
  CHECK(!threads_guarded_compare_exchange_32(&word_32, &expected, 9) && expected == 3 && word_32 == 3);
  CHECK(threads_guarded_compare_exchange_32(&word_32, &expected, 9) && word_32 == 9);
  const int64_t high = INT64_C(1) << 40;
  int64_t wanted = 7;
  word_64 = 12 * high;
  CHECK(threads_guarded_fetch_or_64(&word_64, 3 * high) == 12 * high && word_64 == 15 * high);
  CHECK(threads_guarded_fetch_and_64(&word_64, 6 * high) == 15 * high && word_64 == 6 * high);
  CHECK(threads_guarded_fetch_xor_64(&word_64, 5 * high) == 6 * high && word_64 == 3 * high);
  CHECK(!threads_guarded_compare_exchange_64(&word_64, &wanted, 9) && wanted == 3 * high && word_64 == 3 * high);
  CHECK(threads_guarded_compare_exchange_64(&word_64, &wanted, 9 * high) && word_64 == 9 * high);
  CHECK(threads_guarded_swap_64(&word_64, -high) == 9 * high && word_64 == -high);
  CHECK(threads_guarded_swap_32(&word_32, -4) == 9 && word_32 == -4);
  pointer = &one;
  CHECK(!threads_guarded_compare_exchange_pointer(&pointer, &other, NULL) && other == &one);
  CHECK(threads_guarded_compare_exchange_pointer(&pointer, &other, &ten) && pointer == &ten);
  CHECK(threads_guarded_swap_pointer(&pointer, NULL) == &ten && pointer == NULL);
}

static void guarded_atomics_are_atomic_where_threads_are_used(void) {
  threads_set_using(false);
  CHECK(!threads_are_used());
  each_changes_what_is_there();
  threads_set_using(true);
  CHECK(threads_are_used());
  each_changes_what_is_there();
  word_32 = 0;
  word_64 = 0;
  sum_64 = swapped_64 = 0;
  swapped_32 = 0;
  run_on_all(add, NULL);
  CHECK(sum_64 == 5L * rounds * callers());
  CHECK(swapped_32 == rounds * callers() && swapped_64 == (int64_t)rounds * callers());
  CHECK(word_32 == 3 * rounds * callers() && word_64 == -3L * rounds * callers());
}

void check_libraries(void) {
  RUN(one_holds_a_lock_at_a_time);
  RUN(one_holds_a_spin_lock_at_a_time);
  RUN(its_holder_enters_a_recursive_lock_again);
  RUN(a_plain_lock_is_entered_once);
  RUN(each_caller_has_a_value_that_ends_with_it);
  if (threads_is_started()) RUN(tasks_share_a_value_with_the_parent_whose_identity_they_have);
  RUN(a_deleted_key_frees_its_values);
  RUN(one_caller_is_the_main_thread);
  if (threads_is_started()) RUN(a_thread_knows_itself);
  RUN(guarded_atomics_are_atomic_where_threads_are_used);
}
