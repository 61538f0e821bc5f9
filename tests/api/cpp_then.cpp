// future::then, when_all, when_any, and what promise and packaged_task do with allocators.
#include <weft/when.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <weft/async.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

#include "callers.hpp"

namespace {

template <class T>
weft::future<T> ready(T value) {
  weft::promise<T> made;
  made.set_value(std::move(value));
  return made.get_future();
}

bool is_no_state(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::future_error& problem) {
    return problem.code() == std::future_errc::no_state;
  }
  return false;
}

std::atomic<std::ptrdiff_t> allocated_bytes = 0;

template <class T>
struct counting {
  using value_type = T;
  counting() = default;
  template <class U>
  counting(const counting<U>&) noexcept {}
  T* allocate(std::size_t count) {
    allocated_bytes += static_cast<std::ptrdiff_t>(count * sizeof(T));
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* place, std::size_t count) noexcept {
    allocated_bytes -= static_cast<std::ptrdiff_t>(count * sizeof(T));
    ::operator delete(place);
  }
  friend bool operator==(const counting&, const counting&) noexcept { return true; }
};

}  // namespace

TEST_CASE("then calls its function with the ready future, in a ULT that may block") {
  const weft::runtime runtime({.workers = 2});
  weft::promise<int> made;
  weft::latch blocks(1);
  weft::future<std::string> text = made.get_future().then([&](weft::future<int> from) {
    CHECK(from.is_ready());
    blocks.wait();
    return std::to_string(from.get());
  });
  CHECK_FALSE(text.is_ready());
  made.set_value(42);
  blocks.count_down();
  CHECK(text.get() == "42");
}

TEST_CASE("then of a ready future, of an async call, and of another then") {
  const weft::runtime runtime({.workers = 2});
  CHECK(ready(1).then([](weft::future<int> from) { return from.get() + 1; }).get() == 2);
  weft::future<int> source = weft::async([] { return 1; });
  for (int i = 0; i < 1000; ++i) source = source.then([](weft::future<int> from) { return from.get() + 1; });
  CHECK(source.get() == 1001);
  weft::future<void> nothing =
      ready(std::make_unique<int>(7)).then([](weft::future<std::unique_ptr<int>> from) { CHECK(*from.get() == 7); });
  nothing.get();
}

TEST_CASE("then does not unwrap a future that its function returns") {
  const weft::runtime runtime({.workers = 2});
  auto nested = ready(1).then([](weft::future<int> from) { return ready(from.get() + 1); });
  static_assert(std::is_same_v<decltype(nested), weft::future<weft::future<int>>>);
  CHECK(nested.get().get() == 2);
}

TEST_CASE("then hands exceptions on, those of a broken promise too") {
  const weft::runtime runtime({.workers = 2});
  auto thrown = weft::async([]() -> int { throw std::runtime_error("first"); }).then([](weft::future<int> from) {
    try {
      return from.get();
    } catch (const std::runtime_error&) {
      throw std::logic_error("second");
    }
  });
  CHECK_THROWS_AS(thrown.get(), std::logic_error);
  weft::future<bool> is_broken;
  {
    weft::promise<int> made;
    is_broken = made.get_future().then([](weft::future<int> from) { return from.get_exception_ptr() != nullptr; });
  }
  CHECK(is_broken.get());
}

TEST_CASE("then of a shared future, several times") {
  const weft::runtime runtime({.workers = 2});
  weft::promise<int> made;
  const weft::shared_future<int> shared = made.get_future().share();
  std::vector<weft::future<int>> all;
  for (int i = 0; i < 10; ++i) all.push_back(shared.then([i](weft::shared_future<int> from) { return from.get() + i; }));
  made.set_value(100);
  for (int i = 0; i < 10; ++i) CHECK(all[static_cast<std::size_t>(i)].get() == 100 + i);
  CHECK(shared.then([](weft::shared_future<int> from) { return from.get(); }).get() == 100);
}

TEST_CASE("then, when_all and when_any of a future without a state are refused") {
  const weft::runtime runtime({.workers = 1});
  CHECK(is_no_state([] { static_cast<void>(weft::future<int>().then([](weft::future<int>) {})); }));
  CHECK(is_no_state([] { static_cast<void>(weft::when_all(weft::future<int>(), ready(1))); }));
  CHECK(is_no_state([] { static_cast<void>(weft::when_any(ready(1), weft::shared_future<int>())); }));
}

TEST_CASE("then without a runtime: the returned future says so") {
  weft::promise<int> made;
  weft::future<int> chained = made.get_future().then([](weft::future<int> from) { return from.get(); });
  made.set_value(1);
  CHECK_THROWS_AS(chained.get(), weft::error);
  CHECK_THROWS_AS(static_cast<void>(ready(1).then([](weft::future<int>) {})), weft::error);
}

