// Protocol K between ranks: docs/protocols/K.md. The policy `child` forks by the inline part of
// hot.h: a fork lies in its rank's line until its join, and another rank may take the oldest.
//
// All words lie in the rank's region, which the node's ranks share, and places are named by their
// addresses in the owner. A thief reaches the places by another address, which the caller knows.
// [first, top) are taken and not joined, [top, bottom) wait. `bottom` is line.bottom, which hot.h
// moves without a lock, or closed_bottom, moved inside the lock, while line.bottom is null: when
// the line is full, and always where the kernel has no fence between processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <weft/hot.h>

#include "arch/cpu.hpp"
#include "base/align.hpp"
#include "base/atomic.hpp"
#include "base/test_and_set_lock.hpp"
#include "os/fence.hpp"

namespace weft::dist {

// What a taken place's taker says besides the record of a thief.
inline char joined_place, kept_place;

class fork_line {
 public:
  // The forks of a thread: those below top are taken.
  struct range {
    weft_forked *top, *bottom;
  };

  // Before any fork. has_fence: this process has registered for the fence between processes.
  void set_up(weft_hot_line& line, weft_forked* first, weft_forked* end, bool has_fence) {
    first_ = first;
    end_ = end;
    has_fence_ = has_fence;
    weft_hot_store(&line.limit, end - 1, __ATOMIC_RELAXED);
    set(line, {first, first});
  }

  // ---- the owner ----

  // A fork while the line is closed. Null: the line is full.
  weft_forked* push(weft_hot_line& line, void (*run)(void* work), const void* work, std::size_t bytes) {
    lock();
    weft_forked* place = closed_bottom_.load(base::relaxed);
    if (place == end_) {
      place = nullptr;
    } else {
      std::memcpy(place->work, work, bytes);
      place->run = run;
      put_bottom(line, place + 1);
    }
    unlock();
    return place;
  }
  // The last place, or one behind it.
  [[nodiscard]] bool is_at_end(const weft_forked* place) const { return place >= end_ - 1; }
  // Any OS thread of the rank: its next fork tells the library.
  static void ask(weft_hot_line& line) { weft_hot_store(&line.limit, nullptr, __ATOMIC_RELAXED); }
  [[nodiscard]] static bool is_asked(const weft_hot_line& line) {
    return weft_hot_load(&line.limit, __ATOMIC_RELAXED) == nullptr;
  }
  void answer(weft_hot_line& line) { weft_hot_store(&line.limit, end_ - 1, __ATOMIC_RELAXED); }

  // The fork at the line's end was made: the next ones come to push().
  void close(weft_hot_line& line) {
    lock();
    put_bottom(line, bottom_of(line));
    unlock();
  }

  // A join that hot.h could not do. True: the caller runs the fork. False: the taker is the record
  // of the thief, and the join ends with end_join().
  bool take_back(weft_hot_line& line, weft_forked* forked) {
    lock();
    weft_forked* bottom = bottom_of(line);
    weft_forked* const top = top_.load(base::relaxed);
    bool is_here = true;
    if (forked >= top) {
      if (bottom == forked + 1) bottom = forked;
      if (bottom > forked) forked->run = nullptr;  // joined before newer ones
    } else if (forked->taker == &kept_place) {
      forked->taker = &joined_place;
    } else {
      is_here = false;
    }
    settle(line, {top, bottom});
    unlock();
    return is_here;
  }
  void end_join(weft_hot_line& line, weft_forked* forked) {
    lock();
    forked->taker = &joined_place;
    settle(line, {top_.load(base::relaxed), bottom_of(line)});
    unlock();
  }

  // What a taken fork's place names; null: the fork was not taken.
  void* taker_of(const weft_forked* forked) {
    lock();
    void* const taker = forked < top_.load(base::relaxed) ? forked->taker : nullptr;
    unlock();
    return taker;
  }
  // The owner takes its oldest fork, as a thief does, for another rank or for itself. It needs no
  // fence to keep it from its own joins. may_take, taker: as in claim(). False: there is none.
  template <class May_take>
  bool take_oldest(weft_hot_line& line, May_take may_take, void* taker, weft_forked* out) {
    lock();
    weft_forked* top = top_.load(base::relaxed);
    weft_forked* const bottom = bottom_of(line);
    bool is_taken = false;
    for (; !is_taken && top < bottom; ++top) {
      if (top->run == nullptr) {
        top->taker = &joined_place;
      } else if (!may_take(*top)) {
        top->taker = &kept_place;
      } else {
        *out = *top;
        top->taker = taker;
        is_taken = true;
      }
    }
    weft_hot_store(&line.taken, top, __ATOMIC_RELAXED);
    top_.store(top, base::relaxed);
    unlock();
    return is_taken;
  }
  // A fork that was taken by take_oldest() is its forker's again.
  void keep(weft_forked* forked) {
    lock();
    forked->taker = &kept_place;
    unlock();
  }

