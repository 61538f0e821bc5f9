// jthread, condition_variable_any and sleeps that a stop ends.
#include <weft/condition_variable_any.hpp>
#include <weft/jthread.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <weft/channel.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/select.hpp>
#include <weft/sync.hpp>
#include <weft/task.hpp>
#include <weft/task_group.hpp>

using namespace std::chrono_literals;

namespace {

void await_blocked(weft_thread* thread) {
  while (weft_thread_get_state(thread) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
}

struct breaking_lock {
  void lock() {}
  void unlock() { throw std::runtime_error("unlock"); }
};

}  // namespace

TEST_CASE("a jthread gets its token if it takes one, is asked to stop, and joined") {
  const weft::runtime runtime({.workers = 2});
  std::atomic<int> seen = 0;
  {
    const weft::jthread with_token(
        [&](std::stop_token token, int more) {
          while (!token.stop_requested()) weft::this_thread::yield();
          seen += more;
        },
        5);
    const weft::jthread without([&](std::unique_ptr<int> value) { seen += *value; }, std::make_unique<int>(20));
    const weft::jthread named({.name = "named"}, [&](std::stop_token token) { seen += token.stop_possible() ? 100 : 0; });
  }
  CHECK(seen == 125);
}

TEST_CASE("a jthread moves, swaps, detaches, and is stopped by assignment") {
  const weft::runtime runtime({.workers = 2});
  const auto until_stop = [](std::stop_token token) {
    while (weft::this_thread::sleep_for(token, 1h)) {
    }
  };
  weft::jthread empty;
  CHECK_FALSE(empty.joinable());
  CHECK_FALSE(empty.request_stop());
  CHECK_FALSE(empty.get_stop_token().stop_possible());
  CHECK_THROWS_AS(empty.join(), weft::error);
  weft::jthread first(until_stop);
  const weft::thread_id id = first.get_id();
  empty = std::move(first);
  CHECK_FALSE(first.joinable());  // NOLINT: moved from on purpose
  CHECK(empty.get_id() == id);
  swap(empty, first);
  CHECK(first.get_id() == id);
  std::stop_token token = first.get_stop_token();
  first = weft::jthread(until_stop);
  CHECK(token.stop_requested());
  CHECK(first.request_stop());
  CHECK_FALSE(first.request_stop());
  first.join();
  CHECK_FALSE(first.joinable());
  weft::latch has_run(1);
  weft::jthread(  // goes on by itself
      [&] { has_run.count_down(); })
      .detach();
  has_run.wait();
}

TEST_CASE("a stop ends a sleep, in a thread and outside; without one it lasts") {
  const weft::runtime runtime({.workers = 1});
  std::stop_source source;
  bool is_over = true;
  weft::thread sleeper([&] { is_over = weft::this_thread::sleep_for(source.get_token(), 1h); });
  bool is_over_outside = true;
  std::thread outside(
      [&] { is_over_outside = weft::this_thread::sleep_until(source.get_token(), std::chrono::system_clock::now() + 1h); });
  await_blocked(sleeper.native_handle());
  CHECK(weft::this_thread::sleep_for(source.get_token(), 1ms));
  CHECK(weft::this_thread::sleep_until(source.get_token(), std::chrono::steady_clock::now() - 1s));
  source.request_stop();
  sleeper.join();
  outside.join();
  CHECK_FALSE(is_over);
  CHECK_FALSE(is_over_outside);
  CHECK_FALSE(weft::this_thread::sleep_for(source.get_token(), 1h));
}

TEST_CASE("condition_variable_any waits with any lock, and wakes in the order of coming") {
  const weft::runtime runtime({.workers = 2});
  weft::shared_mutex lock;
  weft::condition_variable_any changed;
  std::vector<int> order;
  std::vector<weft::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      std::unique_lock hold(lock);
      changed.wait(hold);
      order.push_back(i);
    });
    await_blocked(threads.back().native_handle());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    changed.notify_one();
    threads[i].join();
  }
  changed.notify_all();
  changed.notify_one();
  threads[3].join();
  threads[4].join();
  CHECK(order.size() == 5);
  CHECK(order[0] == 0);
  CHECK(order[1] == 1);
  CHECK(order[2] == 2);

  std::shared_lock reading(lock);
  CHECK(changed.wait_for(reading, 1ms) == weft::cv_status::timeout);
  CHECK(reading.owns_lock());
  CHECK(changed.wait_until(reading, std::chrono::system_clock::now() + 1ms) == weft::cv_status::timeout);
  CHECK_FALSE(changed.wait_for(reading, 1ms, [] { return false; }));
  CHECK(changed.wait_for(reading, 1ms, [] { return true; }));
}

TEST_CASE("condition_variable_any counts right among ULTs and OS threads") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex lock;
  weft::condition_variable_any changed;
  int turn = 0;  // guarded by lock
  constexpr int count = 6, rounds = 100;
  const auto take_turns = [&](int mine) {
    for (int i = 0; i < rounds; ++i) {
      std::unique_lock hold(lock);
      changed.wait(hold, [&] { return turn % count == mine; });
      ++turn;
      changed.notify_all();
    }
  };
  std::vector<weft::thread> threads;
  for (int i = 0; i < count - 1; ++i) threads.emplace_back(take_turns, i);
  std::thread outside(take_turns, count - 1);
  for (weft::thread& each : threads) each.join();
  outside.join();
  CHECK(turn == count * rounds);
}

