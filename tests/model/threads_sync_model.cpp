// Full/empty variables of the threads interface (faces/threads, detail/sync_fast.h and
// sync_slow.h): no wake-up is lost, no value is lost or doubled, and a caller that read a value may
// reuse the variable's memory. Mutex and condition are the model's own, on futexes.
#include <new>

#include <weft_threads/detail/fail.h>
#include <weft_threads/types.h>

#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/futex.hpp"

namespace {

using namespace explorer::words;
using word = weft::base::atomic<std::uint32_t>;
using namespace weft::base;

// ---- what no model asks for ---------------------------------------------------------------------

}  // namespace

extern "C" void threads_tell(threads_status, const char*, const char*, const char*, std::uint64_t) {}
extern "C" void threads_tell_as(const char*) {}

namespace {

// ---- what an implementation has -----------------------------------------------------------------

word& word_in(void* object) { return *static_cast<word*>(object); }

threads_status threads_mutex_lock(threads_mutex* mutex) {
  while (word_in(mutex).exchange(1, acquire) != 0) weft::os::futex_wait(&word_in(mutex), 1);
  return THREADS_OK;
}

threads_status threads_mutex_unlock(threads_mutex* mutex) {
  word_in(mutex).store(0, release);
  weft::os::futex_wake(&word_in(mutex), 1);
  return THREADS_OK;
}

threads_status threads_cond_wait(threads_cond* cond, threads_mutex* mutex) {
  const std::uint32_t seen = word_in(cond).load(relaxed);
  threads_mutex_unlock(mutex);
  weft::os::futex_wait(&word_in(cond), seen);
  return threads_mutex_lock(mutex);
}

threads_status threads_cond_signal(threads_cond* cond) {
  word_in(cond).fetch_add(1, relaxed);
  weft::os::futex_wake(&word_in(cond), 1);
  return THREADS_OK;
}

threads_status threads_mutex_destroy(threads_mutex*) { return THREADS_OK; }
threads_status threads_cond_destroy(threads_cond*) { return THREADS_OK; }
void threads_yield() { explorer::pause(explorer::site::current()); }

#include <weft_threads/detail/sync_slow.h>

threads_status threads_sync_slowly(threads_sync* sync, threads_sync_want want, threads_sync_leave leave, const std::uint64_t* in,
                                   std::uint64_t* out) {
  return threads_sync_by_mutex(sync, want, leave, in, out);
}

#include <weft_threads/detail/sync_fast.h>

// ---- the models ---------------------------------------------------------------------------------

struct variable {
  threads_sync sync = THREADS_SYNC_INIT;

