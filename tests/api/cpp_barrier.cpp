// weft::barrier: phases, the completion function, arrivals without a wait, and parties that leave.
// Launch policies, and results that wait for the end of their thread.
#include <weft/barrier.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <weft/async.hpp>
#include <weft/launch.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/specific.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

#include "callers.hpp"

namespace {

weft_status status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const weft::error& error) {
    return error.status();
  }
  return WEFT_OK;
}

}  // namespace

TEST_CASE("phases follow each other, and each is completed once, by its last arrival") {
  constexpr int parties = 5, rounds = 60;
  for (const unsigned workers : {1U, 2U, 4U}) {
    const weft::runtime runtime(config_of(workers));
    int in_phase = 0;  // written by the completion function alone
    std::atomic<int> arrived{0};
    std::atomic<int> last_ones{0};
    weft::barrier all(parties, [&]() noexcept {
      if (arrived.load() == parties * (in_phase + 1)) ++in_phase;
    });
    std::vector<weft::thread> threads;
    for (int number = 0; number < parties - 1; ++number) {
      threads.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          arrived.fetch_add(1);
          if (all.arrive_and_wait()) last_ones.fetch_add(1);
          CHECK(in_phase >= round + 1);
          CHECK(in_phase <= round + 2);
        }
      });
    }
    std::thread outside([&] {
      for (int round = 0; round < rounds; ++round) {
        arrived.fetch_add(1);
        if (all.arrive_and_wait()) last_ones.fetch_add(1);
      }
    });
    for (weft::thread& each : threads) each.join();
    outside.join();
    CHECK(in_phase == rounds);
    CHECK(last_ones.load() == rounds);
  }
}

TEST_CASE("arrivals and waits apart") {
  const weft::runtime runtime(config_of(2));
  int completed = 0;
  weft::barrier both(2, [&completed]() noexcept { ++completed; });
  auto first = both.arrive();
  CHECK(completed == 0);
  static_cast<void>(both.arrive());
  CHECK(completed == 1);
  both.wait(std::move(first));
  static_cast<void>(both.arrive(2));
  CHECK(completed == 2);
  weft::barrier three(3);
  auto token = three.arrive();
  std::atomic<bool> is_through{false};
  weft::thread waiter([&three, &is_through, token = std::move(token)]() mutable {
    three.wait(std::move(token));
    is_through = true;
  });
  static_cast<void>(three.arrive());
  weft::this_thread::yield();
  CHECK_FALSE(is_through.load());
  static_cast<void>(three.arrive());
  waiter.join();
  CHECK(is_through.load());
}

TEST_CASE("parties that leave are expected no more") {
  const weft::runtime runtime(config_of(2));
  weft::barrier<> all(3);
  std::vector<weft::thread> threads;
  std::atomic<int> rounds{0};
  threads.emplace_back([&all] { all.arrive_and_drop(); });
  for (int number = 0; number < 2; ++number) {
    threads.emplace_back([&all, &rounds] {
      for (int round = 0; round < 10; ++round) {
        if (all.arrive_and_wait()) rounds.fetch_add(1);
      }
    });
  }
  for (weft::thread& each : threads) each.join();
  CHECK(rounds.load() + 1 >= 10);  // the party that left may have ended one phase
  CHECK(rounds.load() <= 10);
}

