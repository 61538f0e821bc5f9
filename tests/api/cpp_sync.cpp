// The mutexes, the condition variable, barrier, latch, semaphores and call_once, among ULTs and OS
// threads.
#include <weft/sync.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <weft/atomic_wait.hpp>
#include <weft/runtime.hpp>
#include <weft/thread.hpp>

using namespace std::chrono_literals;

namespace {

// Runs body(i) in count ULTs and in outside OS threads; returns when all have ended.
void run_crowd(int count, int outside, const std::function<void(int)>& body) {
  std::vector<weft::thread> threads;
  std::vector<std::thread> outsiders;
  for (int i = 0; i < outside; ++i) outsiders.emplace_back(body, count + i);
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (weft::thread& each : threads) each.join();
  for (std::thread& each : outsiders) each.join();
}

template <class Mutex>
long count_under(Mutex& mutex) {
  long sum = 0;  // guarded by mutex
  run_crowd(20, 2, [&](int) {
    for (int i = 0; i < 200; ++i) {
      const std::lock_guard hold(mutex);
      const long before = sum;
      if (i % 10 == 0) weft::this_thread::yield();
      sum = before + 1;
    }
  });
  return sum;
}

}  // namespace

TEST_CASE("a mutex excludes, also while its owner yields") {
  const weft::runtime runtime({.workers = 3});
  weft::mutex plain;
  CHECK(count_under(plain) == 22 * 200);
  weft::recursive_mutex recursive;
  CHECK(count_under(recursive) == 22 * 200);
  weft::shared_mutex shared;
  CHECK(count_under(shared) == 22 * 200);
}

TEST_CASE("scoped_lock over several mutexes does not deadlock") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex left;
  weft::mutex right;
  int sum = 0;
  run_crowd(10, 1, [&](int i) {
    for (int k = 0; k < 50; ++k) {
      if (i % 2 == 0) {
        const std::scoped_lock hold(left, right);
        ++sum;
      } else {
        const std::scoped_lock hold(right, left);
        ++sum;
      }
    }
  });
  CHECK(sum == 11 * 50);
}

TEST_CASE("a held mutex: try_lock says so, timeouts pass, then it can be had") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex mutex;
  std::unique_lock hold(mutex);
  weft::latch has_tried(1);
  weft::thread other([&] {
    CHECK_FALSE(mutex.try_lock());
    CHECK_FALSE(mutex.try_lock_for(2ms));
    CHECK_FALSE(mutex.try_lock_until(std::chrono::steady_clock::now() + 2ms));
    CHECK_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() + 2ms));
    CHECK_FALSE(mutex.try_lock_for(-1s));
    has_tried.count_down();
    CHECK(mutex.try_lock_for(60s));
    mutex.unlock();
  });
  has_tried.wait();
  weft::this_thread::sleep_for(2ms);
  hold.unlock();
  other.join();
  CHECK(mutex.try_lock());
  mutex.unlock();
}

TEST_CASE("a recursive mutex counts its owner's locks") {
  const weft::runtime runtime({.workers = 2});
  weft::recursive_mutex mutex;
  const auto free_for_others = [&mutex] {
    bool is_free = false;
    weft::thread([&] {
      is_free = mutex.try_lock();
      if (is_free) mutex.unlock();
    }).join();
    return is_free;
  };
  mutex.lock();
  mutex.lock();
  CHECK(mutex.try_lock());
  mutex.unlock();
  mutex.unlock();
  CHECK_FALSE(free_for_others());
  mutex.unlock();
  CHECK(free_for_others());
}

TEST_CASE("a shared mutex: readers together, writers alone") {
  const weft::runtime runtime({.workers = 2});
  weft::shared_mutex mutex;
  std::atomic<int> readers = 0;
  std::atomic<bool> had_two = false;
  std::vector<weft::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      const std::shared_lock hold(mutex);
      ++readers;
      while (readers < 2) weft::this_thread::yield();  // ends only when both are inside
      had_two = true;
    });
  }
  for (weft::thread& each : threads) each.join();
  CHECK(had_two);
  const std::unique_lock hold(mutex);
  weft::thread([&mutex] {
    CHECK_FALSE(mutex.try_lock());
    CHECK_FALSE(mutex.try_lock_shared());
    CHECK_FALSE(mutex.try_lock_for(1ms));
    CHECK_FALSE(mutex.try_lock_shared_for(1ms));
    CHECK_FALSE(mutex.try_lock_shared_until(std::chrono::steady_clock::now() + 1ms));
  }).join();
}

