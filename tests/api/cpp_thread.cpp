// weft::thread and weft::this_thread.
#include <weft/thread.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <weft/runtime.hpp>
#include <weft/task_group.hpp>

using namespace std::chrono_literals;

namespace {

int add(int left, int right) { return left + right; }

struct counter {
  int value = 0;
  void raise(int by) { value += by; }
};

}  // namespace

static_assert(!std::is_copy_constructible_v<weft::thread> && std::is_nothrow_move_constructible_v<weft::thread>);
static_assert(sizeof(weft::thread) == sizeof(void*));

TEST_CASE("a thread runs what it was given, with its arguments") {
  const weft::runtime runtime;
  int sum = 0;
  weft::thread by_lambda([&sum] { sum = add(2, 3); });
  by_lambda.join();
  CHECK(sum == 5);

  weft::thread by_arguments([](int& into, int left, int right) { into = add(left, right); }, std::ref(sum), 20, 3);
  by_arguments.join();
  CHECK(sum == 23);

  counter count;
  weft::thread by_member(&counter::raise, &count, 7);
  by_member.join();
  CHECK(count.value == 7);
}

TEST_CASE("arguments are moved in, never copied when they came as temporaries") {
  const weft::runtime runtime;
  int seen = 0;
  auto box = std::make_unique<int>(42);
  weft::thread reader([&seen](std::unique_ptr<int> mine) { seen = *mine; }, std::move(box));
  reader.join();
  CHECK(seen == 42);
  CHECK(box == nullptr);
}

TEST_CASE("closures of every size arrive whole") {
  const weft::runtime runtime;
  static std::atomic<long> sum;
  sum = 0;
  char byte = 1;
  const long words[5] = {10, 20, 30, 40, 50};
  std::vector<weft::thread> threads;
  threads.emplace_back([] { sum += 100; });
  threads.emplace_back([byte] { sum += byte; });
  threads.emplace_back([words] { sum += words[0] + words[4]; });
  threads.emplace_back(+[] { sum += 1000; });
  for (weft::thread& each : threads) each.join();
  CHECK(sum == 1161);
}

TEST_CASE("the callable is destroyed before join returns") {
  const weft::runtime runtime;
  auto token = std::make_shared<int>(0);
  weft::thread holder([token] { weft::this_thread::yield(); });
  holder.join();
  CHECK(token.use_count() == 1);
}

TEST_CASE("moving a thread moves its identity") {
  const weft::runtime runtime;
  std::atomic<bool> go = false;
  weft::thread first([&go] {
    while (!go) weft::this_thread::yield();
  });
  const weft::thread::id id = first.get_id();
  CHECK(id != weft::thread::id());
  weft::thread second(std::move(first));
  CHECK_FALSE(first.joinable());
  CHECK(first.get_id() == weft::thread::id());
  CHECK(second.get_id() == id);
  first = std::move(second);
  swap(first, second);
  CHECK(second.joinable());
  go = true;
  second.join();
  CHECK_FALSE(second.joinable());
}

TEST_CASE("ids: unique, ordered, hashable, printable; own and none") {
  const weft::runtime runtime;
  std::vector<weft::thread> threads;
  std::unordered_set<weft::thread::id> ids;
  std::atomic<int> own_ids = 0;
  std::vector<weft::thread::id> seen(20);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&seen, i] { seen[i] = weft::this_thread::get_id(); });
    ids.insert(threads.back().get_id());
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const weft::thread::id told = threads[i].get_id();
    threads[i].join();
    if (seen[i] == told) ++own_ids;
  }
  CHECK(ids.size() == seen.size());
  CHECK(own_ids == 20);
  CHECK(weft::this_thread::get_id() != weft::thread::id());  // the adopted main thread
  std::ostringstream text;
  text << weft::thread::id(17);
  CHECK(text.str() == "17");
  weft::thread::id outside(1);
  std::thread([&outside] { outside = weft::this_thread::get_id(); }).join();
  CHECK(outside == weft::thread::id());
}

TEST_CASE("attributes") {
  const weft::runtime runtime({.workers = 2});
  std::string name;
  int worker = -1;
  weft::thread named({.stack_bytes = 256 * 1024, .name = "reader", .worker = 1}, [&] {
    char deep[128 * 1024];
    for (std::size_t i = 0; i < sizeof deep; i += 4096) *const_cast<volatile char*>(deep + i) = 1;
    name = weft_thread_get_name(weft_self());
    worker = weft::this_thread::worker();
  });
  named.join();
  CHECK(name == "reader");
  CHECK(worker == 1);
  weft::thread renamed(
      [&name](const char* to) {
        weft::this_thread::set_name(to);
        name = weft_thread_get_name(weft_self());
      },
      "writer");
  renamed.join();
  CHECK(name == "writer");
  CHECK_THROWS_AS(weft::thread({.worker = 99}, [] {}), weft::error);
}

TEST_CASE("pin moves the caller now") {
  const weft::runtime runtime({.workers = 3});
  int seen[3] = {-1, -1, -1};
  weft::thread traveller([&seen] {
    for (int worker : {2, 0, 1}) {
      weft::this_thread::pin(worker);
      seen[worker] = weft::this_thread::worker();
    }
    weft::this_thread::pin(weft::any_worker);
  });
  traveller.join();
  CHECK(seen[0] == 0);
  CHECK(seen[1] == 1);
  CHECK(seen[2] == 2);
  CHECK_THROWS_AS(weft::this_thread::pin(99), weft::error);
}

