// Futures: promise, packaged_task, async; values, references, nothing, and what was thrown.
#include <weft/future.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <weft/async.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/thread.hpp>

using namespace std::chrono_literals;

namespace {

int fib(int n) {
  if (n < 2) return n;
  weft::future<int> left = weft::async(fib, n - 1);
  const int right = fib(n - 2);
  return left.get() + right;
}

// A value that can only be moved, has no default, and counts itself.
struct token {
  explicit token(int of) : value(of) { ++alive; }
  token(token&& other) noexcept : value(other.value) { ++alive; }
  ~token() { --alive; }
  int value;
  static inline std::atomic<int> alive = 0;
};

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error("copied"); }
};

struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) { throw std::runtime_error("moved"); }
};

template <class F>
std::error_code code_thrown_by(F&& function) {
  try {
    function();
  } catch (const std::future_error& e) {
    return e.code();
  } catch (const std::system_error& e) {
    return e.code();
  }
  return {};
}

}  // namespace

TEST_CASE("async: recursive fib") {
  const weft::runtime runtime({.workers = 3});
  CHECK(fib(18) == 2584);
}

TEST_CASE("async carries values, references, nothing and exceptions") {
  const weft::runtime runtime;
  CHECK(weft::async([] { return std::string("text"); }).get() == "text");
  CHECK(weft::async([](std::unique_ptr<int> p) { return *p; }, std::make_unique<int>(5)).get() == 5);
  int variable = 1;
  int& same = weft::async([&variable]() -> int& { return variable; }).get();
  CHECK(&same == &variable);
  weft::async([&variable] { variable = 2; }).get();
  CHECK(variable == 2);
  CHECK(weft::async({.stack_bytes = 128 * 1024, .name = "named"}, [] {
          return std::string(weft_thread_get_name(weft_self()));
        }).get() == "named");
  weft::future<int> failing = weft::async([]() -> int { throw std::out_of_range("too far"); });
  CHECK_THROWS_AS(failing.get(), std::out_of_range);
  CHECK_FALSE(failing.valid());
}

TEST_CASE("a value that cannot be copied passes through, and is destroyed exactly once") {
  {
    const weft::runtime runtime;
    CHECK(weft::async([] { return token(3); }).get().value == 3);
    weft::promise<token> promise;
    weft::future<token> future = promise.get_future();
    promise.set_value(token(4));
    CHECK(future.get().value == 4);
    weft::future<token> forgotten = weft::async([] { return token(5); });
  }
  CHECK(token::alive == 0);
}

TEST_CASE("a future that nobody reads lets its thread go on") {
  std::atomic<bool> go = false;
  std::atomic<bool> has_ended = false;
  {
    const weft::runtime runtime({.workers = 2});
    {
      const weft::future<void> forgotten = weft::async([&] {
        while (!go) weft::this_thread::sleep_for(1ms);
        has_ended = true;
      });
    }
    CHECK_FALSE(has_ended);
    go = true;
  }
  CHECK(has_ended);
}

TEST_CASE("waiting for an async call with a deadline") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<bool> go = false;
  weft::future<int> future = weft::async([&go] {
    while (!go) weft::this_thread::sleep_for(1ms);
    return 6;
  });
  CHECK(future.wait_for(2ms) == weft::future_status::timeout);
  CHECK(future.wait_until(std::chrono::steady_clock::now() + 2ms) == weft::future_status::timeout);
  CHECK(future.wait_until(std::chrono::system_clock::now() + 2ms) == weft::future_status::timeout);
  CHECK_FALSE(future.is_ready());
  go = true;
  CHECK(future.wait_for(60s) == weft::future_status::ready);
  CHECK(future.is_ready());
  CHECK(future.wait_for(0s) == weft::future_status::ready);
  future.wait();
  CHECK(future.get() == 6);
}

TEST_CASE("moving futures") {
  const weft::runtime runtime;
  weft::future<int> first = weft::async([] { return 1; });
  weft::future<int> second = std::move(first);
  CHECK_FALSE(first.valid());
  first = weft::async([] { return 2; });
  second = std::move(first);  // the thread of 1 goes on by itself
  CHECK(second.get() == 2);
  CHECK(code_thrown_by([&] { second.get(); }) == weft::future_errc::no_state);
  CHECK(code_thrown_by([&] { second.wait(); }) == weft::future_errc::no_state);
}

TEST_CASE("a promise kept from a ULT, from an OS thread, and to one") {
  const weft::runtime runtime({.workers = 2});
  weft::promise<int> to_ult;
  weft::future<int> in_ult = to_ult.get_future();
  weft::promise<int> to_outside;
  int seen = 0;
  std::thread outside([&, in = to_outside.get_future()]() mutable { to_ult.set_value(in.get() + 1); });
  weft::thread reader([&] { seen = in_ult.get(); });
  weft::thread([&] { to_outside.set_value(10); }).join();
  reader.join();
  outside.join();
  CHECK(seen == 11);
}

