// weft::runtime, weft::error, and what std::chrono becomes.
#include <weft/runtime.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <weft/detail/chrono.hpp>
#include <weft/thread.hpp>

using namespace std::chrono_literals;
using weft::detail::to_ns;

TEST_CASE("the runtime runs as long as its object") {
  CHECK_FALSE(weft::runtime::is_running());
  CHECK(weft::runtime::worker_count() == 0);
  for (unsigned workers = 1; workers <= 3; ++workers) {
    const weft::runtime runtime({.workers = workers});
    CHECK(weft::runtime::is_running());
    CHECK(weft::runtime::worker_count() == workers);
    CHECK(weft::thread::hardware_concurrency() == workers);
  }
  CHECK_FALSE(weft::runtime::is_running());
}

TEST_CASE("runtimes nest; the first one's settings hold") {
  const weft::runtime outer({.workers = 2});
  {
    const weft::runtime inner({.workers = 5});
    CHECK(weft::runtime::worker_count() == 2);
  }
  CHECK(weft::runtime::is_running());
}

TEST_CASE("the caller is adopted, or stays outside") {
  {
    const weft::runtime runtime;
    CHECK(weft::this_thread::worker() == 0);
  }
  {
    const weft::runtime runtime({.workers = 1, .caller_outside = true});
    CHECK(weft::this_thread::worker() == -1);
    int seen = -1;
    weft::thread([&seen] { seen = weft::this_thread::worker(); }).join();
    CHECK(seen == 0);
  }
}

TEST_CASE("an OS thread is a worker as long as its object lives") {
  if (std::getenv("WEFT_SCHEDULE") != nullptr) return;  // all workers share one OS thread then
  const weft::runtime runtime({.workers = 1});
  int ran_on = -1;
  std::thread([&ran_on] {
    {
      const weft::adopted_worker worker({.name = "guest"});
      CHECK(weft::runtime::worker_count() == 2);
      CHECK(weft::this_thread::worker() == 1);
      CHECK(std::string(weft_thread_get_name(weft_self())) == "guest");
      CHECK_THROWS_AS(weft::adopted_worker(), weft::error);
      weft::thread([&ran_on] { ran_on = weft::this_thread::worker(); }).join();
    }
    CHECK(weft::this_thread::worker() == -1);
    CHECK(weft::runtime::worker_count() == 1);
  }).join();
  CHECK(ran_on >= 0);
}

TEST_CASE("every setting reaches the core") {
  const weft_config c = weft::runtime_config{.workers = 3,
                                             .stack_bytes = 128 * 1024,
                                             .caller_outside = true,
                                             .bind = true,
                                             .wait_policy = weft::wait_policy::passive,
                                             .locality = weft::locality::domain,
                                             .topology = "core:2 pu:2"}
                            .to_c();
  CHECK(c.size == sizeof(weft_config));
  CHECK(c.workers == 3);
  CHECK(c.stack_bytes == 128 * 1024);
  CHECK(c.caller_outside);
  CHECK(c.bind);
  CHECK(c.wait_policy == WEFT_WAIT_PASSIVE);
  CHECK(c.locality == WEFT_LOCALITY_DOMAIN);
  CHECK(std::string(c.topology) == "core:2 pu:2");
}

TEST_CASE("workers come and go") {
  const weft::runtime runtime({.workers = 1});
  const unsigned added = weft::runtime::add_worker();
  CHECK(weft::runtime::worker_count() == 2);
  int seen = -1;
  weft::thread([&seen] { seen = weft::this_thread::worker(); }).join();
  CHECK(seen >= 0);
  weft::runtime::remove_worker(added);
  CHECK(weft::runtime::worker_count() == 1);
  CHECK_THROWS_AS(weft::runtime::remove_worker(0), weft::error);
  CHECK_THROWS_AS(weft::runtime::remove_worker(77), weft::error);
}

TEST_CASE("a bad setting throws, and the runtime can be started afterwards") {
  CHECK_THROWS_AS(weft::runtime({.topology = "no such thing"}), weft::error);
  CHECK_FALSE(weft::runtime::is_running());
  const weft::runtime runtime;
  CHECK(weft::runtime::is_running());
}

