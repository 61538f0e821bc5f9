// Several coroutines at once: when_all, when_any, with_timeout, async_scope.
#include <weft/tasks.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

std::atomic<int> unwound = 0;

// Counts frames that have ended.
struct counted {
  counted() = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { unwound += 1; }
};

weft::task<int> number(int value) { co_return value; }
weft::task<std::unique_ptr<int>> moved(int value) {
  co_await weft::async_sleep_for(10us);
  co_return std::make_unique<int>(value);
}
weft::task<> nothing() { co_await weft::async_sleep_for(10us); }
weft::task<int> endless() {
  const counted one;
  co_await weft::async_sleep_for(1h);
  co_return 0;
}
weft::task<int> failing(std::chrono::nanoseconds patience) {
  const counted one;
  co_await weft::async_sleep_for(patience);
  throw std::runtime_error("failing");
}
weft::task<int> busy(std::chrono::nanoseconds length) {
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end) {
  }
  co_return 1;
}

// Its move throws once `left` moves were made.
struct reluctant {
  static inline int left = 0;
  reluctant() = default;
  reluctant(const reluctant&) = delete;
  reluctant(reluctant&&) {
    if (left-- == 0) throw std::runtime_error("move");
  }
};
weft::task<reluctant> reluctant_one() { co_return reluctant(); }

weft::task<> spread(weft::async_scope& scope, int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    co_await weft::async_sleep_for(1us);
    leaves += 1;
    co_return;
  }
  scope.spawn(spread(scope, depth - 1, leaves));
  scope.spawn(spread(scope, depth - 1, leaves));
}

}  // namespace

TEST_CASE("when_all returns what all return") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    auto [one, two, three] = weft::sync_wait(weft::when_all(number(1), moved(2), nothing()));
    CHECK(one == 1);
    CHECK(*two == 2);
    CHECK(three == std::monostate());
    std::vector<weft::task<int>> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back(number(i));
    const std::vector<int> values = weft::sync_wait(weft::when_all(std::move(tasks)));
    REQUIRE(values.size() == 100);
    for (int i = 0; i < 100; ++i) CHECK(values[static_cast<std::size_t>(i)] == i);
    CHECK(weft::sync_wait(weft::when_all(std::vector<weft::task<int>>())).empty());
  });
}

TEST_CASE("when_all: the first exception stops the others, and is thrown when all have ended") {
  const weft::runtime runtime({.workers = 2});
  unwound = 0;
  CHECK_THROWS_AS(weft::sync_wait(weft::when_all(endless(), failing(10us), endless())), std::runtime_error);
  CHECK(unwound == 3);
  std::vector<weft::task<int>> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back(i == 7 ? failing(0us) : endless());
  CHECK_THROWS_AS(weft::sync_wait(weft::when_all(std::move(tasks))), std::runtime_error);
  CHECK(unwound == 13);
  CHECK(status_of([] { weft::sync_wait(weft::when_all(endless(), weft::task<int>())); }) == WEFT_INVALID);
  CHECK(unwound <= 14);
}

TEST_CASE("when_any returns the first, and the others have ended") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    unwound = 0;
    const std::variant<int, std::monostate, int> first = weft::sync_wait(weft::when_any(endless(), nothing(), endless()));
    CHECK(first.index() == 1);
    CHECK(unwound == 2);
    std::vector<weft::task<int>> tasks;
    for (int i = 0; i < 10; ++i) tasks.push_back(i == 4 ? number(4) : endless());
    const auto [index, value] = weft::sync_wait(weft::when_any(std::move(tasks)));
    CHECK(index == 4);
    CHECK(value == 4);
    CHECK_THROWS_AS(weft::sync_wait(weft::when_any(endless(), failing(1us))), std::runtime_error);
    CHECK(status_of([] { weft::sync_wait(weft::when_any(std::vector<weft::task<int>>())); }) == WEFT_INVALID);
  });
}

TEST_CASE("when_any and when_all throw what moving a value throws, whichever move that is") {
  const weft::runtime runtime({.workers = 2});
  const auto check = [](auto call) {
    int failures = 0;
    for (reluctant::left = failures; failures < 100; reluctant::left = ++failures) {
      try {
        call();
        break;
      } catch (const std::runtime_error& problem) {
        CHECK(problem.what() == std::string("move"));
      }
    }
    CHECK(failures >= 2);
    CHECK(failures < 100);
  };
  check([] { CHECK(weft::sync_wait(weft::when_any(reluctant_one(), endless())).index() == 0); });
  check([] { weft::sync_wait(weft::when_all(reluctant_one(), number(1))); });
  check([] {
    std::vector<weft::task<reluctant>> tasks;
    tasks.push_back(reluctant_one());
    CHECK(weft::sync_wait(weft::when_any(std::move(tasks))).first == 0);
  });
}

TEST_CASE("a stop of the awaiting task is passed on to all, and ends the wait") {
  const weft::runtime runtime({.workers = 2});
  const auto check = [](auto make) {
    for (int i = 0; i < 20; ++i) {
      unwound = 0;
      std::stop_source source;
      auto waiting = weft::spawn(make(), source.get_token());
      for (int round = 0; round < i; ++round) weft::this_thread::yield();
      source.request_stop();
      CHECK_THROWS_AS(waiting.get(), weft::stopped);
    }
  };
  check([] { return weft::when_all(endless(), endless()); });
  check([] { return weft::when_any(endless(), endless()); });
  check([] { return weft::with_timeout(endless(), 1h); });
  weft::async_scope scope;
  std::stop_source source;
  unwound = 0;
  scope.spawn(endless());
  scope.spawn(endless());
  weft::future<void> joining = weft::spawn(scope.join(), source.get_token());
  source.request_stop();
  CHECK_THROWS_AS(joining.get(), weft::stopped);
  CHECK(scope.get_token().stop_requested());
}

