// weft::runtime::drop(), and what outlives it: handles of threads, futures of async.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <weft/future.hpp>
#include <weft/jthread.hpp>
#include <weft/runtime.hpp>
#include <weft/select.hpp>
#include <weft/task.hpp>
#include <weft/thread.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

// The frames of a dropped thread are not unwound.
struct counted {
  static inline std::atomic<int> alive = 0;
  counted() { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
};

// The part of a future's state that its dropped thread owned stays allocated.
#if defined(__SANITIZE_ADDRESS__)
using unseen_by_leak_check = __lsan::ScopedDisabler;
#else
struct unseen_by_leak_check {
  unseen_by_leak_check() {}
};
#endif

template <class F>
bool throws(weft::errc wanted, F&& call) {
  try {
    call();
  } catch (const weft::error& error) {
    return error.code() == wanted;
  }
  return false;
}

}  // namespace

TEST_CASE("drop: threads, and what holds them") {
  weft_event never = WEFT_EVENT_INIT;
  std::atomic<int> arrived = 0;
  const auto wait = [&] {
    const counted mine;
    ++arrived;
    CHECK(weft_event_wait(&never) == WEFT_OK);
  };
  weft::runtime runtime({.workers = 2});
  weft::thread joined(wait), detached(wait);
  weft::jthread stopped(wait);
  weft::thread(wait).detach();
  while (arrived != 4) weft::this_thread::yield();
  runtime.drop();
  runtime.drop();  // it has
  CHECK(!weft::runtime::is_running());
  CHECK(counted::alive == 4);
  CHECK(throws(weft::errc::ended, [&] { joined.join(); }));
  CHECK(joined.joinable());
  joined.detach();
  detached.detach();
  CHECK(throws(weft::errc::ended, [&] { stopped.join(); }));
}  // stopped lets go

namespace {

template <class F>
bool is_broken(F&& call) {
  try {
    call();
  } catch (const std::future_error& error) {
    return error.code() == std::future_errc::broken_promise;
  }
  return false;
}

}  // namespace

TEST_CASE("drop: futures") {
  const unseen_by_leak_check what_dropped_threads_own;
  weft_event never = WEFT_EVENT_INIT;
  std::atomic<int> arrived = 0;
  weft::runtime runtime({.workers = 2});
  const auto compute = [&] {
    ++arrived;
    CHECK(weft_event_wait(&never) == WEFT_OK);
    return 7;
  };
  weft::future<int> taken = weft::async(compute), waited = weft::async(compute), timed = weft::async(compute),
                    unused = weft::async(compute), done = weft::async([] { return 5; });
  done.wait();
  while (arrived != 4) weft::this_thread::yield();
  runtime.drop();
  CHECK(is_broken([&] { taken.get(); }));
  CHECK(is_broken([&] { waited.wait(); }));
  CHECK(is_broken([&] { static_cast<void>(timed.wait_for(std::chrono::seconds(1000))); }));
  CHECK(done.get() == 5);
}

TEST_CASE("drop: a coroutine that sleeps stays suspended") {
  const unseen_by_leak_check its_frame;
  std::atomic<int> state = 0;
  const auto sleeper = [](std::atomic<int>& to) -> weft::task<void> {
    to = 1;
    co_await weft::async_sleep_for(std::chrono::hours(1));
    to = 2;
  };
  weft::runtime runtime({.workers = 1});
  weft::future<void> end = weft::spawn(sleeper(state));
  while (state != 1) weft::this_thread::yield();
  runtime.drop();
  CHECK(state == 1);
  CHECK(!end.is_ready());
}

TEST_CASE("drop: a polled condition of select is asked no more") {
  std::atomic<int> looks = 0;
  weft::runtime runtime({.workers = 1});
  weft::thread([&] {
    const auto never = [&] { return ++looks < 0; };
    weft::select(weft::on_polled(never, [] {}), weft::after(std::chrono::hours(1), [] {}));
  }).detach();
  while (looks < 3) CHECK(weft_yield_or_wait(WEFT_FOREVER) == WEFT_OK);
  runtime.drop();
  const int until_then = looks;
  const weft::runtime next({.workers = 1});
  weft::this_thread::sleep_for(std::chrono::milliseconds(3));
  CHECK(looks == until_then);
}

TEST_CASE("drop: refused while an OS thread is adopted") {
  weft::runtime runtime({.workers = 1});
  std::atomic<bool> is_there = false, may_leave = false;
  std::thread guest([&] {
    const weft::adopted_worker worker;
    is_there = true;
    while (!may_leave) weft::this_thread::yield();
  });
  while (!is_there) weft::this_thread::yield();
  CHECK(throws(weft::errc::busy, [&] { runtime.drop(); }));
  CHECK(weft::runtime::is_running());
  may_leave = true;
  guest.join();
  runtime.drop();
}
