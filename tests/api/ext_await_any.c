/* Awaiters that wait for several objects, for a time, and in one queue with threads; and what
 * their ready may do. */
#include "await_support.h"

/* ---- several at once ---- */

static void any_of_several(void) {
  weft_event events[3] = {WEFT_EVENT_INIT, WEFT_EVENT_INIT, WEFT_EVENT_INIT};
  weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0);
  weft_await_case cases[4] = {{&events[0], WEFT_AWAIT_EVENT, 0, {0}},
                              {&semaphore, WEFT_AWAIT_SEMAPHORE, 0, {0}},
                              {&events[1], WEFT_AWAIT_EVENT, 0, {0}},
                              {&events[2], WEFT_AWAIT_EVENT, 0, {0}}};
  struct wait one;
  prepare(&one, WEFT_AWAIT_EVENT);
  bool waits = false;
  OK(weft_ext_await_any(&one.awaiter, cases, 4, &waits)); /* wait first */
  CHECK(waits);
  OK(weft_event_set(&events[1]));
  wait_for(&one.calls, 1);
  CHECK(one.status == WEFT_OK && one.awaiter.winner == 2);
  OK(weft_semaphore_release(&semaphore, 1)); /* the losers are in no queue */
  OK(weft_semaphore_try_acquire(&semaphore));
  OK(weft_event_set(&events[0]));
  CHECK(atomic_load(&one.calls) == 1);

  OK(weft_ext_await_any(&one.awaiter, cases, 4, &waits)); /* set first: the first that is */
  CHECK(!waits && one.awaiter.winner == 0);
  OK(weft_ext_await_any(&one.awaiter, cases + 1, 3, &waits));
  CHECK(!waits && one.awaiter.winner == 1);

  OK(weft_ext_await_any(&one.awaiter, cases + 3, 1, &waits)); /* cancelled */
  CHECK(waits && weft_ext_await_cancel(&one.awaiter));

  weft_await_case unset[2] = {{&semaphore, WEFT_AWAIT_SEMAPHORE, 0, {0}}, {&events[2], WEFT_AWAIT_EVENT, 0, {0}}};
  one.awaiter.deadline_ns = weft_deadline_in(MILLISECOND); /* timed out, perhaps before it waits */
  const weft_status result = weft_ext_await_any(&one.awaiter, unset, 2, &waits);
  CHECK(result == WEFT_OK || result == WEFT_TIMEOUT);
  if (result == WEFT_OK) {
    wait_for(&one.calls, 2);
    CHECK(one.status == WEFT_TIMEOUT && one.awaiter.winner == 2);
  }

  weft_mutex recursive = WEFT_MUTEX_RECURSIVE_INIT; /* a case that is refused leaves no other behind */
  weft_await_case bad[2] = {{&events[2], WEFT_AWAIT_EVENT, 0, {0}}, {&recursive, WEFT_AWAIT_MUTEX, 0, {0}}};
  one.awaiter.deadline_ns = WEFT_FOREVER;
  const int calls = atomic_load(&one.calls);
  IS(WEFT_INVALID, weft_ext_await_any(&one.awaiter, bad, 2, &waits));
  weft_await_case worse[3] = {bad[0], bad[1], bad[0]};
  IS(WEFT_INVALID, weft_ext_await_any(&one.awaiter, worse, 3, &waits));
  OK(weft_event_set(&events[2]));
  CHECK(atomic_load(&one.calls) == calls);
}