TEST_CASE("errors: category, text, std's conditions") {
  const weft::error deadlock(WEFT_DEADLOCK, "weft_mutex_lock");
  CHECK(deadlock.status() == WEFT_DEADLOCK);
  CHECK(deadlock.code() == weft::errc::deadlock);
  CHECK(deadlock.code() == std::errc::resource_deadlock_would_occur);
  CHECK(deadlock.code().category().name() == std::string("weft"));
  CHECK(deadlock.code().message() == weft_status_text(WEFT_DEADLOCK));
  CHECK(deadlock.what() == "weft_mutex_lock: " + deadlock.code().message());
  CHECK(weft::make_error_code(weft::errc::no_memory) == std::errc::not_enough_memory);
  CHECK(weft::make_error_code(weft::errc::timeout) == std::errc::timed_out);
  const std::error_code implicit = weft::errc::not_owner;
  CHECK(implicit == std::errc::operation_not_permitted);
}

TEST_CASE("what() names one cause, and no other place to look for it") {
  for (int value = WEFT_NOMEM; value <= WEFT_ENDED; ++value) {
    const auto status = static_cast<weft_status>(value);
    const std::string text = weft_status_text(status);
    const std::string words = weft::error(status, "weft::something").what();
    CHECK(words == "weft::something: " + text.substr(0, text.find(" (")));
    CHECK(words.find("last_error") == std::string::npos);
  }
  CHECK(weft::error(WEFT_INVALID, "weft::something: it is odd").what() == std::string("weft::something: it is odd"));
}

TEST_CASE("what() has the words of weft_last_error()") {
  const weft::runtime runtime({.workers = 1});
  std::string words;
  try {
    weft::thread_attributes small;
    small.stack_bytes = 1024;
    weft::thread(small, [] {}).join();
  } catch (const weft::error& refused) {
    words = refused.what();
    CHECK(words == weft_last_error());
  }
  CHECK(words.find("argument attr: stack_bytes is 1024; at least 16384 (WEFT_STACK_MIN) are needed") != std::string::npos);
  try {
    weft::runtime::remove_worker(77);
  } catch (const weft::error& refused) {
    CHECK(std::string(refused.what()).find("weft_worker_remove: argument worker: there is no worker 77") == 0);
  }
}

TEST_CASE("a call before the runtime runs throws not_initialized") {
  try {
    weft::thread too_early([] {});
    too_early.join();
    FAIL("a thread without a runtime");
  } catch (const weft::error& e) {
    CHECK(e.code() == weft::errc::not_initialized);
  }
}

TEST_CASE("durations become nanoseconds: rounded up, never negative, saturating") {
  CHECK(to_ns(1us) == 1000);
  CHECK(to_ns(0s) == 0);
  CHECK(to_ns(-5s) == 0);
  CHECK(to_ns(std::chrono::duration<double>(1.5e-9)) == 2);
  CHECK(to_ns(std::chrono::duration<int, std::pico>(1)) == 1);
  CHECK(to_ns(std::chrono::nanoseconds::max()) == std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  CHECK(to_ns(std::chrono::hours::max()) == WEFT_FOREVER);
  CHECK(to_ns(std::chrono::duration<double>(1e30)) == WEFT_FOREVER);
  constexpr double infinity = std::numeric_limits<double>::infinity(), no_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(to_ns(std::chrono::duration<double>(infinity)) == WEFT_FOREVER);
  CHECK(to_ns(std::chrono::duration<double>(-infinity)) == 0);
  CHECK(to_ns(std::chrono::duration<double>(no_number)) == 0);
  CHECK(to_ns(std::chrono::duration<float, std::milli>(std::numeric_limits<float>::quiet_NaN())) == 0);
}

TEST_CASE("steady_clock is the clock of weft_now_ns") {
  const std::uint64_t before = weft_now_ns();
  const std::uint64_t between = to_ns(std::chrono::steady_clock::now().time_since_epoch());
  const std::uint64_t after = weft_now_ns();
  CHECK(before <= between);
  CHECK(between <= after);
}
