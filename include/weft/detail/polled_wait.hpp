// A condition that workers poll and that decides a wait at channels: an awaiter of await.h.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/ext.h>
#include <weft/polled.h>
#include <weft/detail/channel_wait.hpp>

namespace weft::detail {

class polled_wait {
 public:
  polled_wait(bool (*is_done)(void*), void* argument) noexcept : condition_{is_done, argument} {}
  polled_wait(const polled_wait&) = delete;  // the awaiter is found by its address
  polled_wait& operator=(const polled_wait&) = delete;

  // Decides the wait when the condition comes, or at once by `again` if no worker can poll it.
  void arm(channel_decision decision) noexcept {
    decision_ = decision;
    bool waits = false;
    const weft_status status = weft_ext_await(&awaiter_, &condition_, WEFT_AWAIT_POLLED, &waits);
    if (!waits) decision_.decide(outcome_of(status));
  }
  // Afterwards the condition is not asked for any more.
  void disarm() noexcept { weft_ext_await_cancel(&awaiter_); }

 private:
  static channel_waiter::outcome outcome_of(weft_status status) noexcept {
    return status == WEFT_OK ? channel_waiter::outcome::done : channel_waiter::outcome::again;
  }
  static void ready(weft_awaiter* awaiter, weft_status status) {
    reinterpret_cast<polled_wait*>(awaiter)->decision_.decide(outcome_of(status));
  }

  weft_awaiter awaiter_ = WEFT_AWAITER_INIT(ready);  // first: ready finds the rest by its address
  weft_polled condition_;
  channel_decision decision_{nullptr, 0};
};

}  // namespace weft::detail