/* The winner after a timeout is the count, whether the deadline passed before the call or later. */
static void winner_after_a_timeout(void) {
  weft_event events[2] = {WEFT_EVENT_INIT, WEFT_EVENT_INIT};
  weft_await_case cases[2] = {{&events[0], WEFT_AWAIT_EVENT, 0, {0}}, {&events[1], WEFT_AWAIT_EVENT, 0, {0}}};
  for (size_t count = 0; count <= 2; ++count) {
    struct wait one;
    prepare(&one, WEFT_AWAIT_EVENT);
    bool waits = false;
    one.awaiter.winner = 7;
    one.awaiter.deadline_ns = 1;
    IS(WEFT_TIMEOUT, weft_ext_await_any(&one.awaiter, cases, count, &waits));
    CHECK(one.awaiter.winner == count);
    one.awaiter.winner = 7;
    one.awaiter.deadline_ns = weft_deadline_in(MILLISECOND);
    if (weft_ext_await_any(&one.awaiter, cases, count, &waits) == WEFT_OK) {
      wait_for(&one.calls, 1);
      CHECK(one.status == WEFT_TIMEOUT);
    }
    CHECK(one.awaiter.winner == count);
    one.awaiter.deadline_ns = WEFT_FOREVER;
    OK(weft_ext_await_any(&one.awaiter, cases, count, &waits));
    CHECK(waits && weft_ext_await_cancel(&one.awaiter));
  }
}

/* Two setters race for one awaiter: one wins, and the other's token stays. */
struct race {
  weft_semaphore tokens[2];
  atomic_int go;
  atomic_int done;
};

static void release_in_race(struct race *race, int number) {
  while (atomic_load(&race->go) == 0) breathe();
  OK(weft_semaphore_release(&race->tokens[number], 1));
  atomic_fetch_add(&race->done, 1);
}
static void release_first(void *race) { release_in_race(race, 0); }
static void release_second(void *race) { release_in_race(race, 1); }

static void any_in_a_race(void) {
  for (int round = 0; round < MANY / 10; ++round) {
    struct race race = {{WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0)}, 0, 0};
    weft_thread *setters[2] = {start(release_first, &race), start(release_second, &race)};
    weft_await_case cases[2] = {{&race.tokens[0], WEFT_AWAIT_SEMAPHORE, 0, {0}}, {&race.tokens[1], WEFT_AWAIT_SEMAPHORE, 0, {0}}};
    struct wait one;
    prepare(&one, WEFT_AWAIT_SEMAPHORE);
    if (round % 2 == 0) atomic_store(&race.go, 1);
    bool waits = false;
    OK(weft_ext_await_any(&one.awaiter, cases, 2, &waits));
    atomic_store(&race.go, 1);
    const bool is_cancelled = round % 3 == 0 && waits && weft_ext_await_cancel(&one.awaiter);
    for (int i = 0; i < 2; ++i) OK(weft_thread_join(setters[i]));
    if (waits && !is_cancelled) wait_for(&one.calls, 1);
    int tokens = 0;
    for (int i = 0; i < 2; ++i) tokens += weft_semaphore_try_acquire(&race.tokens[i]) == WEFT_OK;
    CHECK(tokens == (is_cancelled ? 2 : 1));
  }
}

/* ---- deadlines alone ---- */

static void deadlines(void) {
  static struct wait waits[MANY];
  struct wait one;
  prepare(&one, WEFT_AWAIT_DEADLINE);
  if (arm_briefly(&one, NULL, WEFT_AWAIT_DEADLINE)) {
    wait_for(&one.calls, 1);
    CHECK(one.status == WEFT_TIMEOUT);
    const bool has_other_clock = weft_self() == NULL && getenv("WEFT_SCHEDULE") != NULL; /* than the workers */
    CHECK(has_other_clock || weft_now_ns() >= one.awaiter.deadline_ns);
  }
  for (int i = 0; i < MANY; ++i) {
    prepare(&waits[i], WEFT_AWAIT_DEADLINE);
    waits[i].awaiter.deadline_ns = weft_deadline_in(1000 * SECOND + (uint64_t)(i * 7919 % MANY));
    CHECK(arm(&waits[i], NULL, WEFT_AWAIT_DEADLINE));
  }
  for (int i = 0; i < MANY; ++i) CHECK(weft_ext_await_cancel(&waits[i * 31 % MANY].awaiter));
}

/* ---- what ready may do ---- */

struct chain {
  weft_awaiter awaiter;
  weft_event event;
  struct chain *next;
  atomic_int *ended;
};