TEST_CASE("producers and consumers: nothing is lost, nothing comes twice") {
  const weft::runtime runtime({.workers = 3});
  constexpr int producers = 4;
  constexpr int items = 250;
  weft::mutex mutex;
  weft::condition_variable changed;
  std::deque<int> queue;
  std::vector<int> times(producers * items);
  int taken = 0;
  run_crowd(producers * 2, 1, [&](int i) {
    if (i < producers) {
      for (int k = 0; k < items; ++k) {
        const std::lock_guard hold(mutex);
        queue.push_back(i * items + k);
        changed.notify_one();
      }
      return;
    }
    for (;;) {
      std::unique_lock hold(mutex);
      changed.wait(hold, [&] { return !queue.empty() || taken == producers * items; });
      if (queue.empty()) return;
      ++times[static_cast<std::size_t>(queue.front())];
      queue.pop_front();
      if (++taken == producers * items) changed.notify_all();
    }
  });
  CHECK(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

TEST_CASE("waiting on a condition with a deadline: the lock is held again afterwards") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex mutex;
  weft::condition_variable changed;
  bool is_set = false;
  std::unique_lock hold(mutex);
  CHECK(changed.wait_for(hold, 2ms) == weft::cv_status::timeout);
  CHECK(hold.owns_lock());
  CHECK(changed.wait_until(hold, std::chrono::steady_clock::now() + 2ms) == weft::cv_status::timeout);
  CHECK(changed.wait_until(hold, std::chrono::system_clock::now() + 2ms) == weft::cv_status::timeout);
  CHECK_FALSE(changed.wait_for(hold, 2ms, [&] { return is_set; }));
  CHECK_FALSE(changed.wait_until(hold, std::chrono::steady_clock::now() + 2ms, [&] { return is_set; }));
  weft::thread setter([&] {
    const std::lock_guard also(mutex);
    is_set = true;
    changed.notify_all();
  });
  CHECK(changed.wait_for(hold, 60s, [&] { return is_set; }));
  hold.unlock();
  setter.join();
}

namespace {

// A clock that stands where it is put.
struct set_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<set_clock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static inline std::atomic<rep> now_ns = 0;
  static time_point now() { return time_point(duration(now_ns.load())); }
};

}  // namespace

TEST_CASE("a notification that comes when a clock says that the wait timed out too early is not lost") {
  const weft::runtime runtime({.workers = 2});
  weft::mutex mutex;
  weft::condition_variable changed;
  bool is_set = false;
  bool waits = false;
  weft::thread waiter([&] {
    std::unique_lock hold(mutex);
    waits = true;
    CHECK(changed.wait_until(hold, set_clock::now() + 20ms, [&] { return is_set; }));
  });
  for (bool is_waiting = false; !is_waiting;) {
    weft::this_thread::sleep_for(1ms);
    const std::lock_guard hold(mutex);
    is_waiting = waits;
    if (!is_waiting) continue;
    weft::this_thread::sleep_for(100ms);  // beyond the wait, which then wants the mutex
    is_set = true;
    changed.notify_one();
  }
  waiter.join();
}

TEST_CASE("times of a clock that are too far for a difference") {
  using far = std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>;
  const weft::runtime runtime({.workers = 2});
  weft::mutex mutex;
  weft::condition_variable changed;
  std::unique_lock hold(mutex);
  CHECK(changed.wait_until(hold, std::chrono::system_clock::time_point::min()) == weft::cv_status::timeout);
  CHECK(changed.wait_until(hold, far::min()) == weft::cv_status::timeout);
  weft::thread other([&] { CHECK(std::unique_lock(mutex, far::max()).owns_lock()); });
  weft::this_thread::sleep_for(10ms);
  hold.unlock();
  other.join();
}

TEST_CASE("a condition wakes its waiters in the order of their coming") {
  const weft::runtime runtime({.workers = 1});
  weft::mutex mutex;
  weft::condition_variable changed;
  std::vector<int> order;
  int waiting = 0;
  std::vector<weft::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      std::unique_lock hold(mutex);
      ++waiting;
      changed.wait(hold);
      order.push_back(i);
    });
    while (waiting != i + 1) weft::this_thread::yield();
  }
  for (int i = 0; i < 5; ++i) {
    changed.notify_one();
    while (order.size() != static_cast<std::size_t>(i) + 1) weft::this_thread::yield();
  }
  for (weft::thread& each : threads) each.join();
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_CASE("a barrier lets everybody go together, again and again") {
  const weft::runtime runtime({.workers = 3});
  constexpr int rounds = 30;
  weft::barrier barrier(6);
  std::atomic<int> arrived = 0;
  std::atomic<int> lasts = 0;
  std::atomic<bool> is_wrong = false;
  run_crowd(5, 1, [&](int) {
    for (int round = 1; round <= rounds; ++round) {
      ++arrived;
      if (barrier.arrive_and_wait()) ++lasts;
      if (arrived < round * 6) is_wrong = true;
      barrier.arrive_and_wait();
    }
  });
  CHECK_FALSE(is_wrong);
  CHECK(lasts == rounds);
  CHECK_THROWS_AS(weft::barrier(0), weft::error);
}

