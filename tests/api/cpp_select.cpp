// select: exactly one branch, fair among ready ones; deadlines, closed channels, stops.
#include <weft/select.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "callers.hpp"

#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

using namespace std::chrono_literals;
using status = weft::channel_op_status;

namespace {

void await_blocked(const weft::thread& thread) {
  while (weft_thread_get_state(thread.native_handle()) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
}

}  // namespace

TEST_CASE("every caller selects among branches that are ready, and otherwise") {
  by_every_caller([] {
    weft::buffered_channel<int> in(2);
    weft::buffered_channel<int> out(1);
    int got = 0;
    const auto once = [&] {
      return weft::select(weft::on_pop(in, [&](int value) { got = value; }), weft::on_push(out, 5, [&] { got = -1; }),
                          weft::otherwise([&] { got = -2; }));
    };
    CHECK(once() == 1);
    CHECK(got == -1);
    CHECK(once() == 2);
    CHECK(got == -2);
    CHECK(in.push(3) == status::success);
    CHECK(once() == 0);
    CHECK(got == 3);
    CHECK(out.value_pop() == 5);
  });
}

TEST_CASE("a branch that becomes ready during the wait is chosen, alone") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<int> left;
  weft::unbuffered_channel<int> right;
  int from_left = 0, from_right = 0;
  weft::thread waits([&] {
    for (int i = 0; i < 2; ++i) {
      weft::select(weft::on_pop(left, [&](int value) { from_left += value; }),
                   weft::on_pop(right, [&](int value) { from_right += value; }));
    }
  });
  await_blocked(waits);
  CHECK(right.push(2) == status::success);
  std::thread outside([&] { CHECK(left.push(1) == status::success); });
  waits.join();
  outside.join();
  CHECK(from_left == 1);
  CHECK(from_right == 2);
  int none = 0;
  CHECK(left.try_pop(none) == status::empty);  // and no place is left in a queue
  CHECK(left.try_push(1) == status::full);
  CHECK(right.try_push(1) == status::full);
}

TEST_CASE("ready branches are chosen about as often as each other") {
  weft::buffered_channel<int> first(1), second(1), third(1), never(1);
  std::array<int, 4> chosen{};
  for (int i = 0; i < 6000; ++i) {
    if (!first.is_closed()) {
      static_cast<void>(first.try_push(1));
      static_cast<void>(second.try_push(1));
      static_cast<void>(third.try_push(1));
    }
    ++chosen[weft::select(weft::on_pop(first, [](int) {}), weft::on_pop(never, [](int) {}), weft::on_pop(second, [](int) {}),
                          weft::on_pop(third, [](int) {}))];
  }
  CHECK(chosen[1] == 0);
  for (const std::size_t i : {0U, 2U, 3U}) {
    CHECK(chosen[i] > 1800);  // 2000 +- 36: five deviations
    CHECK(chosen[i] < 2200);
  }
}

TEST_CASE("after is chosen when no branch is ready in time") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<int> channel;
  int which = 0;
  CHECK(weft::select(weft::on_pop(channel, [](int) {}), weft::after(1h, [&] { which = 1; }),
                     weft::after(1ms, [&] { which = 2; })) == 2);
  CHECK(which == 2);
  CHECK(weft::select(weft::after(std::chrono::steady_clock::now() - 1s, [&] { which = 3; })) == 0);
  CHECK(which == 3);
  CHECK(channel.try_push(1) == status::full);
  weft::thread pusher([&] { CHECK(channel.push(9) == status::success); });
  CHECK(weft::select(weft::after(1h, [] {}), weft::on_pop(channel, [&](int value) { which = value; })) == 1);
  CHECK(which == 9);
  pusher.join();
}

TEST_CASE("a closed channel takes no part, or calls what its branch has for that") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<int> closed;
  weft::unbuffered_channel<int> open;
  closed.close();
  int which = 0;
  CHECK(weft::select(weft::on_pop(closed, [](int) {}), weft::otherwise([&] { which = 1; })) == 1);
  CHECK(weft::select(weft::on_pop(closed, [](int) {}, [&] { which = 2; }), weft::on_pop(open, [](int) {})) == 0);
  CHECK(which == 2);
  CHECK(weft::select(weft::on_push(closed, 1, [] {}, [&] { which = 3; })) == 0);
  CHECK(which == 3);
  try {
    weft::select(weft::on_pop(closed, [](int) {}), weft::on_push(closed, 1, [] {}));
    FAIL("selected");
  } catch (const weft::error& problem) {
    CHECK(problem.status() == WEFT_ENDED);
  }
  // closed during the wait
  weft::unbuffered_channel<int> later;
  weft::thread waits([&] {
    weft::select(weft::on_pop(later, [](int) {}), weft::on_pop(open, [&](int value) { which = value; }));
    weft::select(weft::on_push(open, 5, [] {}), weft::on_pop(open, [](int) {}, [&] { which = 5; }));
    CHECK_THROWS_AS(weft::select(weft::on_pop(open, [](int) {})), weft::error);
  });
  await_blocked(waits);
  later.close();
  CHECK(open.push(4) == status::success);
  while (which != 4) weft::this_thread::yield();
  await_blocked(waits);
  open.close();
  waits.join();
  CHECK(which == 5);
}

