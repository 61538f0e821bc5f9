// Coroutines and senders that sleep when the runtime ends: each wait ends with an error, so that
// what they hold goes, and the waits for them end.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/channel.hpp>
#include <weft/execution.hpp>
#include <weft/task.hpp>
#include <weft/when.hpp>

#include "coroutines.hpp"

using namespace std::chrono_literals;

namespace {

// Counts those that live.
struct counted {
  explicit counted(std::atomic<int>& alive_count) : alive(alive_count) { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  std::atomic<int>& alive;
};

weft::task<int> sleeper(std::atomic<int>& alive, std::chrono::nanoseconds interval = 1h) {
  const counted here(alive);
  co_await weft::async_sleep_for(interval);
  co_return 1;
}

weft_status end_of(weft::future<int>& one) {
  return status_of([&] { one.get(); });
}

// Of one worker and two, of which the caller is a thread, or is not.
template <class Use>
void with_each_config(Use use) {
  for (const unsigned workers : {1U, 2U}) {
    for (const bool is_outside : {false, true}) use(weft::runtime_config{.workers = workers, .caller_outside = is_outside});
  }
}
template <class Make>
void in_each_runtime(Make make) {
  with_each_config([&](const weft::runtime_config& config) {
    const weft::runtime rt(config);
    make();
  });
}

}  // namespace

TEST_CASE("a spawned coroutine that sleeps ends, and its frame goes") {
  std::atomic<int> alive = 0;
  std::vector<weft::future<int>> all;
  in_each_runtime([&] {
    all.push_back(weft::spawn(sleeper(alive)));
    static_cast<void>(weft::spawn(sleeper(alive)));  // nothing waits for it
    wait_for(alive, 2);
  });
  CHECK(alive == 0);
  for (weft::future<int>& each : all) {
    CHECK(each.is_ready());
    try {
      each.get();
      FAIL("it was not ended");
    } catch (const weft::error& problem) {
      CHECK(problem.code() == weft::errc::ended);
      CHECK(std::string(problem.what()) == "weft: the runtime ended before the deadline of a wait");
    }
  }
}

TEST_CASE("what awaits a sleeper ends with it, and continuations run") {
  std::atomic<int> alive = 0;
  std::atomic<int> seen = 0;
  const auto awaits_task = [](std::atomic<int>& count) -> weft::task<int> {
    const counted here(count);
    co_return co_await sleeper(count) + 1;
  };
  const auto awaits_future = [](std::atomic<int>& count) -> weft::task<int> {
    const counted here(count);
    co_return co_await weft::spawn(sleeper(count)) + 1;
  };
  std::vector<weft::future<int>> all;
  weft::future<std::vector<weft::future<int>>> gathered;
  {
    const weft::runtime rt({.workers = 2});
    all.push_back(weft::spawn(awaits_task(alive)));
    all.push_back(weft::spawn(awaits_future(alive)));
    all.push_back(weft::spawn(sleeper(alive)).then([&seen](weft::future<int> of) -> int {
      CHECK(end_of(of) == WEFT_ENDED);
      return ++seen;
    }));
    std::vector<weft::future<int>> parts;
    parts.push_back(weft::spawn(sleeper(alive)));
    gathered = weft::when_all(parts.begin(), parts.end());
    wait_for(alive, 6);
  }
  CHECK(alive == 0);
  CHECK(end_of(all[0]) == WEFT_ENDED);
  CHECK(end_of(all[1]) == WEFT_ENDED);
  CHECK(all[2].get() == 1);
  CHECK(end_of(gathered.get()[0]) == WEFT_ENDED);
}

TEST_CASE("a coroutine that goes on after the end of its sleep ends before the runtime") {
  std::atomic<int> alive = 0;
  const auto goes_on = [](std::atomic<int>& count) -> weft::task<int> {
    const counted here(count);
    weft_status first = WEFT_OK;
    weft_status second = WEFT_OK;
    try {
      co_await weft::async_sleep_for(1h);
    } catch (const weft::error& problem) {
      first = problem.status();
    }
    try {
      co_await weft::async_sleep_for(1h);
    } catch (const weft::error& problem) {
      second = problem.status();
    }
    CHECK(first == WEFT_ENDED);
    CHECK(second == WEFT_NOT_INITIALIZED);
    auto blocks = [] {
      weft::this_thread::sleep_for(1ms);  // a thread may still sleep
      return 5;
    };
    co_return co_await weft::on_thread(std::move(blocks));
  };
  std::vector<weft::future<int>> all;
  in_each_runtime([&] {
    all.push_back(weft::spawn(goes_on(alive)));
    wait_for(alive, 1);
  });
  CHECK(alive == 0);
  for (weft::future<int>& each : all) CHECK(each.get() == 5);
}

TEST_CASE("what a sleeper holds is handed over") {
  weft::mutex guard;
  weft::unbuffered_channel<int> values;
  std::atomic<int> alive = 0;
  const auto holds = [&]() -> weft::task<int> {
    const auto hold = co_await weft::async_lock(guard);
    const counted here(alive);
    co_await weft::async_sleep_for(1h);
    co_return 1;
  };
  const auto locks = [&]() -> weft::task<int> {
    const counted here(alive);
    const auto hold = co_await weft::async_lock(guard);
    co_return 2;
  };
  const auto produces = [&]() -> weft::task<int> {
    struct closing {
      weft::unbuffered_channel<int>& of;
      ~closing() { of.close(); }
    } const last{values};
    const counted here(alive);
    co_await weft::async_sleep_for(1h);
    co_return 3;
  };
  const auto consumes = [&]() -> weft::task<int> {
    const counted here(alive);
    co_return co_await weft::async_pop(values) ? 4 : 5;
  };
  std::vector<weft::future<int>> all;
  {
    const weft::runtime rt({.workers = 2});
    all.push_back(weft::spawn(holds()));
    wait_for(alive, 1);
    all.push_back(weft::spawn(locks()));
    all.push_back(weft::spawn(produces()));
    all.push_back(weft::spawn(consumes()));
    wait_for(alive, 4);
  }
  CHECK(alive == 0);
  CHECK(end_of(all[0]) == WEFT_ENDED);
  CHECK(all[1].get() == 2);
  CHECK(end_of(all[2]) == WEFT_ENDED);
  CHECK(all[3].get() == 5);
  CHECK(guard.try_lock());
  guard.unlock();
}

TEST_CASE("deadlines that pass while the runtime ends") {
  std::atomic<int> alive = 0;
  std::vector<weft::future<int>> all;
  for (int round = 0; round < 40; ++round) {
    const weft::runtime rt({.workers = 2});
    for (int each = 0; each < 10; ++each) all.push_back(weft::spawn(sleeper(alive, each * 10us + round * 5us)));
  }
  CHECK(alive == 0);
  for (weft::future<int>& each : all) {
    const weft_status how = end_of(each);
    // The last one: it began to sleep when the runtime was ending.
    CHECK((how == WEFT_OK || how == WEFT_ENDED || how == WEFT_NOT_INITIALIZED));
  }
}

TEST_CASE("many sleepers") {
  std::atomic<int> alive = 0;
  std::vector<weft::future<int>> all;
  {
    const weft::runtime rt({.workers = 2});
    for (int each = 0; each < 2000; ++each) all.push_back(weft::spawn(sleeper(alive, 1h + each % 7 * 1min)));
    wait_for(alive, 2000);
  }
  CHECK(alive == 0);
  for (weft::future<int>& each : all) CHECK(end_of(each) == WEFT_ENDED);
}

TEST_CASE("an OS thread outside that waits for a sleeper") {
  std::atomic<int> alive = 0;
  weft_status how = WEFT_OK;
  std::thread outside;
  {
    const weft::runtime rt({.workers = 2});
    outside = std::thread([&] { how = status_of([&] { weft::sync_wait(sleeper(alive)); }); });
    wait_for(alive, 1);
  }
  outside.join();
  CHECK(alive == 0);
  // Between its first line and its sleep the runtime may have ended.
  CHECK((how == WEFT_ENDED || how == WEFT_NOT_INITIALIZED));
}

namespace {

// Stops while main waits for the end of the runtime. What keeps that from coming before the stop has
// been requested is the OS thread, if it is adopted, or else a thread that waits for it.
void stop_at_the_end(bool is_adopted) {
  std::atomic<int> alive = 0;
  std::vector<weft::future<int>> all;
  for (int round = 0; round < 40; ++round) {
    std::stop_source source;
    std::atomic<bool> is_there = false, goes = false;
    weft_event is_requested = WEFT_EVENT_INIT;
    std::thread stops;
    {
      const weft::runtime rt({.workers = 2});
      stops = std::thread([&] {
        std::optional<weft::adopted_worker> here;
        if (is_adopted) here.emplace();
        is_there = true;
        while (!goes) weft::this_thread::yield();
        source.request_stop();
        CHECK(weft_event_set(&is_requested) == WEFT_OK);
      });
      while (!is_there) weft::this_thread::yield();
      for (int each = 0; each < 10; ++each) all.push_back(weft::spawn(sleeper(alive), source.get_token()));
      wait_for(alive, 10);
      if (!is_adopted) weft::thread([&] { CHECK(weft_event_wait(&is_requested) == WEFT_OK); }).detach();
      goes = true;
    }
    stops.join();
    REQUIRE(alive == 0);
  }
  for (weft::future<int>& each : all) CHECK(end_of(each) == WEFT_ENDED);  // weft::stopped, too, is WEFT_ENDED
}

}  // namespace

TEST_CASE("a stop that an adopted OS thread requests while the runtime ends") {
  if (std::getenv("WEFT_SCHEDULE") != nullptr) return;  // all workers share one OS thread then
  stop_at_the_end(true);
}
TEST_CASE("a stop that an OS thread outside requests while the runtime ends") { stop_at_the_end(false); }

namespace {

namespace ex = weft::execution;

struct to_status {
  using receiver_concept = ex::receiver_t;
  weft_status* to;

  void set_value() && noexcept { *to = WEFT_OK; }
  void set_stopped() && noexcept { *to = WEFT_CANNOT_BLOCK; }
  void set_error(const std::exception_ptr& thrown) && noexcept {
    *to = status_of([&] { std::rethrow_exception(thrown); });
    weft::this_thread::sleep_for(1ms);  // it completes in a thread
  }
};

}  // namespace

TEST_CASE("a sender of a time completes with an error") {
  with_each_config([](const weft::runtime_config& config) {
    weft_status how = WEFT_BUSY;
    auto operation = ex::connect(weft::runtime::get_scheduler().schedule_after(1h), to_status{&how});
    {
      const weft::runtime rt(config);
      ex::start(operation);
    }
    CHECK(how == WEFT_ENDED);
  });
}
