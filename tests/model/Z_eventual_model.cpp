// Protocol Z over faces/argobots/src/eventual.cpp and waiting.cpp: no waiter misses the setting, a
// caller that sees an eventual set sees its value and what was done before, a reset lets the next
// value in and no setter's earlier one, and the memory goes with its last user.
// Built with faces/argobots/src/eventual.cpp faces/argobots/src/waiting.cpp
#include "abt_world.hpp"
#include "self.hpp"
#include "waiting.hpp"

namespace {

using namespace abt_world::words;

ABT_eventual of_the_model;

}  // namespace

// A timed wait found a thread that was setting the eventual. In these models no thread resets it
// before the wait has seen it.
void weft::abt::yield_somehow() {
  for (;;) {
    ABT_bool is_ready = ABT_FALSE;
    static_cast<void>(ABT_eventual_test(of_the_model, nullptr, &is_ready));
    if (is_ready == ABT_TRUE) return;
    spin_hint();
  }
}

namespace {

constexpr timespec in_a_while{std::int64_t{1} << 33, 0};

struct shared_eventual {
  ABT_eventual handle = ABT_EVENTUAL_NULL;
  int message = 0;

  explicit shared_eventual(int bytes) {
    abt_world::begin();
    check(ABT_eventual_create(bytes, &handle) == ABT_SUCCESS, "there is memory");
    of_the_model = handle;
  }
  void put(int value) { check(ABT_eventual_set(handle, &value, sizeof value) == ABT_SUCCESS, "no other thread sets it"); }
  // As soon as it was reset.
  void put_next(int value) {
    while (ABT_eventual_set(handle, &value, sizeof value) != ABT_SUCCESS) spin_hint();
  }
  int get() const {
    void* value = nullptr;
    check(ABT_eventual_wait(handle, &value) == ABT_SUCCESS, "it is set once");
    return *static_cast<int*>(value);
  }
  // -1: not in time.
  int get_in_time() const {
    void* value = nullptr;
    const int result = ABT_eventual_timedwait(handle, &value, &in_a_while);
    check(result == ABT_SUCCESS || result == ABT_ERR_COND_TIMEDOUT, "nothing else can happen");
    return result == ABT_SUCCESS ? *static_cast<int*>(value) : -1;
  }
  void reset() const { check(ABT_eventual_reset(handle) == ABT_SUCCESS, "always"); }
  void free() { check(ABT_eventual_free(&handle) == ABT_SUCCESS, "always"); }
};

// ---- setting and waiting ------------------------------------------------------------------------

void without_a_value() {
  shared_eventual shared(0);
  threads(thread{"setter",
                 [&] {
                   shared.message = 1;
                   check(ABT_eventual_set(shared.handle, nullptr, 0) == ABT_SUCCESS, "no other thread sets it");
                 }},
          thread{"looks", [&] {
                   ABT_bool is_ready = ABT_FALSE;
                   check(ABT_eventual_test(shared.handle, nullptr, &is_ready) == ABT_SUCCESS, "always");
                   if (is_ready == ABT_TRUE) check(shared.message == 1, "the caller that sees it set sees what was done before");
                 }});
}

void one_waits() {
  shared_eventual shared(sizeof(int));
  threads(thread{"setter", [&] { shared.put(7); }}, thread{"waiter", [&] { check(shared.get() == 7, "the value"); }});
}

void two_wait() {
  shared_eventual shared(sizeof(int));
  threads(thread{"setter", [&] { shared.put(7); }}, thread{"waits", [&] { check(shared.get() == 7, "the value"); }},
          thread{"waits in time", [&] { check(shared.get_in_time() != 0, "the value, or none"); }});
}

void one_of_two_sets() {
  shared_eventual shared(sizeof(int));
  int successes[2] = {};
  const auto set = [&](int who) {
    int value = who + 1;
    successes[who] = ABT_eventual_set(shared.handle, &value, sizeof value) == ABT_SUCCESS ? 1 : 0;
  };
  threads(thread{"a", [&] { set(0); }}, thread{"b", [&] { set(1); }},
          thread{"waiter", [&] { check(shared.get() != 0, "a value"); }});
  check(successes[0] + successes[1] == 1, "once");
}

// The only one that waits frees it as soon as it may.
void goes_with_its_waiter() {
  shared_eventual shared(sizeof(int));
  ABT_eventual const handle = shared.handle;
  int value = 7;
  threads(thread{"waiter",
                 [&] {
                   static_cast<void>(shared.get());
                   shared.free();
                 }},
          thread{"setter", [&] { static_cast<void>(ABT_eventual_set(handle, &value, sizeof value)); }});
}

// ---- resetting ----------------------------------------------------------------------------------

// The reader never waits, or it does, or with a deadline first.
void values_in_turn(int (*get)(const shared_eventual&)) {
  shared_eventual shared(sizeof(int));
  threads(thread{"setter",
                 [&] {
                   shared.message = 1;
                   shared.put(1);
                   shared.put_next(2);
                   shared.message = 2;
                 }},
          thread{"reader", [&] {
                   while (get(shared) != 1) spin_hint();
                   check(shared.message == 1, "what the setter does after the next one comes after the reset");
                   shared.reset();
                   check(shared.get() == 2, "the next one");
                 }});
}
int by_waiting(const shared_eventual& shared) { return shared.get(); }
int in_time(const shared_eventual& shared) {
  const int value = shared.get_in_time();
  return value != -1 ? value : shared.get();
}
int by_looking(const shared_eventual& shared) {
  void* value = nullptr;
  ABT_bool is_ready = ABT_FALSE;
  check(ABT_eventual_test(shared.handle, &value, &is_ready) == ABT_SUCCESS, "always");
  return is_ready == ABT_TRUE ? *static_cast<int*>(value) : 0;
}

// Perhaps one of them had to wait before; the next value is not lost by that.
void reset_by_two() {
  shared_eventual shared(sizeof(int));
  flag seen;
  threads(thread{"setter", [&] { shared.put(1); }},
          thread{"waits and resets",
                 [&] {
                   check(shared.get() == 1, "the value");
                   seen.raise();
                   shared.reset();
                 }},
          thread{"resets, too", [&] {
                   seen.await();
                   shared.reset();
                 }});
  shared.put(2);
  check(shared.get() == 2, "it is unset after the resets");
}

// A waiter that comes late for the first value gets the next one.
void one_waits_while_another_resets() {
  shared_eventual shared(sizeof(int));
  threads(thread{"setter",
                 [&] {
                   shared.put(1);
                   shared.put_next(2);
                 }},
          thread{"resets",
                 [&] {
                   check(shared.get() == 1, "the value");
                   shared.reset();
                 }},
          thread{"waiter", [&] { check(ABT_eventual_wait(shared.handle, nullptr) == ABT_SUCCESS, "it is set twice"); }});
}

// ---- late leavers -------------------------------------------------------------------------------

struct left_late {
  late_leavers late;
  int used[3] = {0, 0, 0};  // by two that leave, and the owner
};

void memory_goes_with_the_last() {
  left_late object;
  int times_freed = 0;
  const auto free_it = [&] {
    for (int& each : object.used) each = 2;
    ++times_freed;
  };
  const auto leave = [&](int who) {
    object.used[who] = 1;
    if (object.late.leave()) free_it();
  };
  object.late.enter();
  object.late.enter();
  threads(thread{"a", [&] { leave(0); }}, thread{"b", [&] { leave(1); }}, thread{"owner", [&] {
                                                                                   object.used[2] = 1;
                                                                                   if (object.late.give_up()) free_it();
                                                                                 }});
  check(times_freed == 1, "once");
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z eventual without a value", {.at_least = 2, .quick = quick, .deep = deep}, without_a_value};
const model m2{"Z eventual: one waits", {.at_least = 10, .quick = quick, .deep = deep}, one_waits};
const model m3{"Z eventual: two wait", {.at_least = 100, .quick = quick, .deep = deep}, two_wait};
const model m4{"Z eventual: one of two sets", {.at_least = 20, .quick = quick, .deep = deep}, one_of_two_sets};
const model m5{"Z eventual goes with its waiter", {.at_least = 10, .quick = quick, .deep = deep}, goes_with_its_waiter};
const model m6{
    "Z eventual: looked at in turn", {.at_least = 10, .quick = quick, .deep = deep}, [] { values_in_turn(by_looking); }};
const model m7{
    "Z eventual: waited for in turn", {.at_least = 10, .quick = quick, .deep = deep}, [] { values_in_turn(by_waiting); }};
const model m8{
    "Z eventual: waited for in time, in turn", {.at_least = 10, .quick = quick, .deep = deep}, [] { values_in_turn(in_time); }};
const model m9{"Z eventual: reset by two", {.at_least = 100, .quick = quick, .deep = deep}, reset_by_two};
const model m10{"Z eventual: one waits while another resets",
                {.at_least = 100, .quick = quick, .deep = deep},
                one_waits_while_another_resets};
const model m11{"Z memory goes with the last", {.at_least = 5, .quick = quick, .deep = deep}, memory_goes_with_the_last};

}  // namespace
