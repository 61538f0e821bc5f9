// Exceptions at the nth call: each scene runs once for each of its copies, moves, calls and
// allocations, and that one throws. Afterwards no value and no block of memory is left, nothing
// was lost that the headers say stays, and the scene succeeds when nothing throws.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <weft/algorithm.hpp>
#include <weft/async.hpp>
#include <weft/channel.hpp>
#include <weft/error.hpp>
#include <weft/fork.hpp>
#include <weft/future.hpp>
#include <weft/generator.hpp>
#include <weft/numeric.hpp>
#include <weft/parallel_for.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/parallel_scan.hpp>
#include <weft/parallel_sort.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/select.hpp>
#include <weft/task.hpp>
#include <weft/task_group.hpp>
#include <weft/tasks.hpp>
#include <weft/thread.hpp>
#include <weft/when.hpp>

#include "coroutines.hpp"

namespace {

struct planted {};

std::atomic<long> steps_left = -1;  // negative or 0: no step throws
std::atomic<long> living = 0;

std::atomic<bool> are_allocations_steps = false;

bool is_last_step() {
  return steps_left.load(std::memory_order_relaxed) > 0 && steps_left.fetch_sub(1, std::memory_order_relaxed) == 1;
}
// The step that takes the last one throws.
void step() {
  if (is_last_step()) throw planted();
}

// A value whose copies and moves are steps. One that was moved from holds -1.
class risky {
 public:
  risky() { living.fetch_add(1, std::memory_order_relaxed); }
  explicit risky(int value) : value_(value) { living.fetch_add(1, std::memory_order_relaxed); }
  risky(const risky& other) : value_((step(), other.value_)) { living.fetch_add(1, std::memory_order_relaxed); }
  risky(risky&& other) noexcept(false) : value_((step(), std::exchange(other.value_, -1))) {  // NOLINT
    living.fetch_add(1, std::memory_order_relaxed);
  }
  risky& operator=(const risky& other) {
    step();
    value_ = other.value_;
    return *this;
  }
  risky& operator=(risky&& other) noexcept(false) {  // NOLINT
    step();
    if (this != &other) value_ = std::exchange(other.value_, -1);
    return *this;
  }
  ~risky() { living.fetch_sub(1, std::memory_order_relaxed); }

  int value() const { return value_; }

