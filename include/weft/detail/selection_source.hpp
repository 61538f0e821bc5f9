// The wait of a coroutine for several branches: the engine of select as a source (sources.hpp).
//
// A wait is armed in several steps: at the channels, at stops and conditions, at a timer. Each may
// decide it before the last step is done. So the decision is told only once all are done: of the
// starter and the decider the second one finds the first one's mark in `phase_`.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <weft/ext.h>
#include <weft/weft.h>
#include <weft/detail/channel_wait.hpp>
#include <weft/detail/concurrent.hpp>
#include <weft/detail/pending.hpp>
#include <weft/detail/selection.hpp>
#include <weft/error.hpp>

namespace weft::detail {

// Decides a wait when a deadline has come, or the runtime has ended.
struct selection_deadline {
  weft_awaiter awaiter = WEFT_AWAITER_INIT(come);  // first: come finds the rest by its address
  channel_decision decision{nullptr, 0};

  static void come(weft_awaiter* self, weft_status status) noexcept {
    reinterpret_cast<selection_deadline*>(self)->decision.decide(status == WEFT_TIMEOUT ? channel_waiter::outcome::done
                                                                                        : channel_waiter::outcome::again);
  }
};

class selection_source : private selection {
 public:
  selection_source(branch** all, branch** order, std::size_t count) noexcept : selection(all, order, count) {}
  selection_source(const selection_source&) = delete;
  selection_source& operator=(const selection_source&) = delete;

  bool is_ready() {
    chosen_ = look_or_enlist(nullptr);
    return chosen_ != nullptr;
  }
  bool arm(notice* to) {
    do {
      me_.emplace(this);
      to_ = to;
      phase_.store(arming, std::memory_order_relaxed);
      chosen_ = look_or_enlist(&*me_);
      if (chosen_ != nullptr) return false;
      check_waits();
      arm_others(&*me_);
      arm_timer();
      // release: what was armed; acquire: the decision
      if (phase_.exchange(armed, std::memory_order_acq_rel) == arming) return true;
    } while (must_retry());
    return false;
  }
  bool cancel() noexcept {
    if (!me_->decide(channel_waiter::given_up)) return false;
    end_wait(nullptr);
    return true;
  }
  // After a decision, once.
  bool must_retry() {
    branch* const one = numbered(me_->decision());
    end_wait(one);
    const channel_waiter::outcome how = me_->result();
    if (how == channel_waiter::outcome::again && one->kind != branch_kind::channel) {
      fail(WEFT_ENDED, one->kind == branch_kind::timer ? "weft: the runtime ended before the deadline of a wait"
                                                       : "weft::async_select: no worker runs that could poll a condition");
    }
    chosen_ = one;
    return !one->has_ended(how);
  }
  static constexpr bool completes_elsewhere = false;
  // The number of the branch that was chosen, after it has run.
  std::size_t result() { return run(chosen_); }

 private:
  static constexpr std::uint8_t arming = 0;
  static constexpr std::uint8_t armed = 1;
  static constexpr std::uint8_t decided = 2;

  struct waiter : channel_waiter {
    explicit waiter(selection_source* one) noexcept : channel_waiter(woken), of(one) {}
    selection_source* of;
  };
  static void woken(channel_waiter* self) noexcept {
    selection_source* const mine = static_cast<waiter*>(self)->of;
    // release: the decision; acquire: what was armed
    if (mine->phase_.exchange(decided, std::memory_order_acq_rel) == armed) mine->to_->tell(mine->to_, WEFT_OK);
  }

  void arm_timer() {
    if (timer() == nullptr) return;
    late_.emplace();
    late_->awaiter.deadline_ns = timer()->deadline_ns;
    late_->decision = channel_decision{&*me_, timer()->number};
    bool waits = false;
    const weft_status status = weft_ext_await(&late_->awaiter, nullptr, WEFT_AWAIT_DEADLINE, &waits);
    if (status == WEFT_OK) return;
    if (status == WEFT_TIMEOUT) return late_->decision.decide(channel_waiter::outcome::done);
    if (!me_->decide(channel_waiter::given_up)) return;  // the other side tells
    end_wait(nullptr);
    fail(status, "weft_ext_await");
  }

  // Afterwards nothing refers to this wait.
  void end_wait(const branch* chosen) noexcept {
    disarm_others();
    if (late_) weft_ext_await_cancel(&late_->awaiter);
    leave(chosen);
  }

  branch* chosen_ = nullptr;
  notice* to_ = nullptr;
  std::optional<waiter> me_;
  std::optional<selection_deadline> late_;
  atomic<std::uint8_t> phase_ = arming;
};

template <std::size_t Count>
struct branch_arrays {
  std::array<branch*, Count> all;
  std::array<branch*, Count> order{};
};

template <std::size_t Count>
class select_source : private branch_arrays<Count>, public selection_source {
 public:
  explicit select_source(const std::array<branch*, Count>& branches) noexcept
      : branch_arrays<Count>{branches, {}}, selection_source(this->all.data(), this->order.data(), Count) {}
};

}  // namespace weft::detail
