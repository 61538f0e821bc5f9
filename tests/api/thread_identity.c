/* A thread's identity: self, id, name, state, kind. */
#include <string.h>

#include <weft/hot.h>

#include "check.h"

enum { MANY = 100 };

struct self_seen {
  weft_thread *self;
  uint64_t id;
  atomic_int may_end;
  atomic_int has_run;
};

static void look_at_self(void *argument) {
  struct self_seen *seen = argument;
  seen->self = weft_self();
  CHECK(weft_hot_self() == seen->self && weft_hot_known_self() == seen->self);
  seen->id = weft_thread_id(seen->self);
  CHECK(weft_thread_get_state(seen->self) == WEFT_THREAD_RUNNING);
  CHECK(!weft_thread_is_tasklet(seen->self));
  atomic_store(&seen->has_run, 1);
  wait_for(&seen->may_end, 1);
  CHECK(weft_self() == seen->self && weft_hot_self() == seen->self); /* wherever it went meanwhile */
  CHECK(weft_thread_id(weft_self()) == seen->id);
}

static void knows_itself(void) {
  struct self_seen seen[MANY];
  memset(seen, 0, sizeof seen);
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start(look_at_self, &seen[i]);
  for (int i = 0; i < MANY; ++i) wait_for(&seen[i].has_run, 1);
  for (int i = 0; i < MANY; ++i) {
    CHECK(seen[i].self == threads[i]);
    CHECK(weft_thread_id(threads[i]) == seen[i].id);
    CHECK(seen[i].id != 0);
    for (int other = 0; other < i; ++other) CHECK(seen[other].id != seen[i].id);
  }
  for (int i = 0; i < MANY; ++i) atomic_store(&seen[i].may_end, 1);
  OK(weft_thread_join_many(threads, MANY));
}

/* A descriptor is used again; its id is not. */
static void ids_are_not_used_again(void) {
  uint64_t last = weft_thread_id(weft_self());
  for (int round = 0; round < 1000; ++round) {
    weft_thread *one = start(nothing, NULL);
    const uint64_t id = weft_thread_id(one);
    CHECK(id > last);
    last = id;
    CHECK(strcmp(weft_thread_get_name(one), "") == 0);
    OK(weft_thread_set_name(one, "used"));
    OK(weft_thread_join(one));
  }
}

static void check_name(void *argument) { CHECK(strcmp(weft_thread_get_name(weft_self()), argument) == 0); }

static void name_itself(void *argument) {
  OK(weft_thread_set_name(weft_self(), argument));
  CHECK(strcmp(weft_thread_get_name(weft_self()), argument) == 0);
}

static void has_a_name(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  char name[64] = "reader";
  attr.name = name;
  weft_thread *one;
  OK(weft_thread_create(check_name, "reader", &attr, &one));
  strcpy(name, "overwritten");
  CHECK(strcmp(weft_thread_get_name(one), "reader") == 0);
  OK(weft_thread_join(one));

  const char *long_name = "abcdefghijklmnopqrstuvwxyz0123456789";
  one = start(nothing, NULL);
  CHECK(strcmp(weft_thread_get_name(one), "") == 0);
  OK(weft_thread_set_name(one, long_name));
  CHECK(strlen(weft_thread_get_name(one)) == 31);
  CHECK(strncmp(weft_thread_get_name(one), long_name, 31) == 0);
  OK(weft_thread_set_name(one, "short"));
  CHECK(strcmp(weft_thread_get_name(one), "short") == 0);
  OK(weft_thread_set_name(one, ""));
  CHECK(strcmp(weft_thread_get_name(one), "") == 0);
  OK(weft_thread_join(one));

  attr.name = long_name;
  OK(weft_thread_create(nothing, NULL, &attr, &one));
  CHECK(strlen(weft_thread_get_name(one)) == 31);
  OK(weft_thread_join(one));
  OK(weft_thread_join(start(name_itself, "myself")));

  CHECK(strcmp(weft_thread_get_name(NULL), "") == 0);
  IS(WEFT_INVALID, weft_thread_set_name(NULL, "nobody"));
  IS(WEFT_INVALID, weft_thread_set_name(weft_self(), NULL));
}

static void suspend_and_end(void *argument) {
  (void)argument;
  OK(weft_suspend());
}

static void wait_for_event(void *argument) { OK(weft_event_wait(argument)); }

/* On one worker nothing runs until this thread lets it. */
static void states_on_one_worker(void) {
  CHECK(weft_thread_get_state(weft_self()) == WEFT_THREAD_RUNNING);
  weft_thread *one = start(suspend_and_end, NULL);
  CHECK(weft_thread_get_state(one) == WEFT_THREAD_READY);
  wait_for_state(one, WEFT_THREAD_SUSPENDED);
  OK(weft_resume(one));
  CHECK(weft_thread_get_state(one) == WEFT_THREAD_READY);
  wait_for_state(one, WEFT_THREAD_ENDED);
  OK(weft_thread_join(one));

  weft_event event = WEFT_EVENT_INIT;
  one = start(wait_for_event, &event);
  wait_for_state(one, WEFT_THREAD_BLOCKED);
  OK(weft_event_set(&event));
  wait_for_state(one, WEFT_THREAD_ENDED);
  OK(weft_thread_join(one));
}

static void nobody(void) {
  CHECK(weft_thread_id(NULL) == 0);
  CHECK(!weft_thread_is_tasklet(NULL));
  CHECK(weft_thread_get_state(NULL) == WEFT_THREAD_ENDED);
}

static void all(void) {
  CHECK(weft_self() != NULL);
  CHECK(weft_thread_id(weft_self()) != 0);
  CHECK(weft_worker_self() == 0);
  RUN(knows_itself);
  RUN(ids_are_not_used_again);
  RUN(has_a_name);
  RUN(nobody);
}

int main(void) {
  CHECK(weft_self() == NULL && weft_hot_self() == NULL);
  CHECK(weft_worker_self() == -1);
  nobody();
  with_workers("one worker", 1, all);
  with_workers("states", 1, states_on_one_worker);
  with_workers("four workers", 4, all);
  CHECK(weft_self() == NULL);
  CHECK(weft_worker_self() == -1);
  return 0;
}
