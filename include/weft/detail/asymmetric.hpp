// The two sides of a generator or a coroutine: the body, on a stack of its own, and the caller that
// resumes it. Each side goes on where the other one suspends itself.
//
//      caller --resume--> body ... suspend --> caller --resume--> body ... ends --> caller
//
// The record lies on the body's stack, and so stays until the owner destroys the context, which
// therefore never ends: a body that has ended is suspended for ever. A body may let another one go
// on in its place (delegate): that one suspends itself in this record, so that its values go to the
// caller directly.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <weft/context.h>
#include <weft/detail/pair.h>
#include <weft/detail/context_stack.hpp>
#include <weft/detail/forced_unwind.hpp>
#include <weft/error.hpp>

namespace weft::detail {

class two_sides {
 public:
  two_sides() noexcept { pair_.body = nullptr; }
  two_sides(const two_sides&) = delete;
  two_sides& operator=(const two_sides&) = delete;

  // ---- the caller ----

  // Lets the body go on until it suspends itself or ends. Throws what ended it, and weft::error:
  // invalid (it has ended), deadlock (it runs: the caller is inside it).
  void resume() {
    if (pair_.body == nullptr) [[unlikely]]
      refuse();
    enter_contexts();
    WEFT_RESUME_PAIR(&pair_);
    if (has_ended_) [[unlikely]]
      rethrow();
  }

  // Unwinds the body if it is suspended, and frees its stack. Afterwards the record is gone.
  void destroy() noexcept {
    enter_contexts();  // the caller has to be a thread even if only a stack is freed
    if (!has_ended_) {
      must_unwind_ = true;
      weft_pair_resume(&pair_);  // the library names a body that runs: the caller is inside it
    }
    failure_ = nullptr;
    weft_pair_destroy(&pair_);
  }

  bool has_ended() const noexcept { return has_ended_; }

  // ---- the body ----

  // Of the outermost record: goes on in its caller, and returns when that resumes the body. Throws
  // forced_unwind when it is to end instead.
  void suspend() {
    WEFT_SUSPEND_PAIR(&pair_);
    if (must_unwind_) [[unlikely]]
      throw forced_unwind(nullptr);
  }

  // Lets `inner`, whose values are the caller's from now on, go on until it ends. Throws what ended
  // it.
  void delegate(two_sides& inner) {
    if (inner.has_ended_) return;
    if (inner.pair_.body == nullptr) refuse();
    inner.outermost_ = outermost_;
    weft_pair_resume(&inner.pair_);
    if (outermost_->must_unwind_) [[unlikely]]
      throw forced_unwind(nullptr);
    inner.rethrow();
  }

  two_sides* outermost() const noexcept { return outermost_; }

  // ---- the bottom of the body's stack ----

  bool must_unwind() const noexcept { return outermost_->must_unwind_; }
  void fail(std::exception_ptr what) noexcept { failure_ = std::move(what); }
  [[noreturn]] void end() noexcept {
    has_ended_ = true;
    weft_pair_end(&pair_);
  }

  // By the maker of the context.
  void start_with(weft_context* body) noexcept { weft_pair_begin(&pair_, body); }

 private:
  void rethrow() {
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse() const {
    if (has_ended_) fail_with(WEFT_INVALID, "a generator or coroutine was resumed after its end");
    fail_with(WEFT_DEADLOCK, "a generator or coroutine was resumed from inside itself, or while another thread runs it");
  }
  [[noreturn]] static void fail_with(weft_status status, const char* what) { throw error(status, what); }

  weft_pair pair_;               // first: its address is the record's
  two_sides* outermost_ = this;  // whose caller gets the values
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
[[noreturn]] weft_context* run_asymmetric(weft_context*, void*, void* room) noexcept {
  auto* const body = static_cast<asymmetric_body<Sides, Function>*>(room);
  {
    const std::unique_ptr<in_room<Function>, void (*)(in_room<Function>*)> function(
        std::addressof(body->function), [](in_room<Function>* one) { std::destroy_at(one); });
    if (!body->sides.must_unwind()) {
      try {
        body->sides.run(**function);
      } catch (const forced_unwind&) {
      } catch (const os_thread_unwind&) {
        std::terminate();  // an OS thread cannot end in frames that are not its own
      } catch (...) {
        body->sides.fail(std::current_exception());
      }
    }
  }
  body->sides.end();
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
