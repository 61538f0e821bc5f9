// Circles of threads that wait for each other, while other threads go on: told, and nothing is said
// of waits that end. Each scene runs in a child.
#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <weft/weft.h>
#include <weft/fork.hpp>

#include "../support/scene.hpp"

using scene::count;
using scene::make;
using scene::sleep_ms;
using scene::start;
using weft::test::child_end;
using weft::test::end_after_told;
using weft::test::end_when_told;
using weft::test::run_in_child;
using weft::test::running_child;
using weft::test::start_child;

namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t quiet_ns = 2500 * ms;  // several looks

struct two_locks {
  explicit two_locks(bool recursive) {
    if (recursive) locks[0] = locks[1] = weft_mutex WEFT_MUTEX_RECURSIVE_INIT;
  }
  weft_mutex locks[2] = {WEFT_MUTEX_INIT, WEFT_MUTEX_INIT};
  weft_event held[2] = {WEFT_EVENT_INIT, WEFT_EVENT_INIT};
  std::uint64_t deadline_ns = WEFT_FOREVER;

  void take_both(int first) {
    NEED(weft_mutex_lock(&locks[first]) == WEFT_OK);
    NEED(weft_event_set(&held[first]) == WEFT_OK);
    NEED(weft_event_wait(&held[1 - first]) == WEFT_OK);
    if (weft_mutex_lock_until(&locks[1 - first], deadline_ns) == WEFT_OK) NEED(weft_mutex_unlock(&locks[1 - first]) == WEFT_OK);
    NEED(weft_mutex_unlock(&locks[first]) == WEFT_OK);
  }
};

// Until the parent, which waits for the report, ends it.
[[noreturn]] void go_on_beside() {
  for (;;) NEED(weft_sleep_ns(100 * ms) == WEFT_OK);
}

// What a child says until it has told of a circle, and so long after that it would be told again.
template <class Body>
child_end end_after_report(Body body, const char* last = "weft:   cure: ") {
  return end_after_told(start_child(body), last, quiet_ns / ms);
}

}  // namespace

extern "C" {
static void takes_left_first(void* locks) { static_cast<two_locks*>(locks)->take_both(0); }
static void takes_right_first(void* locks) { static_cast<two_locks*>(locks)->take_both(1); }
static void joins_next(void* memory) {
  auto* next = static_cast<std::atomic<weft_thread*>*>(memory);
  while (*next == nullptr) weft_yield();
  static_cast<void>(weft_thread_join(*next));
}
}

TEST_CASE("two mutexes in opposite order, while others go on: told once") {
  for (const bool recursive : {false, true}) {
    const child_end end = end_after_report([recursive] {
      alarm(100);
      start(2);
      two_locks locks(recursive);
      make(takes_left_first, &locks, "left");
      make(takes_right_first, &locks, "right");
      go_on_beside();
      return 0;
    });
    INFO(recursive, end.errors);
    CHECK(end.signal == SIGKILL);
    CHECK(count(end.errors, "deadlock") == 1);
    CHECK(end.says("weft: deadlock of 2 threads that wait for each other: none of them can ever run again"));
    CHECK(end.says("\"left\" (takes_left_first), which waits for mutex at 0x"));
    CHECK(end.says("\"right\" (takes_right_first), which waits for mutex at 0x"));
    CHECK(end.says(", held by thread "));
    CHECK(end.says("\"left\" (takes_left_first): waits for mutex at 0x"));
    CHECK(end.says("made in "));
    CHECK(end.says("weft:   cure: lock mutexes in one order everywhere"));
  }
}

