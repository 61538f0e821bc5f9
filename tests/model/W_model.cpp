// Protocol W over src/sync/word.cpp: a wake-up that follows a change of the word is not missed.
// Built with src/sync/word.cpp src/sync/waiters.cpp src/run/awaiter.cpp src/run/wait.cpp
// Built with src/run/resume.cpp src/unit/timer.cpp
#include "core_world.hpp"
#include "sync/word.hpp"

namespace {

using namespace core_world::words;
using weft::sched::forever;
using weft::sync::wait_at_word;
using weft::sync::wake_at_word;

struct gate {
  base::atomic<std::uint32_t> word{0};

  void open() {
    word.store(1, base::relaxed);
    wake_at_word(&word, SIZE_MAX);
  }
  void pass() {
    while (word.load(base::relaxed) == 0) {
      const status result = wait_at_word(&word, false, 0, forever);
      check(result == status::ok || result == status::again, "woken, or never waited");
    }
  }
};

void one_waits() {
  core_world::make(1);
  gate mine;
  threads(thread{"waits", [&] { mine.pass(); }}, thread{"wakes", [&] { mine.open(); }});
}

void two_wait() {
  core_world::make(1);
  gate mine;
  threads(thread{"a", [&] { mine.pass(); }}, thread{"b", [&] { mine.pass(); }}, thread{"wakes", [&] { mine.open(); }});
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 100'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{"W one waits", {.at_least = 10, .quick = quick, .deep = deep}, one_waits};
const model m2{"W two wait", {.at_least = 50, .quick = quick, .deep = deep}, two_wait};

}  // namespace
