/* What the tests of awaiters share: an awaiter that notes what its ready was told. */
#ifndef WEFT_TESTS_AWAIT_SUPPORT_H
#define WEFT_TESTS_AWAIT_SUPPORT_H

#include <pthread.h>
#include <string.h>
#include <weft/ext.h>

#include "check.h"

enum { MANY = IS_SLOW ? 200 : 2000 };

static inline uint64_t asked(weft_await_kind kind) {
  switch (kind) {
    case WEFT_AWAIT_FEB_WRITE:
    case WEFT_AWAIT_FEB_OVERWRITE:
    case WEFT_AWAIT_SYNCVAR_WRITE:
    case WEFT_AWAIT_SYNCVAR_OVERWRITE: return 9;
    default: return 0;
  }
}

struct wait {
  weft_awaiter awaiter; /* first: ready gets its address */
  atomic_int calls;
  weft_status status;
  uint64_t value;
};

static inline void note(weft_awaiter *awaiter, weft_status status) {
  struct wait *mine = (struct wait *)awaiter;
  CHECK(weft_self() == NULL);
  mine->status = status;
  mine->value = awaiter->value;
  atomic_fetch_add(&mine->calls, 1);
}

static inline void prepare(struct wait *one, weft_await_kind kind) {
  memset(one, 0, sizeof *one);
  one->awaiter = (weft_awaiter)WEFT_AWAITER_INIT(note);
  one->awaiter.value = asked(kind);
}

static inline bool arm(struct wait *one, void *object, weft_await_kind kind) {
  bool waits = false;
  OK(weft_ext_await(&one->awaiter, object, kind, &waits));
  return waits;
}

/* With a deadline that is near. False: it passed before the awaiter waits. */
static inline bool arm_briefly(struct wait *one, void *object, weft_await_kind kind) {
  bool waits = false;
  one->awaiter.deadline_ns = weft_deadline_in(MILLISECOND);
  const weft_status result = weft_ext_await(&one->awaiter, object, kind, &waits);
  CHECK(result == WEFT_TIMEOUT || (result == WEFT_OK && waits));
  return result == WEFT_OK;
}

static inline void all_in_a_thread(void *all) { (*(void (**)(void))all)(); }

struct outsider {
  void (*all)(void);
  atomic_int finished;
};

static inline void *all_outside(void *argument) {
  struct outsider *mine = argument;
  mine->all();
  atomic_store(&mine->finished, 1);
  return NULL;
}

/* Runs all() from main, a thread and an OS thread outside, with one worker and with three. */
static inline void run_all(void (*all)(void)) {
  for (unsigned workers = 1; workers <= 3; workers += 2) {
    init_with(workers);
    phase = "main";
    all();
    phase = "thread";
    OK(weft_thread_join(start(all_in_a_thread, &all)));
    phase = "outside";
    pthread_t os_thread;
    struct outsider outsider = {all, 0};
    CHECK(pthread_create(&os_thread, NULL, all_outside, &outsider) == 0);
    wait_for(&outsider.finished, 1); /* worker 0 runs others meanwhile */
    CHECK(pthread_join(os_thread, NULL) == 0);
    OK(weft_finalize());
  }
}

#endif
