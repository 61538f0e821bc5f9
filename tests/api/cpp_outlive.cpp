// What outlives its runtime: the destructor and each observing call of every object are defined
// after the runtime has ended, and while a later one runs; what has come stays readable.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/channel.hpp>
#include <weft/condition_variable_any.hpp>
#include <weft/context.hpp>
#include <weft/coroutine2.hpp>
#include <weft/generator.hpp>
#include <weft/scheduling.hpp>
#include <weft/select.hpp>
#include <weft/specific.hpp>
#include <weft/task.hpp>
#include <weft/when.hpp>
#if defined(__cpp_lib_jthread)
#include <weft/jthread.hpp>
#endif

using namespace std::chrono_literals;

namespace {

// Destroyed by the C++ run time at exit, long after every runtime.
weft::future<std::string> dropped_at_exit;

// Counts those that live.
struct counted {
  explicit counted(int& of) : alive(of) { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  int& alive;
};

// Values from 0 on, and an object on the generator's stack.
weft::generator<int> numbers(int& alive) {
  return weft::generator<int>([&alive](weft::yielder<int>& yield) {
    const counted one(alive);
    for (int value = 0; value < 5; ++value) yield(value);
  });
}

// An object that is made while a runtime runs, and lives on after it.
template <class Make>
auto outliving(Make make) {
  const weft::runtime rt({.workers = 2});
  return make();
}

// Uses it without a runtime, and another one while a second runtime runs, whose threads would be
// made where the first one's lay.
template <class Make, class Use>
void use_after_its_end(Make make, Use use) {
  auto alone = outliving(make);
  use(alone);
  auto beside_others = outliving(make);
  static_cast<void>(outliving(make));  // dropped after its end
  const weft::runtime second({.workers = 2});
  std::vector<weft::thread> others;
  for (int each = 0; each < 100; ++each) others.emplace_back([] { weft::this_thread::yield(); });
  use(beside_others);
  for (weft::thread& each : others) each.join();
}

}  // namespace

TEST_CASE("futures of async calls give their values") {
  use_after_its_end([] { return weft::async([] { return std::string("seven"); }); },
                    [](weft::future<std::string>& one) {
                      CHECK(one.valid());
                      CHECK(one.is_ready());
                      one.wait();
                      CHECK(one.wait_for(0s) == weft::future_status::ready);
                      CHECK(one.get_exception_ptr() == nullptr);
                      CHECK(one.get() == "seven");
                      CHECK(!one.valid());
                    });
  dropped_at_exit = outliving([] { return weft::async([] { return std::string("dropped"); }); });
}

TEST_CASE("futures of async calls give what was thrown") {
  use_after_its_end([] { return weft::async([]() -> int { throw std::runtime_error("meant"); }); },
                    [](weft::future<int>& one) {
                      CHECK(one.get_exception_ptr() != nullptr);
                      CHECK_THROWS_AS(one.get(), std::runtime_error);
                    });
}

TEST_CASE("a future of a call that has parked, or that was named, or has a stack of its own") {
  use_after_its_end(
      [] {
        return weft::async(weft::thread_attributes{.stack_bytes = 1 << 20, .name = "outliving"}, [] {
          weft::this_thread::sleep_for(1us);
          return 3;
        });
      },
      [](weft::future<int>& one) { CHECK(one.get() == 3); });
}

TEST_CASE("futures are shared, chained and gathered") {
  use_after_its_end(
      [] {
        weft::shared_future<int> shared = weft::async([] { return 1; }).share();
        std::vector<weft::future<int>> both;
        both.push_back(weft::async([] { return 2; }));
        both.push_back(shared.then([](weft::shared_future<int> of) { return of.get() + 2; }));
        return std::make_pair(std::move(shared), weft::when_all(both.begin(), both.end()));
      },
      [](auto& one) {
        CHECK(one.first.get() == 1);
        auto both = one.second.get();
        CHECK(both[0].get() == 2);
        CHECK(both[1].get() == 3);
      });
}

TEST_CASE("a continuation that nothing can run fails with its reason") {
  auto done = outliving([] { return weft::async([] { return 1; }); });
  CHECK_THROWS_AS(static_cast<void>(done.then([](weft::future<int> of) { return of.get(); })), weft::error);
  weft::promise<int> late;
  weft::future<int> chained = outliving([&] { return late.get_future().then([](weft::future<int> of) { return of.get(); }); });
  late.set_value(1);
  try {
    chained.get();
    FAIL("it was not refused");
  } catch (const weft::error& refused) {
    CHECK(refused.code() == weft::errc::not_initialized);
  }
}

TEST_CASE("promises and tasks are kept or broken") {
  use_after_its_end([] { return weft::promise<int>(); },
                    [](weft::promise<int>& one) {
                      weft::future<int> value = one.get_future();
                      one.set_value(5);
                      CHECK(value.get() == 5);
                    });
  use_after_its_end(
      [] {
        weft::promise<int> broken;
        return broken.get_future();
      },
      [](weft::future<int>& one) { CHECK_THROWS_AS(one.get(), weft::future_error); });
  use_after_its_end([] { return weft::packaged_task<int(int)>([](int value) { return value + 1; }); },
                    [](weft::packaged_task<int(int)>& one) {
                      weft::future<int> value = one.get_future();
                      CHECK(one.valid());
                      one(1);
                      CHECK(value.get() == 2);
                    });
}

TEST_CASE("a coroutine that sleeps is ended: cpp_sleep_ends.cpp has more of them") {
  const auto sleeps = [](int& alive) -> weft::task<int> {
    const counted here(alive);
    co_await weft::async_sleep_for(1h);
    co_return 1;
  };
  int alive = 0;
  use_after_its_end([&] { return weft::spawn(sleeps(alive)); },
                    [](weft::future<int>& one) { CHECK_THROWS_AS(one.get(), weft::error); });
  weft::future<int> left_behind;
  outliving([&] {
    std::thread([&] {
      const weft::adopted_worker here;
      left_behind = weft::spawn(sleeps(alive));
    }).join();
    return 0;
  });
  CHECK_THROWS_AS(left_behind.get(), weft::error);
  CHECK(alive == 0);
}

TEST_CASE("threads that have ended are joined or detached") {
  const auto make = [] { return weft::thread([] {}); };
  struct detached_if_dropped {
    explicit detached_if_dropped(weft::thread&& from) : one(std::move(from)), id(one.get_id()) {}
    detached_if_dropped(detached_if_dropped&&) = default;
    ~detached_if_dropped() {
      if (one.joinable()) one.detach();
    }
    weft::thread one;
    weft::thread_id id;
  };
  use_after_its_end([&] { return detached_if_dropped(make()); },
                    [](detached_if_dropped& kept) {
                      CHECK(kept.one.joinable());
                      CHECK(kept.one.native_handle() != nullptr);
                      CHECK(kept.one.get_id() == kept.id);
                      kept.one.join();
                      CHECK(!kept.one.joinable());
                    });
  weft::thread tried = outliving(make);
  CHECK(tried.get_id() == weft::thread_id());  // it was not asked while there was a runtime
  CHECK(tried.try_join());
  weft::thread waited_for = outliving(make);
  CHECK(waited_for.try_join_for(1s));
  weft_thread* const named = outliving([] {
    weft_thread* one = nullptr;
    CHECK(weft_thread_create([](void*) {}, nullptr, nullptr, &one) == WEFT_OK);
    return one;
  });
  CHECK(weft_thread_get_state(named) == WEFT_THREAD_ENDED);
  CHECK(!weft_thread_is_tasklet(named));
  CHECK(weft_thread_set_name(named, "late") == WEFT_INVALID);
  CHECK(std::string(weft_thread_get_name(named)).empty());
  CHECK(weft_thread_join(named) == WEFT_OK);
#if defined(__cpp_lib_jthread)
  use_after_its_end([] { return weft::jthread([](const std::stop_token&) {}); },
                    [](weft::jthread& one) {
                      CHECK(one.joinable());
                      CHECK(!one.get_stop_token().stop_requested());
                    });
#endif
}

TEST_CASE("ids of threads that outlive their runtime are not given again") {
  weft::thread_id id;
  weft::thread first = outliving([&] {
    weft::thread one([] {});
    id = one.get_id();
    return one;
  });
  const weft::runtime second({.workers = 1});
  weft::thread other([] {});
  CHECK(other.get_id() != id);
  CHECK(first.get_id() == id);
  other.join();
  first.join();
}

TEST_CASE("many handles, of which some go before and some after") {
  std::vector<weft::future<int>> all;
  {
    const weft::runtime rt({.workers = 2});
    for (int each = 0; each < 5000; ++each) all.push_back(weft::async([each] { return each; }));
    for (int each = 0; each < 5000; each += 3) CHECK(all[static_cast<std::size_t>(each)].get() == each);
  }
  const weft::runtime second({.workers = 2});
  std::thread outside([&] {
    for (int each = 1; each < 5000; each += 3) CHECK(all[static_cast<std::size_t>(each)].get() == each);
  });
  for (int each = 2; each < 5000; each += 3) CHECK(all[static_cast<std::size_t>(each)].get() == each);
  outside.join();
}

TEST_CASE("channels keep what was pushed") {
  const auto make = [] {
    auto one = std::make_unique<weft::buffered_channel<std::string>>(4);
    static_cast<void>(one->push("kept"));
    return one;
  };
  use_after_its_end(make, [](auto& one) {
    std::string value;
    CHECK(!one->is_closed());
    CHECK(one->pop(value) == weft::channel_op_status::success);
    CHECK(value == "kept");
    CHECK(one->pop_wait_for(value, 1us) == weft::channel_op_status::timeout);
    one->close();
    CHECK(one->pop(value) == weft::channel_op_status::closed);
  });
}

TEST_CASE("what is locked, waited at and counted") {
  struct all_of {
    weft::mutex plain;
    weft::recursive_mutex recursive;
    weft::timed_mutex timed;
    weft::shared_mutex shared;
    weft::condition_variable condition;
    weft::condition_variable_any any_condition;
    weft::latch gate{1};
    weft::counting_semaphore<> tokens{1};
    weft::barrier<> phase{1};
  };
  use_after_its_end(
      [] {
        auto one = std::make_unique<all_of>();
        weft::thread user([&] {
          const std::scoped_lock hold(one->plain, one->recursive, one->timed, one->shared);
          one->gate.count_down();
        });
        user.join();
        return one;
      },
      [](auto& one) {
        const std::scoped_lock hold(one->recursive, one->timed, one->shared);
        std::unique_lock lock(one->plain);
        CHECK(one->condition.wait_for(lock, 1us) == weft::cv_status::timeout);
        CHECK(one->any_condition.wait_for(lock, 1us) == weft::cv_status::timeout);
        one->condition.notify_all();
        CHECK(one->gate.try_wait());
        one->gate.wait();
        CHECK(one->tokens.try_acquire());
        CHECK(one->phase.arrive_and_wait());
      });
}

TEST_CASE("a lock that the main thread took while it was one of the runtime's") {
  weft::mutex plain;
  std::unique_lock<weft::mutex> held = outliving([&] { return std::unique_lock(plain); });
  CHECK(held.owns_lock());
  held.unlock();
  CHECK(plain.try_lock());
  plain.unlock();
}

TEST_CASE("groups, pointers of a thread's own, selections") {
  use_after_its_end([] { return std::make_unique<weft::task_group>(); },
                    [](auto& one) {
                      int ran = 0;
                      one->run([&] { ++ran; });
                      CHECK(one->wait());
                      CHECK(!one->is_cancelled());
                      CHECK(ran == 1);
                    });
  use_after_its_end(
      [] {
        auto one = std::make_unique<weft::thread_specific_ptr<int>>();
        one->reset(new int(1));
        return one;
      },
      [](auto& one) {
        CHECK(one->get() == nullptr);  // the value of main's thread went with the runtime
        one->reset(new int(2));
        CHECK(**one == 2);
      });
}

TEST_CASE("schedulers of the program's own") {
  use_after_its_end(
      [] {
        auto one = std::make_unique<weft::scheduler<weft::round_robin>>(std::vector<unsigned>{0});
        one->start({}, [] {}).join();
        return one;
      },
      [](auto& one) { CHECK(one->pool() != nullptr); });
}

TEST_CASE("generators go on, and are unwound") {
  int alive = 0;
  const auto begun = [&] {
    weft::generator<int> one = numbers(alive);
    CHECK(one.next() == 0);
    return one;
  };
  use_after_its_end(begun, [&](weft::generator<int>& one) {
    CHECK(static_cast<bool>(one));
    CHECK(one.next() == 1);
    int last = 0;
    for (const int each : one) last = each;
    CHECK(last == 4);
    CHECK(!one);
  });
  CHECK(alive == 0);
  use_after_its_end(begun, [&](weft::generator<int>& one) { CHECK(static_cast<bool>(one)); });
  CHECK(alive == 0);
  use_after_its_end([&] { return numbers(alive); }, [&](weft::generator<int>& one) { CHECK(one.next() == 0); });
  static_cast<void>(outliving([&] { return numbers(alive); }));  // it has never begun
  CHECK(alive == 0);
}

TEST_CASE("a generator that throws, catches, and uses another one") {
  int alive = 0;
  auto one = outliving([&] {
    weft::generator<int> outer([&alive](weft::yielder<int>& yield) {
      try {
        throw std::runtime_error("inside");
      } catch (const std::runtime_error& caught) {
        yield(1);  // it stays caught
        CHECK(std::string(caught.what()) == "inside");
      }
      for (const int each : numbers(alive)) yield(each);
      yield.all(numbers(alive));
      throw std::runtime_error("at the end");
    });
    CHECK(outer.next() == 1);
    CHECK(outer.next() == 0);
    return outer;
  });
  CHECK(alive == 1);
  CHECK(one.next() == 1);
  CHECK(one.next() == 2);
  CHECK(one.next() == 3);
  CHECK(one.next() == 4);
  CHECK_THROWS_AS(one.next(), weft::error);  // the second one would need a stack
  CHECK(alive == 0);
}

TEST_CASE("an OS thread that Weft never knew ends a generator") {
  int alive = 0;
  auto one = outliving([&] {
    weft::generator<int> begun = numbers(alive);
    CHECK(begun.next() == 0);
    return begun;
  });
  std::thread([taken = std::move(one)]() mutable { CHECK(taken.next() == 1); }).join();
  CHECK(alive == 0);
}

TEST_CASE("many generators of several sizes, of which some go before and some after") {
  int alive = 0;
  std::vector<weft::generator<int>> all;
  const auto body = [&alive](weft::yielder<int>& yield) {
    const counted one(alive);
    yield(1);
    yield(2);
  };
  {
    const weft::runtime rt({.workers = 2});
    for (std::size_t each = 0; each < 150; ++each) {
      const std::size_t bytes = each % 3 == 0 ? 0 : each % 3 == 1 ? std::size_t{1} << 18 : (std::size_t{1} << 20) + each * 4096;
      all.emplace_back(std::allocator_arg, weft::context::fixedsize_stack(bytes), body);
      CHECK(all.back().next() == 1);
    }
    for (std::size_t each = 0; each < all.size(); each += 2) all[each] = weft::generator<int>();
  }
  CHECK(alive == 75);
  const weft::runtime second({.workers = 2});
  for (std::size_t each = 1; each < all.size(); each += 4) CHECK(all[each].next() == 2);
  all.clear();
  CHECK(alive == 0);
}

TEST_CASE("coroutines and contexts go on, and are unwound") {
  int alive = 0;
  using coroutine = weft::coroutine<int>;
  use_after_its_end(
      [&] {
        return coroutine::pull_type([&alive](coroutine::push_type& push) {
          const counted one(alive);
          push(1);
          push(2);
        });
      },
      [](coroutine::pull_type& one) {
        CHECK(one.get() == 1);
        one();
        CHECK(one.get() == 2);
      });
  CHECK(alive == 0);
  namespace ctx = weft::context;
  use_after_its_end(
      [&] {
        ctx::fiber one([&alive](ctx::fiber&& caller) {
          const counted here(alive);
          caller = std::move(caller).resume();
          caller = std::move(caller).resume();
          return std::move(caller);
        });
        return std::move(one).resume();
      },
      [](ctx::fiber& one) {
        CHECK(static_cast<bool>(one));
        one = std::move(one).resume();
        CHECK(static_cast<bool>(one));
      });
  CHECK(alive == 0);
}

TEST_CASE("what needs a runtime says so") {
  int alive = 0;
  CHECK_THROWS_AS(static_cast<void>(numbers(alive)), weft::error);
  CHECK_THROWS_AS(weft::thread([] {}), weft::error);
  CHECK_THROWS_AS(static_cast<void>(weft::async([] {})), weft::error);
  CHECK_THROWS_AS(weft::scheduler<weft::round_robin>({0}), weft::error);
}
