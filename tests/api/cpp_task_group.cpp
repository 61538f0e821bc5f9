// Groups of tasks: all callers, tasks that add tasks, blocking, exceptions, cancellation, reuse.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <weft/weft.hpp>

#include "callers.hpp"

namespace {

void visit(weft::task_group& group, std::atomic<int>& visited, int depth) {
  ++visited;
  if (depth == 0) return;
  for (int child = 0; child < 3; ++child) group.run([&, depth] { visit(group, visited, depth - 1); });
}

}  // namespace

TEST_CASE("wait returns when all tasks have ended, those that tasks add too") {
  by_every_caller([] {
    weft::task_group group;
    std::atomic<int> visited = 0;
    for (int round = 0; round < 5; ++round) {
      visit(group, visited, 5);
      CHECK(group.wait());
      CHECK(visited == (round + 1) * 364);
    }
    CHECK(group.wait());
  });
}

TEST_CASE("the end of the scope waits") {
  by_every_caller([] {
    std::atomic<int> visited = 0;
    {
      weft::task_group group;
      visit(group, visited, 4);
    }
    CHECK(visited == 121);
  });
}

TEST_CASE("what a task holds is gone when wait returns") {
  by_every_caller([] {
    auto held = std::make_shared<int>(1);
    weft::task_group group;
    for (int i = 0; i < 100; ++i) group.run([held, owner = std::make_unique<int>(i)] { *owner += *held; });
    group.wait();
    CHECK(held.use_count() == 1);
  });
}

TEST_CASE("tasks block, and wait for each other") {
  for (unsigned workers : {1U, 2U, 4U, 16U}) {
    const weft::runtime runtime({.workers = workers});
    weft::task_group group;
    weft::barrier all(50);
    std::atomic<int> passed = 0;
    for (int i = 0; i < 50; ++i) {
      group.run([&] {
        all.arrive_and_wait();
        ++passed;
      });
    }
    group.wait();
    CHECK(passed == 50);
  }
}

TEST_CASE("many groups come and go") {
  for (unsigned workers : {2U, 4U}) {
    const weft::runtime runtime({.workers = workers});
    std::atomic<int> ended = 0;
    for (int round = 0; round < 3000; ++round) {
      weft::task_group group;
      group.run([&] { ++ended; });
      if (round % 2 != 0) group.run([&] { ++ended; });
    }
    CHECK(ended == 4500);
  }
}

TEST_CASE("the task that was added first tells what it threw, and the group is as new") {
  by_every_caller([] {
    weft::task_group group;
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> has_run = false;
      group.run([&] { has_run = true; });
      group.run([] { throw std::runtime_error("second"); });
      group.run([] { throw std::runtime_error("third"); });
      CHECK_THROWS_WITH_AS(group.wait(), "second", std::runtime_error);
      CHECK(has_run);
      CHECK(!group.is_cancelled());
      CHECK(group.wait());
    }
  });
}

TEST_CASE("the order of adding decides, not that of throwing, and what was added before still runs") {
  for (unsigned workers : {1U, 2U, 4U}) {
    const weft::runtime runtime({.workers = workers});
    weft::task_group group;
    std::atomic<int> ran = 0;
    for (int round = 0; round < 20; ++round) {
      weft::latch has_thrown(1);
      for (int i = 0; i < 10; ++i) {
        group.run([&] {
          has_thrown.wait();
          ++ran;
        });
      }
      group.run([&] {
        has_thrown.wait();
        throw std::runtime_error("first");
      });
      group.run([] { throw std::runtime_error("second"); });
      while (!group.is_cancelled()) weft::this_thread::yield();
      has_thrown.count_down();
      CHECK_THROWS_WITH_AS(group.wait(), "first", std::runtime_error);
      CHECK(ran == 10 * (round + 1));
    }
  }
}

TEST_CASE("exceptions that no wait has told of are counted") {
  const weft::runtime runtime({.workers = 2});
  const std::uint64_t before = weft::dropped_exceptions();
  {
    weft::task_group group;
    group.run([] { throw 1; });
  }
  CHECK(weft::dropped_exceptions() == before + 1);
}

TEST_CASE("cancelled tasks do not start") {
  by_every_caller([] {
    weft::task_group group;
    std::atomic<int> ran = 0;
    group.cancel();
    CHECK(group.is_cancelled());
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
    CHECK(!group.wait());
    CHECK(ran == 0);
    group.run([&] { ++ran; });
    CHECK(group.wait());
    CHECK(ran == 1);
  });
}

TEST_CASE("a task that has started goes on until it looks") {
  for (unsigned workers : {1U, 2U, 16U}) {
    const weft::runtime runtime({.workers = workers});
    weft::task_group group;
    std::atomic<bool> has_started = false;
    group.run([&] {
      has_started = true;
      while (!group.is_cancelled()) weft::this_thread::yield();
    });
    while (!has_started) {
      weft::this_thread::yield();
      std::this_thread::yield();
    }
    group.cancel();
    CHECK(!group.wait());
  }
}

TEST_CASE("a task that throws cancels what comes after it") {
  const weft::runtime runtime({.workers = 1});
  weft::task_group group;
  std::atomic<int> ran = 0;
  group.run([&] {
    for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
    throw std::runtime_error("after its children were added");
  });
  CHECK_THROWS_AS(group.wait(), std::runtime_error);
  CHECK(ran == 0);
}

TEST_CASE("groups in tasks of groups, added to from several workers and from outside") {
  for (unsigned workers : {1U, 4U}) {
    const weft::runtime runtime({.workers = workers});
    std::atomic<int> ended = 0;
    weft::task_group outer;
    const auto add = [&] {
      for (int i = 0; i < 50; ++i) {
        outer.run([&] {
          weft::task_group inner;
          for (int j = 0; j < 10; ++j) inner.run([&] { ++ended; });
          inner.wait();
        });
      }
    };
    weft::latch has_added(1);
    std::thread outside([&] {
      add();
      has_added.count_down();
    });
    outer.run(add);
    outer.run(add);
    has_added.wait();
    outside.join();
    outer.wait();
    CHECK(ended == 1500);
  }
}

TEST_CASE("a tasklet may not wait for tasks of others") {
  const weft::runtime runtime({.workers = 1});
  weft::task_group group;
  std::atomic<bool> has_run = false;
  group.run([&] { has_run = true; });
  const auto wait = [](void* argument) {
    auto* const there = static_cast<weft::task_group*>(argument);
    CHECK_THROWS_AS(there->wait(), weft::error);
  };
  weft_thread* tasklet = nullptr;
  REQUIRE(weft_tasklet_create(wait, &group, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
  CHECK(group.wait());
  CHECK(has_run);
}
