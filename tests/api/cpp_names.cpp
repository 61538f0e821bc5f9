// thread_specific_ptr, get_exception_ptr, yield_to.
#include <doctest/doctest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callers.hpp"

#include <weft/async.hpp>
#include <weft/promise.hpp>
#include <weft/runtime.hpp>
#include <weft/specific.hpp>
#include <weft/thread.hpp>

TEST_CASE("a specific pointer is each caller's own") {
  by_every_caller([] {
    weft::thread_specific_ptr<std::string> name;
    CHECK(name.get() == nullptr);
    CHECK(name.release() == nullptr);
    name.reset();
    name.reset(new std::string("first"));
    CHECK(*name == "first");
    CHECK(name->size() == 5);
    name.reset(name.get());
    CHECK(*name == "first");
    const std::unique_ptr<std::string> released(name.release());
    CHECK(*released == "first");
    CHECK(name.get() == nullptr);
    name.reset(new std::string("second"));  // deleted with the pointer
  });
}

TEST_CASE("values of threads are cleaned up at their ends, and stay with a thread that moves") {
  static std::atomic<int> cleaned;
  cleaned = 0;
  {
    const weft::runtime runtime({.workers = 4});
    weft::thread_specific_ptr<int> own([](int* value) {
      ++cleaned;
      delete value;
    });
    std::vector<weft::thread> threads;
    for (int i = 0; i < 50; ++i) {
      threads.emplace_back([&own, i] {
        for (int round = 0; round < 20; ++round) {
          own.reset(new int(i));
          weft::this_thread::yield();
          CHECK(*own == i);
        }
      });
    }
    std::thread outside([&own] { own.reset(new int(1)); });
    outside.join();
    for (weft::thread& each : threads) each.join();
    CHECK(cleaned == 50 * 20 + 1);
    static int kept = 0;
    weft::thread_specific_ptr<int> not_mine(nullptr);
    weft::thread([&] {
      not_mine.reset(&kept);
      CHECK(not_mine.get() == &kept);
    }).join();
  }
}

TEST_CASE("get_exception_ptr waits, tells the exception, and keeps it") {
  const weft::runtime runtime({.workers = 1});
  weft::future<int> fails = weft::async([]() -> int { throw std::runtime_error("no"); });
  CHECK(fails.get_exception_ptr() != nullptr);
  CHECK(fails.valid());
  CHECK_THROWS_AS(fails.get(), std::runtime_error);
  CHECK_THROWS_AS(static_cast<void>(fails.get_exception_ptr()), std::future_error);
  weft::shared_future<int> works = weft::async([] { return 3; }).share();
  CHECK(works.get_exception_ptr() == nullptr);
  CHECK(works.get() == 3);
  weft::promise<void> broken;
  weft::shared_future<void> of_it = broken.get_future().share();
  broken = weft::promise<void>();
  CHECK_THROWS_AS(std::rethrow_exception(of_it.get_exception_ptr()), std::future_error);
}

TEST_CASE("yield_to runs the thread that was named, before others") {
  const weft::runtime runtime({.workers = 1});
  std::string order;
  weft::thread first([&] { order += '1'; });
  weft::thread second([&] { order += '2'; });
  weft::thread third([&] { order += '3'; });
  CHECK(weft::this_thread::yield_to(second));
  CHECK(order[0] == '2');
  CHECK_THROWS_AS(weft::this_thread::yield_to(second), weft::error);
  first.join();
  second.join();
  third.join();
  CHECK_THROWS_AS(weft::this_thread::yield_to(third), weft::error);
  std::thread([] {
    const weft::thread none;
    CHECK_THROWS_AS(weft::this_thread::yield_to(none), weft::error);
  }).join();
}
