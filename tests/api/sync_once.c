/* What happens once: weft_event, the latch, weft_once, weft_future. */
#include <string.h>

#include "sync_support.h"

enum { CALLERS = 8, ROUNDS = IS_SLOW ? 20 : 100 };

/* ---- event ---- */

struct message {
  weft_event sent;
  int text;
  atomic_int left;
};

static void receive(void *argument, int index) {
  struct message *message = argument;
  weft_status end;
  do {
    end = index % 3 == 0 ? weft_event_wait(&message->sent)
                         : weft_event_wait_until(&message->sent, weft_deadline_in((uint64_t)index * 20000));
  } while (end == WEFT_TIMEOUT);
  IS_OK(end);
  CHECK(weft_event_is_set(&message->sent));
  CHECK(message->text == 42);
  if (atomic_fetch_sub(&message->left, 1) == 1) { /* the setter may be still on its way out */
    memset(message, 0xff, sizeof *message);
    free(message);
  }
}

static void sets_while_others_come(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    struct message *message = calloc(1, sizeof *message);
    CHECK(message != NULL);
    message->left = CALLERS;
    struct team team;
    start_team(&team, CALLERS, receive, message);
    if (round % 2 == 0) breathe();
    message->text = 42;
    IS_OK(weft_event_set(&message->sent));
    end_team(&team);
  }
}

static void set_and_reset(void) {
  weft_event event = WEFT_EVENT_INIT;
  CHECK(!weft_event_is_set(&event));
  CHECK(weft_event_wait_until(&event, weft_deadline_in(MILLISECOND)) == WEFT_TIMEOUT);
  CHECK(weft_event_wait_until(&event, 0) == WEFT_TIMEOUT);
  for (int round = 0; round < 2; ++round) {
    IS_OK(weft_event_set(&event));
    IS_OK(weft_event_set(&event));
    IS_OK(weft_event_wait(&event));
    IS_OK(weft_event_wait_until(&event, 0));
    IS_OK(weft_event_reset(&event));
    CHECK(!weft_event_is_set(&event));
  }
}

/* ---- latch ---- */

struct work {
  weft_event done;
  int parts[CALLERS];
};

static void do_part(void *argument, int index) {
  struct work *work = argument;
  work->parts[index] = 1;
  IS_OK(weft_latch_count_down(&work->done, 1));
}

static void latch(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    struct work work = {.done = WEFT_LATCH_INIT(CALLERS + 3)};
    struct team team;
    start_team(&team, CALLERS, do_part, &work);
    IS_OK(weft_latch_count_down(&work.done, 3));
    IS_OK(weft_event_wait(&work.done));
    for (int i = 0; i < CALLERS; ++i) CHECK(work.parts[i] == 1);
    end_team(&team);
  }
  weft_event small = WEFT_LATCH_INIT(2);
  CHECK(weft_latch_count_down(&small, 3) == WEFT_INVALID);
  IS_OK(weft_latch_count_down(&small, 0));
  IS_OK(weft_latch_count_down(&small, 1));
  CHECK(!weft_event_is_set(&small));
  IS_OK(weft_latch_count_down(&small, 1));
  CHECK(weft_event_is_set(&small));
  CHECK(weft_latch_count_down(&small, 1) == WEFT_INVALID);
  const unsigned parts = 0;
  weft_event none = WEFT_LATCH_INIT(parts);
  static weft_event never = WEFT_LATCH_INIT(0);
  CHECK(weft_event_is_set(&none) && weft_event_is_set(&never));
  IS_OK(weft_event_wait_until(&none, 0));
  CHECK(weft_latch_count_down(&none, 1) == WEFT_INVALID);
}

/* ---- once ---- */

struct lazy {
  weft_once once;
  int made;
};

static void make(void *argument) {
  struct lazy *lazy = argument;
  breathe(); /* others come meanwhile */
  ++lazy->made;
}

static void use(void *argument, int index) {
  (void)index;
  struct lazy *lazy = argument;
  IS_OK(weft_once_call(&lazy->once, make, lazy));
  CHECK(lazy->made == 1);
}

static void once(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    struct lazy lazy = {WEFT_ONCE_INIT, 0};
    run_team(CALLERS, use, &lazy);
    CHECK(lazy.made == 1);
  }
}

/* ---- future ---- */

struct result {
  weft_future future;
  int value;
  atomic_int setters;
};

static void set_or_get(void *argument, int index) {
  struct result *result = argument;
  if (index < 2) { /* one of two wins */
    const weft_status end = weft_future_set(&result->future, &result->value);
    CHECK(end == WEFT_OK || end == WEFT_BUSY);
    if (end == WEFT_OK) atomic_fetch_add(&result->setters, 1);
    return;
  }
  void *value = NULL;
  weft_status end;
  do {
    end = index % 2 == 0 ? weft_future_get(&result->future, &value)
                         : weft_future_get_until(&result->future, weft_deadline_in((uint64_t)index * 20000), &value);
    CHECK(end == WEFT_OK || value == NULL); /* untouched on failure */
  } while (end == WEFT_TIMEOUT);
  IS_OK(end);
  CHECK(value == &result->value);
  CHECK(weft_future_is_set(&result->future));
}

static void future(void) {
  for (int round = 0; round < ROUNDS; ++round) {
    struct result result = {.future = WEFT_FUTURE_INIT};
    run_team(CALLERS, set_or_get, &result);
    CHECK(atomic_load(&result.setters) == 1);
    CHECK(weft_future_set(&result.future, NULL) == WEFT_BUSY);
  }
}

/* ---- arguments ---- */

static void arguments(void) {
  weft_once fresh = WEFT_ONCE_INIT;
  weft_future unset = WEFT_FUTURE_INIT;
  void *value = &fresh;
  CHECK(weft_event_wait(NULL) == WEFT_INVALID);
  CHECK(weft_event_wait_until(NULL, 0) == WEFT_INVALID);
  CHECK(!weft_event_is_set(NULL));
  CHECK(weft_event_set(NULL) == WEFT_INVALID);
  CHECK(weft_event_reset(NULL) == WEFT_INVALID);
  CHECK(weft_latch_count_down(NULL, 1) == WEFT_INVALID);
  CHECK(weft_once_call(NULL, make, NULL) == WEFT_INVALID);
  CHECK(weft_once_call(&fresh, NULL, NULL) == WEFT_INVALID);
  CHECK(weft_future_set(NULL, NULL) == WEFT_INVALID);
  CHECK(weft_future_get(NULL, &value) == WEFT_INVALID);
  CHECK(weft_future_get(&unset, NULL) == WEFT_INVALID);
  CHECK(weft_future_get_until(NULL, 0, &value) == WEFT_INVALID);
  CHECK(weft_future_get_until(&unset, 0, &value) == WEFT_TIMEOUT && value == &fresh);
  CHECK(!weft_future_is_set(NULL));
}

/* ---- with a runtime ---- */

static weft_status wait_for_event(void *event) { return weft_event_wait(event); }

static void tasklets(void) {
  weft_event event = WEFT_EVENT_INIT;
  CHECK(in_tasklet(wait_for_event, &event) == WEFT_CANNOT_BLOCK);
  IS_OK(weft_event_set(&event));
  IS_OK(in_tasklet(wait_for_event, &event));
}

static void anywhere(void) {
  sets_while_others_come();
  set_and_reset();
  latch();
  once();
  future();
  arguments();
}

int main(void) { return run_phases(anywhere, tasklets); }
