/* Waits for streams and events of CUDA (cuda.h) or, with IS_HIP, of HIP (hip.h), on a driver that
 * does nothing (fake_device.h). */
#include <string.h>

#if defined(IS_HIP)
#include <weft/hip.h>
#define PREFIXED(name) fake_hip_##name
#define STREAM_WAIT weft_hip_stream_wait
#define EVENT_WAIT weft_hip_event_wait
#else
#include <weft/cuda.h>
#define PREFIXED(name) fake_cuda_##name
#define STREAM_WAIT weft_cuda_stream_wait
#define EVENT_WAIT weft_cuda_event_wait
#endif

#include "await_support.h"
#include "fake_device.h"
#include "os_thread.h"
#include "said.h"

enum { STREAMS = IS_SLOW ? 100 : 1000 };

static void *const legacy_stream = (void *)1;
static void *const own_stream = (void *)2;

/* In a context that is no worker's. */
static struct fake_work working(int left, int error) {
  const struct fake_work made = {left, error, 0, PREFIXED(context)(0)};
  return made;
}

static bool says(const char *text) { return strstr(weft_last_error(), text) != NULL; }

static void end_later(void *work) {
  CHECK(usleep(3000) == 0);
  fake_end(work);
}

/* ---- any caller ---- */

static void waits_until_it_is_done(void) {
  struct fake_work at_once = working(0, 0), soon = working(5, 0), event = working(4, 0), later = working(FAKE_UNTIL_TOLD, 0);
  int result = -1;
  OK(STREAM_WAIT(&at_once, WEFT_FOREVER, &result));
  CHECK(result == 0 && at_once.queries == 1);
  OK(STREAM_WAIT(&at_once, 0, NULL)); /* a deadline that has passed */
  OK(STREAM_WAIT(&soon, WEFT_FOREVER, NULL));
  CHECK(fake_get(&soon.queries) == 6);
  result = -1;
  OK(EVENT_WAIT(&event, weft_deadline_in(1000 * SECOND), &result));
  CHECK(result == 0 && fake_get(&event.queries) == 5);
  struct os_thread device;
  begin(&device, end_later, &later);
  OK(STREAM_WAIT(&later, WEFT_FOREVER, NULL));
  join(&device);
}

static void fails_with_the_driver_s_error(void) {
  struct fake_work at_once = working(0, FAKE_LAUNCH_FAILED), later = working(3, FAKE_LAUNCH_FAILED);
  int result = -1;
  IS(WEFT_INVALID, STREAM_WAIT(&at_once, WEFT_FOREVER, &result));
  CHECK(result == FAKE_LAUNCH_FAILED && says("_stream_wait: argument stream: the driver returned error 719 for it"));
  IS(WEFT_INVALID, STREAM_WAIT(&later, WEFT_FOREVER, NULL));
  CHECK(says("error 719") && fake_get(&later.queries) == 4);
  later.left = 2;
  IS(WEFT_INVALID, EVENT_WAIT(&later, weft_deadline_in(1000 * SECOND), &result));
  CHECK(result == FAKE_LAUNCH_FAILED && says("_event_wait: argument event: the driver returned error 719 for it"));
}

static void times_out(void) {
  struct fake_work never = working(FAKE_UNTIL_TOLD, 0);
  int result = -1;
  IS(WEFT_TIMEOUT, STREAM_WAIT(&never, 0, &result));
  CHECK(result == FAKE_NOT_READY && never.queries == 1 && says("_stream_wait: the deadline passed"));
  IS(WEFT_TIMEOUT, EVENT_WAIT(&never, weft_deadline_in(2 * MILLISECOND), NULL));
  CHECK(says("_event_wait: the deadline passed"));
  const int queries = fake_get(&never.queries);
  OK(weft_sleep_ns(3 * MILLISECOND));
  CHECK(fake_get(&never.queries) == queries);
}

