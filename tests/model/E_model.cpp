// Protocol E over src/sync/event.cpp: no waiter misses the setting, a caller that saw it sees what
// was done before, and the setter touches nothing after it. The callers are OS threads outside.
// Built with src/sync/event.cpp src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include "core_world.hpp"
#include "run/park.hpp"
#include "sync/event.hpp"

namespace weft::sched {

worker* park(worker*, unit*, after_switch) { explorer::fail("assertion", "no ULT in this model"); }

}  // namespace weft::sched

namespace {

using namespace explorer::words;
using weft::status;
using weft::sched::forever;
using weft::sync::event;

struct message {
  event sent;
  int text = 0;

  void receive(std::uint64_t deadline_ns) {
    if (sent.wait("event", deadline_ns) == status::ok) check(text == 1, "the caller that saw it set sees what was done before");
  }
  void send() {
    text = 1;
    sent.set();
  }
};

void one_waits() {
  core_world::make(1);
  message shared;
  threads(thread{"waiter", [&] { shared.receive(forever); }}, thread{"setter", [&] { shared.send(); }});
}

void two_wait() {
  core_world::make(1);
  message shared;
  threads(thread{"a", [&] { shared.receive(forever); }}, thread{"b", [&] { shared.receive(forever); }},
          thread{"setter", [&] { shared.send(); }});
}

void one_looks() {
  core_world::make(1);
  message shared;
  threads(thread{"looks",
                 [&] {
                   if (shared.sent.is_set()) check(shared.text == 1, "the caller that saw it set sees what was done before");
                 }},
          thread{"setter", [&] { shared.send(); }});
}

void waits_with_deadline() {
  core_world::make(1);
  message shared;
  threads(thread{"timed", [&] { shared.receive(100'000); }}, thread{"waiter", [&] { shared.receive(forever); }},
          thread{"setter", [&] { shared.send(); }});
}

// The only one that waits writes over the memory as soon as it may.
void goes_with_its_waiter(std::uint64_t deadline_ns) {
  core_world::make(1);
  alignas(event) unsigned char memory[sizeof(event)];
  event* sent = new (memory) event;
  threads(thread{"waiter",
                 [&] {
                   if (sent->wait("event", deadline_ns) != status::ok) return;
                   for (unsigned char& each : memory) each = 0xff;
                 }},
          thread{"setter", [&] { sent->set(); }});
}

// Both count down; the waiter sees what both did.
void latch() {
  core_world::make(1);
  std::uint64_t memory[(sizeof(event) + 7) / 8] = {};
  event* done = new (memory) event;
  int parts[2] = {0, 0};
  done->start(2);
  const auto work = [&](int part) {
    parts[part] = 1;
    check(done->count_down(1) == status::ok, "above 0");
  };
  threads(thread{"waiter",
                 [&] {
                   check(done->wait("latch", forever) == status::ok, "ok");
                   check(parts[0] == 1 && parts[1] == 1, "all that was done before");
                 }},
          thread{"a", [&] { work(0); }}, thread{"b", [&] { work(1); }});
}

void one_of_two_claims() {
  core_world::make(1);
  event once;
  int made = 0;
  const auto work = [&] {
    if (once.claim()) {
      ++made;
      once.set();
    } else {
      check(once.wait("once", forever) == status::ok, "ok");
      check(made == 1, "made once, and seen");
    }
  };
  threads(thread{"a", work}, thread{"b", work});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 100'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 100'000};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 1, .spurious = 1, .executions = 10'000'000};

const model m1{"E one waits", {.at_least = 20, .quick = quick, .deep = deep}, one_waits};
const model m2{"E two wait", {.at_least = 100, .quick = quick, .deep = deep}, two_wait};
const model m3{"E one looks", {.at_least = 2, .quick = quick, .deep = deep}, one_looks};
const model m4{"E waits with deadline", {.at_least = 100, .quick = timed, .deep = timed_deep}, waits_with_deadline};
const model m5{"E goes with its waiter", {.at_least = 20, .quick = quick, .deep = deep}, [] { goes_with_its_waiter(forever); }};
const model m6{
    "E goes with its timed waiter", {.at_least = 20, .quick = timed, .deep = timed_deep}, [] { goes_with_its_waiter(100'000); }};
const model m7{"E latch", {.at_least = 100, .quick = quick, .deep = deep}, latch};
const model m8{"E one of two claims", {.at_least = 20, .quick = quick, .deep = deep}, one_of_two_claims};

}  // namespace
