// Const members may be called by any number of threads at once, as the C++ standard says of its own
// ([res.on.data.races]): each one of every class, from ULTs and OS threads. ThreadSanitizer sees
// the races that no answer shows.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <weft/channel.hpp>
#include <weft/context.hpp>
#include <weft/coroutine2.hpp>
#include <weft/execution.hpp>
#include <weft/generator.hpp>
#include <weft/scheduling.hpp>
#include <weft/specific.hpp>
#include <weft/task.hpp>
#if defined(__cpp_lib_jthread)
#include <weft/jthread.hpp>
#endif

using namespace std::chrono_literals;

namespace {

// Four ULTs and two OS threads call look(object) at once, several times.
template <class T, std::invocable<const T&> Look>
void look_together(const T& object, Look look) {
  constexpr int rounds = 20;
  std::atomic<int> missing = 6;
  const auto body = [&] {
    missing.fetch_sub(1, std::memory_order_relaxed);
    while (missing.load(std::memory_order_relaxed) != 0) weft::this_thread::yield();
    for (int round = 0; round < rounds; ++round) look(object);
  };
  std::vector<std::thread> outside;
  std::vector<weft::thread> inside;
  for (int each = 0; each < 2; ++each) outside.emplace_back(body);
  for (int each = 0; each < 4; ++each) inside.emplace_back([&body] { body(); });
  for (weft::thread& each : inside) each.join();
  for (std::thread& each : outside) each.join();
}

void look_at_thread(const weft::thread& one) {
  const weft::thread_id id = one.get_id();
  CHECK(one.joinable());
  CHECK(one.native_handle() != nullptr);
  CHECK(id != weft::thread_id());
  CHECK(id == one.get_id());
}

template <class Future>
void wait_at(const Future& one) {
  one.wait();
  CHECK(one.valid());
  CHECK(one.is_ready());
  CHECK(one.wait_for(1s) == weft::future_status::ready);
  CHECK(one.wait_until(std::chrono::steady_clock::now() + 1s) == weft::future_status::ready);
}

// The thread that a future would join.
struct watched : weft::future<void> {
  explicit watched(weft::future<void>&& from) : weft::future<void>(std::move(from)) {}
  bool has_runner() const { return runner() != nullptr; }
};

weft::task<int> seven() { co_return 7; }

}  // namespace

