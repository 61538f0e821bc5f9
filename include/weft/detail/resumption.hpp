// What goes on when a wait without a thread is over: a coroutine, or the receiver of a sender.
//
// The caller that ends a wait may hold locks, or be an OS thread of another library, so it does not
// run what follows: it makes a tasklet ready, which does (docs/decisions/0049). Where no tasklet
// can be made, because no runtime runs or memory is exhausted, it runs what follows in place.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <coroutine>
#include <utility>

#include <weft/weft.h>

namespace weft::detail {

struct resumption {
  // The resumption may be gone afterwards.
  void (*resume)(resumption* self) noexcept;

  bool in_thread = false;         // what follows may block: a ULT runs it, no tasklet
  weft_status problem = WEFT_OK;  // why it runs in place

  // Has resume called by a tasklet or ULT of this worker, which any other may steal.
  weft_status try_post(const weft_thread_attr* attributes = nullptr) noexcept {
    return in_thread ? weft_thread_create(run, this, attributes, nullptr) : weft_tasklet_create(run, this, attributes, nullptr);
  }
  void post() noexcept {
    const weft_status status = try_post();
    if (status == WEFT_OK) [[likely]]
      return;
    problem = status;
    resume(this);
  }

 private:
  static void run(void* self) noexcept {
    auto* const one = static_cast<resumption*>(self);
    one->resume(one);
  }
};

// The loop in which tasks run. A task that awaits another one, or ends, names its successor and
// returns here: so a chain of any length needs one frame of the stack. Symmetric transfer would do
// the same only where the compiler makes tail calls, which g++ does not without optimisation.
struct runner {
  std::coroutine_handle<> next;

  // For a promise that outlives the loop, and does not use it afterwards: g++ would warn.
  runner* address() noexcept {
    runner* hidden = this;
    asm("" : "+r"(hidden));
    return hidden;
  }
  void run() {
    while (next != nullptr) std::exchange(next, nullptr).resume();
  }
};

}  // namespace weft::detail
