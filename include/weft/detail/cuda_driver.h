/* Weft: CUDA's driver, as device.h takes one. Included by cuda.h. A stream's query needs a current
 * context, and of the default streams it is the context that says which one is meant. */
#ifndef WEFT_DETAIL_CUDA_DRIVER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_CUDA_DRIVER_H

#include <weft/detail/device.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define WEFT_CUDA_NOT_SUPPORTED 801

typedef struct weft_cuda_functions {
  int (*query_stream)(void *stream);
  int (*query_event)(void *event);
  int (*create_event)(void **event, unsigned flags);
  int (*record_event)(void *event, void *stream);
  int (*destroy_event)(void *event);
  int (*get_stream_context)(void *stream, void **context);
  int (*get_context)(void **context);
  int (*set_context)(void *context);
  int (*exchange_capture_mode)(int *mode);
} weft_cuda_functions;

static weft_cuda_functions weft_cuda_called;
static weft_device_driver weft_cuda_the_driver;
static pthread_once_t weft_cuda_is_found = PTHREAD_ONCE_INIT;

static inline int weft_cuda_place_of_event(weft_device_place *place) { return weft_cuda_called.get_context(&place->context); }

/* A green context's stream has none that this function could tell. */
static inline int weft_cuda_place_of_stream(void *stream, weft_device_place *place) {
  const int code = weft_cuda_called.get_stream_context(stream, &place->context);
  return code == WEFT_CUDA_NOT_SUPPORTED ? weft_cuda_place_of_event(place) : code;
}

static inline int weft_cuda_enter(const weft_device_place *place, weft_device_place *before) {
  before->capture_mode = place->capture_mode;
  weft_cuda_called.exchange_capture_mode(&before->capture_mode);
  const int code = weft_cuda_called.get_context(&before->context);
  if (code != 0 || place->context == NULL || place->context == before->context) return code;
  return weft_cuda_called.set_context(place->context);
}

static inline void weft_cuda_leave(const weft_device_place *before) {
  void *now = NULL;
  if (weft_cuda_called.get_context(&now) == 0 && now != before->context) weft_cuda_called.set_context(before->context);
  int mode = before->capture_mode;
  weft_cuda_called.exchange_capture_mode(&mode);
}

static inline void weft_cuda_find(void) {
  static const char *const libraries[] = {"libcuda.so.1", NULL};
  static const char *const names[] = {"cuStreamQuery",
                                      "cuEventQuery",
                                      "cuEventCreate",
                                      "cuEventRecord",
                                      "cuEventDestroy_v2",
                                      "cuStreamGetCtx",
                                      "cuCtxGetCurrent",
                                      "cuCtxSetCurrent",
                                      "cuThreadExchangeStreamCaptureMode",
                                      NULL};
  void *found[sizeof weft_cuda_called / sizeof(void *)];
  weft_device_driver *const driver = &weft_cuda_the_driver;
  driver->missing = weft_device_find(libraries, names, found,
                                     "there is no libcuda.so.1; install NVIDIA's driver, or name the library's folder in "
                                     "LD_LIBRARY_PATH",
                                     "libcuda.so.1 lacks a function that waits need; install the driver of CUDA 10.1 or newer");
  if (driver->missing != NULL) return;
  __builtin_memcpy(&weft_cuda_called, found, sizeof found);
  driver->query_stream = weft_cuda_called.query_stream;
  driver->query_event = weft_cuda_called.query_event;
  driver->create_event = weft_cuda_called.create_event;
  driver->record_event = weft_cuda_called.record_event;
  driver->destroy_event = weft_cuda_called.destroy_event;
  driver->place_of_stream = weft_cuda_place_of_stream;
  driver->place_of_event = weft_cuda_place_of_event;
  driver->enter = weft_cuda_enter;
  driver->leave = weft_cuda_leave;
}

static inline const weft_device_driver *weft_cuda_driver(void) {
  pthread_once(&weft_cuda_is_found, weft_cuda_find);
  return &weft_cuda_the_driver;
}

#if defined(__cplusplus)
}
#endif
#endif
