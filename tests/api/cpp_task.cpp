// weft::task: what it returns and throws, everything that it can await, and what may begin it.
#include <weft/task.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/async.hpp>
#include <weft/promise.hpp>

#include "callers.hpp"
#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

weft::task<int> number(int value) { co_return value; }
weft::task<> nothing() { co_return; }
weft::task<int&> reference(int& value) { co_return value; }
weft::task<std::unique_ptr<int>> moved(int value) { co_return std::make_unique<int>(value); }
weft::task<int> failing() {
  throw std::runtime_error("failing");
  co_return 0;
}

weft::task<int> sum_of_tasks(int& value) {
  co_await nothing();
  int& same = co_await reference(value);
  same += 1;
  co_return co_await number(10) + *co_await moved(20) + value;
}

weft::task<std::string> catching() {
  try {
    co_await failing();
  } catch (const std::runtime_error& problem) {
    co_return problem.what();
  }
  co_return "nothing was thrown";
}

weft::task<int> chain(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await chain(depth - 1);
}
weft::task<int> chain_that_waits(int depth, weft::latch& latch) {
  if (depth == 0) {
    co_await weft::async_wait(latch);
    co_return 0;
  }
  co_return 1 + co_await chain_that_waits(depth - 1, latch);
}
weft::task<int> loop(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await number(1);
  co_return sum;
}

// make() returns what is awaited.
template <class Make>
weft::task<> into(Make make) {
  co_await make();
}

}  // namespace

TEST_CASE("tasks without a wait, by every caller but a tasklet, and before weft_init") {
  by_every_caller([] {
    int value = 1;
    if (weft_thread_is_tasklet(weft_self())) {
      CHECK(status_of([] { weft::sync_wait(number(1)); }) == WEFT_CANNOT_BLOCK);
      return;
    }
    CHECK(weft::sync_wait(sum_of_tasks(value)) == 32);
    CHECK(value == 2);
    CHECK(&weft::sync_wait(reference(value)) == &value);
    CHECK(*weft::sync_wait(moved(4)) == 4);
    weft::sync_wait(nothing());
    CHECK(weft::sync_wait(catching()) == "failing");
    CHECK_THROWS_AS(weft::sync_wait(failing()), std::runtime_error);
  });
}

TEST_CASE("a task is moved, and one without a coroutine is refused") {
  const weft::runtime runtime({.workers = 1});
  weft::task<int> first = number(1);
  weft::task<int> second = std::move(first);
  CHECK_FALSE(first.valid());  // NOLINT: moved from on purpose
  CHECK(second.valid());
  first = std::move(second);
  first = number(2);
  CHECK(weft::sync_wait(std::move(first)) == 2);
  CHECK(status_of([] { weft::sync_wait(weft::task<int>()); }) == WEFT_INVALID);
  CHECK(status_of([] { static_cast<void>(weft::spawn(weft::task<int>())); }) == WEFT_INVALID);
  CHECK(status_of([] { weft::sync_wait(into([] { return weft::task<int>(); })); }) == WEFT_INVALID);
}

TEST_CASE("chains and loops of any length need no stack") {
  const weft::runtime runtime({.workers = 2});
  const int length = IS_SLOW ? 10'000 : 1'000'000;
  CHECK(weft::sync_wait(chain(length)) == length);
  CHECK(weft::sync_wait(loop(length)) == length);
  weft::latch latch(1);
  weft::future<int> waiting = weft::spawn(chain_that_waits(length / 10, latch));
  weft::thread([&] { latch.count_down(); }).join();
  CHECK(waiting.get() == length / 10);
  weft::thread in_ult([&] { CHECK(weft::sync_wait(loop(length)) == length); });
  in_ult.join();
}

TEST_CASE("spawn begins tasks, whose futures get what they return or throw") {
  const weft::runtime runtime({.workers = 4});
  std::vector<weft::future<int>> all;
  for (int i = 0; i < 100; ++i) all.push_back(weft::spawn(number(i)));
  int sum = 0;
  for (auto& each : all) sum += each.get();
  CHECK(sum == 4950);
  CHECK_THROWS_AS(weft::spawn(failing()).get(), std::runtime_error);
  weft::spawn(nothing()).get();
  int value = 3;
  CHECK(&weft::spawn(reference(value)).get() == &value);
  CHECK(*weft::spawn(moved(5)).get() == 5);
  weft::latch kept(1), ended(1);
  static_cast<void>(weft::spawn([](weft::latch& open, weft::latch& last) -> weft::task<> {
    co_await weft::async_wait(open);
    last.count_down();
  }(kept, ended)));  // goes on without its future
  kept.count_down();
  ended.wait();
}