static void pass_on(weft_awaiter *awaiter, weft_status status) {
  struct chain *mine = (struct chain *)awaiter;
  CHECK(status == WEFT_OK);
  IS(WEFT_CANNOT_BLOCK, weft_mutex_lock(&(weft_mutex){{1, 0, 0, 0, 0, 0}})); /* a held one */
  CHECK(!weft_ext_await_cancel(awaiter));
  if (mine->next != NULL) {
    OK(weft_event_set(&mine->next->event));
  } else {
    atomic_fetch_add(mine->ended, 1);
  }
}

/* Each ready ends the next wait: no stack grows with that. */
static void chains(void) {
  static struct chain links[50 * MANY];
  atomic_int ended = 0;
  for (int i = 0; i < 50 * MANY; ++i) {
    links[i] = (struct chain){WEFT_AWAITER_INIT(pass_on), WEFT_EVENT_INIT, i + 1 < 50 * MANY ? &links[i + 1] : NULL, &ended};
    bool waits = false;
    OK(weft_ext_await(&links[i].awaiter, &links[i].event, WEFT_AWAIT_EVENT, &waits));
    CHECK(waits);
  }
  OK(weft_event_set(&links[0].event));
  wait_for(&ended, 1);
}

/* ready arms its awaiter anew. */
struct again {
  weft_awaiter awaiter;
  weft_semaphore tokens;
  atomic_int calls;
};

static void take_again(weft_awaiter *awaiter, weft_status status) {
  struct again *mine = (struct again *)awaiter;
  CHECK(status == WEFT_OK);
  bool waits = false;
  int calls = 1;
  for (;; ++calls) {
    OK(weft_ext_await(awaiter, &mine->tokens, WEFT_AWAIT_SEMAPHORE, &waits));
    if (waits) break;
  }
  atomic_fetch_add(&mine->calls, calls);
}

static void arms_again(void) {
  struct again one = {WEFT_AWAITER_INIT(take_again), WEFT_SEMAPHORE_INIT(0), 0};
  bool waits = false;
  OK(weft_ext_await(&one.awaiter, &one.tokens, WEFT_AWAIT_SEMAPHORE, &waits));
  CHECK(waits);
  for (int i = 0; i < MANY; ++i) OK(weft_semaphore_release(&one.tokens, 1));
  wait_for(&one.calls, MANY);
  CHECK(weft_ext_await_cancel(&one.awaiter));
}

/* One event wakes both; the first ready cancels the second awaiter, whose ready then comes
 * inside that call. There both are being called on this OS thread, so a cancellation of either
 * returns at once. */
struct pair {
  weft_awaiter awaiter;
  struct wait *other;
  atomic_int done;
};

static weft_awaiter *outer;

static void cancel_both(weft_awaiter *awaiter, weft_status status) {
  CHECK(!weft_ext_await_cancel(awaiter));
  CHECK(!weft_ext_await_cancel(outer));
  note(awaiter, status);
}

static void cancel_other(weft_awaiter *awaiter, weft_status status) {
  struct pair *mine = (struct pair *)awaiter;
  CHECK(status == WEFT_OK);
  CHECK(!weft_ext_await_cancel(&mine->other->awaiter));
  CHECK(atomic_load(&mine->other->calls) == 1);
  atomic_fetch_add(&mine->done, 1);
}

static void cancels_the_other(void) {
  weft_event event = WEFT_EVENT_INIT;
  struct wait other;
  struct pair first = {WEFT_AWAITER_INIT(cancel_other), &other, 0};
  prepare(&other, WEFT_AWAIT_EVENT);
  other.awaiter.ready = cancel_both;
  outer = &first.awaiter;
  bool waits = false;
  OK(weft_ext_await(&first.awaiter, &event, WEFT_AWAIT_EVENT, &waits));
  CHECK(waits && arm(&other, &event, WEFT_AWAIT_EVENT));
  OK(weft_event_set(&event));
  wait_for(&first.done, 1);
}

