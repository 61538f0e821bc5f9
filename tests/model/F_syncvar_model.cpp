// Protocol F over src/sync/syncvar.hpp and syncvar.cpp: words that hold their state themselves. No
// wake-up is lost, no value is lost or doubled, a caller that goes on sees what was done before,
// and a mark and an entry stand as long as a caller waits and no longer. The callers are OS threads
// outside.
// Built with src/sync/syncvar.cpp src/sync/feb_table.cpp src/sync/waiters.cpp src/run/awaiter.cpp
// Built with src/run/wait.cpp src/run/resume.cpp src/unit/timer.cpp
#include "core_world.hpp"
#include "feb_entries.hpp"
#include "sync/feb_table.hpp"
#include "sync/syncvar.hpp"

namespace {

using namespace explorer::words;
using weft::status;
using weft::sched::forever;
using weft::sync::feb_entry;
using weft::sync::feb_stripe;
using weft::sync::syncvar;
using weft::sync::feb::operation;

constexpr std::uint64_t soon = 100'000;
constexpr std::uint64_t nothing = 99;

alignas(syncvar) unsigned char memory[sizeof(syncvar)];

// A variable whose stripe was never used, full of 0.
struct world {
  syncvar* var = nullptr;
  feb_stripe* stripe = weft::sync::feb_stripe_of(reinterpret_cast<std::uint64_t*>(memory));

  world() {
    core_world::make(1);
    entries_made = 0;
    var = new (memory) syncvar;
    stripe = new (stripe) feb_stripe;
    explorer::name(*var, "word");
    explorer::name(stripe->lock, "lock");
  }

  void make_empty() { var->change(nullptr, false); }
  void put(std::uint64_t value) { check(put_until(value, forever) == status::ok, "ok"); }
  status put_until(std::uint64_t value, std::uint64_t deadline_ns) {
    return var->write_at_once(value) ? status::ok : var->write(operation::write, deadline_ns, value);
  }
  status overwrite_until(std::uint64_t value, std::uint64_t deadline_ns) {
    return var->overwrite_at_once(value) ? status::ok : var->write(operation::overwrite, deadline_ns, value);
  }
  void overwrite(std::uint64_t value) { check(overwrite_until(value, forever) == status::ok, "ok"); }
  status take_until(std::uint64_t deadline_ns, std::uint64_t* out) {
    return var->take_at_once(out) ? status::ok : var->read(operation::take, deadline_ns, out);
  }
  std::uint64_t take() {
    std::uint64_t value = nothing;
    check(take_until(forever, &value) == status::ok, "ok");
    return value;
  }
  status read_until(std::uint64_t deadline_ns, std::uint64_t* out) {
    return var->read_at_once(out) ? status::ok : var->read(operation::read, deadline_ns, out);
  }
  std::uint64_t read() {
    std::uint64_t value = nothing;
    check(read_until(forever, &value) == status::ok, "ok");
    return value;
  }

  // At the end, when no caller waits: one that tries goes the short way.
  void ends(bool full, std::uint64_t value) {
    check(var->is_full() == full, full ? "full at the end" : "empty at the end");
    check(var->value() == value, "the value at the end");
    check(stripe->find(reinterpret_cast<std::uint64_t*>(memory)) == nullptr, "no entry is left");
    check(full ? var->take_at_once(nullptr) : var->write_at_once(value), "no mark is left");
  }
};

// ---- what was done before is seen ----------------------------------------------------------------

void one_value_is_handed_over() {
  world it;
  it.make_empty();
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   message = 1;
                   it.put(7);
                 }},
          thread{"taker", [&] { check(it.take() == 7 && message == 1, "the value, and what was done before"); }});
  it.ends(false, 7);
}

void one_value_is_read() {
  world it;
  it.make_empty();
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   message = 1;
                   it.put(7);
                 }},
          thread{"reader", [&] { check(it.read() == 7 && message == 1, "the value, and what was done before"); }});
  it.ends(true, 7);
}

void a_place_is_handed_over() {
  world it;
  int message = 0;
  threads(thread{"taker",
                 [&] {
                   message = 1;
                   check(it.take() == 0, "what was there first");
                 }},
          thread{"writer", [&] {
                   it.put(4);
                   check(message == 1, "what was done before");
                 }});
  it.ends(true, 4);
}

