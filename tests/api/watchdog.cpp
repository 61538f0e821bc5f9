// WEFT_WATCHDOG: what it says about a worker that stays in one thread, and when it keeps silent.
// Each scene runs in a child process.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <weft/weft.hpp>

#include "../support/watched.hpp"

using namespace std::chrono_literals;
using watched::ask_for_held_mutex;
using watched::beyond_patience;
using watched::block_until_told;
using watched::compute_until_told;
using watched::count;
using watched::last_words;
using watched::patient;
using watched::quick;
using watched::report_of;
using watched::says;

namespace {

void block_os_thread(std::chrono::nanoseconds interval) {
  const timespec time{interval.count() / 1'000'000'000, interval.count() % 1'000'000'000};
  nanosleep(&time, nullptr);
}

void compute(std::chrono::nanoseconds interval) {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  const auto in_ns = [](const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; };
  const std::int64_t until = in_ns(now) + interval.count();
  while (in_ns(now) < until) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}

// Stops the process and lets it go on, in turn, as a quota of CPU time does: for half a second,
// shorter each time than the watchdog's limit.
pid_t start_throttling() {
  const pid_t process = getpid();
  const pid_t throttle = fork();
  if (throttle != 0) return throttle;
  for (int period = 0; period < 10; ++period) {
    kill(process, SIGSTOP);
    block_os_thread(45ms);
    kill(process, SIGCONT);
    block_os_thread(5ms);
  }
  _exit(0);
}

}  // namespace

TEST_CASE("a blocking call: the thread's name, the call, once an episode") {
  const std::string text = report_of(2, quick, [] {
    weft::thread sleeper({.name = "sleeper", .worker = 1}, [] {
      block_until_told();
      block_os_thread(beyond_patience);  // of the same episode: nothing more is said
      weft::this_thread::yield();
      block_until_told();
    });
    sleeper.join();
  });
  CHECK(says(text, "worker 1 has been in thread "));
  CHECK(says(text, "\"sleeper\""));
  CHECK(says(text, "sleeps in the kernel, in "));
  CHECK(says(text, "poll"));
  CHECK(count(text, "has been in") == 2);
}

TEST_CASE("a std::mutex that a thread of the same worker holds") {
  const std::string text = report_of(1, quick, [] {
    ask_for_held_mutex([] {
      block_until_told();
      _exit(0);
    });
  });
  CHECK(says(text, "worker 0 has been in thread "));
  CHECK(says(text, "\"rival\""));
  CHECK(says(text, "1 ready thread waits for this worker"));
  CHECK(says(text, "in futex"));
  CHECK(says(text, "that this very worker holds"));
  CHECK(says(text, "use weft::mutex"));
}

TEST_CASE("what waits in a pool that the worker alone serves waits for it") {
  const std::string text = report_of(1, quick, [] {
    weft_pool* pool = nullptr;
    weft::detail::check(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool), "weft_pool_create");
    weft::detail::check(weft_pool_attach(pool, 0), "weft_pool_attach");
    weft::thread first({.pool = pool}, [] {});
    weft::thread second({.pool = pool}, [] {});
    compute_until_told();
    first.join();
    second.join();
    weft::detail::check(weft_pool_detach(pool, 0), "weft_pool_detach");
    weft::detail::check(weft_pool_destroy(pool), "weft_pool_destroy");
  });
  CHECK(says(text, "worker 0 has been in main"));
  CHECK(says(text, "2 ready threads wait for this worker"));
}

