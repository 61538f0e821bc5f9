// Waiting for streams and events of CUDA: weft/cuda.h says how. The program needs no header of
// CUDA's for it; the types below are those of CUDA's own headers.
//
//     weft::cuda::wait(stream);
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <cstdint>

#include <weft/cuda.h>
#include <weft/detail/device.hpp>
#include <weft/device_error.hpp>

struct CUstream_st;
struct CUevent_st;

namespace weft::cuda {

namespace detail {

inline weft::detail::device_wait wait_of(CUstream_st* stream) {
  const auto call = [](void* work, std::uint64_t deadline_ns, int* code) {
    return weft_cuda_stream_wait(work, deadline_ns, code);
  };
  return {.call = call, .name = "weft_cuda_stream_wait", .work = stream};
}

inline weft::detail::device_wait wait_of(CUevent_st* event) {
  const auto call = [](void* work, std::uint64_t deadline_ns, int* code) {
    return weft_cuda_event_wait(work, deadline_ns, code);
  };
  return {.call = call, .name = "weft_cuda_event_wait", .work = event};
}

}  // namespace detail

// Waits until all work of a stream (cudaStream_t) is done. Throws device_error (the driver returned
// an error for it), weft::error: unsupported (the driver was not found), cannot_block (a tasklet).
// May switch. Callable from any.
inline void wait(CUstream_st* stream) { static_cast<void>(detail::wait_of(stream).run()); }

// Waits until the work before the last record of an event (cudaEvent_t) is done. Throws what the
// wait for a stream throws. May switch. Callable from any.
inline void wait(CUevent_st* event) { static_cast<void>(detail::wait_of(event).run()); }

// Waits until all work of a stream is done, for an interval at most. Returns false if the work was
// not done in that time. Throws what wait throws. May switch. Callable from any.
template <class Rep, class Period>
bool wait_for(CUstream_st* stream, const std::chrono::duration<Rep, Period>& interval) {
  return detail::wait_of(stream).run_for(interval);
}

// Waits until the work before an event is done, for an interval at most. Returns false if the work
// was not done in that time. Throws what wait throws. May switch. Callable from any.
template <class Rep, class Period>
bool wait_for(CUevent_st* event, const std::chrono::duration<Rep, Period>& interval) {
  return detail::wait_of(event).run_for(interval);
}

// Waits until all work of a stream is done, or a time has come. Returns false if the work was not
// done by then. Throws what wait throws. May switch. Callable from any.
template <class Clock, class Duration>
bool wait_until(CUstream_st* stream, const std::chrono::time_point<Clock, Duration>& deadline) {
  return detail::wait_of(stream).run_until(deadline);
}

// Waits until the work before an event is done, or a time has come. Returns false if the work was
// not done by then. Throws what wait throws. May switch. Callable from any.
template <class Clock, class Duration>
bool wait_until(CUevent_st* event, const std::chrono::time_point<Clock, Duration>& deadline) {
  return detail::wait_of(event).run_until(deadline);
}

}  // namespace weft::cuda