TEST_CASE("futures: ready, later, shared, thrown, broken, moved and referred to") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    weft::promise<int> made;
    weft::future<int> kept = made.get_future();
    weft::promise<std::string> text;
    weft::shared_future<std::string> shared = text.get_future().share();
    weft::thread giver([&] {
      weft::this_thread::yield();
      made.set_value(1);
      weft::this_thread::yield();
      text.set_value("text");
    });
    const auto all = [&]() -> weft::task<std::string> {
      const int first = co_await kept;
      CHECK_FALSE(kept.valid());
      const std::string& second = co_await shared;
      const std::string third = co_await weft::shared_future<std::string>(shared);
      const int fourth = co_await weft::async([] { return 4; });
      co_return std::to_string(first) + second + third + std::to_string(fourth);
    };
    CHECK(weft::sync_wait(all()) == "1texttext4");
    giver.join();
    CHECK_THROWS_AS(weft::sync_wait(weft::async([]() -> int { throw std::runtime_error("thrown"); })), std::runtime_error);
    CHECK_THROWS_AS(weft::sync_wait(weft::future<int>()), std::future_error);
    auto broken = std::make_unique<weft::promise<int>>();
    weft::future<int> from_broken =
        weft::spawn([](weft::future<int> one) -> weft::task<int> { co_return co_await one; }(broken->get_future()));
    broken.reset();
    CHECK_THROWS_AS(from_broken.get(), std::future_error);
  });
}

TEST_CASE("many coroutines wait for one shared future") {
  const weft::runtime runtime({.workers = 4});
  weft::promise<int> made;
  const weft::shared_future<int> shared = made.get_future().share();
  std::vector<weft::future<int>> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(weft::spawn(
        [](weft::shared_future<int> from, int more) -> weft::task<int> { co_return co_await from + more; }(shared, i)));
  }
  made.set_value(1000);
  for (int i = 0; i < 200; ++i) CHECK(all[static_cast<std::size_t>(i)].get() == 1000 + i);
}

TEST_CASE("threads are joined, ended or not") {
  const weft::runtime runtime({.workers = 2});
  const auto join_two = []() -> weft::task<> {
    weft::latch open(1);
    weft::thread waits([&] { open.wait(); });
    weft::thread opens([&] { open.count_down(); });
    co_await waits;
    CHECK_FALSE(waits.joinable());
    co_await opens;
    CHECK_FALSE(opens.joinable());
    weft::thread empty;
    co_await empty;
  };
  CHECK(status_of([&] { weft::sync_wait(join_two()); }) == WEFT_INVALID);
}

TEST_CASE("events, latches and semaphores") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    weft::counting_semaphore<> tokens(1);
    weft::latch latch(1);
    weft_event event = WEFT_EVENT_INIT;
    std::atomic<int> step = 0;
    weft::future<void> all = weft::spawn([](auto& tokens_, auto& latch_, auto& event_, auto& step_) -> weft::task<> {
      co_await weft::async_acquire(tokens_);
      step_ = 1;
      co_await weft::async_acquire(tokens_);
      step_ = 2;
      co_await weft::async_wait(latch_);
      co_await weft::async_wait(latch_);  // still open
      step_ = 3;
      co_await weft::async_wait(event_);
    }(tokens, latch, event, step));
    wait_for(step, 1);
    tokens.release();
    wait_for(step, 2);
    latch.count_down();
    wait_for(step, 3);
    weft_event_set(&event);
    all.get();
    CHECK_FALSE(tokens.try_acquire());
  });
}

TEST_CASE("mutexes are held across waits, and unlocked on any worker") {
  const weft::runtime runtime({.workers = 4});
  weft::mutex mutex;
  weft::shared_mutex shared;
  int count = 0;
  std::vector<weft::future<void>> all;
  constexpr int rounds = 50;
  for (int i = 0; i < 20; ++i) {
    all.push_back(weft::spawn([](auto& mutex_, auto& shared_, auto& count_, auto& runtime_) -> weft::task<> {
      for (int round = 0; round < rounds; ++round) {
        const auto hold = co_await weft::async_lock(mutex_);
        const int before = count_;
        co_await weft::resume_on(runtime_);
        count_ = before + 1;
        const auto read = co_await weft::async_lock_shared(shared_);
      }
      const auto write = co_await weft::async_lock(shared_);
    }(mutex, shared, count, runtime)));
  }
  for (auto& each : all) each.get();
  CHECK(count == 20 * rounds);
  CHECK(mutex.try_lock());
  mutex.unlock();
  CHECK(shared.try_lock());
  shared.unlock();
}