TEST_CASE("when_all and when_any, by every caller") {
  by_every_caller([] {
    weft::promise<int> a;
    weft::promise<void> b;
    weft::future<std::tuple<weft::future<int>, weft::shared_future<void>>> both =
        weft::when_all(a.get_future(), b.get_future().share());
    CHECK_FALSE(both.is_ready());
    b.set_value();
    CHECK_FALSE(both.is_ready());
    a.set_value(5);
    REQUIRE(both.is_ready());
    auto [first, second] = both.get();
    CHECK(first.get() == 5);
    second.get();

    weft::promise<int> late;
    auto any = weft::when_any(late.get_future(), ready(2)).get();
    CHECK(any.index == 1);
    CHECK(std::get<1>(any.futures).get() == 2);
    CHECK_FALSE(std::get<0>(any.futures).is_ready());
    late.set_value(3);
    CHECK(std::get<0>(any.futures).get() == 3);
  });
}

TEST_CASE("when_all and when_any of nothing are ready") {
  CHECK(std::tuple_size_v<decltype(weft::when_all().get())> == 0);
  CHECK(weft::when_any().get().index == static_cast<std::size_t>(-1));
  std::vector<weft::future<int>> none;
  CHECK(weft::when_all(none.begin(), none.end()).get().empty());
  CHECK(weft::when_any(none.begin(), none.end()).get().index == static_cast<std::size_t>(-1));
}

TEST_CASE("when_any of a range leaves nothing at those that lost") {
  weft::promise<int> never;
  const weft::shared_future<int> loser = never.get_future().share();
  for (int i = 0; i < 1000; ++i) {
    weft::promise<int> made;
    std::vector<weft::shared_future<int>> all{loser, made.get_future().share(), loser};
    auto any = weft::when_any(all.begin(), all.end());
    CHECK_FALSE(any.is_ready());
    made.set_value(i);
    REQUIRE(any.is_ready());
    const auto result = any.get();
    CHECK(result.index == 1);
    CHECK(result.futures[1].get() == i);
  }
  never.set_value(0);
}

TEST_CASE("when_any whose future was dropped stands at none of those that lost, the last included") {
  using shared = std::shared_ptr<int>;
  weft::promise<shared> never;
  const weft::shared_future<shared> loser = never.get_future().share();
  std::weak_ptr<int> seen;
  {
    weft::promise<shared> made;
    std::vector<weft::shared_future<shared>> all{loser, made.get_future().share(), loser};
    const auto any = weft::when_any(all.begin(), all.end());
    auto value = std::make_shared<int>(1);
    seen = value;
    made.set_value(std::move(value));
    CHECK(any.is_ready());
  }
  CHECK(seen.expired());
  never.set_value(nullptr);
}

TEST_CASE("when_any and when_all while the futures become ready elsewhere") {
  const weft::runtime runtime({.workers = 4});
  for (int round = 0; round < 200; ++round) {
    std::vector<weft::promise<int>> made(8);
    std::vector<weft::shared_future<int>> all;
    for (auto& each : made) all.push_back(each.get_future().share());
    std::vector<weft::thread> setters;
    for (int i = 0; i < 8; ++i) setters.emplace_back([&made, i] { made[static_cast<std::size_t>(i)].set_value(i); });
    auto first = weft::when_any(all.begin(), all.end());
    auto second = weft::when_any(all.rbegin(), all.rend());
    auto whole = weft::when_all(all.begin(), all.end());
    const auto one = first.get();
    CHECK(one.futures[one.index].is_ready());
    CHECK(one.futures[one.index].get() == static_cast<int>(one.index));
    const auto other = second.get();
    CHECK(other.futures[other.index].get() == 7 - static_cast<int>(other.index));
    int sum = 0;
    for (const auto& each : whole.get()) {
      REQUIRE(each.is_ready());
      sum += each.get();
    }
    CHECK(sum == 28);
    for (auto& each : setters) each.join();
  }
}

TEST_CASE("a promise and a packaged_task take memory from an allocator") {
  const weft::runtime runtime({.workers = 1});
  {
    weft::promise<int> made(std::allocator_arg, counting<char>());
    CHECK(allocated_bytes > 0);
    weft::future<int> result = made.get_future();
    made.set_value(3);
    CHECK(result.get() == 3);
  }
  CHECK(allocated_bytes == 0);
  weft::future<int> result;
  {
    weft::packaged_task<int(int)> task(std::allocator_arg, counting<int>(),
                                       [held = std::make_unique<int>(4)](int more) { return *held + more; });
    result = task.get_future();
    task(1);
    CHECK(result.get() == 5);
    task.reset();
    result = task.get_future();
    task(2);
  }
  CHECK(allocated_bytes > 0);  // the result is still there
  CHECK(result.get() == 6);
  CHECK(allocated_bytes == 0);
}

TEST_CASE("reset gives a packaged_task a new future") {
  weft::packaged_task<int()> task([count = 0]() mutable { return ++count; });
  weft::future<int> first = task.get_future();
  task();
  CHECK(first.get() == 1);
  CHECK_THROWS_AS(task(), std::future_error);
  task.reset();
  weft::future<int> second = task.get_future();
  task();
  CHECK(second.get() == 2);
  task.reset();
  weft::future<int> third = task.get_future();
  task.reset();  // the third was not called
  CHECK_THROWS_AS(third.get(), std::future_error);
  CHECK(is_no_state([] { weft::packaged_task<void()>().reset(); }));
}