  // The thread leaves the rank, or waits: no thief finds its forks any more.
  range take_all(weft_hot_line& line) {
    lock();
    const range its = {top_.load(base::relaxed), bottom_of(line)};
    settle(line, {first_, first_});
    unlock();
    return its;
  }
  // The thread goes on where its places are still as take_all() left them.
  void set(weft_hot_line& line, const range& its) {
    set_after(line, its, [] {});
  }
  // The thread goes on here, and lay_places() lays its places as take_all() left them. No thief may
  // look meanwhile: the last thread may have left joined places in the line, where it finds the new
  // ones before they wait.
  template <class Lay>
  void set_after(weft_hot_line& line, const range& its, Lay lay_places) {
    lock();
    lay_places();
    store(line, its);
    unlock();
  }

  // ---- thieves ----

  // A glance that may be stale.
  [[nodiscard]] bool seems_empty(const weft_hot_line& line) const { return bottom_of(line) <= top_.load(base::relaxed); }

  // Takes the oldest fork: copies it, and writes the taker into it. place_of(place): where the
  // owner's place lies for this rank. may_take(place): false, it stays with its forker.
  template <class Place_of, class May_take>
  bool claim(weft_hot_line& line, Place_of place_of, May_take may_take, void* taker, weft_forked* out) {
    if (!try_lock()) return false;
    weft_forked* top = top_.load(base::relaxed);
    if (find_oldest(line, place_of, &top)) {
      weft_forked& place = *place_of(top++);
      if (!may_take(place)) {
        place.taker = &kept_place;
      } else {
        *out = place;
        place.taker = taker;
        taker = nullptr;
      }
    }
    weft_hot_store(&line.taken, top, __ATOMIC_RELAXED);
    top_.store(top, base::relaxed);
    unlock();
    return taker == nullptr;
  }

 private:
  // Acquire: the forks below.
  weft_forked* bottom_of(const weft_hot_line& line) const {
    // [K10] acquire: the forks that the owner made; pairs with [K1] [K6]
    weft_forked* const open = weft_hot_load(&line.bottom, __ATOMIC_ACQUIRE);
    return open != nullptr ? open : closed_bottom_.load(base::relaxed);
  }
  void put_bottom(weft_hot_line& line, weft_forked* bottom) {
    closed_bottom_.store(bottom, base::relaxed);
    const bool is_open = has_fence_ && bottom != end_;
    // A thief that looks has entered the lock since.
    weft_hot_store(&line.bottom, is_open ? bottom : nullptr, __ATOMIC_RELAXED);
  }
  void store(weft_hot_line& line, const range& its) {
    top_.store(its.top, base::relaxed);
    weft_hot_store(&line.taken, its.top, __ATOMIC_RELAXED);
    put_bottom(line, its.bottom);
  }
  // By a thief: moves top to the oldest fork that was not joined, which the owner then cannot take
  // back without the lock. False: there is none. Where the oldest was joined before newer ones, all
  // forks are kept from the owner at once: there may be many such.
  template <class Place_of>
  bool find_oldest(weft_hot_line& line, Place_of place_of, weft_forked** top) {
    for (int look = 0; look < 2; ++look) {
      weft_forked* const kept = look == 0 ? *top + 1 : bottom_of(line);
      weft_hot_store(&line.taken, kept, __ATOMIC_RELAXED);
      // [K9] heavy fence: taken before bottom; pairs with [K3]
      if (has_fence_) os::heavy_fence_between_processes();
      weft_forked* const bottom = bottom_of(line);
      for (weft_forked* const end = bottom < kept ? bottom : kept; *top < end; ++*top) {
        weft_forked& place = *place_of(*top);
        if (place.run != nullptr) return true;
        place.taker = &joined_place;
      }
      if (bottom <= *top) return false;
    }
    return false;
  }

  // Drops joined places at the end.
  void settle(weft_hot_line& line, range its) {
    while (its.bottom > its.top && its.bottom[-1].run == nullptr) --its.bottom;
    if (its.bottom <= its.top) {
      while (its.top != first_ && its.top[-1].taker == &joined_place) --its.top;
      its.bottom = its.top;
    }
    store(line, its);
  }

  bool try_lock() { return lock_.try_lock(); }
  void lock() {
    lock_.lock([](unsigned) { arch::pause(); });
  }
  void unlock() { lock_.unlock(); }

  alignas(base::cache_line) base::test_and_set_lock lock_;
  bool has_fence_ = false;
  base::atomic<weft_forked*> top_, closed_bottom_;
  weft_forked *first_ = nullptr, *end_ = nullptr;
};

}  // namespace weft::dist
