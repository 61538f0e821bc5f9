// weft::fibers under work stealing: main's call starts the workers, other OS threads may call too,
// as in Boost. Each scene runs in a child process, in which the library has not started.
#include <weft/fiber/all.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support/scene.hpp"

namespace fibers = weft::fibers;
using scene::expect_well;

namespace {

void steal(unsigned workers) { fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(workers); }

// What the error says that call throws; empty: none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const fibers::fiber_error& error) {
    return error.what();
  }
  return "";
}

// Ends only where all of them run at once.
void meet(std::atomic<int>* missing) {
  for (--*missing; *missing > 0;) std::this_thread::yield();
}

void let_meet(int count) {
  std::atomic<int> missing = count;
  std::vector<fibers::fiber> all;
  for (int i = 0; i < count; ++i) all.emplace_back(meet, &missing);
  for (fibers::fiber& each : all) each.join();
}

fibers::mutex mutex;
fibers::condition_variable over;
bool is_over = false;  // guarded by mutex

void wait_until_over() {
  std::unique_lock<fibers::mutex> lock(mutex);
  over.wait(lock, [] { return is_over; });
}

void tell_over() {
  {
    const std::lock_guard<fibers::mutex> hold(mutex);
    is_over = true;
  }
  over.notify_all();
}

}  // namespace

TEST_CASE("main's call is enough for fibers in parallel, and a later one may add workers") {
  expect_well([] {
    steal(2);
    NEED(weft_worker_count() == 2);
    let_meet(2);
    steal(3);
    let_meet(3);
    steal(1);
    fibers::use_scheduling_algorithm<fibers::algo::round_robin>();
    NEED(weft_worker_count() == 3);
    let_meet(3);
  });
}

TEST_CASE("fibers that took turns before may run in parallel afterwards") {
  expect_well([] {
    std::atomic<int> missing = 2;
    fibers::fiber one(meet, &missing);
    fibers::fiber other(meet, &missing);
    NEED(weft_worker_count() == 1);
    steal(3);  // main's worker may be waiting here, at the join
    one.join();
    other.join();
    let_meet(2);
  });
}

TEST_CASE("other OS threads call it too: they wait for main's call, may make fibers and wait for them") {
  expect_well([] {
    constexpr unsigned workers = 3;
    std::atomic<int> sum = 0;
    std::vector<std::thread> others;
    for (unsigned i = 1; i < workers; ++i) {
      others.emplace_back([&sum] {
        steal(workers);
        sum += fibers::async([] { return 20; }).get();
        fibers::fiber([&sum] { ++sum; }).join();
        wait_until_over();
      });
    }
    steal(workers);
    fibers::packaged_task<int()> task([] { return 5; });
    fibers::future<int> result = task.get_future();
    fibers::fiber(std::move(task)).detach();
    sum += result.get();
    while (sum != 47) weft::this_fiber::yield();
    tell_over();
    for (std::thread& each : others) each.join();
    NEED(weft_worker_count() == workers);
  });
}

TEST_CASE("as many OS threads as workers, none of which is main's, steal from each other") {
  expect_well([] {
    std::vector<std::thread> others;
    std::atomic<int> missing = 3;
    for (int i = 0; i < 3; ++i) {
      others.emplace_back([&missing] {
        steal(3);
        fibers::fiber(meet, &missing).join();
      });
    }
    for (std::thread& each : others) each.join();
    NEED(weft_worker_count() == 3);
  });
}

TEST_CASE("so many OS threads that none may be main's, after main's first fiber: the last is told") {
  expect_well([] {
    fibers::fiber([] {}).join();
    std::atomic<int> told = 0;
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) {
      others.emplace_back([&told] {
        if (error_of([] { steal(2); }).find("let main's OS thread call") != std::string::npos) ++told;
      });
    }
    while (told == 0) std::this_thread::yield();
    steal(2);  // lets the other one go
    for (std::thread& each : others) each.join();
    NEED(told == 1);
  });
}

TEST_CASE("no workers at all make no sense") {
  expect_well([] {
    NEED(error_of([] { steal(0); }).find("at least 1 worker") != std::string::npos);
    fibers::use_scheduling_algorithm<fibers::algo::round_robin>();
    NEED(weft_worker_count() == 1);
  });
}
