// The two sides of a generator or a coroutine: the body, on a stack of its own, and the caller that
// resumes it. Each side goes on where the other one suspends itself.
//
//      caller --resume--> body ... suspend --> caller --resume--> body ... ends --> caller
//
// The record lies on the body's stack, and so stays until the owner destroys the context, which
// therefore never ends: a body that has ended is suspended for ever. A switch passes the address of
// the word into which the side that goes on writes its way back. So a body may let another one go
// on in its place (delegate), whose values then go to the caller directly.
#pragma once

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/context.h>
#include <weft/detail/context_stack.hpp>
#include <weft/detail/forced_unwind.hpp>
#include <weft/error.hpp>

namespace weft::detail {

class two_sides {
 public:
  two_sides() noexcept = default;
  two_sides(const two_sides&) = delete;
  two_sides& operator=(const two_sides&) = delete;

  // ---- the caller ----

  // Lets the body go on until it suspends itself or ends. Throws what ended it, and weft::error:
  // invalid (it has ended), deadlock (it runs: the caller is inside it).
  void resume() {
    if (body_ == nullptr || has_ended_) [[unlikely]]
      refuse();
    body_ = weft_context_switch(std::exchange(body_, nullptr), &caller_).from;
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  // Unwinds the body if it is suspended, and frees its stack. Afterwards the record is gone.
  void destroy() noexcept {
    if (!has_ended_) {
      must_unwind_ = true;
      // The library names a body that runs: the caller is inside it.
      body_ = weft_context_switch(body_, &caller_).from;
    }
    failure_ = nullptr;
    weft_context_destroy(body_);
  }

  bool has_ended() const noexcept { return has_ended_; }

  // ---- the body ----

  // Goes on in the caller, and returns when the body is resumed. Throws forced_unwind when it is to
  // end instead.
  void suspend() {
    two_sides* const outer = outermost_;
    go_to(outer->caller_);
    if (outer->must_unwind_) [[unlikely]]
      throw forced_unwind(nullptr);
  }

  // Lets `inner`, whose values are the caller's from now on, go on until it ends. Throws what ended
  // it.
  void delegate(two_sides& inner) {
    if (inner.has_ended_) return;
    if (inner.body_ == nullptr) refuse();
    inner.outermost_ = outermost_;
    inner.body_ = weft_context_switch(inner.body_, &inner.caller_).from;
    if (outermost_->must_unwind_) [[unlikely]]
      throw forced_unwind(nullptr);
    if (inner.failure_) std::rethrow_exception(std::exchange(inner.failure_, nullptr));
  }

  two_sides* outermost() const noexcept { return outermost_; }

  // ---- the bottom of the body's stack ----

  void begin(weft_context* from, void* passed) noexcept { *static_cast<weft_context**>(passed) = from; }
  bool must_unwind() const noexcept { return outermost_->must_unwind_; }
  void fail(std::exception_ptr what) noexcept { failure_ = std::move(what); }
  // Never returns.
  weft_context* end() noexcept {
    has_ended_ = true;
    weft_context_switch(caller_, nullptr);
    std::terminate();
  }

  // By the maker of the context.
  void start_with(weft_context* body) noexcept { body_ = body; }

 private:
  static void go_to(weft_context* caller) {
    const weft_context_arrival now = weft_context_switch(caller, nullptr);
    *static_cast<weft_context**>(now.passed) = now.from;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse() const {
    if (has_ended_) fail_with(WEFT_INVALID, "a generator or coroutine was resumed after its end");
    fail_with(WEFT_DEADLOCK, "a generator or coroutine was resumed from inside itself, or while another thread runs it");
  }
  [[noreturn]] static void fail_with(weft_status status, const char* what) { throw error(status, what); }

  weft_context* body_ = nullptr;    // the body's side; null while it runs
  weft_context* caller_ = nullptr;  // the other side, while the body runs
  two_sides* outermost_ = this;     // whose caller gets the values
  bool has_ended_ = false;
  bool must_unwind_ = false;
  std::exception_ptr failure_;
};

// Throws if the caller is not inside an object that has a body.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_empty() {
  throw error(WEFT_INVALID, "a generator or coroutine that was moved from, or never had a body");
}

// What lies in the context's room: the sides, and the function object with what it is given.
template <class Sides, class Function>
struct asymmetric_body {
  Sides sides;
  in_room<Function> function;

  template <class F>
  explicit asymmetric_body(std::in_place_t, F&& from) : function(std::forward<F>(from)) {}
};

// Sides: has run(function), which calls function with what it is given.
template <class Sides, class Function>
weft_context* run_asymmetric(weft_context* from, void* passed, void* room) noexcept {
  auto* const body = static_cast<asymmetric_body<Sides, Function>*>(room);
  body->sides.begin(from, passed);
  {
    const std::unique_ptr<in_room<Function>, void (*)(in_room<Function>*)> function(
        std::addressof(body->function), [](in_room<Function>* one) { std::destroy_at(one); });
    if (!body->sides.must_unwind()) {
      try {
        body->sides.run(**function);
      } catch (const forced_unwind&) {
      } catch (...) {
        body->sides.fail(std::current_exception());
      }
    }
  }
  return body->sides.end();
}

// Makes the context of a body, and returns its sides.
template <class Sides, class Stack, class F>
Sides* make_asymmetric(Stack&& stack, caller made_by, F&& function) {
  using whole = asymmetric_body<Sides, std::decay_t<F>>;
  static_assert(sizeof(whole) <= WEFT_CONTEXT_ROOM_MAX);
  const made_context made = make_context_with<whole>(run_asymmetric<Sides, std::decay_t<F>>, std::forward<Stack>(stack), made_by,
                                                     std::in_place, std::forward<F>(function));
  Sides* const sides = std::addressof(static_cast<whole*>(made.room)->sides);
  sides->start_with(made.handle);
  return sides;
}

}  // namespace weft::detail