TEST_CASE("any number of threads wait at one future of an async call") {
  const weft::runtime rt({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> may_end = false;
    weft::future<int> one = weft::async([&] {
      while (!may_end.load(std::memory_order_relaxed)) weft::this_thread::yield();
      return 7;
    });
    look_together(one, [&](const weft::future<int>& same) {
      CHECK(same.valid());
      static_cast<void>(same.is_ready());
      static_cast<void>(same.wait_for(1us));
      may_end.store(true, std::memory_order_relaxed);
      wait_at(same);
      CHECK(same.get_exception_ptr() == nullptr);
    });
    CHECK(one.get() == 7);
  }
}

TEST_CASE("a future that some threads have waited at may be dropped or asked for what was thrown") {
  const weft::runtime rt({.workers = 2});
  weft::future<int> dropped = weft::async([] { return 1; });
  look_together(dropped, [](const weft::future<int>& same) { same.wait(); });
  dropped = weft::async([]() -> int { throw std::runtime_error("meant"); });
  look_together(dropped, [](const weft::future<int>& same) { CHECK(same.get_exception_ptr() != nullptr); });
  CHECK_THROWS_AS(dropped.get(), std::runtime_error);
}

TEST_CASE("a wait whose time is over leaves the thread to the next waiter") {
  const weft::runtime rt({.workers = 2});
  std::atomic<bool> may_end = false;
  watched one(weft::async([&] {
    while (!may_end.load(std::memory_order_relaxed)) weft::this_thread::yield();
  }));
  look_together(one, [](const weft::future<void>& same) { CHECK(same.wait_for(10us) == weft::future_status::timeout); });
  CHECK(one.has_runner());
  may_end.store(true, std::memory_order_relaxed);
  look_together(one, [](const weft::future<void>& same) { same.wait(); });
  one.get();
}

TEST_CASE("futures of promises, shared futures") {
  const weft::runtime rt({.workers = 2});
  weft::promise<int> giver;
  const weft::future<int> one = giver.get_future();
  weft::thread late([&] { giver.set_value(3); });
  look_together(one, wait_at<weft::future<int>>);
  late.join();

  const weft::shared_future<int> shared = weft::async([] { return 4; }).share();
  look_together(shared, [](const weft::shared_future<int>& same) {
    wait_at(same);
    CHECK(same.get() == 4);
    CHECK(same.get_exception_ptr() == nullptr);
    const weft::shared_future<int> copy(same);
    CHECK(copy.then([](weft::shared_future<int> of) { return of.get() + 1; }).get() == 5);
  });
}

TEST_CASE("threads, whether they run or have ended") {
  const weft::runtime rt({.workers = 2});
  std::atomic<bool> may_end = false;
  weft::thread one([&] {
    while (!may_end.load(std::memory_order_relaxed)) weft::this_thread::yield();
  });
  look_together(one, look_at_thread);
  may_end.store(true, std::memory_order_relaxed);
  look_together(one, look_at_thread);
  one.join();
#if defined(__cpp_lib_jthread)
  const weft::jthread stoppable([](const std::stop_token& token) {
    while (!token.stop_requested()) weft::this_thread::yield();
  });
  look_together(stoppable, [](const weft::jthread& same) {
    CHECK(same.joinable());
    CHECK(same.get_id() != weft::thread_id());
    CHECK(same.native_handle() != nullptr);
    CHECK(!same.get_stop_token().stop_requested());
  });
#endif
}

TEST_CASE("channels, latches, barriers") {
  const weft::runtime rt({.workers = 2});
  weft::buffered_channel<int> buffered(4);
  const weft::unbuffered_channel<int> unbuffered;
  look_together(buffered, [](const weft::buffered_channel<int>& same) {
    CHECK(!same.is_closed());
    CHECK(same.capacity() == 4);
  });
  look_together(unbuffered, [](const weft::unbuffered_channel<int>& same) { CHECK(!same.is_closed()); });

  weft::latch gate(1);
  weft::thread opener([&] { gate.count_down(); });
  look_together(gate, [](const weft::latch& same) {
    static_cast<void>(same.try_wait());
    same.wait();
    CHECK(same.try_wait());
  });
  opener.join();

  weft::barrier<> phase(1);
  look_together(phase, [&](const weft::barrier<>& same) { static_cast<void>(&same); });
  std::vector<weft::thread> waiters;
  const weft::barrier<>& same = phase;
  weft::barrier<> many(4);
  const weft::barrier<>& same_many = many;
  same.wait(phase.arrive());
  for (int each = 0; each < 4; ++each) waiters.emplace_back([&] { same_many.wait(many.arrive()); });
  for (weft::thread& each : waiters) each.join();
}

TEST_CASE("groups, pointers of a thread's own, tasks, schedulers") {
  const weft::runtime rt({.workers = 2});
  weft::task_group group;
  group.run([] { weft::this_thread::yield(); });
  look_together(group, [](const weft::task_group& same) {
    CHECK(!same.is_cancelled());
#if defined(__cpp_lib_jthread)
    static_cast<void>(same.get_stop_source());
#endif
  });
  group.wait();

  const weft::thread_specific_ptr<int> own;
  look_together(own, [](const weft::thread_specific_ptr<int>& same) { CHECK(same.get() == nullptr); });

  weft::task<int> one = seven();
  look_together(one, [](const weft::task<int>& same) { CHECK(same.valid()); });
  CHECK(weft::sync_wait(std::move(one)) == 7);

  const weft::scheduler<weft::round_robin> rows({0});
  look_together(rows, [](const weft::scheduler<weft::round_robin>& same) { CHECK(same.pool() != nullptr); });
}

TEST_CASE("senders of a scheduler") {
  const weft::runtime rt({.workers = 2});
  const weft::runtime::scheduler where = weft::runtime::get_scheduler();
  look_together(where, [](const weft::runtime::scheduler& same) {
    CHECK(same == weft::runtime::get_scheduler());
    static_cast<void>(same.schedule());
    static_cast<void>(same.schedule_after(1ms));
    static_cast<void>(same.schedule_at(std::chrono::steady_clock::now()));
    static_cast<void>(same.bulk(2, [](std::size_t) {}));
  });
}

TEST_CASE("generators, coroutines, contexts that are suspended") {
  const weft::runtime rt({.workers = 2});
  weft::generator<int> numbers([](weft::yielder<int>& yield) { yield(1); });
  const auto first = numbers.begin();
  look_together(numbers, [&](const weft::generator<int>& same) {
    CHECK(static_cast<bool>(same));
    CHECK(first != same.end());
    CHECK(*first == 1);
  });
  weft::coroutine<int>::pull_type pulled([](weft::coroutine<int>::push_type& push) { push(2); });
  look_together(pulled, [](const weft::coroutine<int>::pull_type& same) {
    CHECK(static_cast<bool>(same));
    CHECK(!!same);
  });
  const weft::context::fiber suspended([](weft::context::fiber&& caller) { return std::move(caller); });
  look_together(suspended, [](const weft::context::fiber& same) {
    CHECK(static_cast<bool>(same));
    CHECK(!!same);
  });
}