TEST_CASE("threads that join each other, while others go on") {
  const child_end end = end_after_report([] {
    alarm(100);
    start(2);
    std::atomic<weft_thread*> next[3] = {};
    weft_thread* made[3];
    for (int each = 0; each < 3; ++each) made[each] = make(joins_next, &next[each], nullptr);
    for (int each = 0; each < 3; ++each) next[each] = made[(each + 1) % 3];
    go_on_beside();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGKILL);
  CHECK(end.says("weft: deadlock of 3 threads that wait for each other"));
  CHECK(count(end.errors, "(joins_next), which joins thread ") == 3);
}

TEST_CASE("on one worker, while an OS thread outside goes on") {
  const child_end end = end_after_report([] {
    alarm(100);
    start(1);
    two_locks locks(false);
    weft_thread* left = make(takes_left_first, &locks, "left");
    make(takes_right_first, &locks, "right");
    std::thread([] {
      for (;;) sleep_ms(100);
    }).detach();
    static_cast<void>(weft_thread_join(left));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGKILL);
  CHECK(count(end.errors, "deadlock of 2 threads") == 1);
}

TEST_CASE("while all workers sleep and an OS thread outside goes on") {
  const running_child scene = start_child([] {
    alarm(100);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    config.caller_outside = true;
    NEED(weft_init(&config) == WEFT_OK);
    static two_locks locks(false);
    make(takes_left_first, &locks, "left");
    make(takes_right_first, &locks, "right");
    for (;;) sleep_ms(100);
    return 0;
  });
  const child_end end = end_when_told(scene, "weft: deadlock of 2 threads that wait for each other");
  INFO(end.errors);
  CHECK(end.signal == SIGKILL);
}

TEST_CASE("a deadlock of all threads is told once, and not as a circle beside which others go on") {
  const child_end end = end_after_report(
      [] {
        setenv("WEFT_WATCHDOG", "100ms", 1);
        alarm(100);
        start(2);
        two_locks locks(false);
        weft_thread* left = make(takes_left_first, &locks, "left");
        make(takes_right_first, &locks, "right");
        static_cast<void>(weft_thread_join(left));
        return 0;
      },
      "weft:   the program stays as it is");
  INFO(end.errors);
  CHECK(end.signal == SIGKILL);
  CHECK(count(end.errors, "weft: deadlock") == 1);
  CHECK(end.says("weft: deadlock: "));
}

// Forks lock under their forker's number, which is all that a build with checks knows of a holder.
TEST_CASE("silent: a fork waits for a mutex that another fork of its forker holds for long") {
  const child_end end = run_in_child([] {
    alarm(100);
    start(3);
    static weft_mutex mutex = WEFT_MUTEX_INIT;
    static std::atomic<bool> is_held{false};
    auto holder = weft::fork([] {
      NEED(weft_mutex_lock(&mutex) == WEFT_OK);
      is_held = true;
      const std::uint64_t until = weft_deadline_in(quiet_ns);
      while (weft_now_ns() < until) continue;
      NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
    });
    auto waiter = weft::fork([] {
      while (!is_held) continue;
      NEED(weft_mutex_lock(&mutex) == WEFT_OK);
      NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
    });
    while (!is_held) continue;
    waiter.join();
    holder.join();
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("silent: waits with deadlines, long ones, and mutexes that change hands") {
  std::vector<running_child> scenes;
  const auto during = [&scenes](auto scene) {
    scenes.push_back(start_child([scene] {
      alarm(100);
      start(2);
      scene();
      return weft_finalize() == WEFT_OK ? 0 : 1;
    }));
  };
  during([] {
    two_locks locks(false);
    locks.deadline_ns = weft_deadline_in(quiet_ns);
    weft_thread* both[] = {make(takes_left_first, &locks, nullptr), make(takes_right_first, &locks, nullptr)};
    NEED(weft_thread_join_many(both, 2) == WEFT_OK);
  });
  during([] {
    static weft_mutex mutex = WEFT_MUTEX_INIT;
    NEED(weft_mutex_lock(&mutex) == WEFT_OK);
    const auto lock_and_unlock = [](void*) {
      NEED(weft_mutex_lock(&mutex) == WEFT_OK);
      NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
    };
    weft_thread* waiter = make(lock_and_unlock, nullptr, nullptr);
    NEED(weft_sleep_ns(quiet_ns) == WEFT_OK);
    NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
    NEED(weft_thread_join(waiter) == WEFT_OK);
  });
  during([] {
    static weft_mutex mutexes[3] = {WEFT_MUTEX_INIT, WEFT_MUTEX_INIT, WEFT_MUTEX_INIT};
    static std::uint64_t end_ns = weft_deadline_in(quiet_ns);
    weft_thread* all[6];
    for (auto& each : all) {
      each = make(
          [](void*) {
            while (weft_now_ns() < end_ns) {
              for (weft_mutex& one : mutexes) NEED(weft_mutex_lock(&one) == WEFT_OK);
              weft_yield();
              for (weft_mutex& one : mutexes) NEED(weft_mutex_unlock(&one) == WEFT_OK);
            }
          },
          nullptr, nullptr);
    }
    NEED(weft_thread_join_many(all, 6) == WEFT_OK);
  });
  for (const running_child& each : scenes) {
    const child_end end = wait_for(each);
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.errors == "");
  }
}
