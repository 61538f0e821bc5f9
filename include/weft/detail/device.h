/* Weft: what waits for the work of a GPU share, whatever its driver. Included by cuda.h and hip.h;
 * the conventions of weft.h hold here. The driver's library is found when a program first waits, so
 * that neither Weft nor the program is linked with one. */
#ifndef WEFT_DETAIL_DEVICE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_DEVICE_H

#include <dlfcn.h>
#include <pthread.h>

#include <weft/failing.h>
#include <weft/polled.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* CUDA and HIP have the same numbers for these. */
#define WEFT_DEVICE_NOT_READY 600
#define WEFT_DEVICE_OWN_STREAM 2u /* the default stream of the calling OS thread, as a handle */
#define WEFT_DEVICE_EVENT_WITHOUT_TIME 2u
#define WEFT_DEVICE_RELAXED_CAPTURE 2

/* What a driver keeps for each OS thread, and what a query depends on. A driver uses one of context
 * and device. */
typedef struct weft_device_place {
  void *context;    /* null: any context will do */
  int device;       /* its number */
  int capture_mode; /* which calls are allowed while any OS thread captures a stream */
} weft_device_place;

/* A driver. Its functions return 0 or an error's code. */
typedef struct weft_device_driver {
  const char *missing; /* why the library cannot be used, or null */
  int (*query_stream)(void *stream);
  int (*query_event)(void *event);
  int (*create_event)(void **event, unsigned flags);
  int (*record_event)(void *event, void *stream);
  int (*destroy_event)(void *event);
  int (*place_of_stream)(void *stream, weft_device_place *place);
  int (*place_of_event)(weft_device_place *place);
  int (*enter)(const weft_device_place *place, weft_device_place *before);
  void (*leave)(const weft_device_place *before);
} weft_device_driver;

/* A wait for a stream or an event. */
typedef struct weft_device_wait {
  const weft_device_driver *driver;
  int (*query)(void *work);
  void *work;
  weft_device_place place;
  int result; /* of the last query */
} weft_device_wait;

/* ---- the driver's library ---- */

/* One of the libraries, of which a null pointer is the last, or null. flags: of dlopen. */
static inline void *weft_device_open(const char *const *libraries, int flags) {
  void *opened = NULL;
  for (; opened == NULL && *libraries != NULL; ++libraries) opened = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL | flags);
  return opened;
}

/* Finds the functions with these names, of which a null pointer is the last: in what the program is
 * linked with, else in a library that is loaded already, else in one that is loaded now.
 * Returns: null; or absent if there is no library, and old if it lacks a function. */
static inline const char *weft_device_find(const char *const *libraries, const char *const *names, void **functions,
                                           const char *absent, const char *old) {
  void *library = dlopen(NULL, RTLD_NOW);
  if (library == NULL || dlsym(library, names[0]) == NULL) library = weft_device_open(libraries, RTLD_NOLOAD);
  if (library == NULL) library = weft_device_open(libraries, 0);
  if (library == NULL) return absent;
  for (; *names != NULL; ++names, ++functions) {
    *functions = dlsym(library, *names);
    if (*functions == NULL) return old;
  }
  return NULL;
}

/* ---- waiting ---- */

/* What workers poll: the query of a weft_device_wait, as if the OS thread that waits had made it. */
static inline bool weft_device_is_done(void *argument) {
  weft_device_wait *one;
  __builtin_memcpy(&one, &argument, sizeof one);
  weft_device_place before = {NULL, 0, 0};
  one->result = one->driver->enter(&one->place, &before);
  if (one->result == 0) one->result = one->query(one->work);
  one->driver->leave(&before);
  return one->result != WEFT_DEVICE_NOT_READY;
}

/* Tells *result how the wait ended, and makes a failure the caller's last error. */
static inline weft_status weft_device_end(weft_status status, int code, const char *call, const char *argument, int *result) {
  if (result != NULL) *result = code;
  if (status == WEFT_TIMEOUT) return weft_ext_fail(status, call, NULL, "the deadline passed before the work was done", 0);
  if (status == WEFT_CANNOT_BLOCK) {
    return weft_ext_fail(status, call, NULL, "the caller is a tasklet, and the work is not done; wait in a thread", 0);
  }
  if (status != WEFT_OK) {
    weft_ext_fail_as(call);
    return status;
  }
  if (code == 0) return WEFT_OK;
  uint64_t value = 0;
  __builtin_memcpy(&value, &code, sizeof code);
  return weft_ext_fail(WEFT_INVALID, call, argument, "the driver returned error %d for it", value);
}

static inline weft_status weft_device_poll(weft_device_wait *one, uint64_t deadline_ns, const char *call, const char *argument,
                                           int *result) {
  one->place.capture_mode = WEFT_DEVICE_RELAXED_CAPTURE;
  one->result = WEFT_DEVICE_NOT_READY;
  const weft_status status = weft_wait_poll(weft_device_is_done, one, deadline_ns);
  return weft_device_end(status, one->result, call, argument, result);
}

/* Waits for an event. */
static inline weft_status weft_device_event_wait(const weft_device_driver *driver, void *event, uint64_t deadline_ns,
                                                 const char *call, int *result) {
  if (driver->missing != NULL) return weft_ext_fail(WEFT_UNSUPPORTED, call, NULL, driver->missing, 0);
  weft_device_wait one = {driver, driver->query_event, event, {NULL, 0, 0}, 0};
  const int code = driver->place_of_event(&one.place);
  if (code != 0) return weft_device_end(WEFT_OK, code, call, "event", result);
  return weft_device_poll(&one, deadline_ns, call, "event", result);
}

/* Waits for the stream that the driver keeps for the calling OS thread: a worker that polls has
 * another one. So the caller records an event there. */
static inline weft_status weft_device_own_stream_wait(weft_device_wait *one, uint64_t deadline_ns, const char *call,
                                                      int *result) {
  const weft_device_driver *const driver = one->driver;
  void *event = NULL;
  int code = driver->create_event(&event, WEFT_DEVICE_EVENT_WITHOUT_TIME);
  if (code != 0) return weft_device_end(WEFT_OK, code, call, "stream", result);
  code = driver->record_event(event, one->work);
  one->query = driver->query_event;
  one->work = event;
  const weft_status status = code == 0 ? weft_device_poll(one, deadline_ns, call, "stream", result)
                                       : weft_device_end(WEFT_OK, code, call, "stream", result);
  weft_device_place before = {NULL, 0, 0};
  if (driver->enter(&one->place, &before) == 0) driver->destroy_event(event); /* maybe on another OS thread */
  driver->leave(&before);
  return status;
}

/* Waits for a stream. */
static inline weft_status weft_device_stream_wait(const weft_device_driver *driver, void *stream, uint64_t deadline_ns,
                                                  const char *call, int *result) {
  if (driver->missing != NULL) return weft_ext_fail(WEFT_UNSUPPORTED, call, NULL, driver->missing, 0);
  weft_device_wait one = {driver, driver->query_stream, stream, {NULL, 0, WEFT_DEVICE_RELAXED_CAPTURE}, 0};
  const int code = driver->place_of_stream(stream, &one.place);
  if (code != 0) return weft_device_end(WEFT_OK, code, call, "stream", result);
  uintptr_t handle;
  __builtin_memcpy(&handle, &stream, sizeof handle);
  if (handle == WEFT_DEVICE_OWN_STREAM) return weft_device_own_stream_wait(&one, deadline_ns, call, result);
  return weft_device_poll(&one, deadline_ns, call, "stream", result);
}

#if defined(__cplusplus)
}
#endif
#endif
