/* See fake_device.h. Compiled once as CUDA's driver and once, with IS_HIP, as HIP's library. */
#include "fake_device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(IS_HIP)
#define CONTROL(name) fake_hip_##name
#else
#define CONTROL(name) fake_cuda_##name
#endif

enum { RELAXED = 2 };

/* An event of the program's own is a fake_work. One that the driver made refers to the stream in
 * which it was recorded. */
struct event {
  struct fake_work work; /* first; context is null */
  struct fake_work *recorded;
};

static struct fake_context contexts[FAKE_DEVICES];
static __thread struct fake_context *current;
static __thread int capture_mode;
static __thread struct fake_work own_stream;
static struct event *made[64]; /* atomic; events that the driver made */
static int events, wrong_calls, create_fails, record_fails;

static int add(int *value, int by) { return __atomic_add_fetch(value, by, __ATOMIC_SEQ_CST); }

static struct fake_context *current_context(void) {
#if defined(IS_HIP)
  if (current == NULL) current = &contexts[0];
#endif
  return current;
}

/* ---- what tests ask ---- */

struct fake_work *CONTROL(own_stream)(void) { return &own_stream; }
struct fake_context *CONTROL(current)(void) { return current_context(); }
int CONTROL(capture_mode)(void) { return capture_mode; }
void CONTROL(set_current)(struct fake_context *context) { current = context; }
struct fake_context *CONTROL(context)(int number) { return &contexts[number]; }
int CONTROL(events)(void) { return fake_get(&events); }
int CONTROL(wrong_calls)(void) { return fake_get(&wrong_calls); }
void CONTROL(fail_event)(int at_create, int at_record) {
  fake_set(&create_fails, at_create);
  fake_set(&record_fails, at_record);
}

/* ---- what drivers do ---- */

static int ask(struct fake_work *work) {
  if (capture_mode != RELAXED) add(&wrong_calls, 1);
  add(&work->queries, 1);
  const int left = fake_get(&work->left);
  if (left == 0) return fake_get(&work->error);
  if (left > 0) add(&work->left, -1);
  return FAKE_NOT_READY;
}

static struct fake_work *work_of(void *stream) {
  const uintptr_t handle = (uintptr_t)stream;
  if (handle == 2) return &own_stream;
  if (handle > 2) return stream;
  struct fake_context *const context = current_context();
  return context == NULL ? NULL : &context->default_stream;
}

static int query_stream(void *stream) {
  struct fake_work *const work = work_of(stream);
  if (work == NULL || current_context() == NULL) return FAKE_INVALID_CONTEXT;
#if !defined(IS_HIP)
  if ((uintptr_t)stream > 2 && work->context != NULL && work->context != current_context()) add(&wrong_calls, 1);
#endif
  return ask(work);
}

static struct event *made_event(const void *event) {
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    struct event *const one = __atomic_load_n(&made[i], __ATOMIC_SEQ_CST);
    if (one != NULL && one == event) return one;
  }
  return NULL;
}

static int query_event(void *event) {
  struct event *const one = made_event(event);
  return ask(one == NULL ? event : one->recorded);
}

static int create_event(void **event, unsigned flags) {
  const int code = __atomic_exchange_n(&create_fails, 0, __ATOMIC_SEQ_CST);
  if (code != 0) return code;
  if (flags != 2 || current_context() == NULL) return FAKE_INVALID_CONTEXT;
  struct event *const one = calloc(1, sizeof *one);
  if (one == NULL) return 2;
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    struct event *none = NULL;
    if (!__atomic_compare_exchange_n(&made[i], &none, one, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
    add(&events, 1);
    *event = one;
    return 0;
  }
  free(one);
  return 2;
}

static int record_event(void *event, void *stream) {
  const int code = __atomic_exchange_n(&record_fails, 0, __ATOMIC_SEQ_CST);
  if (code != 0) return code;
  made_event(event)->recorded = work_of(stream);
  return 0;
}

static int destroy_event(void *event) {
  if (current_context() == NULL) add(&wrong_calls, 1);
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    struct event *one = event;
    if (__atomic_compare_exchange_n(&made[i], &one, NULL, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) add(&events, -1);
  }
  free(event);
  return 0;
}

static int exchange_capture_mode(int *mode) {
  const int before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return 0;
}

#if defined(IS_HIP)

int hipStreamQuery(void *stream) { return query_stream(stream); }
int hipEventQuery(void *event) { return query_event(event); }
int hipEventCreateWithFlags(void **event, unsigned flags) { return create_event(event, flags); }
int hipEventRecord(void *event, void *stream) { return record_event(event, stream); }
int hipEventDestroy(void *event) { return destroy_event(event); }
int hipThreadExchangeStreamCaptureMode(int *mode) { return exchange_capture_mode(mode); }

int hipGetDevice(int *device) {
  *device = (int)(current_context() - contexts);
  return 0;
}

int hipSetDevice(int device) {
  if (device < 0 || device >= FAKE_DEVICES) return 101;
  current = &contexts[device];
  return 0;
}

#else

int cuStreamQuery(void *stream) { return query_stream(stream); }
int cuEventQuery(void *event) { return query_event(event); }
int cuEventCreate(void **event, unsigned flags) { return create_event(event, flags); }
int cuEventRecord(void *event, void *stream) { return record_event(event, stream); }
int cuEventDestroy_v2(void *event) { return destroy_event(event); }
int cuThreadExchangeStreamCaptureMode(int *mode) { return exchange_capture_mode(mode); }

int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}

int cuCtxSetCurrent(void *context) {
  current = context;
  return 0;
}

int cuStreamGetCtx(void *stream, void **context) {
  const bool is_default = (uintptr_t)stream <= 2;
  *context = is_default ? current : ((struct fake_work *)stream)->context;
  if (*context != NULL) return 0;
  return is_default ? FAKE_INVALID_CONTEXT : FAKE_NOT_SUPPORTED;
}

#endif