TEST_CASE("with_timeout: in time, late, too late to be stopped") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    CHECK(weft::sync_wait(weft::with_timeout(number(5), 1h)) == 5);
    weft::sync_wait(weft::with_timeout(nothing(), std::chrono::steady_clock::now() + 1h));
    unwound = 0;
    CHECK(status_of([] { weft::sync_wait(weft::with_timeout(endless(), 1ms)); }) == WEFT_TIMEOUT);
    CHECK(status_of([] { weft::sync_wait(weft::with_timeout(endless(), 0ms)); }) == WEFT_TIMEOUT);
    CHECK(unwound == 2);
    CHECK(weft::sync_wait(weft::with_timeout(busy(2ms), 1ms)) == 1);
    CHECK_THROWS_AS(weft::sync_wait(weft::with_timeout(failing(1us), 1h)), std::runtime_error);
    CHECK(status_of([] { weft::sync_wait(weft::with_timeout(weft::with_timeout(endless(), 1h), 1ms)); }) == WEFT_TIMEOUT);
    CHECK(status_of([] { weft::sync_wait(weft::with_timeout(weft::with_timeout(endless(), 1ms), 1h)); }) == WEFT_TIMEOUT);
    CHECK(status_of([] { weft::sync_wait(weft::with_timeout(weft::task<int>(), 1h)); }) == WEFT_INVALID);
  });
}

TEST_CASE("with_timeout requests the stop in a tasklet, where a callback may cancel other waits") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<int> called = 0;
  std::atomic<int> called_in_tasklet = 0;
  const auto task = [&]() -> weft::task<> {
    const std::stop_callback on_stop(co_await weft::current_stop_token(), [&] {
      called += 1;
      if (weft_self() != nullptr && weft_thread_is_tasklet(weft_self())) called_in_tasklet += 1;
    });
    co_await weft::async_sleep_for(1h);
  };
  CHECK(status_of([&] { weft::sync_wait(weft::with_timeout(task(), 1ms)); }) == WEFT_TIMEOUT);
  CHECK(called == 1);
  CHECK(called_in_tasklet == 1);
}

TEST_CASE("deadlines that come at the same time on several workers do not wait for each other") {
  const weft::runtime runtime({.workers = 3});
  const auto sleep = [](int length) -> weft::task<> { co_await weft::async_sleep_for(std::chrono::microseconds(length)); };
  const auto repeat = [&]() -> weft::task<> {
    for (int i = 0; i < 1000; ++i) {
      try {
        co_await weft::with_timeout(sleep(i % 60), std::chrono::microseconds(i % 50));
      } catch (const weft::error& late) {
        if (late.status() != WEFT_TIMEOUT) throw;
      }
    }
  };
  std::vector<weft::task<>> all;
  for (int i = 0; i < 12; ++i) all.push_back(repeat());
  CHECK(weft::sync_wait(weft::when_all(std::move(all))).size() == 12);
}

TEST_CASE("with_timeout stops the task if the runtime ends before the deadline") {
  weft_event never = WEFT_EVENT_INIT;
  weft::future<void> waiting;
  {
    const weft::runtime runtime({.workers = 1});
    const auto task = [&]() -> weft::task<> { co_await weft::async_wait(never); };
    waiting = weft::spawn(weft::with_timeout(task(), 1h));
    weft::this_thread::yield();
  }
  CHECK(status_of([&] { waiting.get(); }) == WEFT_ENDED);
}

TEST_CASE("a scope waits for tasks that add others, is joined again, and passes the first exception on") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    weft::async_scope scope;
    std::atomic<int> leaves = 0;
    for (int round = 1; round <= 3; ++round) {
      scope.spawn(spread(scope, 6, leaves));
      weft::sync_wait(scope.join());
      CHECK(leaves == round * 64);
    }
    weft::sync_wait(scope.join());
    unwound = 0;
    scope.spawn(endless());
    scope.spawn(failing(1us));
    CHECK_THROWS_AS(weft::sync_wait(scope.join()), std::runtime_error);
    CHECK(unwound == 2);
    CHECK(status_of([&] { scope.spawn(weft::task<>()); }) == WEFT_INVALID);
    scope.spawn(spread(scope, 6, leaves));
    weft::sync_wait(scope.join());
    CHECK(leaves == 4 * 64);
    scope.spawn(failing(0us));
    scope.request_stop();
    CHECK_THROWS(weft::sync_wait(scope.join()));
    scope.spawn(endless());
    CHECK_THROWS_AS(weft::sync_wait(scope.join()), weft::stopped);
  });
}

TEST_CASE("a scope that is asked to stop ends its tasks") {
  const weft::runtime runtime({.workers = 2});
  weft::async_scope scope;
  unwound = 0;
  for (int i = 0; i < 10; ++i) scope.spawn(endless());
  scope.request_stop();
  CHECK_THROWS_AS(weft::sync_wait(scope.join()), weft::stopped);
  CHECK(unwound <= 10);
}
