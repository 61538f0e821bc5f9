// weft::thread_specific_ptr: a pointer that each thread has for itself, as Boost's
// fiber_specific_ptr. A ULT keeps its value when it changes workers; a thread_local object belongs
// to the worker's OS thread instead. Never switches by itself; callable from any.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <memory>
#include <utility>

#include <weft/weft.h>
#include <weft/error.hpp>

namespace weft {

// A pointer of which each thread has its own value. The first value that a thread sets allocates
// memory.
template <class T>
class thread_specific_ptr {
 public:
  // What the pointer points to.
  using element_type = T;

  // Makes a pointer whose values are deleted. Throws weft::error: again (there are 1024 keys).
  // Never switches. Callable from any.
  thread_specific_ptr() : thread_specific_ptr([](T* value) { delete value; }) {}
  // Makes a pointer whose values are passed to cleanup, on the thread whose value it is. If cleanup
  // is null, nothing is done with the values. Throws weft::error: again (there are 1024 keys).
  // Never switches. Callable from any.
  explicit thread_specific_ptr(void (*cleanup)(T*)) : cleanup_(cleanup) {
    detail::check(weft_key_create(end, &key_), "weft_key_create");
  }
  thread_specific_ptr(const thread_specific_ptr&) = delete;
  thread_specific_ptr& operator=(const thread_specific_ptr&) = delete;
  // Cleans up the caller's value. Undefined: another thread still has a value, which is then never
  // cleaned up.
  ~thread_specific_ptr() {
    end(weft_key_get(key_));
    static_cast<void>(weft_key_delete(key_));  // it is there
  }

  // Returns the caller's value; null if the caller has set none.
  T* get() const noexcept {
    const held* const mine = find();
    return mine != nullptr ? mine->value : nullptr;
  }
  // Returns a reference to the caller's value. Undefined: the value is null.
  T& operator*() const noexcept { return *get(); }
  // Gives access to the members of the caller's value. Undefined: the value is null.
  T* operator->() const noexcept { return get(); }

  // Returns the caller's value without cleaning it up, and sets it to null.
  T* release() noexcept {
    held* const mine = find();
    return mine != nullptr ? std::exchange(mine->value, nullptr) : nullptr;
  }
  // Sets the caller's value, and cleans up the value before it, unless the two are the same. Throws
  // weft::error: no_memory; and std::bad_alloc. After an exception the thread still has the value
  // before, and the caller owns the new one. Never switches, unless cleanup does. Callable from
  // any.
  void reset(T* value = nullptr) {
    held* mine = find();
    if (mine == nullptr) {
      if (value == nullptr) return;
      auto made = std::make_unique<held>(held{nullptr, cleanup_});
      detail::check(weft_key_set(key_, made.get()), "weft_key_set");
      mine = made.release();
    }
    T* const before = std::exchange(mine->value, value);
    if (before != value) clean_up(cleanup_, before);
  }

 private:
  struct held {
    T* value;
    void (*cleanup)(T*);  // its own copy: a thread may end while the pointer goes
  };

  static void clean_up(void (*cleanup)(T*), T* value) {
    if (value != nullptr && cleanup != nullptr) cleanup(value);
  }
  static void end(void* of_a_thread) {
    const std::unique_ptr<held> mine(static_cast<held*>(of_a_thread));
    if (mine != nullptr) clean_up(mine->cleanup, std::exchange(mine->value, nullptr));
  }
  held* find() const noexcept { return static_cast<held*>(weft_key_get(key_)); }

  void (*cleanup_)(T*);
  weft_key key_{};
};

}  // namespace weft