/* The calling OS thread's own stream is not another one's. */
static void waits_for_its_own_stream(void) {
  PREFIXED(set_current)(PREFIXED(context)(1));
  struct fake_work *const own = PREFIXED(own_stream)();
  fake_set(&own->left, 3);
  fake_set(&own->error, 0);
  OK(STREAM_WAIT(own_stream, WEFT_FOREVER, NULL));
  CHECK(fake_get(&own->left) == 0);
  PREFIXED(set_current)(PREFIXED(context)(1)); /* maybe on another OS thread */
  fake_set(&PREFIXED(own_stream)()->left, FAKE_UNTIL_TOLD);
  IS(WEFT_TIMEOUT, STREAM_WAIT(own_stream, weft_deadline_in(MILLISECOND), NULL));
}

static void all_callers(void) {
  RUN(waits_until_it_is_done);
  RUN(fails_with_the_driver_s_error);
  RUN(times_out);
  RUN(waits_for_its_own_stream);
}

/* ---- in one OS thread ---- */

static void events_of_the_own_stream_are_destroyed(void) {
  CHECK(PREFIXED(events)() == 0);
  PREFIXED(set_current)(PREFIXED(context)(1));
  fake_end(PREFIXED(own_stream)());
  int result = -1;
  PREFIXED(fail_event)(FAKE_LAUNCH_FAILED, 0);
  IS(WEFT_INVALID, STREAM_WAIT(own_stream, WEFT_FOREVER, &result));
  CHECK(result == FAKE_LAUNCH_FAILED && PREFIXED(events)() == 0);
  PREFIXED(fail_event)(0, FAKE_NOT_READY + 1);
  IS(WEFT_INVALID, STREAM_WAIT(own_stream, WEFT_FOREVER, &result));
  CHECK(result == FAKE_NOT_READY + 1 && PREFIXED(events)() == 0);
}

#if !defined(IS_HIP)
static void without_a_context(void) {
  PREFIXED(set_current)(NULL);
  struct fake_work stream = working(2, 0), event = working(2, 0);
  int result = -1;
  OK(STREAM_WAIT(&stream, WEFT_FOREVER, NULL)); /* it has its own */
  OK(EVENT_WAIT(&event, WEFT_FOREVER, NULL));
  CHECK(PREFIXED(current)() == NULL);
  IS(WEFT_INVALID, STREAM_WAIT(NULL, WEFT_FOREVER, &result));
  CHECK(result == FAKE_INVALID_CONTEXT && says("error 201"));
}

static void of_a_green_context(void) {
  PREFIXED(set_current)(PREFIXED(context)(1));
  struct fake_work stream = working(3, 0);
  stream.context = NULL;
  OK(STREAM_WAIT(&stream, WEFT_FOREVER, NULL));
  CHECK(fake_get(&stream.queries) == 4);
}
#endif

/* ---- the default stream of the caller, whatever is current where it is polled ---- */

static void wait_for_default_stream(void *stream) {
  PREFIXED(set_current)(PREFIXED(context)(1));
  OK(STREAM_WAIT(stream, WEFT_FOREVER, NULL));
}

static void default_stream(void *stream) {
  struct fake_work *const mine = &PREFIXED(context)(1)->default_stream, *const others = &PREFIXED(context)(2)->default_stream;
  fake_set(&mine->left, FAKE_UNTIL_TOLD);
  fake_set(&mine->queries, 0);
  fake_set(&others->left, 0); /* a query of the wrong one ends the wait */
  fake_set(&others->queries, 0);
  weft_thread *const waiter = start(wait_for_default_stream, stream);
  wait_for_state(waiter, WEFT_THREAD_BLOCKED);
  PREFIXED(set_current)(PREFIXED(context)(2)); /* of the one worker */
  for (const int before = fake_get(&mine->queries); fake_get(&mine->queries) < before + 5;) breathe();
  CHECK(PREFIXED(current)() == PREFIXED(context)(2));
  CHECK(PREFIXED(capture_mode)() == 0);
  CHECK(weft_thread_get_state(waiter) == WEFT_THREAD_BLOCKED && fake_get(&others->queries) == 0);
  fake_end(mine);
  OK(weft_thread_join(waiter));
  CHECK(PREFIXED(current)() == PREFIXED(context)(2));
}

