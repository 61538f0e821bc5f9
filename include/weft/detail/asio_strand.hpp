// How a strand keeps the functions apart that it is given: see weft/asio.hpp.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <weft/hot.h>
#include <weft/weft.h>
#include <weft/detail/asio_wait.hpp>
#include <weft/error.hpp>

namespace weft {
namespace detail {

// A function that a strand was given and has not ended.
struct asio_queued : asio_counted {
  using asio_counted::asio_counted;
  virtual ~asio_queued() = default;
  virtual void run() noexcept = 0;
  asio_queued* next = nullptr;
};

template <class Callable>
struct asio_queued_function final : asio_queued {
  template <class F>
  asio_queued_function(const std::shared_ptr<asio_in_flight>& all, F&& given)
      : asio_queued(all), function(std::forward<F>(given)) {}
  void run() noexcept override { function(); }
  Callable function;
};

// Functions that one ULT after the other runs, in order. The ULT that runs them ends when none is
// left; what is posted to an idle strand makes the next. The lock is held for a few instructions,
// without a call of Weft, so a tasklet may take it, too.
class asio_strand : public std::enable_shared_from_this<asio_strand> {
 public:
  explicit asio_strand(std::shared_ptr<asio_in_flight> all) noexcept : all_(std::move(all)) {}

  // Tells whether the caller is the ULT that runs the strand's functions now. A fork of it that
  // another worker took is not: it runs beside its forker.
  bool is_here() const noexcept {
    const weft_thread* const self = weft_hot_known_self();
    return self != nullptr && runner_.load(std::memory_order_relaxed) == self;
  }

  template <class F>
  void post(F&& function) {
    auto made = std::make_unique<asio_queued_function<std::decay_t<F>>>(all_, std::forward<F>(function));
    asio_queued* const posted = made.get();
    if (!append(made.release())) return;
    const weft_status status = weft_thread_create(run_strand, this, nullptr, nullptr);
    if (status == WEFT_OK) return;
    // What others posted meanwhile was accepted: the caller runs it in place of the ULT.
    take_back(posted);
    run_all([] {});
    check(status, "weft_thread_create");
  }

 private:
  static void run_strand(void* strand) noexcept { static_cast<asio_strand*>(strand)->run_all(weft_yield); }

  // After each function others of the worker have their turn: a function may post itself again, for
  // ever.
  template <class LetOthersRun>
  void run_all(LetOthersRun let_others_run) noexcept {
    runner_.store(weft_hot_known_self(), std::memory_order_relaxed);
    std::shared_ptr<asio_strand> until_idle;  // may be the last that holds the strand
    while (asio_queued* const taken = take_or_become_idle(until_idle)) {
      taken->run();
      delete taken;
      let_others_run();
    }
  }

  // Returns whether the strand was idle: then the caller makes the ULT.
  bool append(asio_queued* function) noexcept {
    const std::lock_guard hold(lock_);
    *end_ = function;
    end_ = &function->next;
    if (while_busy_ != nullptr) return false;
    while_busy_ = shared_from_this();
    return true;
  }

  asio_queued* take_or_become_idle(std::shared_ptr<asio_strand>& until_idle) noexcept {
    const std::lock_guard hold(lock_);
    asio_queued* const taken = first_;
    if (taken == nullptr) {
      runner_.store(nullptr, std::memory_order_relaxed);
      until_idle = std::move(while_busy_);
      return nullptr;
    }
    first_ = taken->next;
    if (first_ == nullptr) end_ = &first_;
    return taken;
  }

  void take_back(asio_queued* function) noexcept {
    const std::unique_ptr<asio_queued> gone(function);
    const std::lock_guard hold(lock_);
    asio_queued** at = &first_;
    while (*at != function) at = &(*at)->next;
    *at = function->next;
    if (*at == nullptr) end_ = at;
  }

  std::shared_ptr<asio_in_flight> all_;
  std::mutex lock_;
  asio_queued* first_ = nullptr;
  asio_queued** end_ = &first_;
  std::shared_ptr<asio_strand> while_busy_;  // the strand itself; null while it is idle
  // The runner alone finds itself here, and wrote it; other callers find another ULT, or null.
  std::atomic<weft_thread*> runner_ = nullptr;
};

}  // namespace detail
}  // namespace weft
