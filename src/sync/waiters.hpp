// What all objects of this layer share: the queue of those that wait on an object, and the two
// moments of a wake-up.
//
// An object's queue is guarded by the object's spinlock. A waker takes a record off the queue
// inside the lock; when the owner of the record is made ready depends on whether the clock competes
// for it:
//   - a record without a deadline is woken after the lock was released (wake_later::now), so that
//     the released caller may reuse the object's memory at once: the waker does not come back to
//     it;
//   - one with a deadline is claimed inside the lock, because its owner might leave meanwhile; to
//     make up for that its owner passes through the lock before it returns (follow_waker), and so
//     leaves after its waker has.
//
// Everything here is ready when filled with zeros and allocates nothing.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/linked_queue.hpp"
#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "run/awaiter.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "unit/waiter.hpp"

namespace weft::sync {

// Records in the order of their coming: a ring, of which the object holds the first.
class wait_queue {
 public:
  bool is_empty() const { return front() == nullptr; }
  sched::waiter* front() const { return front_.load(base::relaxed); }

  // Null: it is the last.
  sched::waiter* after(const sched::waiter* one) const {
    auto* const next = static_cast<sched::waiter*>(one->next);
    return next != front() ? next : nullptr;
  }

  // Outside the lock: sees those whose coming happened before; of others it may be late to know.
  bool seems_empty() const { return is_empty(); }

  void push_back(sched::waiter* one) {
    sched::waiter* first = front();
    if (first == nullptr) {
      one->next = one->previous = one;
      set_front(one);
    } else {
      one->next = first;
      one->previous = first->previous;
      first->previous->next = one;
      first->previous = one;
    }
  }
  void push_front(sched::waiter* one) {
    push_back(one);
    set_front(one);
  }
  sched::waiter* pop_front() {
    sched::waiter* one = front();
    if (one != nullptr) remove(one);
    return one;
  }
  void remove(sched::waiter* one) {
    if (one->next == one) {
      set_front(nullptr);
    } else {
      one->previous->next = one->next;
      one->next->previous = one->previous;
      if (front() == one) set_front(static_cast<sched::waiter*>(one->next));
    }
    one->next = one->previous = nullptr;
  }

  // Empties it without a look at any record but two: *first and *last of them all, linked by next.
  // Pre: it is not empty.
  void take_all(sched::waiter** first, sched::waiter** last) {
    *first = front();
    *last = static_cast<sched::waiter*>((*first)->previous);
    set_front(nullptr);
  }

  // visit(record) for each, which it may remove.
  template <class Visit>
  void walk(Visit visit) {
    sched::waiter* each = front();
    while (each != nullptr) {
      sched::waiter* const next = after(each);
      visit(each);
      each = next;
    }
  }

 private:
  void set_front(sched::waiter* one) { front_.store(one, base::relaxed); }

  base::atomic<sched::waiter*> front_{nullptr};  // written inside the lock
};

// Wake-ups that were decided on inside the lock, to be done after its release.
class wake_later {
 public:
  // Inside the lock, for a record just taken off its queue. False: its deadline came first, and
  // none was woken.
  bool add(sched::waiter* one) {
    if (one->deadline_ns != sched::forever) return add_timed(one);
    chosen_.push_back(one);
    return true;
  }
  // Takes over every waiter of a queue.
  void add_all(wait_queue* from) {
    while (sched::waiter* one = from->pop_front()) add(one);
  }
  // The same of a queue of which no record has a deadline or is an awaiter's. A crowd's records lie
  // on as many stacks, each in a page of its own, so that each look at one misses the cache.
  void take_all_plain(wait_queue* from) {
    if (from->is_empty()) return;
    sched::waiter* first;
    sched::waiter* last;
    from->take_all(&first, &last);
    chosen_.push_back_chain(first, last);
  }
  bool is_empty() const { return chosen_.is_empty(); }
  // Outside the lock. A record may go with its owner.
  void now() {
    while (sched::waiter* one = chosen_.pop_front()) sched::wake(one);
  }

 private:
  bool add_timed(sched::waiter* one);

  base::linked_queue<sched::waiter, base::list_link> chosen_;
};

inline constexpr std::uint64_t immediately = 0;  // a deadline that has always passed

// Whether the caller may begin a wait that ends at deadline_ns: timeout when that has passed,
// cannot_block from a tasklet.
status may_wait(std::uint64_t deadline_ns);

// After a wait with a deadline: takes the lock, and *me off the queue.
status follow_waker(sched::waiter* me, wait_queue* queue, queue::spinlock* lock, sched::wait_result result);

// Waits for a wake-up. *me is in `queue`, which `lock`, held by the caller, guards. Ok or timeout;
// after a timeout *me is off the queue. May switch. *holds_lock: whether it returns with the lock,
// always so after a timeout: then others may have to be looked after.
inline status wait_in(sched::waiter* me, wait_queue* queue, queue::spinlock* lock, bool* holds_lock) {
  const sched::wait_result result = sched::wait(me, lock);
  *holds_lock = me->deadline_ns != sched::forever;
  if (!*holds_lock) [[likely]]
    return status::ok;
  return follow_waker(me, queue, lock, result);
}

// The same for objects that have no other waiters to look after: returns without the lock.
inline status wait_and_leave(sched::waiter* me, wait_queue* queue, queue::spinlock* lock) {
  bool holds_lock;
  const status result = wait_in(me, queue, lock, &holds_lock);
  if (holds_lock) lock->unlock();
  return result;
}

// ---- for awaiters ----

// Of a record for which what it waits for was found.
inline sched::armed_as over_or_lost(sched::await_record* one) {
  return sched::take_at_once(one) ? sched::armed_as::over : sched::armed_as::lost;
}
// Inside the lock.
inline void enter_queue(sched::await_record* one, wait_queue* queue, void (*leave)(sched::await_record* one)) {
  one->leave = leave;
  queue->push_back(one);
}
// Of an object that has nothing to look after when a waiter leaves.
void leave_queue(sched::await_record* one, wait_queue* queue, queue::spinlock* lock);

// Wakes the first of a queue that `lock` guards, if a caller waits. Never switches.
void wake_first(wait_queue* queue, queue::spinlock* lock);

}  // namespace weft::sync
