// What cuda.hpp and hip.hpp share: a C call that waits, in three forms.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <chrono>
#include <cstdint>

#include <weft/detail/device.h>
#include <weft/detail/chrono.hpp>
#include <weft/device_error.hpp>
#include <weft/error.hpp>

namespace weft::detail {

// A wait for a stream or an event: call(work, deadline_ns, &code).
struct device_wait {
  weft_status (*call)(void* work, std::uint64_t deadline_ns, int* code);
  const char* name;
  void* work;
  int code = 0;

  weft_status until(std::uint64_t deadline_ns) { return call(work, deadline_ns, &code); }

  // True: it is done. False: the deadline passed.
  bool check(weft_status status) const {
    if (status == WEFT_INVALID) throw device_error(code, words_about(name));
    return check_unless(WEFT_TIMEOUT, status, name);
  }

  // For waits without a deadline whose caller looks at the driver's code itself.
  int code_after(weft_status status) const {
    if (status != WEFT_INVALID) detail::check(status, name);
    return code;
  }

  bool run() { return check(until(WEFT_FOREVER)); }

  template <class Rep, class Period>
  bool run_for(const std::chrono::duration<Rep, Period>& interval) {
    return check(until(deadline_in(interval)));
  }

  template <class Clock, class Duration>
  bool run_until(const std::chrono::time_point<Clock, Duration>& deadline) {
    return check(attempt_until(deadline, [this](std::uint64_t deadline_ns) { return until(deadline_ns); }));
  }
};

}  // namespace weft::detail
