// The channels: what each call returns, which waiter is served first, and that no value is lost or
// doubled.
#include <weft/channel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callers.hpp"

#include <weft/error.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

using namespace std::chrono_literals;
using status = weft::channel_op_status;

namespace {

// Waits, without a clock, until the thread's state is that of a call that waits at the channel.
void await_blocked(const weft::thread& thread) {
  while (weft_thread_get_state(thread.native_handle()) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
}

// Throws when it is moved for the first time after arm().
struct fragile {
  explicit fragile(int number) : value(number) {}
  fragile(fragile&& other) : value(other.value) { break_if_armed(); }
  fragile& operator=(fragile&& other) {
    break_if_armed();
    value = other.value;
    return *this;
  }
  static void break_if_armed() {
    if (std::exchange(is_armed, false)) throw std::runtime_error("moved");
  }
  static inline bool is_armed = false;
  int value;
};

}  // namespace

TEST_CASE("every caller pushes and pops a buffered channel") {
  by_every_caller([] {
    weft::buffered_channel<int> channel(3);
    int value = 0;
    CHECK(channel.capacity() == 3);
    CHECK(channel.try_pop(value) == status::empty);
    CHECK(channel.push(1) == status::success);
    CHECK(channel.push(2) == status::success);
    CHECK(channel.try_push(3) == status::success);
    CHECK(channel.try_push(4) == status::full);
    CHECK(channel.pop(value) == status::success);
    CHECK(value == 1);
    CHECK(channel.value_pop() == 2);
    CHECK(channel.push(5) == status::success);
    channel.close();
    channel.close();
    CHECK(channel.is_closed());
    CHECK(channel.push(6) == status::closed);
    CHECK(channel.try_push(6) == status::closed);
    CHECK(channel.try_pop(value) == status::success);
    CHECK(value == 3);
    CHECK(channel.pop(value) == status::success);
    CHECK(value == 5);
    CHECK(channel.pop(value) == status::closed);
    CHECK(channel.try_pop(value) == status::closed);
    CHECK(value == 5);
    CHECK_THROWS_AS(channel.value_pop(), weft::error);
  });
}

TEST_CASE("a capacity need not be a power of two, and is not 0") {
  for (std::size_t capacity : {1U, 2U, 7U, 64U}) {
    weft::buffered_channel<std::size_t> channel(capacity);
    for (std::size_t round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < capacity; ++i) CHECK(channel.try_push(i) == status::success);
      CHECK(channel.try_push(capacity) == status::full);
      for (std::size_t i = 0; i < capacity; ++i) CHECK(channel.value_pop() == i);
    }
  }
  try {
    weft::buffered_channel<int> none(0);
    FAIL("made");
  } catch (const weft::error& problem) {
    CHECK(problem.status() == WEFT_INVALID);
  }
}

TEST_CASE("value_pop of a closed channel throws ended") {
  weft::unbuffered_channel<int> channel;
  channel.close();
  try {
    channel.value_pop();
    FAIL("popped");
  } catch (const weft::error& problem) {
    CHECK(problem.status() == WEFT_ENDED);
  }
}

TEST_CASE("a tasklet that would have to wait is told so, and leaves nothing behind") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<int> channel;
  weft_status seen = WEFT_OK;
  std::function<void()> body = [&] {
    int value = 0;
    CHECK(channel.try_push(1) == status::full);
    CHECK(channel.try_pop(value) == status::empty);
    try {
      channel.push(1);
    } catch (const weft::error& problem) {
      seen = problem.status();
    }
  };
  weft_thread* tasklet = nullptr;
  REQUIRE(weft_tasklet_create([](void* call) { (*static_cast<std::function<void()>*>(call))(); }, &body, nullptr, &tasklet) ==
          WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(seen == WEFT_CANNOT_BLOCK);
  int value = 0;
  CHECK(channel.try_pop(value) == status::empty);
}

TEST_CASE("an unbuffered push returns when its value was taken, not before") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<int> channel;
  bool is_pushed = false;
  weft::thread pusher([&] {
    CHECK(channel.push(7) == status::success);
    is_pushed = true;
  });
  await_blocked(pusher);
  CHECK_FALSE(is_pushed);
  CHECK(channel.value_pop() == 7);
  pusher.join();
  CHECK(is_pushed);
}

