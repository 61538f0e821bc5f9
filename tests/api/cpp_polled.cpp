// weft::wait_poll and its forms with a deadline.
#include <weft/polled.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

using namespace std::chrono_literals;

namespace {

void wait_in_all_forms() {
  std::atomic<bool> is_over = false;
  int calls = 0;
  const auto poll = [&] {
    ++calls;
    return is_over.load();
  };
  CHECK(!weft::wait_poll_for(poll, 1ms));
  CHECK(!weft::wait_poll_until(poll, std::chrono::steady_clock::now() + 1ms));
  CHECK(!weft::wait_poll_until(poll, std::chrono::system_clock::now() + 1ms));
  const int until_then = calls;
  std::this_thread::sleep_for(1ms);
  CHECK(calls == until_then);
  std::thread device([&] { is_over = true; });
  weft::wait_poll(poll);
  device.join();
  calls = 0;
  CHECK(weft::wait_poll_for(poll, 0s));
  CHECK(weft::wait_poll_until(poll, std::chrono::steady_clock::now()));
  weft::wait_poll([] { return true; });
  CHECK(calls == 2);
}

}  // namespace

TEST_CASE("wait_poll: outside, in main, in a thread") {
  wait_in_all_forms();
  const weft::runtime runtime({.workers = 1});
  wait_in_all_forms();
  weft::thread(wait_in_all_forms).join();
}