TEST_CASE("a thread of starting_worker stays on the worker that starts it") {
  const weft::runtime runtime({.workers = 3});
  weft::thread stayer({.worker = weft::starting_worker}, [] {
    const int first = weft::this_thread::worker();
    for (int round = 0; round < 100; ++round) {
      weft::this_thread::yield();
      CHECK(weft::this_thread::worker() == first);
    }
    CHECK_THROWS_AS(weft::this_thread::pin(weft::any_worker), weft::error);
  });
  stayer.join();
}

// The compiler takes the alignment of an object for granted.
template <class T>
bool is_where_it_may_be(const T& object) {
  volatile auto address = reinterpret_cast<std::uintptr_t>(&object);
  return address % alignof(T) == 0;
}

TEST_CASE("a callable is aligned as its type asks") {
  struct alignas(128) lines {
    long first = 7;
  };
  const weft::runtime runtime;
  const lines captured;
  const auto look = [captured] { return is_where_it_may_be(captured) && captured.first == 7; };
  bool in_thread = false;
  weft::thread([&in_thread, look] { in_thread = look(); }).join();
  CHECK(in_thread);
  bool as_argument = false;
  weft::thread([&as_argument](const lines& mine) { as_argument = is_where_it_may_be(mine); }, captured).join();
  CHECK(as_argument);
  bool in_task = false;
  weft::task_group group;
  group.run([&in_task, look] { in_task = look(); });
  group.wait();
  CHECK(in_task);
}

TEST_CASE("detached threads end before the runtime does") {
  std::atomic<int> ended = 0;
  {
    const weft::runtime runtime;
    for (int i = 0; i < 10; ++i) {
      weft::thread([&ended] {
        weft::this_thread::sleep_for(1ms);
        ++ended;
      }).detach();
    }
  }
  CHECK(ended == 10);
}

TEST_CASE("try_join and joins with a deadline") {
  const weft::runtime runtime;
  std::atomic<bool> go = false;
  weft::thread waiter([&go] {
    while (!go) weft::this_thread::sleep_for(1ms);
  });
  CHECK_FALSE(waiter.try_join());
  CHECK_FALSE(waiter.try_join_for(2ms));
  CHECK_FALSE(waiter.try_join_until(std::chrono::steady_clock::now() + 2ms));
  CHECK_FALSE(waiter.try_join_until(std::chrono::system_clock::now() + 2ms));
  CHECK(waiter.joinable());
  go = true;
  CHECK(waiter.try_join_for(60s));
  CHECK_FALSE(waiter.joinable());
  weft::thread quick([] {});
  while (!quick.try_join()) weft::this_thread::yield();
  CHECK_FALSE(quick.joinable());
}

TEST_CASE("joining what cannot be joined throws, with the code of the reason") {
  const weft::runtime runtime;
  weft::thread none;
  try {
    none.join();
    FAIL("joined nothing");
  } catch (const weft::error& e) {
    CHECK(e.code() == weft::errc::invalid);
    CHECK(e.code() == std::errc::invalid_argument);
  }
  CHECK_THROWS_AS(none.detach(), weft::error);
}

TEST_CASE("sleep takes at least as long as was asked") {
  const weft::runtime runtime;
  const auto begin = std::chrono::steady_clock::now();
  weft::this_thread::sleep_for(5ms);
  CHECK(std::chrono::steady_clock::now() - begin >= 5ms);
  const auto until = std::chrono::steady_clock::now() + 3ms;
  weft::this_thread::sleep_until(until);
  CHECK(std::chrono::steady_clock::now() >= until);
  const auto wall = std::chrono::system_clock::now() + 3ms;
  weft::this_thread::sleep_until(wall);
  CHECK(std::chrono::system_clock::now() >= wall);
  weft::this_thread::sleep_for(-1s);  // at once
  using seconds = std::chrono::duration<double>;
  constexpr seconds no_number(std::numeric_limits<double>::quiet_NaN());
  weft::this_thread::sleep_for(no_number);
  weft::this_thread::sleep_until(std::chrono::time_point<std::chrono::steady_clock, seconds>(no_number));
  weft::this_thread::sleep_until(std::chrono::time_point<std::chrono::system_clock, seconds>(no_number));
  CHECK(std::chrono::steady_clock::now() - begin < 60s);
}

TEST_CASE("OS threads outside make, join and sleep with the same calls") {
  const weft::runtime runtime;
  std::atomic<int> sum = 0;
  std::vector<std::thread> outsiders;
  for (int i = 0; i < 3; ++i) {
    outsiders.emplace_back([&sum] {
      std::vector<weft::thread> threads;
      for (int k = 0; k < 50; ++k) threads.emplace_back([&sum] { ++sum; });
      weft::this_thread::yield();
      weft::this_thread::sleep_for(1ms);
      for (weft::thread& each : threads) each.join();
    });
  }
  // The main thread is worker 0: it must let the others run while it waits.
  while (sum != 150) weft::this_thread::yield();
  for (std::thread& each : outsiders) each.join();
  CHECK(sum == 150);
}