static void may_not_wait(void *argument) {
  struct fake_work never = working(FAKE_UNTIL_TOLD, 0), over = working(0, 0);
  IS(WEFT_CANNOT_BLOCK, STREAM_WAIT(&never, WEFT_FOREVER, NULL));
  CHECK(says("_stream_wait: the caller is a tasklet"));
  OK(STREAM_WAIT(&over, WEFT_FOREVER, NULL));
  atomic_store((atomic_int *)argument, 1);
}

static void tasklets(void) {
  atomic_int ran = 0;
  weft_thread *tasklet;
  OK(weft_tasklet_create(may_not_wait, &ran, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  CHECK(atomic_load(&ran) == 1);
}

static void on_one_worker(void) {
  RUN(events_of_the_own_stream_are_destroyed);
#if !defined(IS_HIP)
  RUN(without_a_context);
  RUN(of_a_green_context);
#endif
  default_stream(NULL);
  default_stream(legacy_stream);
  RUN(tasklets);
}

/* ---- many streams ---- */

static void wait_alone(void *stream) { OK(STREAM_WAIT(stream, WEFT_FOREVER, NULL)); }

static void end_in_turn(void *streams) {
  struct fake_work *const all = streams;
  for (int each = 0; each < STREAMS; ++each) {
    fake_end(&all[(each * 7) % STREAMS]);
    if (each % 50 == 0) CHECK(usleep(200) == 0);
  }
}

static void no_worker_is_held(void) {
  static struct fake_work all[STREAMS];
  static weft_thread *waiters[STREAMS];
  for (int each = 0; each < STREAMS; ++each) {
    all[each] = working(FAKE_UNTIL_TOLD, 0);
    waiters[each] = start(wait_alone, &all[each]);
  }
  for (int each = 0; each < STREAMS; ++each) wait_for_state(waiters[each], WEFT_THREAD_BLOCKED);
  for (int round = 0; round < 10; ++round) {
    atomic_int ran = 0;
    weft_thread *const first = start_pinned(add_one, &ran, 0), *const second = start_pinned(add_one, &ran, 1);
    OK(weft_thread_join(first));
    OK(weft_thread_join(second));
    CHECK(atomic_load(&ran) == 2);
  }
  struct os_thread device;
  begin(&device, end_in_turn, all);
  for (int each = 0; each < STREAMS; ++each) OK(weft_thread_join(waiters[each]));
  join(&device);
}

/* ---- the end of the runtime ---- */

static void is_dropped(unsigned workers) {
  phase = "drop";
  static struct fake_work never;
  never = working(FAKE_UNTIL_TOLD, 0);
  init_with(workers);
  weft_thread *const waiter = start(wait_alone, &never);
  wait_for_state(waiter, WEFT_THREAD_BLOCKED);
  OK(weft_thread_detach(waiter));
  OK(weft_finalize_with(WEFT_DROP));
  CHECK(lines_with("weft: dropped 1 thread at the end") == 1);
  const int queries = fake_get(&never.queries);
  init_with(workers);
  struct fake_work soon = working(10, 0);
  wait_alone(&soon);
  OK(weft_finalize());
  CHECK(fake_get(&never.queries) == queries);
}

int main(void) {
  listen_to_library();
  phase = "without a runtime";
  all_callers();
  run_all(all_callers);
  with_workers("one worker", 1, on_one_worker);
  with_workers("two workers", 2, no_worker_is_held);
  is_dropped(1);
  is_dropped(2);
  CHECK(PREFIXED(wrong_calls)() == 0);
  CHECK(PREFIXED(events)() == 0);
  return 0;
}