TEST_CASE("waiting calls are served in the order of their coming") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<int> channel;
  std::vector<weft::thread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&channel, i] { CHECK(channel.push(i) == status::success); });
    await_blocked(threads.back());
  }
  for (int i = 0; i < 10; ++i) CHECK(channel.value_pop() == i);
  for (weft::thread& each : threads) each.join();
  threads.clear();
  std::array<int, 10> got{};
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&, i] { got.at(static_cast<std::size_t>(i)) = channel.value_pop(); });
    await_blocked(threads.back());
  }
  for (int i = 0; i < 10; ++i) CHECK(channel.try_push(i) == status::success);
  for (weft::thread& each : threads) each.join();
  for (int i = 0; i < 10; ++i) CHECK(got.at(static_cast<std::size_t>(i)) == i);
}

TEST_CASE("close wakes all that wait; a push that was refused leaves the value with its caller") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<std::unique_ptr<int>> empty;
  weft::buffered_channel<std::unique_ptr<int>> full(1);
  CHECK(full.push(std::make_unique<int>(1)) == status::success);
  std::vector<weft::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::unique_ptr<int> value;
      CHECK(empty.pop(value) == status::closed);
    });
    threads.emplace_back([&] {
      auto value = std::make_unique<int>(2);
      CHECK(full.push(std::move(value)) == status::closed);
      CHECK(value != nullptr);
    });
  }
  for (const weft::thread& each : threads) await_blocked(each);
  std::thread outside([&] {
    auto value = std::make_unique<int>(3);
    CHECK(full.push(std::move(value)) == status::closed);
    CHECK(value != nullptr);
  });
  empty.close();
  full.close();
  for (weft::thread& each : threads) each.join();
  outside.join();
  CHECK(*full.value_pop() == 1);
}

TEST_CASE("calls with a deadline time out, and leave nothing behind") {
  const weft::runtime runtime({.workers = 2});
  weft::unbuffered_channel<std::string> channel;
  std::string value = "kept";
  CHECK(channel.pop_wait_for(value, 1ms) == status::timeout);
  CHECK(channel.pop_wait_until(value, std::chrono::steady_clock::now() + 1ms) == status::timeout);
  CHECK(channel.pop_wait_until(value, std::chrono::system_clock::now() + 1ms) == status::timeout);
  CHECK(channel.push_wait_for("nobody", 1ms) == status::timeout);
  CHECK(channel.push_wait_for(std::move(value), 0s) == status::timeout);
  CHECK(value == "kept");
  CHECK(channel.push_wait_until(value, std::chrono::steady_clock::now() - 1h) == status::timeout);
  CHECK(channel.try_push("x") == status::full);
  CHECK(channel.try_pop(value) == status::empty);

  weft::thread popper([&] { CHECK(channel.pop_wait_for(value, 1h) == status::success); });
  CHECK(channel.push_wait_for("taken", 1h) == status::success);
  popper.join();
  CHECK(value == "taken");
  weft::thread closed([&] { CHECK(channel.pop_wait_for(value, 1h) == status::closed); });
  await_blocked(closed);
  channel.close();
  closed.join();
  CHECK(channel.push_wait_for(value, 1h) == status::closed);
}

TEST_CASE("a channel is a range of the values until it is closed") {
  const weft::runtime runtime({.workers = 2});
  weft::buffered_channel<std::unique_ptr<int>> channel(2);
  static_assert(std::input_iterator<decltype(channel.begin())>);
  weft::thread pusher([&] {
    for (int i = 0; i < 100; ++i) CHECK(channel.push(std::make_unique<int>(i)) == status::success);
    channel.close();
  });
  int expected = 0;
  for (const std::unique_ptr<int>& each : channel) CHECK(*each == expected++);
  CHECK(expected == 100);
  pusher.join();
  CHECK(begin(channel) == end(channel));

  weft::buffered_channel<int> numbers(8);
  for (int i = 0; i < 5; ++i) numbers.push(i);
  numbers.close();
  std::vector<int> copied;
  std::copy(begin(numbers), end(numbers), std::back_inserter(copied));
  CHECK(copied == std::vector{0, 1, 2, 3, 4});
}

