// A mutual exclusion lock: protocol L, docs/protocols/L.md. Plain or recursive; for ULTs and OS
// threads alike.
//
// A lock that no caller waits for is one compare-exchange of the word to take and one to give back,
// and the latter is the last access: the next owner may free the memory at once. A caller that
// finds it held enters the queue under the spinlock and marks the word, which sends the holder's
// unlock to the queue as well.
//
// Fairness: an unlock wakes the waiter at the front and frees the lock at once, so that running
// callers need not wait for it to get going; until that waiter has tried, no other is woken. If it
// finds the lock taken it goes back to the front of the queue, and the next unlock hands the lock
// over to it directly. Without the first rule 64 ULTs on one mutex switch at every unlock; without
// the second a waiter may starve. An unfair mutex does without the second, because the caller that
// was handed the lock may not be able to run: when its worker is held up by one that tries to get
// that very lock.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "arch/restart.hpp"
#include "base/atomic.hpp"
#include "base/config.hpp"
#include "base/debug_fields.hpp"
#include "base/status.hpp"
#include "os/alone.hpp"
#include "os/restart.hpp"
#include "queue/spinlock.hpp"
#include "sync/caller.hpp"
#include "sync/waiters.hpp"
#include "worker/failure.hpp"

namespace weft::sync {

inline constexpr char is_held_by_caller[] = "the caller holds it already";
inline constexpr char is_held_most_often[] = "the caller holds it 2^32-1 times already, which is the most";
inline constexpr sched::call_errors mutex_locking{.call = "weft_mutex_lock",
                                                  .argument = "mutex",
                                                  .again = {"mutex", is_held_most_often},
                                                  .deadlock = {"mutex", is_held_by_caller}};
inline constexpr sched::call_errors mutex_trying{
    .call = "weft_mutex_try_lock", .argument = "mutex", .busy = {"mutex", "it is held"}};
inline constexpr sched::call_errors mutex_unlocking{"weft_mutex_unlock", "mutex"};

class mutex {
 public:
  // When the runtime starts: from then on unlocking needs no locked instruction, where the system
  // can do without.
  static void prepare();

  // Errors: cannot_block, timeout, deadlock (a plain one that the caller holds; checked builds
  // only). Names its failures, as those of weft_mutex_lock.
  status lock(std::uint64_t deadline_ns) {
    if (!config::checked && take_quietly()) [[likely]]
      return status::ok;
    return lock_slow(deadline_ns);
  }

  // The mutex then belongs to no thread: any caller may unlock it. Errors: invalid (a recursive
  // one, which a thread owns).
  status await(sched::await_record* one, sched::armed_as* what);

  status try_lock() {
    if (!config::checked && take_quietly()) [[likely]]
      return status::ok;
    return try_lock_slow();
  }

  // Errors: not_owner (a recursive one that the caller does not hold, or a free one). Names its
  // failures.
  status unlock() {
    if (!config::checked && give_quietly()) [[likely]]
      return status::ok;
    return unlock_slow();
  }

  // For condition variables: gives the lock up, however often a recursive one is held, and takes it
  // again.
  status give_up(std::uint32_t* times_held) {
    *times_held = 1;
    if (!config::checked && give_quietly()) [[likely]]
      return status::ok;
    return give_up_slow(times_held);
  }
  void take_back(std::uint32_t times_held) {
    if (!config::checked && take_quietly()) [[likely]]
      return;
    take_back_slow(times_held);
  }

 private:
  friend struct weft::debug_fields;

  // the word
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t waiters = 2;     // the queue is not empty; set and cleared inside lock_
  static constexpr std::uint32_t waking = 4;      // a woken waiter has not tried yet
  static constexpr std::uint32_t recursive = 8;   // never changes; keeps such a mutex off the inlined paths
  static constexpr std::uint32_t contended = 16;  // a caller has waited once: no restartable stores any more

  // Takes the lock without a queue. Kind: 0, or recursive. A recursive mutex notes its holder
  // later.
  template <std::uint32_t Kind = 0>
  bool take_quietly() {
    if (os::is_alone() && os::replace_alone(&word_, Kind, Kind | held)) return Kind != 0 || note_address();
    std::uint32_t free = word_.load(base::relaxed);
    if ((free & ~contended) != Kind) return false;  // spares one of the other kind, or held, a locked instruction that fails
    // [L1] acquire: sees what the last holder wrote; pairs with [L2] [L5]
    return word_.compare_exchange_strong(free, free + held, base::acquire, base::relaxed) && (Kind != 0 || note_address());
  }
  // For reports: whose stack this is. Always true.
  bool note_address() {
    if constexpr (!config::checked) arch::store_stack_address(&owner_);
    return true;
  }
  template <std::uint32_t Kind = 0>
  bool give_quietly() {
    if (os::is_alone() && os::replace_alone(&word_, Kind | held, Kind)) return true;
    if (const std::ptrdiff_t area = arch::has_restartable_store ? os::restart_area() : 0; area != 0) [[likely]] {
      if (arch::replace_restartably<(Kind | held), Kind>(reinterpret_cast<std::uint32_t*>(&word_), area)) [[likely]]
        return true;
      if (Kind == 0 && is_recursive()) return false;  // spares it a locked instruction that fails
    }
    std::uint32_t mine = (word_.load(base::relaxed) & contended) | Kind | held;
    // [L2] release: publishes what the holder wrote; pairs with [L1] [L3] [L4]
    return word_.compare_exchange_strong(mine, mine & ~held, base::release, base::relaxed);
  }

  status lock_slow(std::uint64_t deadline_ns);
  status try_lock_slow();
  status unlock_slow();
  status give_up_slow(std::uint32_t* times_held);
  void take_back_slow(std::uint32_t times_held);
  static void leave_queue_of(sched::await_record* one);
  status lock_plain(std::uint64_t deadline_ns);
  status unlock_plain();
  status lock_recursive(std::uint64_t deadline_ns);
  status unlock_recursive();
  bool enter_again(caller who, status* result);
  bool leave(caller who, bool wholly, std::uint32_t* times);
  void own(std::uintptr_t owner);
  void note_owner(caller who);
  bool is_owned_by(std::uintptr_t caller) const;
  bool may_give(std::uintptr_t caller) const;
  status refuse_to_give() const;
  status refuse_to_unlock() const;

  bool take_free(std::uint32_t mine);
  status note_taken();
  bool spin_for_it();
  bool take_or_announce(std::uint32_t mine);
  bool mark_stands();
  status wait_for_it(std::uint64_t deadline_ns);
  status leave_queue();

  void pass_on();
  bool give_free();
  bool choose_next(wake_later* chosen);

  bool is_recursive() const { return (word_.load(base::relaxed) & recursive) != 0; }
  bool knows_owner() const { return config::checked || is_recursive(); }

  base::atomic<std::uint32_t> word_{0};
  queue::spinlock lock_;
  // Written by the holder. Of recursive ones and in checked builds its caller_id(), or 0; else an
  // address in its stack, which stays if no unit waits.
  base::atomic<std::uintptr_t> owner_{0};
  wait_queue queue_;              // guarded by lock_
  std::uint32_t times_held_ = 0;  // of recursive ones; the holder's, among siblings inside lock_
  std::uint64_t is_unfair_ = 0;   // never changes: 1 by WEFT_MUTEX_UNFAIR_INIT
};

}  // namespace weft::sync
