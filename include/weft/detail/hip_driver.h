/* Weft: HIP's library, as device.h takes a driver. Included by hip.h. The current device says which
 * default stream is meant. */
#ifndef WEFT_DETAIL_HIP_DRIVER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_HIP_DRIVER_H

#include <weft/detail/device.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct weft_hip_functions {
  int (*query_stream)(void *stream);
  int (*query_event)(void *event);
  int (*create_event)(void **event, unsigned flags);
  int (*record_event)(void *event, void *stream);
  int (*destroy_event)(void *event);
  int (*get_device)(int *device);
  int (*set_device)(int device);
  int (*exchange_capture_mode)(int *mode);
} weft_hip_functions;

static weft_hip_functions weft_hip_called;
static weft_device_driver weft_hip_the_driver;
static pthread_once_t weft_hip_is_found = PTHREAD_ONCE_INIT;

static inline int weft_hip_place_of_event(weft_device_place *place) { return weft_hip_called.get_device(&place->device); }

static inline int weft_hip_place_of_stream(void *stream, weft_device_place *place) {
  (void)stream;
  return weft_hip_place_of_event(place);
}

static inline int weft_hip_enter(const weft_device_place *place, weft_device_place *before) {
  before->capture_mode = place->capture_mode;
  weft_hip_called.exchange_capture_mode(&before->capture_mode);
  const int code = weft_hip_called.get_device(&before->device);
  return code == 0 && place->device != before->device ? weft_hip_called.set_device(place->device) : code;
}

static inline void weft_hip_leave(const weft_device_place *before) {
  int now = 0;
  if (weft_hip_called.get_device(&now) == 0 && now != before->device) weft_hip_called.set_device(before->device);
  int mode = before->capture_mode;
  weft_hip_called.exchange_capture_mode(&mode);
}

static inline void weft_hip_find(void) {
  static const char *const libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL};
  static const char *const names[] = {"hipStreamQuery",
                                      "hipEventQuery",
                                      "hipEventCreateWithFlags",
                                      "hipEventRecord",
                                      "hipEventDestroy",
                                      "hipGetDevice",
                                      "hipSetDevice",
                                      "hipThreadExchangeStreamCaptureMode",
                                      NULL};
  void *found[sizeof weft_hip_called / sizeof(void *)];
  weft_device_driver *const driver = &weft_hip_the_driver;
  driver->missing = weft_device_find(libraries, names, found,
                                     "there is no libamdhip64.so.7, .6, .5 nor libamdhip64.so; install ROCm, or name the "
                                     "library's folder in LD_LIBRARY_PATH",
                                     "libamdhip64.so lacks a function that waits need; install ROCm 5.0 or newer");
  if (driver->missing != NULL) return;
  __builtin_memcpy(&weft_hip_called, found, sizeof found);
  driver->query_stream = weft_hip_called.query_stream;
  driver->query_event = weft_hip_called.query_event;
  driver->create_event = weft_hip_called.create_event;
  driver->record_event = weft_hip_called.record_event;
  driver->destroy_event = weft_hip_called.destroy_event;
  driver->place_of_stream = weft_hip_place_of_stream;
  driver->place_of_event = weft_hip_place_of_event;
  driver->enter = weft_hip_enter;
  driver->leave = weft_hip_leave;
}

static inline const weft_device_driver *weft_hip_driver(void) {
  pthread_once(&weft_hip_is_found, weft_hip_find);
  return &weft_hip_the_driver;
}

#if defined(__cplusplus)
}
#endif
#endif