  explicit variable(bool is_full = false) {
    new (&sync.state) word(is_full ? THREADS_SYNC_FULL : THREADS_SYNC_EMPTY);
    for (int part : {0, 8, 16}) new (&sync.opaque[part]) word(0);
  }
  std::uint64_t take() {
    std::uint64_t value = 0;
    check(threads_sync_read_fe(&sync, &value) == THREADS_OK, "ok");
    return value;
  }
  std::uint64_t read() {
    std::uint64_t value = 0;
    check(threads_sync_read_ff(&sync, &value) == THREADS_OK, "ok");
    return value;
  }
  void put(std::uint64_t value) { check(threads_sync_write_ef(&sync, value) == THREADS_OK, "ok"); }
};

void one_value_is_handed_over() {
  variable shared;
  int message = 0;
  threads(thread{"writer",
                 [&] {
                   message = 1;
                   shared.put(7);
                 }},
          thread{"reader", [&] { check(shared.take() == 7 && message == 1, "the value, and what was done before"); }});
}

void values_come_in_turn() {
  variable shared;
  threads(thread{"writer",
                 [&] {
                   shared.put(1);
                   shared.put(2);
                 }},
          thread{"reader", [&] {
                   check(shared.take() == 1, "the first");
                   check(shared.take() == 2, "the second");
                 }});
}

void two_writers_one_reader() {
  variable shared;
  threads(thread{"a", [&] { shared.put(1); }}, thread{"b", [&] { shared.put(2); }},
          thread{"reader", [&] { check(shared.take() + shared.take() == 3, "each value once"); }});
}

void two_takers_one_writer() {
  variable shared;
  std::uint64_t got[2] = {0, 0};
  threads(thread{"a", [&] { got[0] = shared.take(); }}, thread{"b", [&] { got[1] = shared.take(); }}, thread{"writer", [&] {
                                                                                                               shared.put(1);
                                                                                                               shared.put(2);
                                                                                                             }});
  check(got[0] + got[1] == 3, "each value once");
}

// One leaves it full and passes the wake-up on.
void a_reader_and_a_taker() {
  variable shared;
  threads(thread{"reads", [&] { check(shared.read() == 5, "the value"); }},
          thread{"reads too", [&] { check(shared.read() == 5, "the value"); }}, thread{"writer", [&] { shared.put(5); }});
}

// Under the value as under a mutex.
void a_value_is_taken_and_given_back() {
  variable shared(true);
  int inside = 0;
  const auto work = [&] {
    const std::uint64_t value = shared.take();
    ++inside;
    shared.put(value + 1);
  };
  threads(thread{"a", work}, thread{"b", work});
  check(inside == 2 && shared.sync.value == 2, "one after the other");
}

void whatever_it_is() {
  variable shared;
  threads(thread{"fills", [&] { threads_sync_fill(&shared.sync); }},
          thread{"writes", [&] { threads_sync_write_xf(&shared.sync, 3); }},
          thread{"reader", [&] { check(shared.read() % 3 == 0, "none or the value"); }});
}

void an_empty_lets_a_writer_in() {
  variable shared(true);
  threads(thread{"writer", [&] { shared.put(4); }}, thread{"empties", [&] { threads_sync_empty(&shared.sync); }});
  check(threads_sync_is_full(&shared.sync) && shared.sync.value == 4, "written after it was emptied");
}

// The only reader writes over the memory as soon as it may, whichever way the last value came.
void goes_with_its_reader(std::uint64_t values) {
  alignas(variable) unsigned char memory[sizeof(variable)];
  variable* shared = new (memory) variable;
  threads(thread{"reader",
                 [&] {
                   for (std::uint64_t i = 0; i < values; ++i) shared->take();
                   for (unsigned char& each : memory) each = 0xff;
                 }},
          thread{"writer", [&] {
                   for (std::uint64_t i = 0; i < values; ++i) shared->put(i);
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 50'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 10'000'000};

const model m1{
    "threads sync: one value is handed over", {.at_least = 20, .quick = quick, .deep = deep}, one_value_is_handed_over};
const model m2{"threads sync: values come in turn", {.at_least = 100, .quick = quick, .deep = deep}, values_come_in_turn};
const model m3{"threads sync: two writers, one reader", {.at_least = 100, .quick = quick, .deep = deep}, two_writers_one_reader};
const model m4{"threads sync: two takers, one writer", {.at_least = 100, .quick = quick, .deep = deep}, two_takers_one_writer};
const model m5{"threads sync: two readers", {.at_least = 100, .quick = quick, .deep = deep}, a_reader_and_a_taker};
const model m6{
    "threads sync: taken and given back", {.at_least = 20, .quick = quick, .deep = deep}, a_value_is_taken_and_given_back};
const model m7{"threads sync: whatever it is", {.at_least = 100, .quick = quick, .deep = deep}, whatever_it_is};
const model m8{
    "threads sync: an empty lets a writer in", {.at_least = 10, .quick = quick, .deep = deep}, an_empty_lets_a_writer_in};
const model m9{
    "threads sync: goes with its reader", {.at_least = 20, .quick = quick, .deep = deep}, [] { goes_with_its_reader(1); }};
const model m10{
    "threads sync: goes with its second value", {.at_least = 20, .quick = quick, .deep = deep}, [] { goes_with_its_reader(2); }};

}  // namespace
