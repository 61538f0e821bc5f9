// Stops of coroutines: each wait ends at once, leaves nothing behind, and meets wake-ups on the
// way.
#include <weft/task.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <weft/promise.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

// make() returns what is awaited. True: the wait was ended by a stop.
template <class Make>
weft::task<bool> is_stopped(Make make) {
  bool result = false;
  try {
    co_await make();
  } catch (const weft::stopped& problem) {
    result = problem.status() == WEFT_ENDED;
  }
  co_return result;
}

template <class Make>
void check_stop(Make make) {
  std::stop_source source;
  weft::future<bool> begun = weft::spawn(is_stopped(make), source.get_token());
  weft::this_thread::yield();
  CHECK_FALSE(begun.is_ready());
  CHECK(source.request_stop());
  CHECK(begun.get());
  CHECK_FALSE(source.request_stop());
  CHECK(weft::sync_wait(is_stopped(make), source.get_token()));  // requested before
}

weft::task<> in_depth(int depth) {
  if (depth == 0) {
    co_await weft::async_sleep_for(1h);
  } else {
    co_await in_depth(depth - 1);
  }
}

// A value whose move yields.
struct yielding {
  yielding() = default;
  yielding(yielding&&) noexcept { weft::this_thread::yield(); }
  yielding& operator=(yielding&&) noexcept {
    weft::this_thread::yield();
    return *this;
  }
};

// Is there as soon as it is waited for, and taken by another caller before the last time.
struct taken_before {
  int* times;
  static bool is_ready() noexcept { return false; }
  static bool arm(weft::detail::notice* to) {
    to->tell(to, WEFT_OK);
    return true;
  }
  static bool cancel() noexcept { return false; }
  bool must_retry() const noexcept { return --*times != 0; }
  static void result() noexcept {}
};

}  // namespace

TEST_CASE("a stop ends every wait, and takes nothing") {
  const weft::runtime runtime({.workers = 2});
  weft::counting_semaphore<> tokens(0);
  weft::mutex mutex;
  weft::shared_mutex shared;
  weft::latch latch(1), until(1);
  weft::unbuffered_channel<int> channel;
  weft::buffered_channel<int> full(1);
  full.push(0);
  weft::promise<int> made, given;
  const weft::shared_future<int> number = made.get_future().share();
  weft::future<int> lone = given.get_future();
  weft::thread thread([&] { until.wait(); });
  mutex.lock();
  shared.lock();
  by_waiting_callers([&] {
    check_stop([&] { return weft::async_acquire(tokens); });
    check_stop([&] { return weft::async_lock(mutex); });
    check_stop([&] { return weft::async_lock(shared); });
    check_stop([&] { return weft::async_lock_shared(shared); });
    check_stop([&] { return weft::async_wait(latch); });
    check_stop([&] { return weft::async_pop(channel); });
    check_stop([&] { return weft::async_push(full, 1); });
    check_stop([&] { return number; });
    check_stop([&]() -> weft::future<int>& { return lone; });
    check_stop([&]() -> weft::thread& { return thread; });
    check_stop([] { return weft::async_sleep_for(1h); });
    check_stop([] { return in_depth(100); });
  });
  mutex.unlock();
  shared.unlock();
  tokens.release();
  CHECK(tokens.try_acquire());
  int value = -1;
  CHECK(full.try_pop(value) == weft::channel_op_status::success);
  CHECK(full.try_pop(value) == weft::channel_op_status::empty);
  given.set_value(3);
  CHECK(lone.get() == 3);
  made.set_value(4);
  until.count_down();
  thread.join();
}

TEST_CASE("what need not wait is not ended, and a token that was not given stops nothing") {
  const weft::runtime runtime({.workers = 1});
  std::stop_source source;
  source.request_stop();
  weft::counting_semaphore<> tokens(1);
  weft::promise<int> made;
  made.set_value(5);
  CHECK(weft::sync_wait(
            [](auto& tokens_, auto ready) -> weft::task<int> {
              co_await weft::async_acquire(tokens_);
              const std::stop_token token = co_await weft::current_stop_token();
              CHECK(token.stop_requested());
              co_return co_await std::move(ready);
            }(tokens, made.get_future()),
            source.get_token()) == 5);
  CHECK_FALSE(weft::sync_wait([]() -> weft::task<bool> {
    co_await weft::async_sleep_for(1ms);
    const std::stop_token token = co_await weft::current_stop_token();
    co_return token.stop_possible();
  }()));
}

TEST_CASE("stopped leaves a task as any exception, and on_thread runs to its end") {
  const weft::runtime runtime({.workers = 2});
  std::stop_source source;
  std::atomic<int> step = 0;
  weft::future<void> begun = weft::spawn(
      [](auto& step_, auto& source_) -> weft::task<> {
        co_await weft::on_thread([&] {
          source_.request_stop();
          weft::this_thread::sleep_for(1ms);
          step_ = 1;
        });
        CHECK(step_ == 1);
        co_await in_depth(3);
        step_ = 2;
      }(step, source),
      source.get_token());
  CHECK_THROWS_AS(begun.get(), weft::stopped);
  CHECK(step == 1);
}