 private:
  int value_ = -1;
};

// Threads whose result was read may be on their last steps still, with what they hold.
bool are_all_gone() {
  for (int i = 0; i < 10000 && living != 0; ++i) weft::this_thread::sleep_for(std::chrono::milliseconds(1));
  return living == 0;
}

// Calls scene with its nth step throwing, for all n up to 64 and for some beyond, until the scene
// has fewer. Returns the last n. Only planted and std::bad_alloc may leave the scene.
template <class Scene>
long for_each_step(const Scene& scene) {
  constexpr long most = 10'000'000;
  for (long n = 1; n < most; n += n < 64 ? 1 : n / 4) {
    const std::string now = "step " + std::to_string(n);
    steps_left = n;
    bool has_thrown = false;
    try {
      scene();
    } catch (const planted&) {
      has_thrown = true;
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
    const bool is_over = steps_left.exchange(-1) > 0;
    CHECK_MESSAGE(are_all_gone(), now);
    if (is_over) {
      CHECK_MESSAGE(!has_thrown, now);
      return n - 1;
    }
  }
  FAIL("the scene has no end");
  return most;
}

// Allocations are steps as well, and each block is given back.
template <class Scene>
long for_each_allocation(const Scene& scene) {
  scene();  // what is allocated once for all
  REQUIRE(are_all_gone());
  are_allocations_steps = true;
  const long last = for_each_step(scene);
  are_allocations_steps = false;
  return last;
}

// Repeats a call that has thrown: what it was to do is still to be done.
template <class Call>
auto insist(const Call& call) {
  for (;;) {
    try {
      return call();
    } catch (const planted&) {  // again
    }
  }
}

// A reader and a writer, each of which repeats what has thrown: each value arrives once.
template <class Channel, class Push, class Pop>
void check_each_arrives_once(Channel& channel, const Push& push, const Pop& pop) {
  constexpr int count = 5;
  int sum = 0, popped = 0;
  weft::thread reader([&] {
    for (int i = 0; i < count; ++i) {
      const std::optional<int> value = insist([&] { return pop(channel); });
      if (!value) return;
      sum += *value;
      ++popped;
    }
  });
  for (int i = 1; i <= count; ++i) {
    risky value(i);
    insist([&] { push(channel, value); });
  }
  channel.close();
  reader.join();
  CHECK(popped == count);
  CHECK(sum == count * (count + 1) / 2);
}

const auto push_value = [](auto& channel, risky& value) {
  CHECK(channel.push(std::move(value)) == weft::channel_op_status::success);
};
const auto push_copy = [](auto& channel, const risky& value) { CHECK(channel.push(value) == weft::channel_op_status::success); };
const auto push_late = [](auto& channel, risky& value) {
  CHECK(channel.push_wait_for(std::move(value), std::chrono::hours(1)) == weft::channel_op_status::success);
};
const auto push_selected = [](auto& channel, risky& value) { weft::select(weft::on_push(channel, std::move(value), [] {})); };
const auto pop_assigned = [](auto& channel) -> std::optional<int> {
  risky value;
  if (channel.pop(value) != weft::channel_op_status::success) return std::nullopt;
  return value.value();
};
const auto pop_late = [](auto& channel) -> std::optional<int> {
  risky value;
  if (channel.pop_wait_for(value, std::chrono::hours(1)) != weft::channel_op_status::success) return std::nullopt;
  return value.value();
};

template <class Make>
void check_channel(const Make& make) {
  const auto with = [&](const auto& push, const auto& pop) {
    CHECK(for_each_step([&] {
            auto channel = make();
            check_each_arrives_once(*channel, push, pop);
          }) >= 5);
  };
  with(push_value, pop_assigned);
  with(push_copy, pop_assigned);
  with(push_late, pop_assigned);
  with(push_value, pop_late);
  with(push_selected, pop_assigned);
}

}  // namespace

// The forms that the headers under test and libstdc++'s stable_sort use. With ASan the rest of new
// and delete stays its own.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (are_allocations_steps.load(std::memory_order_relaxed) && is_last_step()) throw std::bad_alloc();
  void* const made = std::malloc(size != 0 ? size : 1);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

TEST_CASE("a channel loses no value when the nth move throws") {
  for (const unsigned workers : {1U, 2U}) {
    const weft::runtime runtime({.workers = workers});
    check_channel([] { return std::make_unique<weft::unbuffered_channel<risky>>(); });
    check_channel([] { return std::make_unique<weft::buffered_channel<risky>>(1); });
    check_channel([] { return std::make_unique<weft::buffered_channel<risky>>(2); });
  }
}

namespace {

std::atomic<bool> next_move_throws = false;

struct fragile {
  explicit fragile(int n) : number(n) {}
  fragile(fragile&& from) : number(from.number) {
    if (next_move_throws.exchange(false)) throw planted();
  }
  fragile& operator=(fragile&&) = default;
  int number;
};

fire_and_forget push_second(weft::buffered_channel<fragile>& channel, bool& is_pushed) {
  is_pushed = co_await weft::async_push(channel, fragile(2)) == weft::channel_op_status::success;
}

}  // namespace

// Without a runtime a coroutine goes on inside the call that wakes it.
TEST_CASE("a coroutine whose waiting push's move throws goes on outside the channel's lock") {
  weft::buffered_channel<fragile> channel(1);
  bool is_pushed = false;
  CHECK(channel.push(fragile(1)) == weft::channel_op_status::success);
  push_second(channel, is_pushed);
  next_move_throws = true;
  fragile out(0);
  CHECK(channel.pop(out) == weft::channel_op_status::success);
  CHECK(out.number == 1);
  CHECK(!next_move_throws);
  CHECK(is_pushed);
  CHECK(channel.pop(out) == weft::channel_op_status::success);
  CHECK(out.number == 2);
}

namespace {

// Each until it is there; then the channel is closed.
void push_four(weft::buffered_channel<risky>& channel) {
  for (int i = 1; i <= 4; ++i) {
    risky value(i);
    insist([&] { push_value(channel, value); });
  }
  channel.close();
}

}  // namespace

TEST_CASE("value_pop and the iterator of a channel whose nth move throws") {
  const weft::runtime runtime({.workers = 1});
  CHECK(for_each_step([] {
          weft::buffered_channel<risky> channel(2);
          weft::thread writer([&] { push_four(channel); });
          std::vector<int> popped;
          try {
            for (;;) {
              insist([&] { popped.push_back(channel.value_pop().value()); });
            }
          } catch (const weft::error& over) {
            CHECK(over.status() == WEFT_ENDED);
          }
          writer.join();
          // One may have been lost by the move that returned it.
          CHECK(popped.size() >= 3);
          CHECK(std::is_sorted(popped.begin(), popped.end()));
        }) >= 4);
  CHECK(for_each_step([] {
          weft::buffered_channel<risky> channel(2);
          weft::thread writer([&] { push_four(channel); });
          int sum = 0;
          auto each = insist([&] { return channel.begin(); });
          while (each != channel.end()) {
            sum += each->value();
            insist([&] { ++each; });
          }
          writer.join();
          CHECK(sum == 10);
        }) >= 4);
}

TEST_CASE("promises, async and then whose nth copy, move or call throws") {
  const weft::runtime runtime({.workers = 2});
  CHECK(for_each_step([] {
          weft::promise<risky> promise;
          weft::future<risky> future = promise.get_future();
          risky value(7);
          weft::thread reader([&] {
            int read = -1;
            try {
              read = future.get().value();
            } catch (const planted&) {
              read = 7;  // by get(), which takes the value
            }
            CHECK(read == 7);
          });
          insist([&] { promise.set_value(std::move(value)); });
          reader.join();
        }) >= 1);
  CHECK(for_each_step([] {
          weft::future<risky> last = weft::async([held = risky(1)] {
                                       step();
                                       return risky(held.value());
                                     }).then([held = risky(2)](weft::future<risky> one) {
            step();
            return risky(one.get().value() + held.value());
          });
          CHECK(last.get().value() == 3);
        }) >= 4);
}

TEST_CASE("threads, groups and forks whose nth copy, move or call throws") {
  const weft::runtime runtime({.workers = 2});
  CHECK(for_each_step([] {
          std::atomic<int> sum = 0;
          weft::task_group group;
          const risky value(1);
          for (int i = 0; i < 3; ++i) {
            group.run([&sum, value] {
              step();
              sum += value.value();
            });
          }
          CHECK(group.wait());
          CHECK(sum == 3);
        }) >= 6);
  CHECK(for_each_step([] {
          const risky value(3);
          int seen = 0;
          weft::thread one([&seen](const risky& given) noexcept { seen = given.value(); }, value);
          one.join();
          CHECK(seen == 3);
        }) >= 1);
}

TEST_CASE("a generator whose nth copy or call throws") {
  const weft::runtime runtime({.workers = 1});
  weft::thread([] {
    CHECK(for_each_step([] {
            weft::generator<risky> all([held = risky(3)](weft::yielder<risky>& yield) {
              for (int i = 0; i < held.value(); ++i) {
                step();
                const risky value(i);
                yield(value);
              }
            });
            int sum = 0;
            while (auto value = all.next()) sum += value->value();
            CHECK(sum == 3);
          }) >= 6);
  }).join();
}

TEST_CASE("loops, reductions, scans and sorts whose nth copy, move or call throws") {
  const weft::runtime runtime({.workers = 2});
  CHECK(for_each_step([] {
          std::atomic<int> sum = 0;
          weft::parallel_for(weft::range<int>(0, 64, 4), [&, held = risky(1)](int) {
            step();
            sum += held.value();
          });
          CHECK(sum == 64);
        }) >= 64);
  CHECK(for_each_step([] {
          const risky sum = weft::parallel_reduce(
              weft::range<int>(0, 64, 4), risky(0),
              [](const weft::range<int>& part, risky so_far) {
                step();
                return risky(so_far.value() + static_cast<int>(part.size()));
              },
              [](const risky& left, const risky& right) {
                step();
                return risky(left.value() + right.value());
              });
          CHECK(sum.value() == 64);
        }) >= 2);
}

TEST_CASE("a sort whose nth comparison or move throws keeps its elements") {
  const weft::runtime runtime({.workers = 2});
  CHECK(for_each_step([] {
          std::vector<risky> all;
          all.reserve(6000);
          for (int i = 0; i < 6000; ++i) all.emplace_back((i * 7919) % 6007);
          weft::parallel_sort(all.begin(), all.end(), [](const risky& left, const risky& right) {
            step();
            return left.value() < right.value();
          });
          CHECK(std::is_sorted(all.begin(), all.end(),
                               [](const risky& left, const risky& right) { return left.value() < right.value(); }));
        }) >= 6000);
}

TEST_CASE("algorithms whose nth call or copy throws") {
  const weft::runtime runtime({.workers = 2});
  const auto less = [](const risky& left, const risky& right) {
    step();
    return left.value() < right.value();
  };
  const auto make = [](std::size_t size) {
    std::vector<risky> all;
    all.reserve(size);
    for (std::size_t i = 0; i < size; ++i) all.emplace_back(static_cast<int>((i * 7919) % 20011));
    return all;
  };
  CHECK(for_each_step([&] {
          std::vector<risky> all = make(20000);
          weft::stable_sort(weft::par, all.begin(), all.end(), less);
        }) >= 20000);
  CHECK(for_each_step([&] {
          const std::vector<risky> all = make(20000);
          std::vector<risky> out(20000);
          weft::merge(weft::par, all.begin(), all.begin() + 10000, all.begin() + 10000, all.end(), out.begin(), less);
        }) >= 10000);
  CHECK(for_each_step([&] {
          const std::vector<risky> all = make(10000);
          std::vector<risky> out(10000);
          weft::copy_if(weft::par, all.begin(), all.end(), out.begin(), [](const risky& one) {
            step();
            return one.value() % 2 == 0;
          });
        }) >= 10000);
  CHECK(for_each_step([&] {
          const std::vector<risky> all = make(10000);
          std::vector<risky> out(10000);
          const auto both = [](const risky& left, const risky& right) {
            step();
            return risky((left.value() + right.value()) % 1000);
          };
          weft::inclusive_scan(weft::par, all.begin(), all.end(), out.begin(), both);
          const risky sum = weft::reduce(weft::par, all.begin(), all.end(), risky(0), both);
          CHECK(sum.value() >= 0);
        }) >= 10000);
}

TEST_CASE("futures whose nth allocation throws") {
  const weft::runtime runtime({.workers = 2});
  CHECK(for_each_allocation([] {
          weft::future<risky> one = weft::async([held = risky(1)] { return risky(held.value()); });
          weft::promise<risky> promise;
          weft::future<risky> other = promise.get_future();
          weft::future<int> next = weft::when_all(std::move(one), std::move(other)).then([held = risky(3)](auto all) {
            auto both = all.get();
            return std::get<0>(both).get().value() + std::get<1>(both).get().value() + held.value();
          });
          insist([&] { promise.set_value(risky(2)); });
          CHECK(next.get() == 6);
        }) >= 8);
  CHECK(for_each_allocation([] {
          std::vector<weft::promise<risky>> promises(3);
          std::vector<weft::future<risky>> futures;
          for (auto& each : promises) futures.push_back(each.get_future());
          auto first = weft::when_any(futures.begin(), futures.end());
          insist([&] { promises[1].set_value(risky(2)); });
          auto [index, all] = first.get();
          CHECK(index == 1);
          CHECK(all[1].get().value() == 2);
          CHECK(!all[0].is_ready());
        }) >= 8);
}

#if defined(__cpp_lib_jthread)
TEST_CASE("coroutines whose nth allocation, copy or call throws") {
  const weft::runtime runtime({.workers = 2});
  const auto give = [](int value) -> weft::task<risky> {
    step();
    co_await weft::async_sleep_for(std::chrono::nanoseconds(1));
    co_return risky(value);
  };
  CHECK(for_each_allocation([&] {
          const auto [one, other] = weft::sync_wait(weft::when_all(give(1), give(2)));
          CHECK(one.value() + other.value() == 3);
        }) >= 8);
  CHECK(for_each_allocation([&] {
          const auto first = weft::sync_wait(weft::when_any(give(1), give(2)));
          CHECK(std::visit([](const risky& value) { return value.value(); }, first) == static_cast<int>(first.index()) + 1);
        }) >= 8);
}
#endif
