// weft::async_select, and pushes and pops of coroutines with a deadline.
#include <weft/async_select.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include <weft/async.hpp>
#include <weft/task.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

constexpr auto success = weft::channel_op_status::success;
constexpr auto closed = weft::channel_op_status::closed;
constexpr auto timeout = weft::channel_op_status::timeout;

using channel = weft::unbuffered_channel<int>;

// Takes from both until one is closed, then from the other.
weft::task<int> take_all(channel& left, channel& right) {
  int sum = 0;
  channel* rest = nullptr;
  const auto add = [&](int value) { sum += value; };
  while (rest == nullptr) {
    co_await weft::async_select(weft::on_pop(left, add, [&] { rest = &right; }), weft::on_pop(right, add, [&] { rest = &left; }));
  }
  while (const std::optional<int> value = co_await weft::async_pop(*rest)) sum += *value;
  co_return sum;
}

weft::task<std::size_t> pop_or(channel& from, int& to, std::chrono::nanoseconds patience) {
  co_return co_await weft::async_select(weft::on_pop(from, [&](int value) { to = value; }), weft::after(patience, [] {}));
}

weft::task<> pop_all(channel& from, channel& to) {
  for (;;) {
    int value = 0;
    if (co_await weft::async_pop_for(from, value, 1h) != success) break;
    bool is_pushed = false;
    co_await weft::async_select(weft::on_push(to, value, [&] { is_pushed = true; }), weft::after(1h, [] {}));
    if (!is_pushed) throw std::logic_error("not pushed");
  }
}

}  // namespace

TEST_CASE("async_select takes what is ready, and says which branch it was") {
  const weft::runtime runtime({.workers = 2});
  weft::buffered_channel<int> full(1), empty(1);
  full.push(7);
  by_waiting_callers([&] {
    int popped = 0;
    const auto run = [&]() -> weft::task<> {
      CHECK(co_await weft::async_select(weft::on_pop(empty, [](int) {}),
                                        weft::on_pop(full, [&](int value) { popped = value; })) == 1);
      CHECK(co_await weft::async_select(weft::on_pop(empty, [](int) {}), weft::otherwise([&] { popped += 1; })) == 1);
      CHECK(co_await weft::async_select(weft::on_pop(empty, [](int) {}), weft::on_push(full, 7, [&] { popped += 1; })) == 1);
    };
    weft::sync_wait(run());
    CHECK(popped == 9);
  });
}

TEST_CASE("async_select waits for what comes first: a value, a deadline, a condition, a stop") {
  const weft::runtime runtime({.workers = 2});
  channel numbers;
  by_waiting_callers([&] {
    int to = 0;
    weft::future<std::size_t> waiting = weft::spawn(pop_or(numbers, to, 1h));
    numbers.push(3);
    CHECK(waiting.get() == 0);
    CHECK(to == 3);
    CHECK(weft::sync_wait(pop_or(numbers, to, 1ms)) == 1);
    CHECK(weft::sync_wait(pop_or(numbers, to, 0ms)) == 1);
  });
  std::atomic<bool> has_come = false;
  const auto polled = [&]() -> weft::task<std::size_t> {
    co_return co_await weft::async_select(weft::on_pop(numbers, [](int) {}),
                                          weft::on_polled([&] { return has_come.load(); }, [] {}));
  };
  weft::future<std::size_t> polling = weft::spawn(polled());
  weft::this_thread::yield();
  has_come = true;
  CHECK(polling.get() == 1);
  std::stop_source source;
  const auto stopped = [&]() -> weft::task<std::size_t> {
    co_return co_await weft::async_select(weft::on_pop(numbers, [](int) {}), weft::on_stop(source.get_token(), [] {}));
  };
  weft::future<std::size_t> stopping = weft::spawn(stopped());
  weft::this_thread::yield();
  source.request_stop();
  CHECK(stopping.get() == 1);
  CHECK(numbers.try_push(1) == weft::channel_op_status::full);  // no wait was left behind
}

TEST_CASE("async_select passes every value on, between coroutines and threads, and sees channels close") {
  const weft::runtime runtime({.workers = 2});
  constexpr int count = 500;
  channel left, right, middle;
  weft::future<int> sum = weft::spawn(take_all(left, middle));
  weft::future<void> between = weft::spawn(pop_all(right, middle));
  weft::thread first([&] {
    for (int i = 1; i <= count; ++i) left.push(i);
    left.close();
  });
  for (int i = 1; i <= count; ++i) right.push(i);
  right.close();
  between.get();
  middle.close();
  first.join();
  CHECK(sum.get() == count * (count + 1));
}

