// Protocols I and A under a schedule, over src/seeded/turns.cpp and idle.cpp: the virtual workers
// of one OS thread and those outside, which wake them, add one, or wait until one has left. Choices
// of the schedule are the explorer's.
// Built with src/seeded/turns.cpp src/worker/clock.cpp src/run/idle.cpp src/run/wake.cpp
// Built with src/run/ready.cpp src/unit/timer.cpp
#include "core_world.hpp"
#include "place/source.hpp"
#include "run/enter.hpp"
#include "run/idle.hpp"
#include "run/left_behind.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/wake.hpp"
#include "see/deadlock.hpp"
#include "seeded/turns.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"

namespace {

struct alignas(weft::base::cache_line) root_stack {
  unsigned char frame[weft::base::cache_line];
  weft::mem::stack header;
};
root_stack root;

}  // namespace

weft::mem::stack* weft::mem::stack_depot::make_mapping(std::size_t) { return &root.header; }
void weft::mem::stack_depot::destroy(stack* one) { one->low = nullptr; }

namespace weft::sched {

bool read_schedule(const char*, schedule_wish*) { return false; }
status schedule::open(const schedule_wish&, unsigned, unsigned) { return status::unsupported; }
void schedule::close() {}
void schedule::put_last(unsigned) {}
std::uint32_t schedule::choose(choice_kind, std::uint32_t alternatives, const std::uint16_t*) {
  return alternatives == 1 ? 0 : static_cast<std::uint32_t>(explorer::any_of(static_cast<int>(alternatives)));
}
bool is_left_behind() { return false; }
bool has_sources(runtime*) { return false; }
void look_at_still_turns(runtime*, base::atomic<std::uint32_t>*, std::uint32_t) {}
unsigned local::count_run() { return 1; }

}  // namespace weft::sched

namespace {

using namespace core_world::words;

turn_taking* turns() { return the.rt->turns; }

// Worker 0 is the host of all; the others are there, but have no turns yet.
void make(unsigned workers) {
  alignas(turn_taking) static unsigned char memory[sizeof(turn_taking)];
  core_world::make(workers);
  the.rt->settings.workers = 1;
  the.rt->turns = new (memory) turn_taking{};
  turns()->rt = the.rt;
}

void begin_host() {
  local::set_worker(the.workers[0]);
  host_turns(the.workers[0]);
}

// ---- waking -------------------------------------------------------------------------------------

// The OS thread looks again after a nap at the latest: a wake-up must not need that.
void check_no_nap() { check(turns()->now_ns < 900'000, "no OS thread slept through the bell"); }

void pushed_from_outside() {
  make(1);
  unit one{};
  threads(thread{"host",
                 [] {
                   begin_host();
                   check(idle(the.workers[0]) != nullptr, "woken to run something");
                 }},
          thread{"outside", [&] { make_ready(nullptr, &one, push_reason::created); }});
  check_no_nap();
}

void stopped_from_outside() {
  make(1);
  threads(thread{"host",
                 [] {
                   begin_host();
                   check(idle(the.workers[0]) == nullptr, "nothing to run");
                 }},
          thread{"outside", [] {
                   the.rt->is_stopping.store(true, base::relaxed);
                   wake_all(the.rt);
                 }});
  check_no_nap();
}

// ---- coming and going ---------------------------------------------------------------------------

// What worker 1 does in its first turn, in which it stands on its root stack. It never wants
// another one.
void* take_one_turn(void* argument) {
  auto* w = static_cast<worker*>(argument);
  root.header.low = w->root->base;
  w->is_asleep.store(1, base::relaxed);
  return nullptr;
}
void* leave_for_good(void* argument) {
  auto* w = static_cast<worker*>(argument);
  take_one_turn(w);
  turns()->leaver = w;
  return nullptr;
}

void start_second(void* (*entry)(void*)) { check(start_virtual(the.workers[1], entry) == status::ok, "there is memory"); }

void pass_turns() {
  begin_host();
  for (int count = 0; count < 2; ++count) pass_turn(the.workers[0]);
}

void added_from_outside() {
  make(2);
  threads(thread{"host", pass_turns}, thread{"adder", [] { start_second(take_one_turn); }});
}

void joined_from_outside() {
  make(2);
  start_second(leave_for_good);
  threads(thread{"host", pass_turns}, thread{"joiner", [] { join_virtual(the.workers[1]); }});
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .steps = 400, .executions = 30'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .steps = 400, .executions = 10'000'000};

const model m1{"I pushed to a virtual worker", {.at_least = 100, .quick = quick, .deep = deep}, pushed_from_outside};
const model m2{"I virtual workers are stopped", {.at_least = 50, .quick = quick, .deep = deep}, stopped_from_outside};
const model m3{"A a virtual worker is added", {.at_least = 10, .quick = quick, .deep = deep}, added_from_outside};
const model m4{"A a virtual worker is joined", {.at_least = 5, .quick = quick, .deep = deep}, joined_from_outside};

}  // namespace