void one_that_asks_sees_what_was_done() {
  world it;
  it.make_empty();
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   message = 1;
                   it.put(7);
                 }},
          thread{"asks", [&] {
                   const bool full = it.var->is_full();
                   if (full) check(message == 1, "what was done before");
                   explorer::outcome(full ? 1 : 0);
                 }});
  it.ends(true, 7);
}

// A writer that comes after the first may mark the word. The taker that then serves it may have
// come by the lock alone.
void a_mark_passes_on_what_was_done() {
  world it;
  it.make_empty();
  int message = 0;
  weft::base::atomic<int> is_written{0};
  bool writes = false;
  threads(thread{"first",
                 [&] {
                   message = 1;
                   it.put(1);
                   is_written.store(1, weft::base::relaxed);
                 }},
          thread{"second",
                 [&] {
                   writes = is_written.load(weft::base::relaxed) != 0;
                   if (writes) it.put(2);
                 }},
          thread{"taker", [&] { check(it.take() == 1, "what was written first"); }},
          thread{"reader", [&] {
                   std::uint64_t got = nothing;
                   if (it.var->read_at_once(&got) && got == 2) check(message == 1, "what was done before");
                   explorer::outcome(got);
                 }});
  it.ends(writes, writes ? 2 : 1);
}

// The writer may serve the reader, and take off the mark; the taker then finds none.
void what_is_published_is_seen() {
  world it;
  it.make_empty();
  int message = 0;
  threads(thread{"reader",
                 [&] {
                   explorer::outcome(it.read());
                   check(message == 1, "what was done before");
                 }},
          thread{"writer",
                 [&] {
                   message = 1;
                   it.put(5);
                   it.put(6);
                 }},
          thread{"taker", [&] { check(it.take() == 5 && message == 1, "the value, and what was done before"); }});
  it.ends(true, 6);
}

// ---- readers, takers, writers --------------------------------------------------------------------

void two_takers() {
  world it;
  it.make_empty();
  std::uint64_t got[2] = {0, 0};
  threads(thread{"a", [&] { got[0] = it.take(); }}, thread{"b", [&] { got[1] = it.take(); }}, thread{"writer", [&] {
                                                                                                       it.put(1);
                                                                                                       it.put(2);
                                                                                                     }});
  check(got[0] + got[1] == 3, "each value once");
  it.ends(false, 2);
}

void two_writers() {
  world it;
  std::uint64_t sum = 0;
  threads(thread{"a", [&] { it.put(1); }}, thread{"b", [&] { it.put(2); }}, thread{"taker", [&] {
                                                                                     check(it.take() == 0,
                                                                                           "what was there first");
                                                                                     sum = it.take();
                                                                                   }});
  it.ends(true, 3 - sum);
}

void as_a_lock() {
  world it;
  int inside = 0;
  const auto work = [&] {
    for (int round = 0; round < 2; ++round) {
      static_cast<void>(it.take());
      ++inside;
      it.var->change(nullptr, true);
    }
  };
  threads(thread{"a", work}, thread{"b", work});
  check(inside == 4, "one at a time");
  it.ends(true, 0);
}

void a_reader_and_an_overwriter() {
  world it;
  it.make_empty();
  threads(thread{"reader", [&] { explorer::outcome(it.read()); }}, thread{"overwriter", [&] { it.overwrite(2); }},
          thread{"writer", [&] { it.put(1); }});
  it.ends(true, 2);
}

// ---- deadlines -----------------------------------------------------------------------------------

void taker_with_deadline() {
  world it;
  it.make_empty();
  std::uint64_t got = nothing;
  status taken = status::ok;
  threads(thread{"taker", [&] { taken = it.take_until(soon, &got); }}, thread{"writer", [&] { it.put(1); }});
  check(taken == status::ok ? got == 1 : taken == status::timeout && got == nothing, "the value, or nothing");
  it.ends(taken != status::ok, 1);
  explorer::outcome(got);
}

void writer_with_deadline() {
  world it;
  status written = status::ok;
  threads(thread{"writer", [&] { written = it.put_until(1, soon); }},
          thread{"taker", [&] { check(it.take() == 0, "the first"); }});
  const bool is_written = written == status::ok;
  it.ends(is_written, is_written ? 1 : 0);
  explorer::outcome(is_written ? 1 : 0);
}

