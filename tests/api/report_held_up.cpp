// The deadlock report where a worker is held up by what waits on its OS thread, and where the steps
// of a loop wait for each other. Each scene runs in a child.
#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include <weft/ext.h>
#include <weft/loops.h>

#include "../support/scene.hpp"

using scene::make;
using scene::sleep_ms;
using scene::start;
using weft::test::child_end;
using weft::test::run_in_child;
using weft::test::running_child;
using weft::test::start_child;

namespace {

constexpr long quiet_ms = 1500;  // several looks

weft_event never = WEFT_EVENT_INIT;

// Runs a scene that stands still for ever; abort ends it after the report.
template <class Scene>
child_end end_of_deadlock(unsigned workers, Scene scene) {
  child_end end = run_in_child([&] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    alarm(100);
    start(workers);
    scene();
    return 0;
  });
  INFO(workers, " workers\n", end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: deadlock: nothing can ever run again"));
  return end;
}

}  // namespace

TEST_CASE("a tasklet that waits by attempts for what its worker's own threads hold") {
  {
    const child_end end = end_of_deadlock(1, [] {
      static weft_mutex mutex = WEFT_MUTEX_UNFAIR_INIT;
      weft_thread* holder = make(
          [](void*) {
            NEED(weft_mutex_lock(&mutex) == WEFT_OK);
            weft_thread* tries = nullptr;
            const auto try_for_ever = [](void*) {
              const auto attempt = [](void*) { return weft_mutex_try_lock(&mutex) == WEFT_OK; };
              NEED(weft_ext_try_until(attempt, nullptr, "mutex") == WEFT_OK);
            };
            NEED(weft_tasklet_create(try_for_ever, nullptr, nullptr, &tries) == WEFT_OK);
            weft_yield();
            NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
            NEED(weft_thread_join(tries) == WEFT_OK);
          },
          nullptr, "holder");
      static_cast<void>(weft_thread_join(holder));
    });
    CHECK(end.says("0 workers are idle, 1 is held up by what waits on it"));
    CHECK(end.says("worker 0, which runs no other thread meanwhile, in tasklet "));
    CHECK(end.says("\"holder\""));
    CHECK(end.says(": waits for mutex, for 0."));
  }
}

TEST_CASE("silence while a wait by attempts may end") {
  std::vector<running_child> scenes;
  for (const unsigned workers : {1U, 4U}) {
    scenes.push_back(start_child([workers] {
      alarm(100);
      start(workers);
      static std::atomic<bool> is_there{false};
      weft_thread* tries = nullptr;
      const auto try_on = [](void*) {
        const auto attempt = [](void*) { return is_there.load(); };
        NEED(weft_ext_try_until(attempt, nullptr, "answer") == WEFT_OK);
      };
      NEED(weft_tasklet_create(try_on, nullptr, nullptr, &tries) == WEFT_OK);
      std::thread other([] {
        sleep_ms(quiet_ms);
        is_there = true;
      });
      NEED(weft_thread_join(tries) == WEFT_OK);
      other.join();
      return weft_finalize() == WEFT_OK ? 0 : 1;
    }));
  }
  for (const running_child& each : scenes) {
    const child_end end = wait_for(each);
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.errors == "");
  }
}

TEST_CASE("an attempt and its name are needed") {
  CHECK(weft_ext_try_until(nullptr, nullptr, "answer") == WEFT_INVALID);
  CHECK(weft_ext_try_until([](void*) { return true; }, nullptr, nullptr) == WEFT_INVALID);
  CHECK(weft_ext_try_until([](void*) { return true; }, nullptr, "answer") == WEFT_OK);
}

TEST_CASE("steps of a loop that wait for each other: a grain of 1 is named, and is the cure") {
  static weft_barrier barrier;
  const auto loop = [](std::size_t grain) {
    constexpr unsigned steps = 128;  // more than there are parts without a grain
    NEED(weft_barrier_init(&barrier, steps) == WEFT_OK);
    const auto run = [](std::size_t from, std::size_t to, void*) {
      for (; from != to; ++from) NEED(weft_barrier_wait(&barrier, nullptr) == WEFT_OK);
    };
    NEED(weft_parallel_for(0, steps, grain, run, nullptr) == WEFT_OK);
  };
  for (const unsigned workers : {1U, 2U}) {
    const child_end end = end_of_deadlock(workers, [&] { loop(0); });
    CHECK(end.says("waits for barrier"));
    CHECK(end.says("so give it a grain of 1: weft::range(begin, end, 1)"));
  }
  const child_end end = end_of_deadlock(2, [&] {
    loop(1);
    static_cast<void>(weft_event_wait(&never));
  });
  CHECK(end.says("main: waits for event"));
  CHECK(!end.says("grain"));
}
