// What is done when the calling thread ends: a result that set_value_at_thread_exit keeps back.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <utility>

#include <weft/weft.h>
#include <weft/error.hpp>

namespace weft::detail {

// Deleted once it has run.
class exit_action {
 public:
  exit_action() noexcept = default;
  exit_action(const exit_action&) = delete;
  exit_action& operator=(const exit_action&) = delete;
  virtual ~exit_action() = default;
  virtual void run() noexcept = 0;

 private:
  friend class exit_actions;
  exit_action* before_ = nullptr;
};

// Of each thread, in a value of its own.
class exit_actions {
 public:
  // Throws weft::error: again (there are 1024 keys), no_memory; then the action is the caller's.
  static void add(exit_action* action) {
    auto* mine = static_cast<exit_actions*>(weft_key_get(key()));
    if (mine == nullptr) {
      auto made = std::make_unique<exit_actions>();
      check(weft_key_set(key(), made.get()), "weft_key_set");
      mine = made.release();
    }
    action->before_ = std::exchange(mine->last_, action);
  }

 private:
  static weft_key key() {
    static const weft_key made = make_key();
    return made;
  }
  static weft_key make_key() {
    weft_key made{};
    check(weft_key_create(end, &made), "weft_key_create");
    return made;
  }

  // In the first round destructors of other values may still run: what is done here comes after
  // them.
  static void end(void* of_a_thread) {
    auto* const mine = static_cast<exit_actions*>(of_a_thread);
    if (!std::exchange(mine->has_waited_, true) && weft_key_set(key(), mine) == WEFT_OK) return;
    const std::unique_ptr<exit_actions> all(mine);
    while (all->last_ != nullptr) {
      const std::unique_ptr<exit_action> one(all->last_);
      all->last_ = one->before_;
      one->run();
    }
  }

  exit_action* last_ = nullptr;
  bool has_waited_ = false;
};

}  // namespace weft::detail
