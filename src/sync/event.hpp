// Something that happens once: event, latch, and what once and future wait on. Protocol E,
// docs/protocols/E.md.
//
// One 64-bit word tells all to callers that need not wait: the count of a latch in its upper half,
// state bits in its lower one. Setting the event is the last access of its setter, so the
// first that sees it set may free the memory.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "run/awaiter.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

class event {
 public:
  bool is_set() const {
    // [E1] acquire: sees what was done before the event was set; pairs with [E3] [E4]
    return (word_.load(base::acquire) & set_bit) != 0;
  }

  // what: for reports. Errors: cannot_block, timeout.
  status wait(const char* what, std::uint64_t deadline_ns) {
    if (is_set()) [[likely]]
      return status::ok;
    return wait_slow(what, deadline_ns);
  }

  // As wait, by an awaiter's record.
  sched::armed_as await(sched::await_record* one);

  // Makes it a latch that waits for so many count-downs; one of 0 is set. Pre: it is not in use
  // yet.
  void start(std::uint32_t count) { word_.store(count != 0 ? std::uint64_t{count} << count_shift : set_bit, base::relaxed); }

  // Setting it again does nothing.
  void set();
  // Pre: no caller waits.
  void reset();
  // A latch: takes count off, and sets the event at 0. Errors: invalid (more than there is).
  status count_down(std::uint32_t count);

  // Takes the right to set it, for objects of which only one may. False: another has it.
  bool claim();

 private:
  static constexpr std::uint64_t set_bit = 1;
  static constexpr std::uint64_t waiters = 2;  // the queue may not be empty; set and cleared inside lock_
  static constexpr std::uint64_t claimed = 4;
  static constexpr std::uint64_t timed = 8;  // beside waiters: some in the queue compete with a clock or are awaiters'
  static constexpr unsigned count_shift = 32;

  status wait_slow(const char* what, std::uint64_t deadline_ns);
  static void leave(sched::await_record* one);
  bool announce(std::uint64_t mark);
  void await_setter() const;
  void take_queue(wake_later* chosen);
  void choose_all(std::uint64_t marks, wake_later* chosen);
  void set_alone();

  base::atomic<std::uint64_t> word_{0};
  queue::spinlock lock_;
  wait_queue queue_;  // guarded by lock_
};

}  // namespace weft::sync
