// weft::context: flows of control with stacks of their own, which a program resumes by itself.
// Boost.Context's fiber, continuation and callcc.
//
//   namespace ctx = weft::context;
//   int value = 0;
//   ctx::fiber counter([&](ctx::fiber&& caller) {
//     for (;;) { ++value; caller = std::move(caller).resume(); }
//   });
//   counter = std::move(counter).resume();
//
// A fiber has no identity of its own (context.h): what it runs is the thread that resumed it, and
// any thread may resume it next. It may block, fork, and use whatever a thread uses. A fiber that
// is destroyed while it is suspended has its frames unwound, by forced_unwind. An exception that
// leaves its function ends the program (std::terminate).
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <type_traits>
#include <utility>

#include <weft/context.h>
#include <weft/detail/caller.hpp>
#include <weft/detail/context_stack.hpp>
#include <weft/detail/forced_unwind.hpp>

namespace weft {
namespace detail {

struct context_access {
  template <class Handle>
  static weft_context* release(Handle& one) noexcept {
    return std::exchange(one.handle_, nullptr);
  }
  template <class Handle>
  static Handle adopt(weft_context* one) noexcept {
    return Handle(one);
  }
};

// Destroys the function object before its context ends.
template <class Body>
struct end_of_body {
  Body* body;
  ~end_of_body() { body->~Body(); }
};

// The function of a context that runs a Body with what switched to it.
template <class Handle, class Body>
weft_context* run_handle_body(weft_context* from, void* passed, void* room) noexcept {
  const end_of_body<Body> at_end{static_cast<Body*>(room)};
  // Not destroyed by unwinding, which clang does before this function ends the program: that would
  // end what the handle names instead.
  alignas(Handle) unsigned char place[sizeof(Handle)];
  Handle* caller = nullptr;
  try {
    if (passed != nullptr) {
      auto* const todo = static_cast<on_top*>(passed);
      from = todo->run(todo, from);
    }
    caller = ::new (static_cast<void*>(place)) Handle(context_access::adopt<Handle>(from));
    Handle next = std::invoke(**at_end.body, std::move(*caller));
    caller->~Handle();
    return context_access::release(next);
  } catch (const forced_unwind& unwinding) {
    if (caller != nullptr) caller->~Handle();
    return unwinding.from();
  }
}

// A call of the program's that the side which goes on makes: its argument is what switched there.
template <class Handle, class Function>
struct handle_call : on_top {
  Function* function;

  explicit handle_call(Function* what) noexcept : on_top{call}, function(what) {}
  static weft_context* call(on_top* self, weft_context* from) {
    Handle next =
        std::invoke(std::forward<Function>(*static_cast<handle_call*>(self)->function), context_access::adopt<Handle>(from));
    return context_access::release(next);
  }
};

template <class Handle, class F>
concept context_body = !std::same_as<std::remove_cvref_t<F>, Handle> && std::is_invocable_r_v<Handle, std::decay_t<F>&, Handle>;

// What fiber and continuation share: they differ in how they begin, and in what resume is called
// on.
template <class Handle>
class context_handle {
 public:
  // No context.
  context_handle() noexcept = default;
  // The other one is empty afterwards.
  context_handle(context_handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  // The context that was here is unwound; the other one is empty afterwards.
  context_handle& operator=(context_handle&& other) noexcept {
    const context_handle before(std::exchange(handle_, std::exchange(other.handle_, nullptr)));
    return *this;
  }
  // Unwinds the frames of a suspended context.
  ~context_handle() {
    if (handle_ != nullptr) unwind_context(handle_);
  }

  // Whether it stands for a suspended context.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  // Whether it is empty.
  bool operator!() const noexcept { return handle_ == nullptr; }
  // An order of handles, by address.
  friend bool operator<(const Handle& left, const Handle& right) noexcept { return std::less<>()(left.handle_, right.handle_); }
  // Writes the handle's address.
  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, const Handle& one) {
    return one.handle_ != nullptr ? out << static_cast<const void*>(one.handle_) : out << "{not-a-context}";
  }

 protected:
  friend struct context_access;
  explicit context_handle(weft_context* handle) noexcept : handle_(handle) {}

  Handle resume_here() { return context_access::adopt<Handle>(switch_and_call(std::exchange(handle_, nullptr), nullptr)); }
  template <class F>
  Handle resume_here_with(F&& function) {
    handle_call<Handle, std::remove_reference_t<F>> call(std::addressof(function));
    return context_access::adopt<Handle>(switch_and_call(std::exchange(handle_, nullptr), &call));
  }

  weft_context* handle_ = nullptr;
};

template <class Handle, class Stack, class F>
weft_context* make_handle(Stack&& stack, caller made_by, F&& function) {
  using body = in_room<std::decay_t<F>>;
  return make_context_with<body>(run_handle_body<Handle, body>, std::forward<Stack>(stack), made_by, std::forward<F>(function))
      .handle;
}

template <class Handle, class Stack, class F>
weft_context* make_handle_on(const context::preallocated& part, Stack&& stack, caller made_by, F&& function) {
  using body = in_room<std::decay_t<F>>;
  return make_context_on<body>(run_handle_body<Handle, body>, part.sp, part.size, part.sctx,
                               std::decay_t<Stack>(std::forward<Stack>(stack)), made_by, std::forward<F>(function))
      .handle;
}

}  // namespace detail

namespace context {

using weft::forced_unwind;

// A context that starts when it is first resumed.
class fiber : public detail::context_handle<fiber> {
 public:
  using detail::context_handle<fiber>::context_handle;

