// What the tests of coroutines have in common.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include <weft/sync.hpp>
#include <weft/task.hpp>
#include <weft/thread.hpp>

// WEFT_OK: nothing was thrown.
inline weft_status status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const weft::error& problem) {
    return problem.status();
  }
  return WEFT_OK;
}

// By those callers that may wait, of the runtime that runs.
inline void by_waiting_callers(const std::function<void()>& body) {
  body();
  weft::thread(body).join();
  weft::latch has_ended(1);
  std::thread outside([&] {
    body();
    has_ended.count_down();
  });
  has_ended.wait();
  outside.join();
}

inline void wait_for(const std::atomic<int>& value, int expected) {
  while (value != expected) weft::this_thread::yield();
}

// A coroutine of another library: it starts at once, and owns itself.
struct fire_and_forget {
  struct promise_type {
    static fire_and_forget get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};

// An awaitable of another library: resume() resumes the coroutine that awaits it, and waits for
// one.
class by_hand {
 public:
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) noexcept { self_ = self.address(); }
  static void await_resume() noexcept {}
  void resume() {
    void* self = nullptr;
    while ((self = self_.exchange(nullptr)) == nullptr) weft::this_thread::yield();
    std::coroutine_handle<>::from_address(self).resume();
  }

 private:
  std::atomic<void*> self_ = nullptr;
};

// A coroutine that begins to await a task at once, and is destroyed by hand.
class abandoned {
 public:
  struct promise_type {
    abandoned get_return_object() noexcept { return abandoned(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };

  explicit abandoned(weft::task<> one) : abandoned(begin(std::move(one))) {}
  void destroy() {
    CHECK_FALSE(self_.done());
    self_.destroy();
  }

 private:
  explicit abandoned(std::coroutine_handle<promise_type> self) noexcept : self_(self) {}
  static abandoned begin(weft::task<> one) { co_await std::move(one); }

  std::coroutine_handle<promise_type> self_;
};
