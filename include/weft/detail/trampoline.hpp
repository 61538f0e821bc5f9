// Between a C function pointer with one argument and what the user wants called. No exception
// enters the core: here is where they all end, by std::terminate (run_packed, run_boxed) or in
// a caller's hands (run_caught).
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <weft/thread.h>

namespace weft::detail {

// A callable with its arguments, copied as std::thread copies them; called once.
template <class Function, class... Arguments>
class bound_call {
 public:
  template <class F, class... As>
  explicit bound_call(std::in_place_t, F&& function, As&&... arguments)
      : function_(std::forward<F>(function)), arguments_(std::forward<As>(arguments)...) {}

  decltype(auto) operator()() {
    return std::apply(
        [this](Arguments&... each) -> decltype(auto) { return std::invoke(std::move(function_), std::move(each)...); },
        arguments_);
  }

 private:
  [[no_unique_address]] Function function_;
  [[no_unique_address]] std::tuple<Arguments...> arguments_;
};

// A function pointer, or a lambda that captures one reference or nothing, travels in the pointer
// itself: no allocation.
template <class Function>
inline constexpr bool fits_in_pointer =
    sizeof(Function) <= sizeof(void*) && std::is_trivially_copyable_v<Function> && std::is_trivially_destructible_v<Function>;

template <class Function>
void* pack(const Function& function) noexcept {
  void* packed = nullptr;
  std::memcpy(&packed, std::addressof(function), sizeof(Function));
  return packed;
}

template <class Function>
void run_packed(void* packed) noexcept {
  alignas(Function) std::byte bytes[sizeof(Function)];
  std::memcpy(bytes, &packed, sizeof(Function));
  std::invoke(std::move(*std::launder(reinterpret_cast<Function*>(bytes))));
}

// As std::thread does, the callable goes before the thread counts as ended.
template <class Call>
void run_boxed(void* box) noexcept {
  const std::unique_ptr<Call> call(static_cast<Call*>(box));
  (*call)();
}

// As run_boxed, for a callable in memory that the thread owns.
template <class Call>
void run_placed(void* place) noexcept {
  auto* const call = static_cast<Call*>(place);
  (*call)();
  call->~Call();
}

// A callable that can be moved into memory of the thread's, and what is done there without malloc.
template <class Call>
inline constexpr bool can_be_placed =
    sizeof(Call) <= WEFT_COPY_MAX && alignof(Call) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Call>;

template <class Call>
void move_to_place(void* place, void* source) noexcept {
  ::new (place) Call(std::move(*static_cast<Call*>(source)));
}

// Calls function; what it throws goes to on_failure(std::exception_ptr). remote_error.hpp has the
// only other catch (...).
template <class Function, class OnFailure>
void run_caught(Function&& function, OnFailure on_failure) noexcept {
  try {
    std::forward<Function>(function)();
  } catch (...) {
    on_failure(std::current_exception());
  }
}

}  // namespace weft::detail
