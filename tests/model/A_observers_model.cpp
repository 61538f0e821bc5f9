// Protocol A: the event sink, set and taken away while units run; over src/see/observers.cpp. Its
// caller sees its record and its state.
// Built with src/see/observers.cpp
#include "core_world.hpp"
#include "os/heap.hpp"
#include "see/observers.hpp"

// The same records for each execution, so that nothing is left behind by those that are cut short.
weft::sched::listener records[2];
int next_record = 0;
void* weft::os::allocate(std::size_t) { return &records[next_record++ % 2]; }

namespace {

using namespace core_world::words;

struct audience {
  int number = 0;  // written before the sink is set
  int heard = 0;   // by the thread that calls it
};

void hear(void* state, weft_event_kind, weft_thread*) {
  auto* to = static_cast<audience*>(state);
  check(to->number == 1, "what was written before the sink was set");
  ++to->heard;
}

void set_to(audience& who) {
  who.number = 1;
  check(set_listener(the.rt, hear, &who) == status::ok, "there is memory");
}

void run_units() {
  unit one{};
  for (int count = 0; count < 2; ++count) note(the.rt, WEFT_ON_RUN, &one);
}

void sink_set_meanwhile() {
  core_world::make(1);
  audience whole;
  threads(thread{"sets it", [&] { set_to(whole); }}, thread{"runs units", run_units});
  check(whole.heard <= 2, "not more often than something happened");
}

void sink_replaced_meanwhile() {
  core_world::make(1);
  audience former, later;
  set_to(former);
  threads(thread{"sets it", [&] { set_to(later); }}, thread{"runs units", run_units});
  check(former.heard + later.heard == 2, "a sink is told each time");
}

void sink_taken_away_meanwhile() {
  core_world::make(1);
  audience former;
  set_to(former);
  threads(thread{"takes it away", [&] { check(set_listener(the.rt, nullptr, nullptr) == status::ok, "needs no memory"); }},
          thread{"runs units", run_units});
  check(former.heard <= 2, "not more often than something happened");
}

constexpr bounds quick{.preemptions = 3, .weak = 3, .executions = 20'000};

const model m1{"A an event sink is set", {.at_least = 10, .quick = quick}, sink_set_meanwhile};
const model m2{"A an event sink is replaced", {.at_least = 10, .quick = quick}, sink_replaced_meanwhile};
const model m3{"A an event sink is taken away", {.at_least = 10, .quick = quick}, sink_taken_away_meanwhile};

}  // namespace