TEST_CASE("channels between coroutines and threads, closed in the end") {
  const weft::runtime runtime({.workers = 4});
  by_waiting_callers([] {
    weft::buffered_channel<std::unique_ptr<int>> numbers(2);
    weft::unbuffered_channel<int> squares;
    weft::future<void> squarer = weft::spawn([](auto& from, auto& to) -> weft::task<> {
      while (auto one = co_await weft::async_pop(from)) {
        const weft::channel_op_status status = co_await weft::async_push(to, **one * **one);
        CHECK(status == weft::channel_op_status::success);
      }
      to.close();
      const weft::channel_op_status status = co_await weft::async_push(to, 0);
      CHECK(status == weft::channel_op_status::closed);
    }(numbers, squares));
    weft::thread pusher([&] {
      for (int i = 0; i < 100; ++i) CHECK(numbers.push(std::make_unique<int>(i)) == weft::channel_op_status::success);
      numbers.close();
    });
    int sum = 0;
    for (const int each : squares) sum += each;
    CHECK(sum == 328350);
    squarer.get();
    pusher.join();
  });
}

TEST_CASE("a waiting pop and a waiting push hear of close") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<int> channel;
  weft::future<bool> popped = weft::spawn([](auto& from) -> weft::task<bool> {
    const auto value = co_await weft::async_pop(from);
    co_return value.has_value();
  }(channel));
  weft::buffered_channel<int> full(1);
  full.push(1);
  weft::future<weft::channel_op_status> pushed =
      weft::spawn([](auto& to) -> weft::task<weft::channel_op_status> { co_return co_await weft::async_push(to, 2); }(full));
  weft::this_thread::sleep_for(1ms);
  channel.close();
  full.close();
  CHECK_FALSE(popped.get());
  CHECK(pushed.get() == weft::channel_op_status::closed);
}

TEST_CASE("timers") {
  const weft::runtime runtime({.workers = 1});
  const auto begun = std::chrono::steady_clock::now();
  weft::sync_wait(weft::async_sleep_for(2ms));
  CHECK(std::chrono::steady_clock::now() - begun >= 2ms);
  weft::sync_wait(weft::async_sleep_until(begun + 4ms));
  CHECK(std::chrono::steady_clock::now() - begun >= 4ms);
  weft::sync_wait(weft::async_sleep_for(0ms));
  std::vector<weft::future<void>> all;
  for (int i = 0; i < 100; ++i) all.push_back(weft::spawn(into([i] { return weft::async_sleep_for(1ms * (i % 3)); })));
  for (auto& each : all) each.get();
}

TEST_CASE("resume_on goes on in a tasklet, of the worker that was asked for") {
  const weft::runtime runtime({.workers = 3});
  const auto go = [](const weft::runtime& on) -> weft::task<> {
    co_await weft::resume_on(on);
    CHECK(weft_thread_is_tasklet(weft_self()));
    for (int worker : {2, 0, 1}) {
      co_await weft::resume_on(on, {.worker = worker});
      CHECK(weft::this_thread::worker() == worker);
    }
    try {
      co_await weft::resume_on(on, {.worker = 99});
      CHECK(false);
    } catch (const weft::error& problem) {
      CHECK(problem.status() == WEFT_INVALID);
    }
  };
  weft::sync_wait(go(runtime));
}

TEST_CASE("a coroutine that went on must not block, and on_thread may") {
  const weft::runtime runtime({.workers = 2});
  const auto go = [](const weft::runtime& on) -> weft::task<int> {
    co_await weft::resume_on(on);
    weft::latch never(1);
    CHECK(status_of([&] { never.wait(); }) == WEFT_CANNOT_BLOCK);
    CHECK(status_of([] { weft::sync_wait(number(1)); }) == WEFT_CANNOT_BLOCK);
    const std::string name = co_await weft::on_thread({.name = "blocking"}, [] {
      weft::this_thread::sleep_for(1ms);
      return std::string(weft_thread_get_name(weft_self()));
    });
    CHECK(name == "blocking");
    int value = 1;
    int& same = co_await weft::on_thread([&]() -> int& { return value; });
    CHECK(&same == &value);
    co_await weft::on_thread([] { weft::this_thread::yield(); });
    auto give = [held = std::make_unique<int>(6)]() mutable { return std::move(held); };
    const auto owned = co_await weft::on_thread(std::move(give));
    bool is_caught = false;
    try {
      co_await weft::on_thread([] { throw std::runtime_error("in the thread"); });
    } catch (const std::runtime_error&) {
      is_caught = true;
    }
    CHECK(is_caught);
    co_return *owned;
  };
  CHECK(weft::sync_wait(go(runtime)) == 6);
}

