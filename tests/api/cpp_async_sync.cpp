// Coroutines at locks, tokens and events with a deadline, at condition variables and barriers.
#include <weft/async_sync.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include <weft/task.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

auto later() { return std::chrono::steady_clock::now() + 1h; }
auto soon() { return std::chrono::steady_clock::now() + 1ms; }

struct queue {
  weft::mutex guard;
  weft::condition_variable changed;
  std::vector<int> values;
  bool is_over = false;
};

weft::task<int> take_all(queue& from) {
  int sum = 0;
  auto hold = co_await weft::async_lock(from.guard);
  for (;;) {
    co_await weft::async_wait(from.changed, hold, [&] { return !from.values.empty() || from.is_over; });
    CHECK(hold.owns_lock());
    if (from.values.empty()) co_return sum;
    sum += from.values.back();
    from.values.pop_back();
  }
}

weft::task<int> last_arrivals(weft::barrier<>& at, int phases) {
  int count = 0;
  for (int i = 0; i < phases; ++i) {
    if (co_await weft::async_arrive_and_wait(at)) count += 1;
  }
  co_return count;
}

}  // namespace

TEST_CASE("locks, tokens and events are got, or the time is over") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    weft::mutex mutex;
    weft::shared_mutex shared;
    weft::counting_semaphore<> tokens(1);
    weft::latch latch(1);
    weft_event event = WEFT_EVENT_INIT;
    const auto run = [&]() -> weft::task<> {
      {
        const auto hold = co_await weft::async_lock_for(mutex, 1h);
        CHECK(hold.owns_lock());
        const auto second = co_await weft::async_lock_until(mutex, soon());
        CHECK_FALSE(second.owns_lock());
        CHECK(second.mutex() == &mutex);
      }
      CHECK((co_await weft::async_lock_until(mutex, later())).owns_lock());
      {
        const auto reads = co_await weft::async_lock_shared_for(shared, 1h);
        CHECK(reads.owns_lock());
        CHECK((co_await weft::async_lock_shared_until(shared, later())).owns_lock());
        CHECK_FALSE((co_await weft::async_lock_for(shared, 1ms)).owns_lock());
      }
      const auto writes = co_await weft::async_lock_until(shared, later());
      CHECK(writes.owns_lock());
      CHECK_FALSE((co_await weft::async_lock_shared_for(shared, 1ms)).owns_lock());
      CHECK(co_await weft::async_acquire_for(tokens, 1h));
      CHECK_FALSE(co_await weft::async_acquire_for(tokens, 1ms));
      tokens.release();
      CHECK(co_await weft::async_acquire_until(tokens, later()));
      CHECK_FALSE(co_await weft::async_wait_for(latch, 1ms));
      CHECK_FALSE(co_await weft::async_wait_until(event, soon()));
      latch.count_down();
      weft_event_set(&event);
      CHECK(co_await weft::async_wait_until(latch, later()));
      CHECK(co_await weft::async_wait_for(event, 1h));
    };
    weft::sync_wait(run());
    CHECK(mutex.try_lock());
    mutex.unlock();
    CHECK(shared.try_lock());
    shared.unlock();
  });
}

TEST_CASE("coroutines wait at a condition variable among threads, and miss nothing") {
  const weft::runtime runtime({.workers = 2});
  constexpr int count = 300;
  queue values;
  weft::future<int> first = weft::spawn(take_all(values));
  weft::future<int> second = weft::spawn(take_all(values));
  for (int i = 1; i <= count; ++i) {
    {
      const std::lock_guard hold(values.guard);
      values.values.push_back(i);
    }
    values.changed.notify_one();
  }
  {
    const std::lock_guard hold(values.guard);
    values.is_over = true;
  }
  values.changed.notify_all();
  CHECK(first.get() + second.get() == count * (count + 1) / 2);
}

