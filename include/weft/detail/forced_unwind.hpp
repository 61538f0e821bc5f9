// Contexts that run a function object, and what ends one that is suspended: an exception that
// passes through its frames, so that their destructors run.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <exception>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include <weft/context.h>
#include <weft/error.hpp>

namespace weft {

namespace detail {

// What unwinds an OS thread that pthread_cancel or pthread_exit ends: a catch (...) must rethrow
// it. libc++ has no name for it.
#if defined(__GLIBCXX__)
using os_thread_unwind = abi::__forced_unwind;
#else
struct os_thread_unwind {};
#endif

// Set where OS threads become threads by their first use of the library: weft/boost.
inline void (*start_for_contexts)() = nullptr;

// Before the caller switches to a context. May throw weft::error.
inline void enter_contexts() {
  if (start_for_contexts != nullptr) [[unlikely]]
    start_for_contexts();
}

// What a switch may pass: a call that the side which goes on makes first, with what switched to it.
// Returns what that side finds in its place.
struct on_top {
  weft_context* (*run)(on_top* self, weft_context* from);
};

// Switches, and does what was passed. May throw what that throws.
inline weft_context* switch_and_call(weft_context* to, on_top* call) {
  enter_contexts();
  const weft_context_arrival now = weft_context_switch(to, call);
  if (now.passed == nullptr) [[likely]]
    return now.from;
  auto* const todo = static_cast<on_top*>(now.passed);
  return todo->run(todo, now.from);
}

}  // namespace detail

// Thrown into a suspended context that is destroyed. A catch (...) there must rethrow it. It is not
// derived from std::exception.
class forced_unwind {
 public:
  // from: what destroys the context, and goes on when its frames are gone.
  explicit forced_unwind(weft_context* from) noexcept : from_(from) {}

  // What goes on when the frames are gone.
  weft_context* from() const noexcept { return from_; }

 private:
  weft_context* from_;
};

namespace detail {

[[noreturn]] inline weft_context* throw_forced_unwind(on_top*, weft_context* from) { throw forced_unwind(from); }

// Ends a suspended context: its frames are unwound.
inline void unwind_context(weft_context* suspended) noexcept {
  on_top unwinding{throw_forced_unwind};
  enter_contexts();
  // A context that suspends itself meanwhile, in a destructor, has no owner any more.
  if (weft_context_switch(suspended, &unwinding).from != nullptr) std::terminate();
}

}  // namespace detail
}  // namespace weft
