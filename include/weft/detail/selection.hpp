// The engine of weft::select, for branches of any type.
//
// All channels are locked while the branches are looked at and entered into the queues, in the
// order of their addresses: so no caller on another channel can decide this wait before it stands
// in every queue, and two selects that face each other cannot miss each other.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/concurrent.hpp>
#include <weft/error.hpp>

namespace weft::detail {

enum class branch_kind : std::uint8_t { channel, timer, otherwise, stop, polled };

// What a branch of a channel says when it is looked at, inside the lock. `ready`: the step was
// taken.
enum class readiness : std::uint8_t { waits, ready, closed };

struct branch {
  branch_kind kind = branch_kind::channel;
  std::uint32_t number = 0;  // from 1
  std::uint64_t deadline_ns = WEFT_FOREVER;

  virtual void run() = 0;
  // After a step that was taken.
  virtual void settle() {}
  // After a wait that chose this branch. False: select begins anew.
  virtual bool has_ended(channel_waiter::outcome) noexcept { return true; }
  virtual bool is_stopped() const noexcept { return false; }
  virtual bool has_come() noexcept { return false; }  // of a polled one
  // From then on until disarm, the branch may decide the wait.
  virtual void arm(channel_waiter*) {}
  virtual void disarm() noexcept {}

 protected:
  branch() = default;
  branch(const branch&) = delete;  // queues and targets have its address
  branch& operator=(const branch&) = delete;
  ~branch() = default;
};

struct channel_branch : branch {
  channel_place place;
  channel_lock* const lock;

  // Inside the lock. No place of this select is in a queue while its branches are looked at.
  virtual readiness look() = 0;
  virtual void enlist() noexcept = 0;
  virtual void delist() noexcept = 0;

  void enter(channel_waiter* me) noexcept {
    place.waiter = me;
    place.branch = number;
    enlist();
  }

