// What the children of one call throw: the exception of the first in program order is kept, the
// others are dropped, and children that come after it and have not started are skipped, as plain
// code would not have come to them. So which exception leaves does not depend on which worker ran
// what when; only a blocked range without a grain is cut as it goes, and its order is that of its
// parts.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include <weft/detail/trampoline.hpp>
#include <weft/dropped_exceptions.hpp>

namespace weft::detail {

class first_failure {
 public:
  first_failure() = default;
  first_failure(const first_failure&) = delete;
  first_failure& operator=(const first_failure&) = delete;
  ~first_failure() {
    if (kept_) drop_exception(kept_);
  }

  // By a child. position: its place in program order.
  template <class Function>
  void call(std::uint64_t position, Function&& function) noexcept {
    if (!is_needed(position)) return;
    if constexpr (std::is_nothrow_invocable_v<Function&>) {
      function();
    } else {
      run_caught(function, [this, position](std::exception_ptr thrown) { add(position, std::move(thrown)); });
    }
  }

  bool is_needed(std::uint64_t position) const noexcept { return position < end_.load(std::memory_order_relaxed); }
  bool are_all_needed() const noexcept { return end_.load(std::memory_order_relaxed) == UINT64_MAX; }
  void need_only_before(std::uint64_t position) noexcept {
    std::uint64_t end = end_.load(std::memory_order_relaxed);
    while (position < end && !end_.compare_exchange_weak(end, position, std::memory_order_relaxed)) continue;
  }

  // By the parent, when all children have ended: it may be used again afterwards.
  void rethrow() {
    end_.store(UINT64_MAX, std::memory_order_relaxed);
    if (kept_) [[unlikely]]
      std::rethrow_exception(std::exchange(kept_, nullptr));
  }

 private:
  void add(std::uint64_t position, std::exception_ptr thrown) noexcept {
    while (is_changing_.test_and_set(std::memory_order_acquire)) sched_yield();
    if (!kept_ || position < position_) {
      std::swap(kept_, thrown);
      position_ = position;
      need_only_before(position + 1);
    }
    is_changing_.clear(std::memory_order_release);
    if (thrown) drop_exception(thrown);
  }

  std::atomic<std::uint64_t> end_ = UINT64_MAX;      // children from here on are not needed
  std::atomic_flag is_changing_ = ATOMIC_FLAG_INIT;  // guards the rest while children run
  std::uint64_t position_ = 0;
  std::exception_ptr kept_;
};

}  // namespace weft::detail