TEST_CASE("a stop meets what ends the wait: one of both, and nothing is lost") {
  const weft::runtime runtime({.workers = 4});
  const int rounds = IS_SLOW ? 100 : 1000;
  int given = 0, taken = 0, stopped = 0;
  weft::counting_semaphore<> tokens(0);
  weft::buffered_channel<int> channel(1);
  for (int round = 0; round < rounds; ++round) {
    std::stop_source source;
    weft::promise<int> made;
    weft::future<int> future = made.get_future();
    weft::future<bool> a = weft::spawn(is_stopped([&] { return weft::async_acquire(tokens); }), source.get_token());
    weft::future<bool> b = weft::spawn(is_stopped([&] { return weft::async_pop(channel); }), source.get_token());
    weft::future<bool> c = weft::spawn(is_stopped([&]() -> weft::future<int>& { return future; }), source.get_token());
    weft::thread giver([&] {
      tokens.release();
      channel.push(1);
      made.set_value(1);
    });
    weft::thread stopper([&] { source.request_stop(); });
    for (weft::future<bool>* each : {&a, &b, &c}) each->get() ? ++stopped : ++taken;
    giver.join();
    stopper.join();
    int value = 0;
    given += 3;
    if (tokens.try_acquire()) --given;
    if (channel.try_pop(value) == weft::channel_op_status::success) --given;
    if (future.valid()) given -= future.get();
  }
  CHECK(taken == given);
  CHECK(taken + stopped == 3 * rounds);
}

TEST_CASE("a thousand waits end with one stop") {
  const weft::runtime runtime({.workers = 4});
  std::stop_source source;
  weft::latch never(1);
  std::vector<weft::future<bool>> all;
  for (int i = 0; i < 1000; ++i) {
    all.push_back(weft::spawn(is_stopped([&] { return weft::async_wait(never); }), source.get_token()));
  }
  std::thread stopper([&] { source.request_stop(); });
  int count = 0;
  for (auto& each : all) count += each.get() ? 1 : 0;
  stopper.join();
  CHECK(count == 1000);
}

TEST_CASE("a promise may be destroyed in a stop callback") {
  const weft::runtime runtime({.workers = 2});
  std::stop_source source;
  std::optional<weft::promise<int>> made(std::in_place);
  weft::future<int> future = made->get_future();
  weft::future<int> waiting =
      weft::spawn([](weft::future<int> from) -> weft::task<int> { co_return co_await from; }(std::move(future)));
  const std::stop_callback breaks(source.get_token(), [&] { made.reset(); });
  source.request_stop();
  CHECK_THROWS_AS(waiting.get(), std::future_error);
}

namespace {

struct fails_to_move {
  bool* fails;
  explicit fails_to_move(bool* flag) : fails(flag) {}
  fails_to_move(fails_to_move&& other) : fails(other.fails) {
    if (*fails && !std::exchange(other.is_safe, true)) throw std::runtime_error("move");
  }
  bool is_safe = false;
};

}  // namespace

TEST_CASE("a value whose move fails goes to its owner: the other side waits again") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<fails_to_move> channel;
  bool fails = false;
  weft::latch popped(1);
  [](auto& from, auto& done) -> fire_and_forget {  // waits when the call returns
    const auto value = co_await weft::async_pop(from);
    if (value.has_value()) done.count_down();
  }(channel, popped);
  fails = true;
  CHECK_THROWS_AS(channel.push(fails_to_move(&fails)), std::runtime_error);
  CHECK_FALSE(popped.try_wait());
  fails = false;
  CHECK(channel.push(fails_to_move(&fails)) == weft::channel_op_status::success);
  popped.wait();
}

TEST_CASE("a wait with a token begins anew if it ends in vain before it has begun") {
  int times = 3;
  const auto wait = [&]() -> weft::task<> { co_await weft::detail::source_awaiter<taken_before>(&times); };
  const std::stop_source source;
  weft::sync_wait(wait(), source.get_token());
  CHECK(times == 0);
}

TEST_CASE("without a runtime a stop and what is waited for may come at the same time") {
  for (int i = 0; i < 50; ++i) {
    weft_event event = WEFT_EVENT_INIT;
    std::stop_source source;
    std::atomic<int> ready = 0;
    const auto meet = [&] {
      ready += 1;
      while (ready != 2) {
      }
    };
    std::thread setter([&] {
      meet();
      weft_event_set(&event);
    });
    std::thread stopper([&] {
      meet();
      source.request_stop();
    });
    const auto wait = [&]() -> weft::task<> { co_await weft::async_wait(event); };
    try {
      weft::sync_wait(wait(), source.get_token());
    } catch (const weft::stopped&) {
      CHECK(source.stop_requested());
    }
    setter.join();
    stopper.join();
  }
}

TEST_CASE("a stop does not wait for a pusher whose value is on its way") {
  if (std::getenv("WEFT_SCHEDULE") != nullptr) return;  // a yield may come back at once there
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<yielding> channel;
  std::stop_source source;
  const auto pop = [&]() -> weft::task<bool> { co_return (co_await weft::async_pop(channel)).has_value(); };
  weft::future<bool> popped = weft::spawn(pop(), source.get_token());
  weft::this_thread::yield();
  weft::thread pusher([&] { channel.push(yielding()); });
  weft::this_thread::yield();  // the pusher has claimed the wait, and yields in the move
  CHECK_FALSE(popped.is_ready());
  source.request_stop();
  CHECK(popped.get());
  pusher.join();
}
