/* Weft: waiting for streams and events of HIP. The conventions of weft.h hold here, and what
 * weft_wait_poll (polled.h) says of its callers: the caller parks, and one worker asks the library
 * for all that wait, between the threads that it runs.
 *
 * Neither this header nor Weft needs anything of HIP when a program is built. The functions are
 * those of libamdhip64.so. The first wait looks for them in what the program has loaded, and then
 * loads the library, of ROCm 7, 6 or 5. Where HIP stands on CUDA, streams and events are CUDA's:
 * cuda.h.
 *
 * The library keeps a current device for each OS thread. A query is made with the device that was
 * current for the caller, which says what default stream is meant. The worker that polls puts its
 * own device back. A thread that has waited may go on on another OS thread, with the device that is
 * current there: before it launches more it sets its device again (hipSetDevice), or it is pinned
 * (weft_pin).
 *
 * Waits disturb no capture of other streams. */
#ifndef WEFT_HIP_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_HIP_H

#include <weft/detail/hip_driver.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Waits until all work of a stream is done.
 * stream is a hipStream_t. Null is the default stream of the caller's current device. For
 * hipStreamPerThread the call records an event in the stream of the calling OS thread, and waits
 * for that. The stream stays until the call returns. deadline_ns may be WEFT_FOREVER. result may be
 * null; *result receives what the library said last: 0, 600 if the work was not done, or an error,
 * of which weft_last_error has the number.
 * Errors: WEFT_INVALID (the library returned an error for stream), WEFT_TIMEOUT (the deadline
 * passed before the work was done), WEFT_UNSUPPORTED (no libamdhip64.so was found; it is older than
 * ROCm 5.0; a child of fork(2)), WEFT_CANNOT_BLOCK (the caller is a tasklet or a callback, and the
 * work is not done).
 * Switches: may. Callers: any, also while the runtime does not run.
 * Undefined: a stream that was destroyed. */
WEFT_NODISCARD static inline weft_status weft_hip_stream_wait(void *stream, uint64_t deadline_ns, int *result) {
  return weft_device_stream_wait(weft_hip_driver(), stream, deadline_ns, "weft_hip_stream_wait", result);
}

/* Waits until the work before the last record of an event is done.
 * event is a hipEvent_t; one that was never recorded need not be waited for. The event stays until
 * the call returns. deadline_ns may be WEFT_FOREVER. result may be null; *result receives what the
 * library said last: 0, 600 if the work was not done, or an error, of which weft_last_error has the
 * number.
 * Errors: WEFT_INVALID (the library returned an error for event), WEFT_TIMEOUT (the deadline passed
 * before the work was done), WEFT_UNSUPPORTED (no libamdhip64.so was found; it is older than ROCm
 * 5.0; a child of fork(2)), WEFT_CANNOT_BLOCK (the caller is a tasklet or a callback, and the work
 * is not done).
 * Switches: may. Callers: any, also while the runtime does not run.
 * Undefined: an event that was destroyed. */
WEFT_NODISCARD static inline weft_status weft_hip_event_wait(void *event, uint64_t deadline_ns, int *result) {
  return weft_device_event_wait(weft_hip_driver(), event, deadline_ns, "weft_hip_event_wait", result);
}

#if defined(__cplusplus)
}
#endif
#endif
