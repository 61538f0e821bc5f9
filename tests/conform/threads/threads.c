/* Threads that are made one by one. */
#include "check.h"

enum { many = IS_SLOW ? 50 : 200 };

static void square(void *number) { *(int *)number *= *(int *)number; }

static void results_are_seen_after_the_join(void) {
  int numbers[many];
  threads_thread *threads[many];
  for (int i = 0; i < many; ++i) {
    numbers[i] = i;
    threads[i] = start(square, &numbers[i]);
  }
  for (int i = many; i-- != 0;) OK(threads_join(threads[i]));
  for (int i = 0; i < many; ++i) CHECK(numbers[i] == i * i);
}

static void add_one(void *counter) { atomic_fetch_add((atomic_int *)counter, 1); }

static void threads_that_nobody_joins(void) {
  atomic_int ended = 0;
  for (int i = 0; i < 20; ++i) OK(threads_create(add_one, &ended, NULL));
  wait_for(&ended, 20);
}

struct meeting {
  atomic_int come;
  uint64_t ids[3];
};

static void meet(void *given) {
  struct meeting *const meeting = given;
  const int place = atomic_fetch_add(&meeting->come, 1);
  meeting->ids[place] = threads_self_id();
  while (atomic_load(&meeting->come) < 3) threads_yield();
  CHECK(meeting->ids[place] == threads_self_id());
}

static void ids_differ(void) {
  struct meeting meeting = {0, {0, 0, 0}};
  threads_thread *threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(meet, &meeting);
  for (int i = 0; i < 3; ++i) OK(threads_join(threads[i]));
  const uint64_t own = threads_self_id();
  CHECK((own == 0) == is_outside);
  for (int i = 0; i < 3; ++i) {
    CHECK(meeting.ids[i] != 0 && meeting.ids[i] != own && meeting.ids[i] != meeting.ids[(i + 1) % 3]);
  }
}

static void make_and_join(void *depth) {
  if (*(int *)depth == 0) return;
  int less = *(int *)depth - 1;
  OK(threads_join(start(make_and_join, &less)));
  CHECK(less == -2 || *(int *)depth > 0);
  *(int *)depth = -1;
}

static void threads_make_threads(void) {
  int depth = 3;
  OK(threads_join(start(make_and_join, &depth)));
  CHECK(depth == -1);
}

static threads_thread *self;
static atomic_int self_is_known;

static void join_self(void *unused) {
  (void)unused;
  wait_for(&self_is_known, 1);
  IS(THREADS_DEADLOCK, threads_join(self));
}

static void joins_that_cannot_be(void) {
  threads_thread *thread = NULL;
  IS(THREADS_INVALID, threads_create(NULL, NULL, &thread));
  CHECK(thread == NULL);
  IS(THREADS_INVALID, threads_join(NULL));
  atomic_store(&self_is_known, 0);
  self = start(join_self, NULL);
  atomic_store(&self_is_known, 1);
  OK(threads_join(self));
}

struct turns {
  atomic_int next;
};

static void even_turns(void *given) {
  struct turns *const turns = given;
  for (int i = 0; i < 20; i += 2) {
    wait_for(&turns->next, i);
    atomic_store(&turns->next, i + 1);
  }
}

static void odd_turns(void *given) {
  struct turns *const turns = given;
  for (int i = 1; i < 20; i += 2) {
    wait_for(&turns->next, i);
    atomic_store(&turns->next, i + 1);
  }
}

static void a_yield_lets_others_run(void) {
  struct turns turns = {0};
  threads_thread *const even = start(even_turns, &turns);
  threads_thread *const odd = start(odd_turns, &turns);
  OK(threads_join(even));
  OK(threads_join(odd));
  CHECK(atomic_load(&turns.next) == 20);
}

static void sleep_a_little(void *unused) {
  (void)unused;
  const uint64_t before = threads_now_ns();
  OK(threads_sleep_ns(2000000));
  CHECK(threads_now_ns() - before >= 2000000);
}

static void a_sleep_is_not_too_short(void) {
  sleep_a_little(NULL);
  OK(threads_join(start(sleep_a_little, NULL)));
}

void check_threads(void) {
  RUN(results_are_seen_after_the_join);
  RUN(threads_that_nobody_joins);
  RUN(ids_differ);
  RUN(threads_make_threads);
  RUN(joins_that_cannot_be);
  RUN(a_yield_lets_others_run);
  RUN(a_sleep_is_not_too_short);
}
