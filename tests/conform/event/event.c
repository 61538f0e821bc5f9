/* Programs that share libevent's objects among threads (ULTs) of one worker and OS threads, by the
 * locks of libweft-event or of libevent_pthreads: what it is linked with. With the latter "held",
 * "deleted" and "taken" hang.
 *
 * usage: event held | deleted | taken | exclusive | restarted | loop | forked | changed */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { rounds = 200, threads = 4 };

static struct evbuffer *buffer;
static struct event_base *base;
static struct event *event;
static atomic_int holds, may_go, done;

/* On an OS thread outside. */
static void await(atomic_int *flag) {
  while (*flag == 0) usleep(100);
}

static void let_go(void *argument) {
  (void)argument;
  may_go = 1;
}

/* Makes the thread that ends the wait, which runs on the worker of this one, and waits. */
static void wait_behind(void (*call)(void)) {
  weft_thread *const other = start(let_go, NULL);
  puts("waits");
  fflush(stdout);
  call();
  CHECK(may_go == 1);
  OK(weft_thread_join(other));
}

/* ---- a lock that an OS thread holds until a ULT has run ---------------------------------------- */

static void *hold(void *argument) {
  (void)argument;
  evbuffer_lock(buffer);
  holds = 1;
  await(&may_go);
  evbuffer_unlock(buffer);
  return NULL;
}

static void take_lock(void) {
  evbuffer_lock(buffer);
  evbuffer_unlock(buffer);
}

static void held(void) {
  init(1);
  const pthread_t holder = start_os(hold, NULL);
  await(&holds);
  wait_behind(take_lock);
  join_os(holder);
  OK(weft_finalize());
}

/* ---- an event whose callback waits for a ULT --------------------------------------------------- */

static void call_back(evutil_socket_t socket, short what, void *argument) {
  (void)socket, (void)what, (void)argument;
  holds = 1;
  await(&may_go);
  done = 1;
}

static void *run_loop(void *argument) {
  (void)argument;
  event_base_dispatch(base);
  return NULL;
}

static void delete_event(void) {
  CHECK(event_del(event) == 0); /* returns when the callback has ended */
  CHECK(done == 1);
}

static void deleted(void) {
  init(1);
  event = event_new(base, -1, 0, call_back, NULL);
  event_active(event, EV_TIMEOUT, 0);
  const pthread_t loop = start_os(run_loop, NULL);
  await(&holds);
  wait_behind(delete_event);
  join_os(loop);
  event_free(event);
  OK(weft_finalize());
}

/* ---- an internal OS thread that takes a ULT's lock ---------------------------------------------- */

static void hold_until_told(void *argument) {
  (void)argument;
  evbuffer_lock(buffer);
  holds = 1;
  while (may_go == 0) weft_yield();
  evbuffer_unlock(buffer);
}

/* Of the loop's OS thread. */
static void take_lock_of_ult(evutil_socket_t socket, short what, void *argument) {
  (void)socket, (void)what, (void)argument;
  holds = 2;
  take_lock();
  CHECK(may_go == 1);
  done = 1;
}

/* The loop's OS thread waits for the lock, event_del for the loop's OS thread, and the holder for
 * the worker on which event_del waits. */
static void taken(void) {
  init(1);
  weft_thread *const holder = start(hold_until_told, NULL);
  while (holds == 0) weft_yield();
  event = event_new(base, -1, 0, take_lock_of_ult, NULL);
  event_active(event, EV_TIMEOUT, 0);
  const pthread_t loop_thread = start_os(run_loop, NULL);
  while (holds != 2) usleep(100);
  wait_behind(delete_event);
  OK(weft_thread_join(holder));
  join_os(loop_thread);
  event_free(event);
  OK(weft_finalize());
}

/* ---- exclusion --------------------------------------------------------------------------------- */

static int entered, total;

/* Twice, as libevent's own functions take the lock of a buffer that the caller has. */
static void enter(bool is_ult) {
  for (int i = 0; i < rounds; ++i) {
    evbuffer_lock(buffer);
    evbuffer_lock(buffer);
    CHECK(++entered == 1);
    if (is_ult) weft_yield();
    CHECK(--entered == 0);
    ++total;
    evbuffer_unlock(buffer);
    evbuffer_unlock(buffer);
  }
}
static void enter_as_ult(void *argument) {
  (void)argument;
  enter(true);
}
static void *enter_as_os_thread(void *argument) {
  (void)argument;
  enter(false);
  return NULL;
}