TEST_CASE("what waits in a pool that another worker serves, too, is not counted") {
  const std::string text = report_of(2, quick, [] {
    weft_pool* pools[2] = {};  // the first is worker 0's alone
    for (weft_pool*& pool : pools) {
      weft::detail::check(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool), "weft_pool_create");
      weft::detail::check(weft_pool_attach(pool, 0), "weft_pool_attach");
    }
    weft::detail::check(weft_pool_attach(pools[1], 1), "weft_pool_attach");
    std::atomic<bool> is_busy = false, is_over = false;
    weft::thread fellow({.worker = 1}, [&] {
      for (is_busy = true; !is_over;) {
      }
    });
    while (!is_busy) weft::this_thread::yield();
    weft::thread own({.pool = pools[0]}, [] {});
    weft::thread either({.pool = pools[1]}, [] {});
    compute_until_told();
    is_over = true;
    own.join();
    either.join();
    fellow.join();
    weft::detail::check(weft_pool_detach(pools[1], 1), "weft_pool_detach");
    for (weft_pool* pool : pools) {
      weft::detail::check(weft_pool_detach(pool, 0), "weft_pool_detach");
      weft::detail::check(weft_pool_destroy(pool), "weft_pool_destroy");
    }
  });
  CHECK(says(text, "worker 0 has been in main"));
  CHECK(says(text, "1 ready thread waits for this worker"));
  CHECK(count(text, "has been in") == 1);
}

TEST_CASE("a std::mutex that another worker holds") {
  const std::string text = report_of(2, quick, [] {
    static std::mutex mutex;
    static std::atomic<bool> is_held = false;
    weft::thread owner({.worker = 1}, [] {
      const std::lock_guard hold(mutex);
      is_held = true;
      block_until_told(2);  // of this worker and of the other
    });
    while (!is_held) weft::this_thread::yield();
    const std::lock_guard hold(mutex);
    owner.detach();
  });
  CHECK(says(text, "worker 0 has been in main"));
  CHECK(says(text, "held by worker 1"));
}

TEST_CASE("a long computation is told of only when somebody waits behind it") {
  const std::string alone = report_of(1, quick, [] { compute(200ms); });
  CHECK(alone == "");
  const std::string in_the_way = report_of(1, quick, [] {
    weft::thread other([] {});
    compute_until_told();
    other.join();
  });
  CHECK(says(in_the_way, "worker 0 has been in main"));
  CHECK(says(in_the_way, "ready thread waits for this worker"));
  CHECK(says(in_the_way, "OS thread"));
}

TEST_CASE("two threads that wait for each other in loops, on two workers") {
  const std::string text = report_of(2, quick, [] {
    std::atomic<bool> is_right_over = false;
    weft::thread left({.name = "left", .worker = 1}, [&] {
      while (!is_right_over) {
      }
    });
    compute_until_told();
    is_right_over = true;
    left.join();
  });
  CHECK(says(text, "no worker has taken another thread for 100 ms"));
  CHECK(says(text, "worker 0: main, for "));
  CHECK(says(text, "worker 1: thread "));
  CHECK(says(text, "\"left\""));
  CHECK(count(text, last_words) == 1);
}

TEST_CASE("silent: a thread that computes little because the process is stopped again and again") {
  const std::string text = report_of(1, "100ms", [] {
    weft::thread other([] {});
    const pid_t throttle = start_throttling();
    compute(50ms);
    while (waitpid(throttle, nullptr, WNOHANG) == 0) weft::this_thread::sleep_for(1ms);
    other.join();
  });
  CHECK(text == "");
}

TEST_CASE("silent: an idle runtime, waiting, taking turns, leaving now and then, joining what was made") {
  const std::string text = report_of(2, patient, [] {
    weft::this_thread::sleep_for(beyond_patience);
    weft::mutex mutex;
    std::unique_lock hold(mutex);
    weft::thread waiter([&mutex] { const std::lock_guard mine(mutex); });
    weft::thread talker([] {
      for (const auto until = std::chrono::steady_clock::now() + beyond_patience; std::chrono::steady_clock::now() < until;) {
        weft::this_thread::yield();
      }
    });
    talker.join();
    hold.unlock();
    waiter.join();
    for (const auto until = std::chrono::steady_clock::now() + 2 * beyond_patience; std::chrono::steady_clock::now() < until;) {
      block_os_thread(60ms);
      weft::this_thread::sleep_for(1ms);
    }
    for (const auto until = std::chrono::steady_clock::now() + beyond_patience; std::chrono::steady_clock::now() < until;) {
      weft::thread later([] {});
      weft::thread now([] { weft::thread([] {}).join(); });
      now.join();
      later.join();
    }
  });
  CHECK(text == "");
}
