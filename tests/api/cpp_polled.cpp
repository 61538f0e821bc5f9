// weft::wait_poll and its forms with a deadline, and weft::on_polled.
#include <weft/polled.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "callers.hpp"

#include <weft/runtime.hpp>
#include <weft/select.hpp>
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

// ---- weft::on_polled, a branch of weft::select ----

namespace {

using status = weft::channel_op_status;

void await_blocked(const weft::thread& thread) {
  while (weft_thread_get_state(thread.native_handle()) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
}

// A register that a device sets. Each look at it is counted.
struct device_register {
  std::atomic<bool> is_set = false;
  std::atomic<int> looks = 0;
  bool operator()() {
    ++looks;
    return is_set;
  }
};

}  // namespace

TEST_CASE("every caller selects a polled condition, before and during the wait") {
  by_every_caller([] {
    weft::buffered_channel<int> channel(1);
    device_register one, other;
    int which = -1;
    const auto poll = [&](device_register& each, int number) {
      return weft::on_polled([&each] { return each(); }, [&which, number] { which = number; });
    };
    CHECK(weft::select(poll(one, 0), weft::otherwise([&] { which = 1; })) == 1);
    CHECK(which == 1);
    one.is_set = true;
    CHECK(weft::select(weft::on_pop(channel, [](int) {}), poll(one, 1)) == 1);
    CHECK(which == 1);
    one.is_set = false;
    if (weft_self() != nullptr && weft_thread_is_tasklet(weft_self())) {
      CHECK_THROWS_AS(weft::select(poll(one, 0), weft::on_pop(channel, [](int) {})), weft::error);
    } else {
      std::thread device([&] {
        while (other.looks < 3) std::this_thread::yield();
        other.is_set = true;
      });
      CHECK(weft::select(weft::on_pop(channel, [](int) {}), poll(one, 1), poll(other, 2)) == 2);
      CHECK(which == 2);
      device.join();
      CHECK(weft::select(poll(one, 0), weft::after(1ms, [&] { which = 3; })) == 1);
      CHECK(which == 3);
    }
    const int looks = one.looks;
    std::this_thread::sleep_for(2ms);
    CHECK(one.looks == looks);
    CHECK(channel.try_push(1) == status::success);  // no place is left in its queue
    CHECK(channel.value_pop() == 1);
  });
}

TEST_CASE("a polled condition that loses is asked no more, and a ready one is chosen as often as others") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<int> channel;
  device_register never;
  int got = 0;
  weft::thread waits([&] {
    CHECK(weft::select(weft::on_polled([&] { return never(); }, [] {}), weft::on_pop(channel, [&](int value) { got = value; })) ==
          1);
  });
  await_blocked(waits);
  CHECK(channel.push(7) == status::success);
  waits.join();
  CHECK(got == 7);
  const int looks = never.looks;
  std::this_thread::sleep_for(2ms);
  CHECK(never.looks == looks);

  weft::buffered_channel<int> ready(1);
  std::array<int, 3> chosen{};
  for (int i = 0; i < 3000; ++i) {
    static_cast<void>(ready.try_push(1));
    ++chosen[weft::select(weft::on_pop(ready, [](int) {}), weft::on_polled([] { return true; }, [] {}),
                          weft::on_polled([] { return true; }, [] {}))];
  }
  for (const int times : chosen) {
    CHECK(times > 850);  // 1000 +- 26: five deviations
    CHECK(times < 1150);
  }
}

TEST_CASE("a stop ends the wait for a polled condition") {
  const weft::runtime runtime({.workers = 1});
  std::stop_source source;
  device_register never;
  const auto wait = [&] {
    CHECK(weft::select(weft::on_polled([&] { return never(); }, [] {}), weft::on_stop(source.get_token(), [] {})) == 1);
  };
  weft::thread waits(wait);
  std::thread outside(wait);
  await_blocked(waits);
  source.request_stop();
  waits.join();
  outside.join();
}

TEST_CASE("a polled condition races with pushes and deadlines: each wait ends once, and no value is lost") {
  const weft::runtime runtime({.workers = 2});
  for (int i = 0; i < 200; ++i) {
    weft::unbuffered_channel<int> channel;
    device_register condition;
    int ended = 0;
    weft::thread waits([&] {
      weft::select(weft::on_pop(channel, [&](int) { ended += 1; }),
                   weft::on_polled([&] { return condition(); }, [&] { ended += 10; }),
                   weft::after(std::chrono::microseconds(i % 4 == 0 ? 20 : 1'000'000'000), [&] { ended += 100; }));
    });
    if (i % 3 != 0) weft::this_thread::yield();
    weft::thread device([&] { condition.is_set = true; });
    const bool is_pushed = channel.try_push(1) == status::success;
    waits.join();
    device.join();
    if (is_pushed) {
      CHECK(ended == 1);
    } else {
      CHECK((ended == 10 || ended == 100));
    }
  }
}

TEST_CASE("an OS thread outside waits for a polled condition beyond the end of the runtime") {
  device_register condition;
  std::thread outside;
  {
    const weft::runtime runtime({.workers = 1});
    outside = std::thread([&] { CHECK(weft::select(weft::on_polled([&] { return condition(); }, [] {})) == 0); });
    while (condition.looks < 2) weft::this_thread::yield();
  }
  const int looks = condition.looks;
  while (condition.looks < looks + 3) std::this_thread::yield();
  condition.is_set = true;
  outside.join();
}