 protected:
  explicit channel_branch(channel_lock* guards) noexcept : lock(guards) {}
  ~channel_branch() = default;
};

class selection {
 public:
  // order: room for as many, for the channels in the order of their locks.
  selection(branch** all, branch** order, std::size_t count) noexcept : all_(all), order_(order), count_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      branch* const each = all[i];
      each->number = static_cast<std::uint32_t>(i + 1);
      if (each->kind == branch_kind::channel) put_in_order(each);
      if (each->kind == branch_kind::timer && (timer_ == nullptr || each->deadline_ns < timer_->deadline_ns)) timer_ = each;
      if (each->kind == branch_kind::otherwise) otherwise_ = each;
      has_stop_ = has_stop_ || each->kind == branch_kind::stop;
      has_polled_ = has_polled_ || each->kind == branch_kind::polled;
    }
  }

  std::size_t run() {
    branch* chosen = nullptr;
    while (chosen == nullptr) chosen = choose();
    return run(chosen);
  }

 protected:
  // What is ready now, or `otherwise`. Null: there is none, and the waiter, if there is one, stands
  // in the queues.
  branch* look_or_enlist(channel_waiter* me) {
    for (std::size_t i = 0; has_stop_ && i < count_; ++i) {
      if (all_[i]->is_stopped()) return all_[i];
    }
    struct all_locked {
      selection& one;
      explicit all_locked(selection& of) noexcept : one(of) {
        const std::uint32_t here = this_os_thread();  // a look runs moves and conditions of the program's
        one.for_each_lock([here](channel_lock* lock) {
          lock->lock();
          lock->note_mover(here);
        });
      }
      ~all_locked() {
        one.for_each_lock([](channel_lock* lock) {
          lock->note_mover(0);
          lock->unlock();
        });
      }
    };
    branch* ready = nullptr;
    {
      const all_locked hold(*this);
      ready = look();
      if (ready == nullptr && otherwise_ == nullptr && me != nullptr) enlist(me);
    }
    if (ready == nullptr) return otherwise_;
    ready->settle();
    return ready;
  }

  // After look_or_enlist has enlisted. Throws if nothing can end the wait.
  void check_waits() {
    if (is_any_open_ || timer_ != nullptr || has_stop_) return;
    leave(nullptr);
    fail(WEFT_ENDED, "weft::select: all channels are closed");
  }
  // What may decide the wait besides channels and the timer.
  void arm_others(channel_waiter* me) {
    for (std::size_t i = 0; arms_any() && i < count_; ++i) {
      if (must_arm(all_[i])) all_[i]->arm(me);
    }
  }
  void disarm_others() noexcept {
    for (std::size_t i = 0; arms_any() && i < count_; ++i) all_[i]->disarm();
  }
  branch* numbered(std::uint32_t number) const noexcept {
    return *std::find_if(all_, all_ + count_, [number](const branch* each) { return each->number == number; });
  }
  branch* timer() const noexcept { return timer_; }

  // Takes the places off their queues, except the one that the other side has taken off: its
  // channel may be gone.
  void leave(const branch* chosen) noexcept {
    for (std::size_t i = 0; i < channels_; ++i) {
      channel_branch* const each = channel(order_[i]);
      if (each == chosen) continue;
      each->lock->lock();
      each->delist();
      each->lock->unlock();
    }
  }

  static std::size_t run(branch* chosen) {
    const std::size_t index = chosen->number - 1;
    chosen->run();
    return index;
  }

 private:
  static channel_branch* channel(branch* one) noexcept { return static_cast<channel_branch*>(one); }

  void put_in_order(branch* one) noexcept {
    std::size_t at = channels_++;
    for (; at != 0 && std::less<>()(channel(one)->lock, channel(order_[at - 1])->lock); --at) order_[at] = order_[at - 1];
    order_[at] = one;
  }

  template <class Function>
  void for_each_lock(Function function) noexcept {
    channel_lock* last = nullptr;
    for (std::size_t i = 0; i < channels_; ++i) {
      channel_lock* const lock = channel(order_[i])->lock;
      if (lock != last) function(lock);
      last = lock;
    }
  }

  // Null: the wait ended without a choice, and begins anew.
  branch* choose() {
    const std::uint64_t deadline_ns = next_deadline();
    channel_waiter me(deadline_ns, false);
    branch* const ready = look_or_enlist(&me);
    return ready != nullptr ? ready : wait(me, deadline_ns);
  }

  // Of the next wait, which is short where no worker polls.
  std::uint64_t next_deadline() noexcept {
    const std::uint64_t last_ns = timer_ != nullptr ? timer_->deadline_ns : WEFT_FOREVER;
    if (!polls_alone_) return last_ns;
    constexpr std::uint64_t longest_pause_ns = 1'000'000;
    pause_ns_ = std::min(2 * pause_ns_, longest_pause_ns);
    return std::min(last_ns, weft_now_ns() + pause_ns_);
  }

  // Inside all locks, in an order that is drawn anew each time: the branch whose step was taken, or
  // whose condition has come.
  branch* look() {
    for (std::size_t left = count_; left > 1; --left) std::swap(all_[left - 1], all_[any_below(left)]);
    is_any_open_ = has_polled_;
    for (std::size_t i = 0; i < count_; ++i) {
      if (all_[i]->has_come()) return all_[i];
      if (all_[i]->kind != branch_kind::channel) continue;
      channel_branch* const each = channel(all_[i]);
      const readiness seen = each->look();
      if (seen == readiness::ready) return each;
      is_any_open_ = is_any_open_ || seen == readiness::waits;
    }
    return nullptr;
  }

  void enlist(channel_waiter* me) noexcept {
    for (std::size_t i = 0; i < channels_; ++i) channel(order_[i])->enter(me);
  }

  bool must_arm(const branch* one) const noexcept {
    return one->kind == branch_kind::stop || (one->kind == branch_kind::polled && !polls_alone_);
  }

  branch* wait(channel_waiter& me, std::uint64_t deadline_ns) {
    check_waits();
    arm_others(&me);
    const weft_status status = me.wait("select");
    disarm_others();
    branch* const chosen = status == WEFT_OK ? numbered(me.decision()) : nullptr;
    leave(chosen);
    if (status == WEFT_TIMEOUT) return timer_ != nullptr && deadline_ns == timer_->deadline_ns ? timer_ : nullptr;
    check(status, "weft::select");
    if (chosen->has_ended(me.result())) return chosen;
    polls_alone_ = polls_alone_ || chosen->kind == branch_kind::polled;
    return nullptr;
  }

  bool arms_any() const noexcept { return has_stop_ || has_polled_; }

  branch** all_;
  branch** order_;  // the channels, by their locks
  std::size_t count_;
  std::size_t channels_ = 0;
  branch* timer_ = nullptr;  // the first that ends
  branch* otherwise_ = nullptr;
  bool has_stop_ = false;
  bool has_polled_ = false;
  bool polls_alone_ = false;  // no worker polls: there is no runtime, or it is ending
  std::uint64_t pause_ns_ = 1'000;
  bool is_any_open_ = false;
};

}  // namespace weft::detail