static void exclusive(void) {
  weft_thread *ults[threads];
  init(2);
  const pthread_t other = start_os(enter_as_os_thread, NULL);
  for (int i = 0; i < threads; ++i) ults[i] = start(enter_as_ult, NULL);
  for (int i = 0; i < threads; ++i) OK(weft_thread_join(ults[i]));
  join_os(other);
  CHECK(total == (threads + 1) * rounds);
  OK(weft_finalize());
}

/* ---- before the start, while the runtime runs, after its end ----------------------------------- */

static void restarted(void) {
  evbuffer_lock(buffer);
  evbuffer_lock(buffer);
  init(1);
  evbuffer_unlock(buffer);
  CHECK(evbuffer_add(buffer, "weft", 4) == 0);
  evbuffer_unlock(buffer);
  weft_thread *const other = start(enter_as_ult, NULL);
  OK(weft_thread_join(other));
  OK(weft_finalize());
  take_lock();
  CHECK(evbuffer_get_length(buffer) == 4);
}

/* ---- a loop in a blocking region, which other threads wake ------------------------------------- */

static int calls;

static void count(evutil_socket_t socket, short what, void *argument) {
  (void)socket, (void)what, (void)argument;
  ++calls;
  may_go = calls;
  if (calls == rounds) CHECK(event_base_loopbreak(base) == 0);
}

static void dispatch(void *argument) {
  (void)argument;
  CHECK(event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY) == 0);
}

static void loop_in_region(void *argument) {
  (void)argument;
  OK(weft_blocking(dispatch, NULL));
}

static void loop(void) {
  init(1);
  event = event_new(base, -1, 0, count, NULL);
  weft_thread *const looper = start(loop_in_region, NULL);
  for (int i = 0; i < rounds; ++i) {
    event_active(event, EV_READ, 0);
    while (may_go != i + 1) weft_yield();
  }
  OK(weft_thread_join(looper));
  CHECK(calls == rounds);
  event_free(event);
  OK(weft_finalize());
}

/* ---- a child of fork(2), where there is no runtime ---------------------------------------------- */

static void count_in_child(evutil_socket_t descriptor, short what, void *argument) {
  (void)descriptor, (void)what, (void)argument;
  ++calls;
}

static int begin_anew(void) {
  const struct timeval at_once = {0, 1000};
  CHECK(event_reinit(base) == 0);
  CHECK(event_base_once(base, -1, EV_TIMEOUT, count_in_child, NULL, &at_once) == 0);
  CHECK(event_base_dispatch(base) == 1 && calls == 1); /* no event is left */
  evbuffer_lock(buffer);
  CHECK(evbuffer_add(buffer, "x", 1) == 0);
  evbuffer_unlock(buffer);
  return 0;
}

static void forked(void) {
  int status = 1;
  init(2);
  const pid_t child = fork();
  if (child == 0) _exit(begin_anew());
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  OK(weft_finalize());
}

/* ---- what libevent was told before ------------------------------------------------------------- */

static void *no_lock(unsigned kind) { return kind == 99 ? NULL : malloc(1); }
static void free_no_lock(void *lock, unsigned kind) {
  (void)kind;
  free(lock);
}
static int no_call(unsigned mode, void *lock) {
  (void)mode, (void)lock;
  return 0;
}

static int changed(void) {
  const struct evthread_lock_callbacks others = {
      EVTHREAD_LOCK_API_VERSION, EVTHREAD_LOCKTYPE_RECURSIVE, no_lock, free_no_lock, no_call, no_call};
  CHECK(evthread_set_lock_callbacks(&others) == 0);
  CHECK(evthread_use_pthreads() == -1);
  puts("passed");
  return 0;
}

int main(int count_of_words, char **words) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"held", held},           {"deleted", deleted}, {"taken", taken},  {"exclusive", exclusive},
               {"restarted", restarted}, {"loop", loop},       {"forked", forked}};
  CHECK(count_of_words == 2);
  if (strcmp(words[1], "changed") == 0) return changed();
  CHECK(evthread_use_pthreads() == 0);
  CHECK(evthread_use_pthreads() == 0); /* again: nothing changes */
  CHECK((base = event_base_new()) != NULL);
  CHECK((buffer = evbuffer_new()) != NULL);
  CHECK(evbuffer_enable_locking(buffer, NULL) == 0);
  bool is_found = false;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(cases[i].name, words[1]) != 0) continue;
    is_found = true;
    cases[i].run();
  }
  CHECK(is_found);
  evbuffer_free(buffer);
  event_base_free(base);
  libevent_global_shutdown();
  puts("passed");
  return 0;
}