TEST_CASE("wrong uses of a barrier are errors") {
  const weft::runtime runtime(config_of(1));
  CHECK(status_of([] { const weft::barrier<> none(0); }) == WEFT_INVALID);
  CHECK(status_of([] { const weft::barrier<> none(-1); }) == WEFT_INVALID);
  weft::barrier<> two(2);
  CHECK(status_of([&two] { static_cast<void>(two.arrive(3)); }) == WEFT_INVALID);
  CHECK(status_of([&two] { static_cast<void>(two.arrive(0)); }) == WEFT_INVALID);
  struct shared {
    weft::barrier<>* barrier;
    weft_status status;
  } tried{&two, WEFT_OK};
  weft_thread* tasklet = nullptr;
  REQUIRE(weft_tasklet_create(
              [](void* argument) {
                auto* const all = static_cast<shared*>(argument);
                all->status = status_of([all] { all->barrier->arrive_and_wait(); });
              },
              &tried, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(tried.status == WEFT_CANNOT_BLOCK);
  static_cast<void>(two.arrive(2));  // the tasklet has not arrived
}

TEST_CASE("launch::dispatch starts the child first, launch::post does not") {
  const weft::runtime runtime(config_of(1));
  for (const bool is_main : {true, false}) {
    const auto scene = [] {
      int order = 0, child = 0, maker = 0;
      weft::thread first(weft::launch::dispatch, [&] { child = ++order; });
      maker = ++order;
      first.join();
      CHECK(child == 1);
      CHECK(maker == 2);
      order = 0;
      weft::thread second(weft::launch::post, [&](int step) { child = order += step; }, 1);
      maker = ++order;
      second.join();
      CHECK(maker == 1);
      CHECK(child == 2);
      order = 0;
      weft::future<int> value = weft::async(weft::launch::dispatch, [&order](int step) { return order += step; }, 1);
      CHECK(order == 1);
      CHECK(value.get() == 1);
      weft::future<int> later = weft::async(weft::launch::post, [&order] { return ++order; });
      CHECK(order == 1);
      CHECK(later.get() == 2);
    };
    if (is_main) {
      scene();
    } else {
      weft::thread(scene).join();
    }
  }
  static_assert(weft::is_launch_policy<weft::launch>::value && !weft::is_launch_policy<int>::value);
}

TEST_CASE("results that wait for the end of their thread") {
  struct says_gone {
    weft::future<int>* future;
    bool* was_early;
    ~says_gone() { *was_early = future->wait_for(std::chrono::seconds(0)) == weft::future_status::ready; }
  };
  for (const unsigned workers : {1U, 2U}) {
    const weft::runtime runtime(config_of(workers));
    weft::promise<int> promise, failing;
    weft::promise<void> nothing;
    weft::packaged_task<int(int)> task([](int value) { return value * 2; });
    weft::packaged_task<int(int)> throwing([](int) -> int { throw std::logic_error("task"); });
    weft::future<int> value = promise.get_future(), failed = failing.get_future(), doubled = task.get_future(),
                      thrown = throwing.get_future();
    weft::future<void> done = nothing.get_future();
    weft::thread_specific_ptr<says_gone> own;
    bool was_early = true, has_any = true;
    weft::thread giver([&] {
      own.reset(new says_gone{&value, &was_early});
      promise.set_value_at_thread_exit(7);
      failing.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("kept")));
      nothing.set_value_at_thread_exit();
      task.make_ready_at_thread_exit(21);
      throwing.make_ready_at_thread_exit(1);
      has_any = false;
      for (weft::future<int>* each : {&value, &failed, &doubled, &thrown})
        has_any = has_any || each->wait_for(std::chrono::seconds(0)) == weft::future_status::ready;
      CHECK_THROWS_AS(promise.set_value(8), std::future_error);
      CHECK_THROWS_AS(promise.set_value_at_thread_exit(8), std::future_error);
    });
    giver.join();
    CHECK_FALSE(has_any);
    CHECK_FALSE(was_early);
    CHECK(value.get() == 7);
    CHECK_THROWS_WITH_AS(failed.get(), "kept", std::runtime_error);
    CHECK(doubled.get() == 42);
    CHECK_THROWS_WITH_AS(thrown.get(), "task", std::logic_error);
    done.get();
    weft::promise<int> outside;
    weft::future<int> from_outside = outside.get_future();
    std::thread([&outside] { outside.set_value_at_thread_exit(3); }).join();
    CHECK(from_outside.get() == 3);
    CHECK_THROWS_AS(weft::promise<int>(std::move(outside)).set_value_at_thread_exit(1), std::future_error);
  }
}
