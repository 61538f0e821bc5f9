// Waiting for streams and events of HIP: weft/hip.h says how. The program needs no header of
// HIP's for it; the types below are those of HIP's own headers.
//
//     weft::hip::wait(stream);
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <cstdint>

#include <weft/hip.h>
#include <weft/detail/device.hpp>
#include <weft/device_error.hpp>

struct ihipStream_t;
struct ihipEvent_t;

namespace weft::hip {

namespace detail {

inline weft::detail::device_wait wait_of(ihipStream_t* stream) {
  const auto call = [](void* work, std::uint64_t deadline_ns, int* code) {
    return weft_hip_stream_wait(work, deadline_ns, code);
  };
  return {.call = call, .name = "weft_hip_stream_wait", .work = stream};
}

inline weft::detail::device_wait wait_of(ihipEvent_t* event) {
  const auto call = [](void* work, std::uint64_t deadline_ns, int* code) { return weft_hip_event_wait(work, deadline_ns, code); };
  return {.call = call, .name = "weft_hip_event_wait", .work = event};
}

}  // namespace detail

// Waits until all work of a stream (hipStream_t) is done. Throws device_error (the library returned
// an error for it), weft::error: unsupported (the library was not found), cannot_block (a tasklet).
// May switch. Callable from any.
inline void wait(ihipStream_t* stream) { static_cast<void>(detail::wait_of(stream).run()); }

// Waits until the work before the last record of an event (hipEvent_t) is done. Throws what the
// wait for a stream throws. May switch. Callable from any.
inline void wait(ihipEvent_t* event) { static_cast<void>(detail::wait_of(event).run()); }

// Waits until all work of a stream is done, for an interval at most. Returns false if the work was
// not done in that time. Throws what wait throws. May switch. Callable from any.
template <class Rep, class Period>
bool wait_for(ihipStream_t* stream, const std::chrono::duration<Rep, Period>& interval) {
  return detail::wait_of(stream).run_for(interval);
}

// Waits until the work before an event is done, for an interval at most. Returns false if the work
// was not done in that time. Throws what wait throws. May switch. Callable from any.
template <class Rep, class Period>
bool wait_for(ihipEvent_t* event, const std::chrono::duration<Rep, Period>& interval) {
  return detail::wait_of(event).run_for(interval);
}

// Waits until all work of a stream is done, or a time has come. Returns false if the work was not
// done by then. Throws what wait throws. May switch. Callable from any.
template <class Clock, class Duration>
bool wait_until(ihipStream_t* stream, const std::chrono::time_point<Clock, Duration>& deadline) {
  return detail::wait_of(stream).run_until(deadline);
}

// Waits until the work before an event is done, or a time has come. Returns false if the work was
// not done by then. Throws what wait throws. May switch. Callable from any.
template <class Clock, class Duration>
bool wait_until(ihipEvent_t* event, const std::chrono::time_point<Clock, Duration>& deadline) {
  return detail::wait_of(event).run_until(deadline);
}

}  // namespace weft::hip
