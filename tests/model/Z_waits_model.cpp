// Conditions and futures of the Argobots face, over cond.cpp, future.cpp and waiting.cpp: a tasklet
// that waits at a condition is woken by a signal or by the clock, and a caller that frees one of
// these objects when no other waits any more frees it once, while no other uses it.
// Built with faces/argobots/src/cond.cpp faces/argobots/src/future.cpp faces/argobots/src/mutex.cpp
// Built with faces/argobots/src/waiting.cpp
#include "abt_world.hpp"

namespace {

using namespace abt_world::words;

constexpr timespec in_a_while{std::int64_t{1} << 33, 0};

}  // namespace

namespace {

// Of tasklets that wait at the condition of the model.
int waits_begun, waits_ended;

}  // namespace

extern "C" {

// ULTs do not wait at conditions in these models.
weft_status weft_cond_signal(weft_cond*) { return WEFT_OK; }
weft_status weft_cond_broadcast(weft_cond*) { return WEFT_OK; }
bool weft_cond_has_waiters(const weft_cond*) { return false; }
weft_status weft_cond_wait_until(weft_cond*, weft_mutex*, std::uint64_t) { explorer::fail("assertion", "no ULT waits"); }

// The event of a tasklet's wait is gone with that.
weft_status weft_event_set(weft_event* event) {
  std::uint32_t unset = 0;
  static_cast<void>(word_in(event).compare_exchange_strong(unset, 1, std::memory_order_release, std::memory_order_relaxed));
  const int begun = weft::base::load_relaxed(waits_begun);
  check(begun == 0 || weft::base::load_relaxed(waits_ended) < begun, "the wait has not ended");
  return WEFT_OK;
}

}  // extern "C"

namespace {

// ---- conditions ---------------------------------------------------------------------------------

struct guarded {
  ABT_mutex lock = ABT_MUTEX_NULL;
  ABT_cond changed = ABT_COND_NULL;
  int tickets = 0;  // inside lock

  guarded() {
    abt_world::begin();
    waits_begun = waits_ended = 0;
    check(ABT_mutex_create(&lock) == ABT_SUCCESS && ABT_cond_create(&changed) == ABT_SUCCESS, "there is memory");
  }
  // By a tasklet. Whether it got a ticket in time.
  bool take(unit& tasklet) {
    abt_world::run_as(tasklet);
    static_cast<void>(ABT_mutex_lock(lock));
    int result = ABT_SUCCESS;
    while (tickets == 0 && result == ABT_SUCCESS) result = wait();
    const bool has_one = tickets != 0;
    if (has_one) --tickets;
    static_cast<void>(ABT_mutex_unlock(lock));
    return has_one;
  }
  int wait() const {
    ++waits_begun;
    const int result = ABT_cond_timedwait(changed, lock, &in_a_while);
    ++waits_ended;
    return result;
  }
  void give(int count, int (*tell)(ABT_cond)) {
    static_cast<void>(ABT_mutex_lock(lock));
    tickets += count;
    check(tell(changed) == ABT_SUCCESS, "always");
    static_cast<void>(ABT_mutex_unlock(lock));
  }
};

// The signaller does not hold the mutex any more.
void one_waits() {
  guarded shared;
  unit tasklet{0};
  bool has_one = false;
  threads(thread{"tasklet", [&] { has_one = shared.take(tasklet); }},
          thread{"signals", [&] {
                   shared.give(1, [](ABT_cond) -> int { return ABT_SUCCESS; });
                   check(ABT_cond_signal(shared.changed) == ABT_SUCCESS, "always");
                 }});
  check(has_one != (shared.tickets == 1), "taken or there");
}

void two_wait() {
  guarded shared;
  unit first{0}, second{0};
  int taken[2] = {};
  threads(thread{"a", [&] { taken[0] = shared.take(first) ? 1 : 0; }},
          thread{"b", [&] { taken[1] = shared.take(second) ? 1 : 0; }},
          thread{"broadcasts", [&] { shared.give(2, ABT_cond_broadcast); }});
  check(taken[0] + taken[1] + shared.tickets == 2, "taken or there");
}

// No unit waits after a broadcast: the condition may be freed at once, while the unit that waited
// is on the way out.
void freed_behind_a_waiter() {
  guarded shared;
  unit tasklet{0};
  const auto broadcast_and_free = [](ABT_cond one) {
    return ABT_cond_broadcast(one) == ABT_SUCCESS ? ABT_cond_free(&one) : ABT_ERR_COND;
  };
  threads(thread{"tasklet", [&] { static_cast<void>(shared.take(tasklet)); }},
          thread{"owner", [&] { shared.give(1, broadcast_and_free); }});
}

// ---- futures ------------------------------------------------------------------------------------

struct answers {
  ABT_future all = ABT_FUTURE_NULL;
  int parts[2] = {0, 0};

  answers() {
    abt_world::begin();
    waits_begun = 0;
    check(ABT_future_create(2, nullptr, &all) == ABT_SUCCESS, "there is memory");
  }
  void set(ABT_future which, int part) {
    parts[part] = 1;
    check(ABT_future_set(which, nullptr) == ABT_SUCCESS, "not more than there are");
  }
};

void freed_behind_its_setters() {
  answers shared;
  ABT_future const handle = shared.all;
  threads(thread{"a", [&] { shared.set(handle, 0); }}, thread{"b", [&] { shared.set(handle, 1); }},
          thread{"waiter", [&] {
                   check(ABT_future_wait(handle) == ABT_SUCCESS, "it is set");
                   check(shared.parts[0] + shared.parts[1] == 2, "what was done before");
                   check(ABT_future_free(&shared.all) == ABT_SUCCESS, "no thread waits");
                 }});
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .executions = 300'000};

const model m1{"Z condition: one tasklet waits", {.at_least = 20, .quick = quick, .deep = deep}, one_waits};
const model m2{"Z condition: two tasklets wait", {.at_least = 100, .quick = quick, .deep = deep}, two_wait};
const model m3{"Z condition freed behind a waiter", {.at_least = 20, .quick = quick, .deep = deep}, freed_behind_a_waiter};
const model m4{"Z future freed behind its setters", {.at_least = 100, .quick = quick, .deep = deep}, freed_behind_its_setters};

}  // namespace
