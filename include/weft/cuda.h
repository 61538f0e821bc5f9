/* Weft: waiting for streams and events of CUDA. The conventions of weft.h hold here, and what
 * weft_wait_poll (polled.h) says of its callers: the caller parks, and one worker asks the driver
 * for all that wait, between the threads that it runs.
 *
 * Neither this header nor Weft needs anything of CUDA when a program is built. Handles of the
 * driver and of the runtime are the same: CUstream is cudaStream_t, CUevent is cudaEvent_t. The
 * functions are those of the driver, libcuda.so.1, from CUDA 10.1 on. The first wait looks for them
 * in what the program has loaded, and then loads the library.
 *
 * The driver keeps a current context for each OS thread. A stream is queried in its own context, a
 * default stream and an event in the one that was current for the caller. The worker that polls
 * puts its own context back. A thread that has waited may go on on another OS thread, with the
 * context that is current there: before it launches more it sets its device again (cudaSetDevice),
 * or it is pinned (weft_pin).
 *
 * Waits disturb no capture of other streams. */
#ifndef WEFT_CUDA_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_CUDA_H

#include <weft/detail/cuda_driver.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Waits until all work of a stream is done.
 * stream is a CUstream or a cudaStream_t. Null and cudaStreamLegacy are the legacy default stream
 * of the caller's current context. For cudaStreamPerThread the call records an event in the stream
 * of the calling OS thread, and waits for that. The stream stays until the call returns.
 * deadline_ns may be WEFT_FOREVER. result may be null; *result receives what the driver said last:
 * 0, 600 if the work was not done, or an error, of which weft_last_error has the number.
 * Errors: WEFT_INVALID (the driver returned an error for stream), WEFT_TIMEOUT (the deadline passed
 * before the work was done), WEFT_UNSUPPORTED (no libcuda.so.1 was found; it is older than CUDA
 * 10.1; a child of fork(2)), WEFT_CANNOT_BLOCK (the caller is a tasklet or a callback, and the work
 * is not done).
 * Switches: may. Callers: any, also while the runtime does not run.
 * Undefined: a stream that was destroyed. */
WEFT_NODISCARD static inline weft_status weft_cuda_stream_wait(void *stream, uint64_t deadline_ns, int *result) {
  return weft_device_stream_wait(weft_cuda_driver(), stream, deadline_ns, "weft_cuda_stream_wait", result);
}

/* Waits until the work before the last record of an event is done.
 * event is a CUevent or a cudaEvent_t; one that was never recorded need not be waited for. The
 * event stays until the call returns. deadline_ns may be WEFT_FOREVER. result may be null; *result
 * receives what the driver said last: 0, 600 if the work was not done, or an error, of which
 * weft_last_error has the number.
 * Errors: WEFT_INVALID (the driver returned an error for event), WEFT_TIMEOUT (the deadline passed
 * before the work was done), WEFT_UNSUPPORTED (no libcuda.so.1 was found; it is older than CUDA
 * 10.1; a child of fork(2)), WEFT_CANNOT_BLOCK (the caller is a tasklet or a callback, and the work
 * is not done).
 * Switches: may. Callers: any, also while the runtime does not run.
 * Undefined: an event that was destroyed. */
WEFT_NODISCARD static inline weft_status weft_cuda_event_wait(void *event, uint64_t deadline_ns, int *result) {
  return weft_device_event_wait(weft_cuda_driver(), event, deadline_ns, "weft_cuda_event_wait", result);
}

#if defined(__cplusplus)
}
#endif
#endif