/* One event ends the waits of two. When the first ready runs, the second awaiter still stands at
 * a word: it came too late for a waker of that word, which wakes the next one. */
struct word_waker {
  weft_awaiter awaiter;
  _Atomic uint32_t word;
};

static void wake_one_at_word(weft_awaiter *awaiter, weft_status status) {
  struct word_waker *mine = (struct word_waker *)awaiter;
  CHECK(status == WEFT_OK);
  CHECK(weft_word_wake(&mine->word, 1) == 1);
}

static void wakes_the_next_of_a_word(void) {
  weft_event event = WEFT_EVENT_INIT;
  struct word_waker first = {WEFT_AWAITER_INIT(wake_one_at_word), 0};
  weft_await_case cases[2] = {{&event, WEFT_AWAIT_EVENT, 0, {0}}, {&first.word, WEFT_AWAIT_WORD_4, 0, {0}}};
  struct wait second;
  struct wait next;
  prepare(&second, WEFT_AWAIT_EVENT);
  prepare(&next, WEFT_AWAIT_WORD_4);
  bool waits = false;
  OK(weft_ext_await(&first.awaiter, &event, WEFT_AWAIT_EVENT, &waits));
  CHECK(waits);
  OK(weft_ext_await_any(&second.awaiter, cases, 2, &waits));
  CHECK(waits && arm(&next, &first.word, WEFT_AWAIT_WORD_4));
  OK(weft_event_set(&event)); /* calls every ready before it returns */
  CHECK(atomic_load(&second.calls) == 1 && second.awaiter.winner == 0);
  CHECK(atomic_load(&next.calls) == 1 && next.status == WEFT_OK);
}

/* ---- order: one queue for all ---- */

struct order {
  weft_semaphore tokens;
  atomic_int next_place;
  atomic_int served; /* waiters whose place is written */
};
struct served {
  weft_awaiter awaiter;
  struct order *order;
  atomic_int place;
};

static void serve(struct served *mine) {
  atomic_store(&mine->place, atomic_fetch_add(&mine->order->next_place, 1) + 1);
  atomic_fetch_add(&mine->order->served, 1);
}

static void take_place(weft_awaiter *awaiter, weft_status status) {
  CHECK(status == WEFT_OK);
  serve((struct served *)awaiter);
}

static void wait_in_order(void *argument) {
  struct served *mine = argument;
  OK(weft_semaphore_acquire(&mine->order->tokens));
  serve(mine);
}

static void *wait_in_order_outside(void *argument) {
  wait_in_order(argument);
  return NULL;
}

static void one_queue_for_all(void) {
  struct order order = {WEFT_SEMAPHORE_INIT(0), 0, 0};
  struct served served[4];
  weft_thread *thread = NULL;
  pthread_t os_thread;
  for (int i = 0; i < 4; ++i) {
    served[i] = (struct served){WEFT_AWAITER_INIT(take_place), &order, 0};
    bool waits = false;
    if (i == 1) {
      thread = start(wait_in_order, &served[i]);
      wait_for_state(thread, WEFT_THREAD_BLOCKED);
    } else if (i == 2) {
      CHECK(pthread_create(&os_thread, NULL, wait_in_order_outside, &served[i]) == 0);
      for (int round = 0; round < 200; ++round) breathe(); /* it probably waits by now; if not, it is served all the same */
    } else {
      OK(weft_ext_await(&served[i].awaiter, &order.tokens, WEFT_AWAIT_SEMAPHORE, &waits));
      CHECK(waits);
    }
  }
  for (int i = 0; i < 4; ++i) {
    OK(weft_semaphore_release(&order.tokens, 1));
    wait_for(&order.served, i + 1);
    if (i < 2) CHECK(atomic_load(&served[i].place) == i + 1);
  }
  OK(weft_thread_join(thread));
  CHECK(pthread_join(os_thread, NULL) == 0);
}

/* ---- refusals ---- */