TEST_CASE("a latch opens once, at zero") {
  const weft::runtime runtime({.workers = 2});
  weft::latch latch(5);
  std::atomic<int> through = 0;
  run_crowd(4, 1, [&](int i) {
    if (i < 2) {
      latch.arrive_and_wait();
    } else {
      latch.count_down();
      latch.wait();
    }
    ++through;
  });
  CHECK(through == 5);
  CHECK(latch.try_wait());
  CHECK_THROWS_AS(latch.count_down(), weft::error);
  weft::latch open(0);
  CHECK(open.try_wait());
  open.wait();
  weft::latch two(2);
  CHECK_FALSE(two.try_wait());
  two.count_down(2);
  CHECK(two.try_wait());
}

TEST_CASE("semaphores: units are neither lost nor made") {
  const weft::runtime runtime({.workers = 3});
  weft::counting_semaphore<3> places(3);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  run_crowd(12, 2, [&](int) {
    for (int i = 0; i < 50; ++i) {
      places.acquire();
      const int now = ++inside;
      int known = most;
      while (known < now && !most.compare_exchange_weak(known, now)) {
      }
      weft::this_thread::yield();
      --inside;
      places.release();
    }
  });
  CHECK(most <= 3);
  for (int i = 0; i < 3; ++i) CHECK(places.try_acquire());
  CHECK_FALSE(places.try_acquire());
  CHECK_FALSE(places.try_acquire_for(2ms));
  CHECK_FALSE(places.try_acquire_until(std::chrono::steady_clock::now() + 2ms));
  places.release(2);
  CHECK(places.try_acquire_for(60s));
  CHECK_THROWS_AS(places.release(-1), weft::error);
  weft::binary_semaphore full(1);
  CHECK_THROWS_AS(full.release(full.max()), weft::error);
}

TEST_CASE("call_once calls once; after an exception somebody else tries") {
  const weft::runtime runtime({.workers = 3});
  weft::once_flag flag;
  std::atomic<int> calls = 0;
  std::atomic<int> failures = 0;
  std::atomic<int> seen = 0;
  int value = 0;  // written by the one call
  run_crowd(10, 2, [&](int) {
    for (;;) {
      try {
        weft::call_once(
            flag,
            [&](int to) {
              weft::this_thread::yield();
              if (++calls <= 3) throw std::runtime_error("not yet");
              value = to;
            },
            9);
        break;
      } catch (const std::runtime_error&) {
        ++failures;
      }
    }
    if (value == 9) ++seen;
  });
  CHECK(calls == 4);
  CHECK(failures == 3);
  CHECK(seen == 12);
}

TEST_CASE("all of it works among OS threads before the runtime runs") {
  weft::mutex mutex;
  weft::condition_variable changed;
  int turn = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        std::unique_lock hold(mutex);
        changed.wait(hold, [&] { return turn % 2 == i; });
        ++turn;
        changed.notify_all();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(turn == 200);
}

TEST_CASE("a tasklet that would have to wait gets an error instead") {
  const weft::runtime runtime({.workers = 1});
  weft::mutex mutex;
  struct probe {
    weft::mutex* mutex;
    std::error_code seen;
  } probe{&mutex, {}};
  const std::lock_guard hold(mutex);
  weft_thread* tasklet = nullptr;
  const auto run = [](void* argument) {
    auto* const mine = static_cast<struct probe*>(argument);
    try {
      mine->mutex->lock();
    } catch (const weft::error& e) {
      mine->seen = e.code();
    }
  };
  REQUIRE(weft_tasklet_create(run, &probe, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(probe.seen == weft::errc::cannot_block);
}

TEST_CASE("atomics are waited at by threads and OS threads") {
  const weft::runtime runtime;
  std::atomic<int> turn{0};
  std::atomic<double> wide{1.5};
  constexpr int parties = 6;
  run_crowd(parties - 2, 2, [&](int number) {
    for (int seen = turn.load(); seen != number; seen = turn.load()) weft::atomic_wait(turn, seen);
    turn.fetch_add(1);
    weft::atomic_notify_all(turn);
    if (number + 1 == parties) {
      wide.store(2.5);
      weft::atomic_notify_one(wide);
    }
  });
  CHECK(turn.load() == parties);
  weft::atomic_wait(wide, 1.5);  // it has another value already
  static_assert(!weft::waitable<char> && weft::waitable<long> && weft::waitable<void*>);
}

TEST_CASE("a notification without a change of the word does not end an atomic_wait") {
  const weft::runtime runtime({.workers = 1});
  std::atomic<int> word{0};
  bool has_passed = false;
  weft::thread waiter([&] {
    weft::atomic_wait(word, 0);
    has_passed = true;
  });
  const auto is_blocked = [&] { return weft_thread_get_state(waiter.native_handle()) == WEFT_THREAD_BLOCKED; };
  while (!is_blocked()) weft::this_thread::yield();
  weft::atomic_notify_all(word);
  while (!is_blocked() && !has_passed) weft::this_thread::yield();
  CHECK_FALSE(has_passed);
  word = 1;
  weft::atomic_notify_all(word);
  waiter.join();
  CHECK(has_passed);
}