  // Makes a fiber that will run function(fiber that resumed it), which returns the fiber that goes
  // on. Throws weft::error (no_memory; not_initialized; cannot_block: outside) and what copying
  // throws. Never switches. Callable from a ULT or a tasklet.
  template <class F>
    requires detail::context_body<fiber, F>
  fiber(F&& function, detail::caller made_by = detail::caller())
      : context_handle(detail::make_handle<fiber>(fixedsize_stack(), made_by, std::forward<F>(function))) {}
  // Makes a fiber that will run function, on a stack of that kind. Throws weft::error (no_memory;
  // not_initialized; cannot_block: outside) and what copying throws. Never switches. Callable from
  // a ULT or a tasklet.
  template <detail::any_stack Stack, class F>
    requires detail::context_body<fiber, F>
  fiber(std::allocator_arg_t, Stack&& stack, F&& function, detail::caller made_by = detail::caller())
      : context_handle(detail::make_handle<fiber>(std::forward<Stack>(stack), made_by, std::forward<F>(function))) {}
  // Makes a fiber that will run function, on a part of memory that the allocator handed out and
  // gets back. Throws weft::error (no_memory; not_initialized; cannot_block: outside) and what
  // copying throws. Never switches. Callable from a ULT or a tasklet.
  template <detail::stack_allocator Stack, class F>
    requires detail::context_body<fiber, F>
  fiber(std::allocator_arg_t, preallocated part, Stack&& stack, F&& function, detail::caller made_by = detail::caller())
      : context_handle(detail::make_handle_on<fiber>(part, std::forward<Stack>(stack), made_by, std::forward<F>(function))) {}

  // Goes on in this fiber, which is empty afterwards, and returns what resumes the caller: empty if
  // that has ended. An empty fiber ends the program with a line that says so. Throws what a
  // function of resume_with throws on top of the caller. May switch, to contexts alone: no other
  // thread runs in between. Callable from a ULT or a tasklet.
  fiber resume() && { return resume_here(); }
  // Resumes this fiber and calls function(caller) on top of its frames; the fiber that function
  // returns is what resume returns there, or it throws there. Throws what a function of resume_with
  // throws on top of the caller. May switch, to contexts alone. Callable from a ULT or a tasklet.
  template <class F>
  fiber resume_with(F&& function) && {
    return resume_here_with(std::forward<F>(function));
  }
  // Exchanges what the two stand for.
  void swap(fiber& other) noexcept { std::swap(handle_, other.handle_); }
  // Exchanges what the two stand for.
  friend void swap(fiber& left, fiber& right) noexcept { left.swap(right); }
};

// A context that callcc has started.
class continuation : public detail::context_handle<continuation> {
 public:
  using detail::context_handle<continuation>::context_handle;

  // Goes on in this context, which is empty afterwards, and returns what resumes the caller: empty
  // if that has ended. An empty one ends the program with a line that says so. Throws what a
  // function of resume_with throws on top of the caller. May switch, to contexts alone: no other
  // thread runs in between. Callable from a ULT or a tasklet.
  continuation resume() { return resume_here(); }
  // Resumes this context and calls function(caller) on top of its frames; what function returns is
  // what resume returns there, or it throws there. Throws what a function of resume_with throws on
  // top of the caller. May switch, to contexts alone. Callable from a ULT or a tasklet.
  template <class F>
  continuation resume_with(F&& function) {
    return resume_here_with(std::forward<F>(function));
  }
  // Exchanges what the two stand for.
  void swap(continuation& other) noexcept { std::swap(handle_, other.handle_); }
  // Exchanges what the two stand for.
  friend void swap(continuation& left, continuation& right) noexcept { left.swap(right); }
};

// Runs function(continuation of the caller) on a stack of its own, at once, and returns when the
// caller is resumed: with what resumed it, empty if that has ended. Throws weft::error (no_memory;
// not_initialized; cannot_block: outside), what copying throws, and what a function of resume_with
// throws on top of the caller. May switch, to contexts alone. Callable from a ULT or a tasklet.
template <class F>
  requires detail::context_body<continuation, F>
continuation callcc(F&& function, detail::caller made_by = detail::caller()) {
  return detail::context_access::adopt<continuation>(
             detail::make_handle<continuation>(fixedsize_stack(), made_by, std::forward<F>(function)))
      .resume();
}
// Runs function(continuation of the caller) at once, on a stack of that kind. Throws what callcc on
// a stack of its own throws. May switch, to contexts alone. Callable from a ULT or a tasklet.
template <detail::any_stack Stack, class F>
  requires detail::context_body<continuation, F>
continuation callcc(std::allocator_arg_t, Stack&& stack, F&& function, detail::caller made_by = detail::caller()) {
  return detail::context_access::adopt<continuation>(
             detail::make_handle<continuation>(std::forward<Stack>(stack), made_by, std::forward<F>(function)))
      .resume();
}
// Runs function(continuation of the caller) at once, on a part of memory that the allocator handed
// out and gets back. Throws what callcc on a stack of its own throws. May switch, to contexts
// alone. Callable from a ULT or a tasklet.
template <detail::stack_allocator Stack, class F>
  requires detail::context_body<continuation, F>
continuation callcc(std::allocator_arg_t, preallocated part, Stack&& stack, F&& function,
                    detail::caller made_by = detail::caller()) {
  return detail::context_access::adopt<continuation>(
             detail::make_handle_on<continuation>(part, std::forward<Stack>(stack), made_by, std::forward<F>(function)))
      .resume();
}

}  // namespace context
}  // namespace weft