TEST_CASE("promises: every mistake has its code") {
  const weft::runtime runtime;
  weft::promise<int> promise;
  weft::future<int> future = promise.get_future();
  CHECK(code_thrown_by([&] { static_cast<void>(promise.get_future()); }) == weft::future_errc::future_already_retrieved);
  promise.set_value(1);
  CHECK(code_thrown_by([&] { promise.set_value(2); }) == weft::future_errc::promise_already_satisfied);
  CHECK(code_thrown_by([&] { promise.set_exception(std::make_exception_ptr(1)); }) ==
        weft::future_errc::promise_already_satisfied);
  CHECK(future.get() == 1);
  weft::promise<int> moved = std::move(promise);
  CHECK(code_thrown_by([&] { promise.set_value(3); }) == weft::future_errc::no_state);

  weft::future<void> broken;
  {
    weft::promise<void> short_lived;
    broken = short_lived.get_future();
  }
  CHECK(code_thrown_by([&] { broken.get(); }) == weft::future_errc::broken_promise);

  weft::promise<int> assigned;
  weft::future<int> lost = assigned.get_future();
  assigned = weft::promise<int>();
  CHECK(code_thrown_by([&] { lost.get(); }) == weft::future_errc::broken_promise);
}

TEST_CASE("promises of references and of nothing; exceptions; a value whose copy throws") {
  const weft::runtime runtime;
  int variable = 7;
  weft::promise<int&> by_reference;
  by_reference.set_value(variable);
  CHECK(&by_reference.get_future().get() == &variable);
  weft::promise<void> nothing;
  nothing.set_value();
  nothing.get_future().get();
  weft::promise<int> failing;
  failing.set_exception(std::make_exception_ptr(std::domain_error("no")));
  CHECK_THROWS_AS(failing.get_future().get(), std::domain_error);

  weft::promise<throws_when_copied> fragile;
  const throws_when_copied value;
  CHECK_THROWS_AS(fragile.set_value(value), std::runtime_error);
  fragile.set_exception(std::make_exception_ptr(1));  // it is still unsatisfied
  CHECK_THROWS_AS(static_cast<void>(fragile.get_future().share().get()), int);
}

TEST_CASE("many readers share a future") {
  const weft::runtime runtime({.workers = 3});
  std::atomic<bool> go = false;
  const weft::shared_future<int> shared = weft::async([&go] {
    while (!go) weft::this_thread::sleep_for(1ms);
    return 8;
  });
  CHECK(shared.wait_for(0ms) == weft::future_status::timeout);
  CHECK_FALSE(shared.is_ready());
  std::atomic<int> sum = 0;
  std::vector<weft::thread> readers;
  for (int i = 0; i < 20; ++i) readers.emplace_back([&sum, shared] { sum += shared.get(); });
  std::thread outside([&sum, shared] { sum += shared.get(); });
  go = true;
  for (weft::thread& each : readers) each.join();
  outside.join();
  CHECK(sum == 21 * 8);
  CHECK(shared.wait_until(std::chrono::steady_clock::now()) == weft::future_status::ready);

  const weft::shared_future<void> failing = weft::async([] { throw std::runtime_error("for all"); }).share();
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(failing.get(), std::runtime_error);
}

TEST_CASE("packaged tasks") {
  const weft::runtime runtime;
  weft::packaged_task<int(int, int)> task([](int left, int right) { return left * right; });
  weft::future<int> product = task.get_future();
  weft::thread(std::move(task), 6, 7).join();
  CHECK_FALSE(task.valid());
  CHECK(product.get() == 42);

  weft::packaged_task<void()> failing([] { throw std::runtime_error("task"); });
  weft::future<void> failure = failing.get_future();
  failing();
  CHECK_THROWS_AS(failure.get(), std::runtime_error);
  CHECK(code_thrown_by([&] { failing(); }) == weft::future_errc::promise_already_satisfied);
  weft::packaged_task<void()> empty;
  CHECK(code_thrown_by([&] { empty(); }) == weft::future_errc::no_state);

  weft::packaged_task<void(throws_when_moved)> fragile([](throws_when_moved) {});
  weft::future<void> broken = fragile.get_future();
  fragile(throws_when_moved());
  CHECK_THROWS_AS(broken.get(), std::runtime_error);
}

// A reader that waited in vain finds the value before the giver has woken the waiters, and frees
// everything.
TEST_CASE("a reader that gave up waiting may be the last user, in the middle of the giving") {
  const weft::runtime runtime({.workers = 2});
  for (int round = 0; round < 100; ++round) {
    auto given = std::make_unique<weft::promise<int>>();
    weft::future<int> taken = given->get_future();
    CHECK(taken.wait_for(1us) == weft::future_status::timeout);
    weft::thread giver([&promise = *given, round] { promise.set_value(round); });
    while (!taken.is_ready()) weft::this_thread::yield();
    CHECK(taken.get() == round);
    given.reset();
    giver.join();
  }
}
