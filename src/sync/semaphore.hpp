// A counting semaphore: tokens that callers take and give back. First come, first served: a release
// hands its tokens to the waiters, and only what is left is free for other callers.
//
// Protocol C, docs/protocols/C.md. One word holds the tokens and the lock of the queue. A release
// adds its tokens by one compare-exchange and never waits: where another caller holds the lock,
// that caller hands the tokens on before it lets the lock go. So a signal handler may release, too,
// even if it interrupts the holder.
//
// Dropped: a spinlock around a plain count, which a handler finds held by the code that it
// interrupted; a second word for the tokens of handlers, which a handler would have to touch after
// the lock, when a thread that was woken meanwhile may have freed the semaphore.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "sync/waiters.hpp"
#include "worker/failure.hpp"

namespace weft::sync {

inline constexpr sched::reason too_many_tokens{"semaphore", "it would have more than 2^32-1 tokens with the %u to be released"};
// Acquire, try and release name their failures so.
inline constexpr sched::call_errors semaphore_acquiring{"weft_semaphore_acquire", "semaphore"};
inline constexpr sched::call_errors semaphore_trying{
    .call = "weft_semaphore_try_acquire", .argument = "semaphore", .busy = {"semaphore", "it has no token"}};
inline constexpr sched::call_errors semaphore_releasing{
    .call = "weft_semaphore_release", .argument = "semaphore", .invalid = too_many_tokens};

class semaphore {
 public:
  // Errors: cannot_block, timeout.
  status acquire(std::uint64_t deadline_ns);
  sched::armed_as await(sched::await_record* one);
  // Errors: busy.
  status try_acquire();
  // Errors: invalid (more than 2^32-1 tokens).
  status release(std::uint32_t count);
  // As release, in a signal handler. Lock-free, and calls nothing that is not async-signal-safe.
  status release_from_handler(std::uint32_t count);

 private:
  static void leave(sched::await_record* one);
  bool replace_alone(std::uint64_t seen, std::uint64_t wanted);
  bool take();
  bool take_slowly();
  status try_slowly();
  void lock(std::uint64_t marks);
  void pass_lock(sched::waiter* leaver);
  template <class Wakes>
  std::uint64_t hand_out(Wakes* chosen);
  template <class Wakes>
  void unlock(Wakes* chosen);
  template <class Wakes>
  status release_and_wake(std::uint32_t count, std::uint64_t marks);
  static void let_go(sched::worker* w, void* held);

  base::atomic<std::uint64_t> word_{0};  // the tokens, and the marks of semaphore.cpp
  wait_queue queue_;                     // inside the lock
};

}  // namespace weft::sync