TEST_CASE("a move that throws reaches its caller, and the call on the other side goes on waiting") {
  const weft::runtime runtime({.workers = 1});
  weft::unbuffered_channel<fragile> channel;
  fragile sent(1);
  weft::thread popper([&] { CHECK(channel.value_pop().value == 1); });
  await_blocked(popper);
  fragile::is_armed = true;
  CHECK_THROWS_AS(channel.push(std::move(sent)), std::runtime_error);
  CHECK(channel.push(std::move(sent)) == status::success);
  popper.join();

  weft::thread pusher([&] { CHECK(channel.push(std::move(sent)) == status::success); });
  await_blocked(pusher);
  fragile::is_armed = true;
  fragile got(0);
  CHECK_THROWS_AS(channel.pop(got), std::runtime_error);
  CHECK(channel.pop(got) == status::success);
  CHECK(got.value == 1);
  pusher.join();

  weft::buffered_channel<fragile> buffered(1);
  fragile::is_armed = true;
  CHECK_THROWS_AS(buffered.push(std::move(sent)), std::runtime_error);
  CHECK(buffered.try_pop(got) == status::empty);
  CHECK(buffered.push(fragile(2)) == status::success);
  fragile::is_armed = true;
  CHECK_THROWS_AS(buffered.pop(got), std::runtime_error);
  CHECK(buffered.pop(got) == status::success);
  CHECK(got.value == 2);
}

TEST_CASE("a channel destroys what is left in it") {
  const auto counted = std::make_shared<int>(0);
  {
    weft::buffered_channel<std::shared_ptr<int>> channel(3);
    channel.push(counted);
    channel.push(counted);
    CHECK(counted.use_count() == 3);
  }
  CHECK(counted.use_count() == 1);
}

TEST_CASE("the woken caller may destroy the channel") {
  const weft::runtime runtime({.workers = 2});
  for (int i = 0; i < 500; ++i) {
    auto channel = std::make_unique<weft::unbuffered_channel<int>>();
    weft::unbuffered_channel<int>& seen = *channel;
    weft::thread popper([&channel, i] {
      CHECK(channel->value_pop() == i);
      channel.reset();
    });
    await_blocked(popper);
    CHECK(seen.push(i) == status::success);
    popper.join();
  }
}

// Each value arrives once, whichever threads push and pop, and in the order of its pusher at each
// popper.
template <class Channel>
void check_crowd(Channel& channel) {
  constexpr int pushers = 6;
  constexpr int outsiders = 2;
  constexpr int each = 300;
  std::vector<std::atomic<int>> seen((pushers + outsiders) * each);
  weft::latch are_done(pushers + outsiders);
  const auto push_all = [&](int first) {
    for (int i = 0; i < each; ++i) {
      while (channel.push_wait_for(first * each + i, i % 7 == 0 ? 0us : 10s) != status::success) weft::this_thread::yield();
    }
    are_done.count_down();
  };
  std::atomic<bool> is_ordered = true;
  const auto pop_all = [&] {
    std::vector<int> last(pushers + outsiders, -1);
    int value = 0;
    for (int i = 0;; ++i) {
      const status got = i % 5 == 0 ? channel.pop_wait_for(value, 0us) : channel.pop(value);
      if (got == status::closed) return;
      if (got == status::timeout) continue;
      ++seen[static_cast<std::size_t>(value)];
      if (std::exchange(last[static_cast<std::size_t>(value / each)], value % each) >= value % each) is_ordered = false;
    }
  };
  std::vector<weft::thread> threads;
  std::vector<std::thread> outside;
  for (int i = 0; i < pushers; ++i) threads.emplace_back(push_all, i);
  for (int i = 0; i < outsiders; ++i) outside.emplace_back(push_all, pushers + i);
  for (int i = 0; i < 3; ++i) threads.emplace_back(pop_all);
  outside.emplace_back(pop_all);
  are_done.wait();
  channel.close();
  for (weft::thread& one : threads) one.join();
  for (std::thread& one : outside) one.join();
  CHECK(is_ordered);
  CHECK(std::ranges::all_of(seen, [](const std::atomic<int>& times) { return times == 1; }));
}

TEST_CASE("each value arrives once and in order, among ULTs and OS threads") {
  for (unsigned workers : {1U, 2U, 4U}) {
    CAPTURE(workers);
    const weft::runtime runtime({.workers = workers});
    weft::unbuffered_channel<int> unbuffered;
    check_crowd(unbuffered);
    for (std::size_t capacity : {1U, 5U, 64U}) {
      weft::buffered_channel<int> buffered(capacity);
      check_crowd(buffered);
    }
  }
}