TEST_CASE("a condition variable with a deadline") {
  const weft::runtime runtime({.workers = 2});
  by_waiting_callers([] {
    queue one;
    const auto run = [&]() -> weft::task<> {
      auto hold = co_await weft::async_lock(one.guard);
      CHECK(co_await weft::async_wait_for(one.changed, hold, 1ms) == std::cv_status::timeout);
      CHECK(co_await weft::async_wait_until(one.changed, hold, soon()) == std::cv_status::timeout);
      CHECK(hold.owns_lock());
      CHECK_FALSE(co_await weft::async_wait_for(one.changed, hold, 1ms, [&] { return one.is_over; }));
      weft::thread notifier([&] {
        const std::lock_guard mine(one.guard);
        one.is_over = true;
        one.changed.notify_one();
      });
      CHECK(co_await weft::async_wait_until(one.changed, hold, later(), [&] { return one.is_over; }));
      CHECK(hold.owns_lock());
      co_await notifier;
    };
    weft::sync_wait(run());
  });
}

TEST_CASE("a wait at a condition variable refuses a lock that owns no mutex") {
  const weft::runtime runtime({.workers = 2});
  weft::condition_variable at;
  weft::mutex guard;
  std::unique_lock<weft::mutex> lock(guard, std::defer_lock), none;
  const auto always = [] { return true; };
  by_waiting_callers([&] {
    for (auto* const one : {&lock, &none}) {
      CHECK(status_of([&] { weft::sync_wait(weft::async_wait(at, *one)); }) == WEFT_NOT_OWNER);
      CHECK(status_of([&] { weft::sync_wait(weft::async_wait(at, *one, always)); }) == WEFT_NOT_OWNER);
      CHECK(status_of([&] { weft::sync_wait(weft::async_wait_for(at, *one, 1h)); }) == WEFT_NOT_OWNER);
      CHECK(status_of([&] { weft::sync_wait(weft::async_wait_until(at, *one, later(), always)); }) == WEFT_NOT_OWNER);
    }
  });
}

TEST_CASE("a stop ends the wait at a condition variable, and the lock is held again") {
  const weft::runtime runtime({.workers = 2});
  queue one;
  bool was_held = false;
  const auto run = [&](weft::latch& begun) -> weft::task<> {
    auto hold = co_await weft::async_lock(one.guard);
    begun.count_down();
    try {
      co_await weft::async_wait(one.changed, hold);
    } catch (const weft::stopped&) {
      was_held = hold.owns_lock();
      throw;
    }
  };
  for (int i = 0; i < 50; ++i) {
    std::stop_source source;
    weft::latch begun(1);
    was_held = false;
    weft::future<void> waiting = weft::spawn(run(begun), source.get_token());
    begun.wait();
    if (i % 2 == 0) {
      const std::lock_guard hold(one.guard);  // the wait for the lock is not ended
      source.request_stop();
    } else {
      source.request_stop();
    }
    CHECK_THROWS_AS(waiting.get(), weft::stopped);
    CHECK(was_held);
  }
  CHECK(one.guard.try_lock());
  one.guard.unlock();
}

TEST_CASE("coroutines and threads meet at a barrier; one of each phase was the last") {
  const weft::runtime runtime({.workers = 2});
  constexpr int phases = 50;
  weft::barrier<> at(3);
  weft::future<int> first = weft::spawn(last_arrivals(at, phases));
  weft::future<int> second = weft::spawn(last_arrivals(at, phases));
  int mine = 0;
  for (int i = 0; i < phases; ++i) mine += at.arrive_and_wait() ? 1 : 0;
  CHECK(mine + first.get() + second.get() == phases);
  weft::barrier<> alone(1);
  CHECK(weft::sync_wait(last_arrivals(alone, phases)) == phases);
}

TEST_CASE("a stop ends the wait at a barrier, and the arrival counts") {
  const weft::runtime runtime({.workers = 2});
  weft::barrier<> at(2);
  std::stop_source source;
  weft::future<int> waiting = weft::spawn(last_arrivals(at, 1), source.get_token());
  weft::this_thread::yield();
  source.request_stop();
  CHECK_THROWS_AS(waiting.get(), weft::stopped);
  weft::future<int> begun = weft::spawn(last_arrivals(at, 1));
  CHECK(begun.get() == 1);
}