TEST_CASE("a value that is not pushed stays with its caller") {
  weft::buffered_channel<std::unique_ptr<int>> channel(1);
  auto value = std::make_unique<int>(1);
  CHECK(weft::select(weft::on_push(channel, std::move(value), [] {}), weft::otherwise([] {})) == 0);
  CHECK(value == nullptr);
  value = std::make_unique<int>(2);
  CHECK(weft::select(weft::on_push(channel, std::move(value), [] {}), weft::otherwise([] {})) == 1);
  CHECK(*value == 2);
  weft::buffered_channel<int> numbers(1);
  const int copied = 3;
  CHECK(weft::select(weft::on_push(numbers, copied, [] {})) == 0);
  CHECK(numbers.value_pop() == 3);
}

TEST_CASE("a stop ends the wait at once, and comes before all else") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<int> channel;
  weft::buffered_channel<int> ready(1);
  CHECK(ready.push(1) == status::success);
  std::stop_source source;
  std::atomic<int> stopped = 0;
  weft::thread waits([&] {
    CHECK(weft::select(weft::on_pop(channel, [](int) {}), weft::on_stop(source.get_token(), [&] { ++stopped; })) == 1);
  });
  std::thread outside(
      [&] { CHECK(weft::select(weft::on_stop(source.get_token(), [&] { ++stopped; }), weft::after(1h, [] {})) == 0); });
  await_blocked(waits);
  source.request_stop();
  waits.join();
  outside.join();
  CHECK(stopped == 2);
  CHECK(weft::select(weft::on_pop(ready, [](int) {}), weft::on_stop(source.get_token(), [] {})) == 1);
  CHECK(ready.value_pop() == 1);
  CHECK(channel.try_push(1) == status::full);
}

TEST_CASE("a tasklet that would have to wait is told so, and leaves nothing behind") {
  const weft::runtime runtime({.workers = 1});
  static weft::unbuffered_channel<int> channel;
  static weft_status seen;
  weft_thread* tasklet = nullptr;
  const auto body = [](void*) {
    try {
      weft::select(weft::on_pop(channel, [](int) {}));
    } catch (const weft::error& problem) {
      seen = problem.status();
    }
  };
  REQUIRE(weft_tasklet_create(body, nullptr, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen == WEFT_CANNOT_BLOCK);
  CHECK(channel.try_push(1) == status::full);
}

TEST_CASE("the branch's function may use the channels, and what it throws leaves select") {
  weft::buffered_channel<int> channel(1);
  channel.push(1);
  weft::select(weft::on_pop(channel, [&](int value) { channel.push(value + 1); }));
  CHECK_THROWS_AS(weft::select(weft::on_pop(channel, [](int value) { throw value; })), int);
  int none = 0;
  CHECK(channel.try_pop(none) == status::empty);
}

// Selects on both sides: each value is pushed and popped exactly once, over whichever channel.
TEST_CASE("selects that face each other lose no value and double none") {
  for (unsigned workers : {1U, 2U, 4U}) {
    CAPTURE(workers);
    const weft::runtime runtime({.workers = workers});
    weft::unbuffered_channel<int> a, c;
    weft::buffered_channel<int> b(2);
    constexpr int senders = 4, each = 300;
    std::vector<std::atomic<int>> seen((senders + 1) * each);
    weft::latch are_done(senders + 1);
    const auto send = [&](int first) {
      for (int i = 0; i < each; ++i) {
        const int value = first * each + i;
        bool is_sent = false;
        while (!is_sent) {
          const auto done = [&] { is_sent = true; };
          if (i % 3 == 0) {
            weft::select(weft::on_push(a, value, done), weft::on_push(b, value, done), weft::on_push(c, value, done));
          } else {
            weft::select(weft::on_push(c, value, done), weft::on_push(a, value, done),
                         weft::after(std::chrono::microseconds(i % 5 * 20), [] {}));
          }
        }
      }
      are_done.count_down();
    };
    const auto receive = [&] {
      const auto take = [&](int value) { ++seen[static_cast<std::size_t>(value)]; };
      try {
        for (int i = 0;; ++i) {
          if (i % 4 == 0) weft::select(weft::on_pop(b, take), weft::after(10us, [] {}));
          weft::select(weft::on_pop(a, take), weft::on_pop(b, take), weft::on_pop(c, take));
        }
      } catch (const weft::error& all_closed) {
        CHECK(all_closed.status() == WEFT_ENDED);
      }
    };
    std::vector<weft::thread> threads;
    for (int i = 0; i < senders; ++i) threads.emplace_back(send, i);
    for (int i = 0; i < 3; ++i) threads.emplace_back(receive);
    std::thread outside_sender(send, senders);
    std::thread outside_receiver(receive);
    are_done.wait();
    a.close();
    b.close();
    c.close();
    for (weft::thread& one : threads) one.join();
    outside_sender.join();
    outside_receiver.join();
    for (const std::atomic<int>& times : seen) CHECK(times == 1);
  }
}

TEST_CASE("stops race with pushes: each value is popped or stays, and each wait ends once") {
  const weft::runtime runtime({.workers = 2});
  for (int i = 0; i < 300; ++i) {
    weft::unbuffered_channel<int> channel;
    std::stop_source source;
    int ended = 0;
    weft::thread waits([&] {
      weft::select(weft::on_pop(channel, [&](int) { ended += 1; }), weft::on_stop(source.get_token(), [&] { ended += 10; }));
    });
    if (i % 3 != 0) weft::this_thread::yield();
    weft::thread stops([&] { source.request_stop(); });
    const bool is_pushed = channel.try_push(1) == status::success;
    waits.join();
    stops.join();
    CHECK(ended == (is_pushed ? 1 : 10));
  }
}