TEST_CASE("a stop ends a wait at a condition_variable_any, even before it begins") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex lock;
  weft::condition_variable_any changed;
  for (int i = 0; i < 200; ++i) {
    weft::jthread waits([&](const std::stop_token& token) {
      std::unique_lock hold(lock);
      CHECK_FALSE(changed.wait(hold, token, [] { return false; }));
      CHECK(hold.owns_lock());
    });
    weft::jthread waits_long([&](const std::stop_token& token) {
      std::unique_lock hold(lock);
      CHECK_FALSE(changed.wait_for(hold, token, 1h, [] { return false; }));
    });
    if (i % 3 == 0) await_blocked(waits.native_handle());
    if (i % 5 == 0) changed.notify_all();
  }
  std::unique_lock hold(lock);
  std::stop_source stopped;
  stopped.request_stop();
  CHECK_FALSE(changed.wait(hold, stopped.get_token(), [] { return false; }));
  CHECK(changed.wait(hold, stopped.get_token(), [] { return true; }));
  std::stop_source other;
  CHECK_FALSE(changed.wait_for(hold, other.get_token(), 1ms, [] { return false; }));
}

TEST_CASE("a lock that cannot be unlocked leaves no waiter behind") {
  const weft::runtime runtime({.workers = 1});
  weft::condition_variable_any changed;
  breaking_lock lock;
  CHECK_THROWS_AS(changed.wait(lock), std::runtime_error);
  changed.notify_all();
}

TEST_CASE("a tasklet is told that it must not wait") {
  const weft::runtime runtime({.workers = 1});
  static weft::condition_variable_any changed;
  static weft_status seen[2];
  weft_thread* tasklet = nullptr;
  const auto body = [](void*) {
    weft::mutex lock;
    std::unique_lock hold(lock);
    try {
      changed.wait(hold);
    } catch (const weft::error& problem) {
      seen[0] = problem.status();
    }
    try {
      weft::this_thread::sleep_for(std::stop_token(), 1h);
    } catch (const weft::error& problem) {
      seen[1] = problem.status();
    }
  };
  REQUIRE(weft_tasklet_create(body, nullptr, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen[0] == WEFT_CANNOT_BLOCK);
  CHECK(seen[1] == WEFT_CANNOT_BLOCK);
  changed.notify_all();
}

TEST_CASE("the end of a jthread ends its select") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<int> channel;
  bool is_stopped = false;
  {
    const weft::jthread server([&](const std::stop_token& token) {
      weft::select(weft::on_pop(channel, [](int) {}), weft::on_stop(token, [&] { is_stopped = true; }));
    });
    await_blocked(server.native_handle());
  }
  CHECK(is_stopped);
}

TEST_CASE("a task_group of a stop source: tasks take the token, and a stop cancels") {
  const weft::runtime runtime({.workers = 4});
  std::stop_source source;
  weft::task_group group(source);
  weft::task_group inner(group.get_stop_source());
  weft::unbuffered_channel<int> never;
  std::atomic<int> ended = 0, begun = 0;
  for (int i = 0; i < 10; ++i) {
    group.run([&](std::stop_token token) {
      ++begun;
      if (!weft::this_thread::sleep_for(token, 1h)) ++ended;
    });
    inner.run([&](std::stop_token token) {
      ++begun;
      weft::select(weft::on_pop(never, [](int) {}), weft::on_stop(token, [&] { ++ended; }));
    });
  }
  while (begun < 20) weft::this_thread::yield();
  CHECK_FALSE(group.is_cancelled());
  source.request_stop();
  CHECK_FALSE(group.wait());
  CHECK_FALSE(inner.wait());
  CHECK(ended == 20);
  group.run([&] { ++ended; });
  CHECK_FALSE(group.wait());  // stopped for good
  CHECK(ended == 20);
}

TEST_CASE("cancel of a task_group requests a stop; without a source nothing is stopped") {
  const weft::runtime runtime({.workers = 2});
  std::stop_source source;
  weft::task_group group(source), plain;
  std::atomic<bool> is_stopped = false;
  weft::latch begun(1);
  group.run([&](std::stop_token token) {
    begun.count_down();
    is_stopped = !weft::this_thread::sleep_for(token, 1h);
  });
  begun.wait();
  group.cancel();
  CHECK(source.stop_requested());
  CHECK_FALSE(group.wait());
  CHECK(is_stopped);
  plain.run([&](std::stop_token token) { is_stopped = token.stop_possible(); });
  CHECK(plain.wait());
  CHECK_FALSE(is_stopped);
  CHECK_FALSE(plain.get_stop_source().stop_possible());
}

TEST_CASE("any wait of a thread that has a token: sync_wait") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex held;
  weft::promise<int> never;
  weft::unbuffered_channel<int> channel;
  held.lock();
  const auto is_ended = [](auto make) {
    std::atomic<bool> result = false;
    weft::jthread one([&](std::stop_token token) {
      try {
        weft::sync_wait(make(), token);
      } catch (const weft::stopped&) {
        result = true;
      }
    });
    weft::this_thread::yield();
    one.request_stop();
    one.join();
    return result.load();
  };
  CHECK(is_ended([&] { return weft::async_lock(held); }));
  CHECK(is_ended([&] { return weft::async_pop(channel); }));
  CHECK(is_ended([&] { return never.get_future(); }));
  CHECK(is_ended([] { return weft::async_sleep_for(1h); }));
  held.unlock();
}