static void refuses_bad_arguments(void) {
  weft_event event = WEFT_EVENT_INIT;
  weft_mutex recursive = WEFT_MUTEX_RECURSIVE_INIT;
  weft_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  struct wait one;
  prepare(&one, WEFT_AWAIT_EVENT);
  bool waits = true;
  IS(WEFT_INVALID, weft_ext_await(NULL, &event, WEFT_AWAIT_EVENT, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, NULL, WEFT_AWAIT_EVENT, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, &event, (weft_await_kind)21, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, &event, WEFT_AWAIT_EVENT, NULL));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, (char *)&event + 1, WEFT_AWAIT_FEB_READ, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, (char *)&event + 2, WEFT_AWAIT_WORD_4, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, (char *)&event + 4, WEFT_AWAIT_WORD_8, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, &recursive, WEFT_AWAIT_MUTEX, &waits));
  IS(WEFT_INVALID, weft_ext_await(&one.awaiter, &barrier, WEFT_AWAIT_BARRIER, &waits));
  IS(WEFT_INVALID, weft_ext_await_any(&one.awaiter, NULL, 1, &waits));
  weft_awaiter unready = WEFT_AWAITER_INIT(NULL);
  IS(WEFT_INVALID, weft_ext_await(&unready, &event, WEFT_AWAIT_EVENT, &waits));
  CHECK(waits && !weft_ext_await_cancel(NULL) && !weft_ext_await_cancel(&one.awaiter));
}

static void all(void) {
  RUN(any_of_several);
  RUN(winner_after_a_timeout);
  RUN(any_in_a_race);
  RUN(deadlines);
  RUN(chains);
  RUN(arms_again);
  RUN(cancels_the_other);
  RUN(wakes_the_next_of_a_word);
  RUN(one_queue_for_all);
  RUN(refuses_bad_arguments);
}

/* Without a runtime: an OS thread wakes by itself. */
static void without_runtime(void) {
  weft_event event = WEFT_EVENT_INIT;
  struct wait one;
  prepare(&one, WEFT_AWAIT_EVENT);
  CHECK(arm(&one, &event, WEFT_AWAIT_EVENT));
  OK(weft_event_set(&event));
  CHECK(atomic_load(&one.calls) == 1);
  bool waits;
  one.awaiter.deadline_ns = weft_deadline_in(SECOND);
  IS(WEFT_NOT_INITIALIZED, weft_ext_await(&one.awaiter, NULL, WEFT_AWAIT_DEADLINE, &waits));
}

/* A wait with a deadline ends with the runtime, one without waits on. */
static void outlives_the_runtime(void) {
  weft_event events[2] = {WEFT_EVENT_INIT, WEFT_EVENT_INIT};
  struct wait with_deadline, other;
  weft_await_case cases[2] = {{.object = &events[0], .kind = WEFT_AWAIT_EVENT}, {.object = &events[1], .kind = WEFT_AWAIT_EVENT}};
  bool waits = false;
  init_with(1);
  prepare(&with_deadline, WEFT_AWAIT_EVENT);
  prepare(&other, WEFT_AWAIT_EVENT);
  with_deadline.awaiter.deadline_ns = weft_deadline_in(1000 * SECOND);
  OK(weft_ext_await_any(&with_deadline.awaiter, cases, 2, &waits));
  CHECK(waits && arm(&other, &events[1], WEFT_AWAIT_EVENT));
  OK(weft_finalize());
  CHECK(atomic_load(&with_deadline.calls) == 1 && with_deadline.status == WEFT_ENDED && with_deadline.awaiter.winner == 2);
  for (int i = 0; i < 2; ++i) OK(weft_event_set(&events[i]));
  CHECK(atomic_load(&with_deadline.calls) == 1);
  CHECK(atomic_load(&other.calls) == 1 && other.status == WEFT_OK);
}

int main(void) {
  RUN(without_runtime);
  RUN(outlives_the_runtime);
  run_all(all);
  return 0;
}
