// Reports about sources in which a worker sleeps: deadlocks beside them are told, unless threads
// wait for what the source brings; so is a wait that does not return.
#include <doctest/doctest.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include <weft/ext.h>

#include "../support/scene.hpp"
#include "../support/watched.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace {

struct setting {
  unsigned workers;
  bool outside;
};

void start(const setting& how) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = how.workers;
  config.caller_outside = how.outside;
  NEED(weft_init(&config) == WEFT_OK);
}

// A source in which a worker sleeps until a signal or a wake-up comes.
struct slept_in {
  int bell = eventfd(0, EFD_NONBLOCK);
  weft_event has_come = WEFT_EVENT_INIT;
  std::atomic<bool> has_message{false};
  weft_source* source = nullptr;

  slept_in() {
    weft_source_ops ops{};
    ops.size = sizeof ops;
    ops.poll = [](void* state) -> std::size_t {
      auto* one = static_cast<slept_in*>(state);
      if (!one->has_message.exchange(false)) return 0;
      NEED(weft_event_set(&one->has_come) == WEFT_OK);
      return 1;
    };
    ops.wait = [](void* state, std::uint64_t deadline_ns) {
      const auto* one = static_cast<slept_in*>(state);
      pollfd rung{one->bell, POLLIN, 0};
      const std::uint64_t now_ns = weft_now_ns();
      const std::uint64_t left_ms = deadline_ns > now_ns ? (deadline_ns - now_ns) / 1'000'000 : 0;  // it may end too early
      poll(&rung, 1, deadline_ns == WEFT_FOREVER ? -1 : static_cast<int>(left_ms));
      std::uint64_t rings = 0;
      static_cast<void>(!read(one->bell, &rings, sizeof rings));
    };
    ops.wake = [](void* state) { static_cast<slept_in*>(state)->ring(); };
    NEED(weft_ext_source_add_with(&ops, this, &source) == WEFT_OK);
  }
  void ring() const {
    const std::uint64_t one = 1;
    NEED(write(bell, &one, sizeof one) == sizeof one);
  }
};

}  // namespace

// The alarm by which conditions are polled would hide a deadlock, as each wait with a deadline does.
TEST_CASE("a deadlock is told after conditions that were polled have come true") {
  for (const setting& how : {setting{1, false}, setting{4, true}}) {
    const child_end end = run_in_child([&how] {
      setenv("WEFT_DEADLOCK", "abort", 1);
      alarm(40);
      start(how);
      static std::atomic<int> looks{0};
      const weft_function wait = [](void*) {
        NEED(weft_wait_poll([](void*) { return ++looks > 9; }, nullptr, WEFT_FOREVER) == WEFT_OK);
      };
      weft_thread* waiting[3];
      for (weft_thread*& each : waiting) each = scene::make(wait, nullptr, nullptr);
      for (weft_thread* const each : waiting) NEED(weft_thread_join(each) == WEFT_OK);
      static weft_event never = WEFT_EVENT_INIT;
      const weft_function wait_for_ever = [](void*) { static_cast<void>(weft_event_wait(&never)); };
      static_cast<void>(weft_thread_join(scene::make(wait_for_ever, nullptr, "last")));
      return 0;
    });
    INFO(how.workers, " workers\n", end.errors);
    CHECK(end.signal == SIGABRT);
    CHECK(end.says("\"last\""));
  }
}