void reader_with_deadline() {
  world it;
  it.make_empty();
  int message = 0;
  threads(thread{"reader",
                 [&] {
                   std::uint64_t got = nothing;
                   const bool is_read = it.read_until(soon, &got) == status::ok;
                   if (is_read) check(message == 1, "what was done before");
                   check(got == (is_read ? 1 : nothing), "the value, or nothing");
                   explorer::outcome(is_read ? 1 : 0);
                 }},
          thread{"writer", [&] {
                   message = 1;
                   it.put(1);
                 }});
  it.ends(true, 1);
}

// The other still waits, at the same mark.
void one_of_two_gives_up() {
  world it;
  threads(thread{"timed",
                 [&] {
                   if (it.put_until(1, soon) == status::ok) it.make_empty();
                 }},
          thread{"writer", [&] { it.put(2); }}, thread{"empties", [&] { it.make_empty(); }});
  it.ends(true, 2);
}

// ---- a mark that is left --------------------------------------------------------------------------

// Those that waited were dropped with their runtime: the word is marked, and has no entry. The writer
// or the taker finds it first, and both come through.
void a_drop_left_a_mark() {
  world it;
  constexpr std::uint64_t waiters_and_empty = 2 | 4;
  *new (memory) std::uint64_t = waiters_and_empty;
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   message = 1;
                   it.put(7);
                 }},
          thread{"taker", [&] { check(it.take() == 7 && message == 1, "the value, and what was done before"); }},
          thread{"asks", [&] {
                   std::uint64_t got = nothing;
                   explorer::outcome(it.read_until(weft::sync::immediately, &got) == status::ok ? got : nothing);
                 }});
  it.ends(false, 7);
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 30'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};
constexpr bounds timed{.preemptions = 2, .weak = 1, .timeouts = 1, .executions = 30'000};
constexpr bounds timed_crowd{.preemptions = 1, .weak = 1, .timeouts = 1, .executions = 30'000};
constexpr bounds timed_deep{.preemptions = 4, .weak = 3, .timeouts = 1, .spurious = 1, .executions = 10'000'000};

const model m1{"F syncvar hands a value over", {.at_least = 10, .quick = quick, .deep = deep}, one_value_is_handed_over};
const model m2{"F syncvar is read", {.at_least = 10, .quick = quick, .deep = deep}, one_value_is_read};
const model m3{"F syncvar hands a place over", {.at_least = 10, .quick = quick, .deep = deep}, a_place_is_handed_over};
const model m4{
    "F syncvar is asked", {.at_least = 2, .quick = quick, .deep = deep, .outcomes = "0 1"}, one_that_asks_sees_what_was_done};
const model m5{"F syncvar, a mark in between",
               {.at_least = 50, .quick = quick, .deep = deep, .outcomes = "1 2 99"},
               a_mark_passes_on_what_was_done};
const model m6{
    "F syncvar, published", {.at_least = 50, .quick = quick, .deep = deep, .outcomes = "5 6"}, what_is_published_is_seen};
const model m7{"F syncvar, two takers", {.at_least = 50, .quick = quick, .deep = deep}, two_takers};
const model m8{"F syncvar, two writers", {.at_least = 50, .quick = quick, .deep = deep}, two_writers};
const model m9{"F syncvar as a lock", {.at_least = 50, .quick = quick, .deep = deep}, as_a_lock};
const model m10{"F syncvar, a reader and an overwriter",
                {.at_least = 50, .quick = quick, .deep = deep, .outcomes = "1 2"},
                a_reader_and_an_overwriter};
const model m11{"F syncvar, taker with deadline",
                {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "1 99"},
                taker_with_deadline};
const model m12{"F syncvar, writer with deadline",
                {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"},
                writer_with_deadline};
const model m13{"F syncvar, reader with deadline",
                {.at_least = 20, .quick = timed, .deep = timed_deep, .outcomes = "0 1"},
                reader_with_deadline};
const model m14{
    "F syncvar, one of two gives up", {.at_least = 50, .quick = timed_crowd, .deep = timed_deep}, one_of_two_gives_up};
const model m15{
    "F syncvar, a mark that a drop left", {.at_least = 50, .quick = quick, .deep = deep, .outcomes = "7 99"}, a_drop_left_a_mark};

}  // namespace
