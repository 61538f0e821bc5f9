// boost::fibers::fiber_specific_ptr: any number of them, as in Boost, over one key of Weft's, under
// which each fiber keeps a table of its values.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <memory>
#include <unordered_map>
#include <utility>

#include <weft/weft.h>

#include <weft/boost/detail/errors.hpp>
#include <weft/error.hpp>
#include <weft/fiber/detail/library.hpp>

namespace weft::detail {

// The values of one fiber, by the addresses of the pointers that they are of.
class values_of_fiber {
 public:
  // What ends a value, whatever its type, and keeps no reference to its pointer, which may be gone.
  struct value {
    void* object = nullptr;
    void (*cleanup)(void* object, void (*function)()) = nullptr;
    void (*function)() = nullptr;  // the program's own, for cleanup
  };

  // The caller's; null if it has set none.
  static values_of_fiber* find() noexcept { return static_cast<values_of_fiber*>(weft_key_get(key())); }
  // The caller's, made if need be. Throws weft::error: no_memory, again; and std::bad_alloc.
  static values_of_fiber& have() {
    fibers::detail::use();  // main is a fiber from here on, and keeps the values that it sets
    if (values_of_fiber* const mine = find(); mine != nullptr) return *mine;
    auto made = std::make_unique<values_of_fiber>();
    check(weft_key_set(key(), made.get()), "weft_key_set");
    return *made.release();
  }

  // The value of a pointer; null if there is none.
  void* get(const void* pointer) const noexcept {
    const auto found = all_.find(pointer);
    return found != all_.end() ? found->second.object : nullptr;
  }
  // Stores a value, and returns the one before. A null object takes the place away.
  value exchange(const void* pointer, const value& next) {
    if (next.object == nullptr) {
      auto node = all_.extract(pointer);
      return node ? node.mapped() : value();
    }
    return std::exchange(all_[pointer], next);
  }
  static void clean_up(const value& one) {
    if (one.object != nullptr) one.cleanup(one.object, one.function);
  }

 private:
  // A cleanup may set values again, also of other pointers.
  static void end(void* of_a_fiber) {
    const std::unique_ptr<values_of_fiber> mine(static_cast<values_of_fiber*>(of_a_fiber));
    if (weft_key_set(key(), mine.get()) != WEFT_OK) std::terminate();  // there was a place
    while (!mine->all_.empty()) clean_up(mine->all_.extract(mine->all_.begin()).mapped());
    static_cast<void>(weft_key_set(key(), nullptr));
  }
  static weft_key key() {
    static const weft_key made = [] {
      weft_key one{};
      check(weft_key_create(end, &one), "weft_key_create");
      return one;
    }();
    return made;
  }

  std::unordered_map<const void*, value> all_;
};

}  // namespace weft::detail

namespace boost {
namespace fibers {

// A pointer of which each fiber has its own value. A fiber keeps its values when it changes OS
// threads. Callable from any; no call switches, unless a cleanup does.
template <class T>
class fiber_specific_ptr {
  using values = weft::detail::values_of_fiber;

 public:
  // What the pointer points to.
  using element_type = T;

  // A pointer whose values are deleted.
  fiber_specific_ptr() noexcept = default;
  // A pointer whose values are passed to cleanup, by the fiber whose value it is. If cleanup is
  // null, nothing is done with the values.
  explicit fiber_specific_ptr(void (*cleanup)(T*)) noexcept
      : cleanup_(clean_up_by), function_(reinterpret_cast<void (*)()>(cleanup)) {}
  fiber_specific_ptr(const fiber_specific_ptr&) = delete;
  fiber_specific_ptr& operator=(const fiber_specific_ptr&) = delete;
  // Cleans up the caller's value. Other fibers' values are cleaned up when the fibers end; until
  // then a pointer that is made at the same address finds them, as in Boost.
  ~fiber_specific_ptr() {
    if (values* const mine = values::find(); mine != nullptr) values::clean_up(mine->exchange(this, {}));
  }

  // Returns the caller's value; null if the caller has set none.
  T* get() const noexcept {
    const values* const mine = values::find();
    return mine != nullptr ? static_cast<T*>(mine->get(this)) : nullptr;
  }
  // Returns the caller's value. Undefined: it is null.
  T& operator*() const noexcept { return *get(); }
  // Gives access to the members of the caller's value. Undefined: it is null.
  T* operator->() const noexcept { return get(); }

  // Returns the caller's value without cleaning it up, and sets it to null.
  T* release() {
    values* const mine = values::find();
    return mine != nullptr ? static_cast<T*>(mine->exchange(this, {}).object) : nullptr;
  }
  // Sets the caller's value, and cleans up the value before it, unless the two are the same. Throws
  // weft::error: no_memory, again (the program has 1024 keys of Weft's); and std::bad_alloc. After
  // an exception the caller owns the value that it passed.
  void reset(T* value = nullptr) {
    if (value == get()) return;
    values::clean_up(values::have().exchange(this, {value, cleanup_, function_}));
  }

 private:
  static void delete_object(void* object, void (*)()) { delete static_cast<T*>(object); }
  static void clean_up_by(void* object, void (*function)()) {
    const auto call = reinterpret_cast<void (*)(T*)>(function);
    if (call != nullptr) call(static_cast<T*>(object));
  }

  void (*cleanup_)(void* object, void (*function)()) = delete_object;
  void (*function_)() = nullptr;
};

}  // namespace fibers
}  // namespace boost
