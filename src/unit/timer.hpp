// Deadlines of waits: an intrusive pairing heap under a lock (Fredman, Sedgewick, Sleator, Tarjan
// 1986, doi:10.1007/BF01840439). Busy workers look at it every few choices, one idle worker sleeps
// until its first deadline.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "queue/spinlock.hpp"

namespace weft::sched {

struct waiter;

// Nothing is set before it is armed: most waits never are.
struct timer {
  // set before arm()
  waiter* owner;
  std::uint64_t deadline_ns;

  // the heap's
  timer* child;
  timer* sibling;
  timer* previous;  // the sibling before, or the parent of a first child
  bool is_armed;
};

class timer_heap {
 public:
  timer* first() const { return root_; }
  void insert(timer* one);
  void remove(timer* one);

 private:
  static timer* meld(timer* left, timer* right);
  static timer* meld_pairs(timer* first);

  timer* root_ = nullptr;
};

class timers {
 public:
  void clear() { next_ns_.store(UINT64_MAX, base::relaxed); }

  // Arms; true when it is now the first, so that a sleeping worker must learn of it.
  bool arm(timer* one);
  // Of one that was armed: after it `one` is not in the heap and no expiry is looking at it.
  void cancel(timer* one);

  // As arm, of a timer that close() takes. False: that has come, and nothing is armed.
  bool arm_unless_closed(timer* one, bool* is_first);

  // The first deadline, or UINT64_MAX. A hint outside the lock.
  std::uint64_t next_ns() const { return next_ns_.load(base::relaxed); }

  // Takes all that are due; for each, inside the lock, keep(one) says whether it goes on the chain
  // that is returned (by sibling).
  template <class Keep>
  timer* take_due(std::uint64_t now_ns, Keep keep) {
    const queue::guard hold(lock_);
    chain due;
    while (heap_.first() != nullptr && heap_.first()->deadline_ns <= now_ns) {
      timer* one = heap_.first();
      take(one, keep, &due);
    }
    note_first();
    return due.first;
  }

  // When the runtime ends: takes all that is_wanted(one) names, in the order of their deadlines;
  // keep as in take_due. *were_some: whether there ever was such a one.
  template <class Wanted, class Keep>
  timer* close(Wanted is_wanted, Keep keep, bool* were_some) {
    const queue::guard hold(lock_);
    is_closed_ = true;
    *were_some = had_closable_;
    chain wanted;
    timer* others = nullptr;
    while (timer* one = heap_.first()) {
      if (is_wanted(one)) {
        take(one, keep, &wanted);
      } else {
        heap_.remove(one);
        one->sibling = others;
        others = one;
      }
    }
    while (timer* one = others) {
      others = one->sibling;
      heap_.insert(one);
    }
    note_first();
    return wanted.first;
  }

 private:
  struct chain {
    timer* first = nullptr;
    timer** end = &first;
  };

  template <class Keep>
  void take(timer* one, Keep keep, chain* into) {
    heap_.remove(one);
    one->is_armed = false;
    if (!keep(one)) return;
    one->sibling = nullptr;
    *into->end = one;
    into->end = &one->sibling;
  }
  bool insert(timer* one);
  void note_first() { next_ns_.store(heap_.first() != nullptr ? heap_.first()->deadline_ns : UINT64_MAX, base::relaxed); }

  queue::spinlock lock_;
  // guarded by lock_
  timer_heap heap_;
  bool is_closed_ = false;
  bool had_closable_ = false;

  base::atomic<std::uint64_t> next_ns_{UINT64_MAX};
};

}  // namespace weft::sched
