// Synchronisation that programs make of boost::fibers' wakers and wait queues, without and with an
// algorithm of their own, and what keeps such programs from hanging. Each scene runs in a child
// process, in which the library has not started. The text names nothing of Weft's but what runs the
// scenes.
#include <boost/fiber/algo/shared_work.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/detail/spinlock.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/mutex.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/waker.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "../support/scene.hpp"

namespace fibers = boost::fibers;
namespace this_fiber = boost::this_fiber;
using scene::expect_well;

namespace {

// A semaphore of a wait_queue, as programs make it.
class counted {
 public:
  void give() {
    const fibers::detail::spinlock_lock lock(mutex_);
    ++count_;
    waiting_.notify_one();
  }
  void give_all(int count) {
    const fibers::detail::spinlock_lock lock(mutex_);
    count_ += count;
    waiting_.notify_all();
  }
  void take() {
    fibers::detail::spinlock_lock lock(mutex_);
    while (count_ == 0) {
      waiting_.suspend_and_wait(lock, fibers::context::active());
      NEED(!lock.owns_lock());
      lock.lock();
    }
    --count_;
  }
  bool take_until(std::chrono::steady_clock::time_point time) {
    fibers::detail::spinlock_lock lock(mutex_);
    while (count_ == 0) {
      if (!waiting_.suspend_and_wait_until(lock, fibers::context::active(), time)) return false;
      lock.lock();
    }
    --count_;
    return true;
  }
  bool has_waiters() {
    const fibers::detail::spinlock_lock lock(mutex_);
    return !waiting_.empty();
  }

 private:
  fibers::detail::spinlock mutex_;
  fibers::wait_queue waiting_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("of several wakers of one wait the first wakes, also before the wait, and the clock ends the others") {
  for (const bool has_algorithm : {false, true}) {
    expect_well([has_algorithm] {
      if (has_algorithm) fibers::use_scheduling_algorithm<fibers::algo::shared_work>();
      fibers::context* const self = fibers::context::active();
      fibers::waker early = self->create_waker();
      NEED(early.wake());
      NEED(!early.wake());
      self->suspend();
      const fibers::waker unused = self->create_waker();
      NEED(unused.wake());
      const fibers::waker older = self->create_waker();
      const fibers::waker newer = self->create_waker();
      NEED(!older.wake());
      fibers::detail::spinlock mutex;
      fibers::detail::spinlock_lock lock(mutex);
      const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
      NEED(!self->wait_until(soon, lock, fibers::waker(newer)));  // what woke without a wait is forgotten
      NEED(!lock.owns_lock());
      NEED(std::chrono::steady_clock::now() >= soon);
      NEED(!newer.wake());
      NEED(!self->wait_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(1)));
      for (int turn = 0; turn < 200; ++turn) {
        const fibers::waker one = self->create_waker();
        std::atomic<int> woken = 0;
        const auto wake = [&woken, one] { woken += one.wake() ? 1 : 0; };
        fibers::fiber same(wake);
        std::thread other(wake);
        self->suspend();
        same.join();
        other.join();
        NEED(woken == 1);
      }
    });
  }
}

TEST_CASE("a waker that is called while the fiber makes its next one does not wake the next wait") {
  expect_well([] {
    fibers::context* const self = fibers::context::active();
    fibers::waker early;
    std::atomic<int> asked{0}, answered{0};  // to wake it
    constexpr int turns = 20000;
    std::thread other([&] {
      for (int turn = 1; turn <= turns; ++turn) {
        while (asked != turn) std::this_thread::yield();
        static_cast<void>(early.wake());
        answered = turn;
      }
    });
    for (int turn = 1; turn <= turns; ++turn) {
      early = self->create_waker();
      asked = turn;
      for (int step = 0; step < turn % 200; ++step) asm volatile("");
      static_cast<void>(self->create_waker());
      NEED(!self->wait_until(std::chrono::steady_clock::now() + std::chrono::microseconds(turn % 20)));
      while (answered != turn) std::this_thread::yield();
    }
    other.join();
  });
}

TEST_CASE("a wait_queue wakes its fibers in order, or all, and forgets those whose time has come") {
  for (const bool has_algorithm : {false, true}) {
    expect_well([has_algorithm] {
      if (has_algorithm) fibers::use_scheduling_algorithm<fibers::algo::shared_work>();
      counted turns;
      std::string order;
      std::vector<fibers::fiber> waiters;
      for (const char name : {'a', 'b', 'c', 'd'}) {
        waiters.emplace_back([&, name] {
          turns.take();
          order += name;
        });
      }
      while (!turns.has_waiters()) this_fiber::yield();
      for (int turn = 0; turn < 8; ++turn) this_fiber::yield();
      NEED(order.empty());
      turns.give();
      waiters[0].join();
      NEED(order == "a");
      turns.give_all(3);
      for (std::size_t i = 1; i < waiters.size(); ++i) waiters[i].join();
      NEED(order == "abcd");
      NEED(!turns.has_waiters());
      NEED(!turns.take_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(1)));
      NEED(!turns.has_waiters());
      std::thread other([&turns] {
        for (int i = 0; i < 500; ++i) fibers::fiber([&turns] { turns.give(); }).join();
      });
      int taken = 0;
      while (taken < 500) {
        if (taken % 2 == 0) {
          turns.take();
          ++taken;
        } else {
          taken += turns.take_until(std::chrono::steady_clock::now() + std::chrono::microseconds(20)) ? 1 : 0;
        }
      }
      other.join();
    });
  }
}

TEST_CASE("a notification goes to the next fiber where the first one's waker wakes no more") {
  expect_well([] {
    fibers::detail::spinlock mutex;
    fibers::wait_queue waiting;
    fibers::context* first = nullptr;
    int begun = 0, woken = 0;
    const auto wait = [&] {
      fibers::detail::spinlock_lock lock(mutex);
      if (begun++ == 0) first = fibers::context::active();
      waiting.suspend_and_wait(lock, fibers::context::active());
      ++woken;
    };
    fibers::fiber one(wait), two(wait);
    while (begun != 2) this_fiber::yield();
    const fibers::waker newer = first->create_waker();
    fibers::detail::spinlock_lock lock(mutex);
    waiting.notify_one();
    NEED(waiting.empty());
    lock.unlock();
    two.join();
    NEED(woken == 1);
    NEED(newer.wake());
    one.join();
    NEED(woken == 2);
  });
}

TEST_CASE("a loop of try_lock lets the holder run") {
  expect_well([] {
    fibers::mutex mutex;
    mutex.lock();
    fibers::fiber trying([&mutex] {
      while (!mutex.try_lock()) {
      }
      mutex.unlock();
    });
    this_fiber::yield();
    mutex.unlock();
    trying.join();
  });
}

TEST_CASE("shared_work wakes an OS thread that sleeps, and not one that has stopped sleeping") {
  expect_well([] {
    fibers::algo::shared_work sleeper, earlier;
    fibers::fiber([&] {
      std::thread other([&sleeper] { sleeper.suspend_until(std::chrono::steady_clock::time_point::max()); });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // then the other one mostly sleeps
      earlier.suspend_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
      fibers::context* const self = fibers::context::active();
      earlier.awakened(self);
      other.join();
      NEED(earlier.pick_next() == self);
    }).join();
  });
}