TEST_CASE("async_select throws when all channels are closed, and what its function throws") {
  const weft::runtime runtime({.workers = 1});
  channel none;
  weft::buffered_channel<int> full(2);
  full.push(1);
  none.close();
  const auto all_closed = [&]() -> weft::task<> { co_await weft::async_select(weft::on_pop(none, [](int) {})); };
  CHECK(status_of([&] { weft::sync_wait(all_closed()); }) == WEFT_ENDED);
  const auto throwing = [&]() -> weft::task<> {
    co_await weft::async_select(weft::on_pop(full, [](int) { throw std::runtime_error("no"); }));
  };
  CHECK_THROWS_AS(weft::sync_wait(throwing()), std::runtime_error);
}

TEST_CASE("a stop of the task ends async_select and the timed calls, and takes nothing") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<int> channel;
  int to = 0;
  const auto selecting = [&]() -> weft::task<> {
    co_await weft::async_select(weft::on_pop(channel, [](int) {}), weft::on_push(channel, 1, [] {}), weft::after(1h, [] {}));
  };
  const auto popping = [&]() -> weft::task<> { co_await weft::async_pop_for(channel, to, 1h); };
  const auto pushing = [&]() -> weft::task<> { co_await weft::async_push_for(channel, 1, 1h); };
  const auto check = [&](auto make) {
    std::stop_source source;
    weft::future<void> begun = weft::spawn(make(), source.get_token());
    weft::this_thread::yield();
    source.request_stop();
    CHECK_THROWS_AS(begun.get(), weft::stopped);
    CHECK(channel.try_push(1) == weft::channel_op_status::full);
    CHECK(channel.try_pop(to) == weft::channel_op_status::empty);
  };
  for (int i = 0; i < 20; ++i) {
    check(selecting);
    check(popping);
    check(pushing);
  }
}

TEST_CASE("pushes and pops with a deadline: success, timeout, closed") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    weft::buffered_channel<std::unique_ptr<int>> channel(1);
    const auto run = [&]() -> weft::task<> {
      std::unique_ptr<int> value;
      CHECK(co_await weft::async_pop_for(channel, value, 1ms) == timeout);
      CHECK(co_await weft::async_push_for(channel, std::make_unique<int>(1), 1h) == success);
      CHECK(co_await weft::async_push_until(channel, std::make_unique<int>(2), std::chrono::steady_clock::now() + 1ms) ==
            timeout);
      CHECK(co_await weft::async_pop_until(channel, value, std::chrono::steady_clock::now() + 1h) == success);
      CHECK(*value == 1);
      channel.close();
      CHECK(co_await weft::async_pop_for(channel, value, 1h) == closed);
      CHECK(co_await weft::async_push_for(channel, std::make_unique<int>(3), 1h) == closed);
    };
    weft::sync_wait(run());
  });
}

TEST_CASE("deadlines that meet values lose none") {
  const weft::runtime runtime({.workers = 2});
  constexpr int count = 200;
  channel numbers;
  const auto popping = [&]() -> weft::task<int> {
    int sum = 0;
    for (;;) {
      int value = 0;
      const auto status = co_await weft::async_pop_for(numbers, value, 20us);
      if (status == closed) co_return sum;
      if (status == success) sum += value;
    }
  };
  const auto pushing = [&]() -> weft::task<> {
    for (int i = 1; i <= count; ++i) {
      while (co_await weft::async_push_for(numbers, i, 20us) != success) {
      }
    }
  };
  weft::future<int> first = weft::spawn(popping());
  weft::future<int> second = weft::spawn(popping());
  weft::sync_wait(pushing());
  numbers.close();
  CHECK(first.get() + second.get() == count * (count + 1) / 2);
}

TEST_CASE("a wait that has a deadline needs a runtime, and throws when that ends") {
  channel numbers;
  int to = 0;
  CHECK(status_of([&] { weft::sync_wait(pop_or(numbers, to, 1h)); }) == WEFT_NOT_INITIALIZED);
  weft::future<std::size_t> waiting;
  {
    const weft::runtime runtime({.workers = 1});
    waiting = weft::spawn(pop_or(numbers, to, 1h));
  }
  CHECK(status_of([&] { waiting.get(); }) == WEFT_ENDED);
  CHECK(numbers.try_push(1) == weft::channel_op_status::full);
}

TEST_CASE("async_select with a token gets a value that comes while it begins to wait") {
  const weft::runtime runtime({.workers = 2});
  channel numbers;
  long sum = 0;
  const std::stop_source source;
  const auto add_all = [&]() -> weft::task<> {
    bool is_open = true;
    while (is_open)
      co_await weft::async_select(weft::on_pop(numbers, [&](int value) { sum += value; }, [&] { is_open = false; }));
  };
  weft::future<void> adding = weft::spawn(add_all(), source.get_token());
  long pushed = 0;
  weft::thread([&] {
    for (int i = 0; i < 20'000; ++i) {
      if (numbers.try_push(1) == success) pushed += 1;
    }
  }).join();
  numbers.close();
  adding.get();
  CHECK(sum == pushed);
}