namespace {

template <class Scene>
child_end end_of_wait_for_ever(const setting& how, Scene before) {
  child_end end = run_in_child([&] {
    alarm(100);
    start(how);
    before();
    static weft_event never = WEFT_EVENT_INIT;
    NEED(weft_event_wait(&never) == WEFT_OK);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.says("deadlock: "));
  CHECK(end.says("event"));
  return end;
}

}  // namespace

TEST_CASE("a deadlock beside a source in which a worker sleeps") {
  setenv("WEFT_DEADLOCK", "abort", 1);
  for (const setting& how : {setting{1, false}, setting{2, true}}) {
    CHECK(end_of_wait_for_ever(how, [] { new slept_in; }).signal == SIGABRT);  // it goes with the process
  }
  unsetenv("WEFT_DEADLOCK");
}

TEST_CASE("what was expected of a source goes with it") {
  setenv("WEFT_DEADLOCK", "abort", 1);
  const child_end end = end_of_wait_for_ever({2, false}, [] {
    const slept_in here;
    weft_ext_source_expect(here.source, 3);
    weft_ext_source_expect(here.source, -1);
    NEED(weft_ext_source_remove(here.source) == WEFT_OK);
    weft_ext_source_expect(here.source, 1);
  });
  CHECK(end.signal == SIGABRT);
  unsetenv("WEFT_DEADLOCK");
}

TEST_CASE("a deadlock beside a source under a schedule") {
  setenv("WEFT_SCHEDULE", "seed:1", 1);
  CHECK(end_of_wait_for_ever({2, false}, [] { new slept_in; }).exit_code == 86);
  unsetenv("WEFT_SCHEDULE");
}

TEST_CASE("silence while a thread waits for a source in which a worker sleeps") {
  for (const setting& how : {setting{1, false}, setting{2, false}}) {
    const child_end end = run_in_child([&] {
      start(how);
      static slept_in* here = nullptr;
      here = new slept_in;
      struct sigaction on_alarm = {};
      on_alarm.sa_handler = [](int) {
        here->has_message.store(true);
        here->ring();
      };
      sigaction(SIGALRM, &on_alarm, nullptr);
      alarm(2);
      weft_ext_source_expect(here->source, 1);
      NEED(weft_event_wait(&here->has_come) == WEFT_OK);
      weft_ext_source_expect(here->source, -1);
      NEED(weft_ext_source_remove(here->source) == WEFT_OK);
      return weft_finalize() == WEFT_OK ? 0 : 1;
    });
    CHECK(end.exit_code == 0);
    CHECK(end.errors == "");
  }
}

namespace {

std::atomic<bool> is_in_wait{false};

// Does not end when it is woken, until that was told.
void wait_for_report(void*, std::uint64_t) {
  is_in_wait = true;
  watched::block_until_told();
}

}  // namespace

TEST_CASE("a wait of a source that does not return") {
  const std::string text = watched::report_of(1, watched::quick, [] {
    weft_source_ops ops{};
    ops.size = sizeof ops;
    ops.poll = [](void*) -> std::size_t { return 0; };
    ops.wait = wait_for_report;
    ops.wake = [](void*) {};
    weft_source* source = nullptr;
    NEED(weft_ext_source_add_with(&ops, nullptr, &source) == WEFT_OK);
    static weft_event done = WEFT_EVENT_INIT;
    std::thread setter([] {
      while (!is_in_wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      NEED(weft_event_set(&done) == WEFT_OK);
    });
    NEED(weft_event_wait(&done) == WEFT_OK);
    setter.join();
    NEED(weft_ext_source_remove(source) == WEFT_OK);
  });
  INFO(text);
  CHECK(watched::says(text, "watchdog: worker 0 was woken "));
  CHECK(watched::says(text, "wait_for_report, the wait of an outside source"));
}

namespace {

// Returns a while after it was woken, each time.
void wait_and_linger(void* bell, std::uint64_t) {
  std::uint64_t rings = 0;
  NEED(read(*static_cast<int*>(bell), &rings, sizeof rings) == sizeof rings);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
}

}  // namespace

TEST_CASE("silence: a wait of a source that returns soon each time, and is woken again at once") {
  const child_end end = run_in_child([] {
    setenv("WEFT_WATCHDOG", "1s", 1);
    start({1, true});
    static int bell = eventfd(0, 0);
    weft_source_ops ops{};
    ops.size = sizeof ops;
    ops.poll = [](void*) -> std::size_t { return 0; };
    ops.wait = wait_and_linger;
    ops.wake = [](void* state) {
      const std::uint64_t one = 1;
      NEED(write(*static_cast<int*>(state), &one, sizeof one) == sizeof one);
    };
    weft_source* source = nullptr;
    NEED(weft_ext_source_add_with(&ops, &bell, &source) == WEFT_OK);
    const std::uint64_t until = weft_deadline_in(3'000'000'000);
    while (weft_now_ns() < until) {
      weft_ext_source_notify(source);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    NEED(weft_ext_source_remove(source) == WEFT_OK);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.errors.empty());
}
