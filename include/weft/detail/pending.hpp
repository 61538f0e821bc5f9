// A wait without a thread, from its start to its end, for a coroutine or a sender's receiver.
//
// A source says what is waited for:
//   bool arm(notice*)       true: the notice will be told; false: what is waited for is there
//   bool cancel() noexcept  true: the notice will not be told; false: it was, or is about to be
//   bool must_retry()       after a notice, once: another caller took what was promised
//
// Three may meet: the caller that starts the wait, the one that ends it, and a stop request. Where
// no stop is possible the first two need no agreement: the starter touches nothing once the source
// is armed. Otherwise `phase_` says which side goes on:
//
//   armed     by the starter, its last access. It goes on itself if it sees one of the others.
//   fired     by the source's notice. It goes on with the resumption if it sees `armed`, unless a
//             stop callback is about to cancel: what goes on in the notice would wait for the
//             callback, which waits for the notice in the source's cancel.
//   stopping  by the stop callback. It cancels the source if it sees `armed` alone.
//   too late  by the stop callback, whose cancel failed. It goes on if it sees `fired`, else the
//             notice will.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/weft.h>
#include <weft/detail/concurrent.hpp>
#include <weft/detail/resumption.hpp>
#include <weft/detail/stop.hpp>
#include <weft/error.hpp>

namespace weft::detail {

// What a source tells when the wait is over.
struct notice {
  void (*tell)(notice* self, weft_status status) noexcept;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void destroyed_on_the_way() noexcept {
  std::fputs(
      "weft: a coroutine or operation was destroyed although what it waited for had come, and its resumption was on the "
      "way: request a stop, and let it end\n",
      stderr);
  std::abort();
}

// Where no stop is possible.
struct no_stop {
  bool stop_requested() const noexcept { return false; }
  bool stop_possible() const noexcept { return false; }
  template <class>
  struct callback_type {
    template <class F>
    callback_type(const no_stop&, F&&) noexcept {}
  };
};

template <class Token, class F>
struct callback_of {
  using type = typename Token::template callback_type<F>;
};
#if defined(__cpp_lib_jthread)
template <class F>
struct callback_of<std::stop_token, F> {
  using type = std::stop_callback<F>;
};
#endif

// Token: a stop token of std, or one of P2300's form.
template <class Source, class Token>
class pending : private notice {
 public:
  // next: what goes on when the wait is over.
  pending(Source& source, resumption* next) noexcept : notice{told}, source_(source), next_(next) {}
  pending(const pending&) = delete;
  pending& operator=(const pending&) = delete;
  // One that is armed still is taken off.
  ~pending() {
    if (!is_armed_) return;
    callback_.reset();
    if (!source_.cancel()) destroyed_on_the_way();
  }

  // True: it waits, and what goes on does so later, maybe before this returns. False: the wait is
  // over. Throws what arming throws.
  bool start(const Token& token) {
    if (!token.stop_possible()) {
      is_contested_ = false;
      is_armed_ = true;
      const not_armed_if_thrown guard{*this};
      if (source_.arm(this)) return guard.keep();
      return false;
    }
    for (;;) {
      const began how = start_with_stop(token);
      if (how != began::told) return how == began::waits;
      if (is_stopped_ || status_ != WEFT_OK || !source_.must_retry()) return false;
    }
  }

  // By what goes on: whether it has to wait again; then as start.
  bool restart(const Token& token) {
    finish();
    return status_ == WEFT_OK && !is_stopped_ && source_.must_retry() && start(token);
  }
  // By what goes on, before it looks at the result.
  void finish() noexcept {
    is_armed_ = false;
    callback_.reset();
  }
  bool is_stopped() const noexcept { return is_stopped_; }
  weft_status status() const noexcept { return status_; }
  // Throws what became of the wait, unless it is over as it should be. A stop is the caller's.
  void check_end() const {
    if (status_ == WEFT_ENDED) fail(WEFT_ENDED, "weft: the runtime ended before the deadline of a wait");
  }

 private:
  static constexpr std::uint8_t armed = 1;
  static constexpr std::uint8_t fired = 2;
  static constexpr std::uint8_t stopping = 4;
  static constexpr std::uint8_t too_late = 8;

  struct on_stop {
    pending* of;
    void operator()() const noexcept { of->stop(); }
  };
  using callback = typename callback_of<Token, on_stop>::type;

  // Until keep(), after which the wait may be over and gone.
  struct not_armed_if_thrown {
    pending& of;
    mutable bool is_kept = false;
    bool keep() const noexcept { return is_kept = true; }
    ~not_armed_if_thrown() {
      if (!is_kept) of.is_armed_ = false;
    }
  };

  static void told(notice* self, weft_status status) noexcept {
    auto* const mine = static_cast<pending*>(self);
    mine->status_ = status;
    if (mine->is_contested_) {
      // release: the status; acquire: what the starter wrote. The starter goes on if it is still
      // there, and a stop callback that tries to cancel.
      const std::uint8_t before = mine->phase_.fetch_or(fired, std::memory_order_acq_rel);
      if ((before & armed) == 0 || (before & (stopping | too_late)) == stopping) return;
    }
    mine->next_->post();
  }

  // over: nothing is waited for, or a stop was requested before. told: by the notice or a stop,
  // before the starter was gone.
  enum class began : std::uint8_t { over, waits, told };

  began start_with_stop(const Token& token) {
    phase_.store(0, std::memory_order_relaxed);
    is_contested_ = true;
    is_armed_ = false;
    struct disarm {
      pending* of;
      ~disarm() {
        if (of != nullptr) of->callback_.reset();
      }
    } guard{this};
    callback_.emplace(token, on_stop{this});
    if ((phase_.load(std::memory_order_acquire) & stopping) != 0) {
      is_stopped_ = true;
      return began::over;
    }
    if (!source_.arm(this)) return began::over;
    std::uint8_t seen = phase_.load(std::memory_order_acquire);
    is_armed_ = true;
    while ((seen & (fired | stopping)) == 0) {
      // release: all that the starter wrote
      if (phase_.compare_exchange_weak(seen, seen | armed, std::memory_order_acq_rel, std::memory_order_acquire)) {
        guard.of = nullptr;
        return began::waits;
      }
    }
    is_armed_ = false;
    if ((seen & fired) == 0) is_stopped_ = cancel_or_see();
    return began::told;
  }

  // The starter stays until the notice has been told, if it is about to be.
  bool cancel_or_see() noexcept {
    if (source_.cancel()) return true;
    while ((phase_.load(std::memory_order_acquire) & fired) == 0) give_cpu();
    return false;
  }

  // By a stop request; the callback's end is awaited before the wait may go.
  void stop() noexcept {
    const std::uint8_t seen = phase_.fetch_or(stopping, std::memory_order_acq_rel);
    if ((seen & armed) == 0 || (seen & fired) != 0) return;
    is_stopped_ = source_.cancel();
    // acquire: the status; the notice goes on if it is still to come
    if (!is_stopped_ && (phase_.fetch_or(too_late, std::memory_order_acq_rel) & fired) == 0) return;
    next_->post();
  }

  Source& source_;
  resumption* const next_;
  weft_status status_ = WEFT_OK;
  bool is_armed_ = false;      // by the starter, then by what goes on
  bool is_contested_ = false;  // a stop is possible
  bool is_stopped_ = false;
  atomic<std::uint8_t> phase_ = 0;
  std::optional<callback> callback_;
};

}  // namespace weft::detail