TEST_CASE("without a runtime a coroutine goes on in the caller that ends its wait") {
  weft::counting_semaphore<> tokens(0);
  weft::promise<int> made;
  std::thread giver([&] {
    tokens.release();
    made.set_value(7);
  });
  CHECK(weft::sync_wait([](auto& tokens_, auto from) -> weft::task<int> {
          co_await weft::async_acquire(tokens_);
          co_return co_await std::move(from);
        }(tokens, made.get_future())) == 7);
  giver.join();
  CHECK(status_of([] { weft::sync_wait(weft::on_thread([] {})); }) == WEFT_NOT_INITIALIZED);
  CHECK(status_of([] { static_cast<void>(weft::spawn(number(1))); }) == WEFT_NOT_INITIALIZED);
}

TEST_CASE("coroutines of another library await ours, and ours theirs") {
  const weft::runtime runtime({.workers = 2});
  weft::latch open(1), ended(2);
  std::atomic<int> sum = 0;
  const auto theirs = [](auto& open_, auto& ended_, auto& sum_) -> fire_and_forget {
    sum_ += co_await number(1);  // ends at once
    for (int i = 0; i < 1000; ++i) co_await nothing();
    co_await weft::async_wait(open_);
    sum_ += co_await chain_that_waits(10, open_);
    ended_.count_down();
  };
  theirs(open, ended, sum);
  by_hand switched;
  weft::future<int> ours = weft::spawn([](auto& switched_, auto& open_) -> weft::task<int> {
    co_await switched_;
    const int depth = co_await chain(1000);
    co_await weft::async_wait(open_);
    co_await switched_;
    co_return depth + co_await loop(1000);
  }(switched, open));
  switched.resume();
  open.count_down();
  switched.resume();
  CHECK(ours.get() == 2000);
  theirs(open, ended, sum);
  ended.wait();
  CHECK(sum == 22);
}

TEST_CASE("a coroutine that waits may be destroyed: nothing is left behind") {
  const weft::runtime runtime({.workers = 2});
  weft::counting_semaphore<> tokens(0);
  weft::mutex mutex;
  weft::latch latch(1);
  weft::unbuffered_channel<int> channel;
  weft::buffered_channel<int> full(1);
  full.push(0);
  weft::promise<int> made;
  const weft::shared_future<int> shared = made.get_future().share();
  weft::promise<int> other;
  const std::unique_lock hold(mutex);
  weft::latch until(1);
  weft::thread thread([&] { until.wait(); });
  const auto wait_and_destroy = [](auto&& make) { abandoned(make()).destroy(); };
  const auto in_chain = [](auto& tokens_) -> weft::task<> { co_await into([&] { return weft::async_acquire(tokens_); }); };
  for (int i = 0; i < 10; ++i) {
    wait_and_destroy([&] { return into([&] { return weft::async_acquire(tokens); }); });
    wait_and_destroy([&] { return in_chain(tokens); });
    wait_and_destroy([&] { return into([&] { return weft::async_lock(mutex); }); });
    wait_and_destroy([&] { return into([&] { return weft::async_wait(latch); }); });
    wait_and_destroy([&] { return into([&] { return weft::async_pop(channel); }); });
    wait_and_destroy([&] { return into([&] { return weft::async_push(full, 1); }); });
    wait_and_destroy([&] { return into([&] { return weft::shared_future<int>(shared); }); });
    wait_and_destroy([&] { return into([&] { return weft::async_sleep_for(1h); }); });
    abandoned([](auto& one) -> weft::task<> { co_await one; }(thread)).destroy();
  }
  wait_and_destroy([&] { return into([&] { return other.get_future(); }); });
  tokens.release();
  CHECK(tokens.try_acquire());
  CHECK(channel.try_push(1) == weft::channel_op_status::full);
  int value = -1;
  CHECK(full.try_pop(value) == weft::channel_op_status::success);
  CHECK(full.try_pop(value) == weft::channel_op_status::empty);
  made.set_value(1);
  other.set_value(2);
  latch.count_down();
  until.count_down();
  thread.join();
}
