// Protocol M over faces/mpi/src/arrivals.h: a worker that sleeps in the engine of libweft-mpi misses
// no thread that parks and no ring; records, what the holder of the engine wrote, and what was rung
// for are seen; MPI_Finalize sees the end of calls, and threads see the source.
#include "explorer/explorer.hpp"
#include "faces/mpi/src/arrivals.h"

namespace {

using namespace explorer::words;

constexpr std::uint64_t forever = UINT64_MAX;

// As mpi_wait, which begins with its link.
struct record {
  mpi_link link{nullptr};
  int written = 0;
};

struct engine {
  mpi_arrivals all;
  int inside = 0;  // by the holder

  void enter() {
    while (!hold_arrivals(&all)) explorer::pause(explorer::site::current());
  }

  // Returns how many were taken.
  int take() {
    int count = 0;
    enter();
    ++inside;
    for (mpi_link* one = take_arrivals_in_order(&all); one != nullptr; one = one->next) {
      check(reinterpret_cast<record*>(one)->written == 1, "the record is seen");
      ++count;
    }
    let_arrivals_go(&all);
    return count;
  }

  void push(record* one) {
    one->written = 1;
    push_arrival(&all, &one->link);
  }

  // What a worker without work does.
  void wait_for(int wanted, std::uint64_t most_ns = forever) {
    for (int count = take(); count < wanted; count += take()) sleep_in_engine(&all, most_ns);
  }
};

// ---- the models ---------------------------------------------------------------------------------

void one_parks() {
  engine here;
  record one;
  threads(thread{"worker", [&] { here.wait_for(1); }}, thread{"parks", [&] { here.push(&one); }});
  check(here.inside >= 1, "the worker has looked");
}

void two_park() {
  engine here;
  record one, two;
  threads(thread{"worker", [&] { here.wait_for(2); }}, thread{"parks", [&] { here.push(&one); }},
          thread{"parks too", [&] { here.push(&two); }});
}

void they_are_taken_in_order() {
  engine here;
  record first, second;
  threads(thread{"parks",
                 [&] {
                   here.push(&first);
                   here.push(&second);
                 }},
          thread{"worker", [&] {
                   for (int next = 0; next < 2; explorer::pause(explorer::site::current())) {
                     here.enter();
                     for (mpi_link* one = take_arrivals_in_order(&here.all); one != nullptr; one = one->next, ++next) {
                       check(one == (next == 0 ? &first.link : &second.link), "the oldest first");
                     }
                     let_arrivals_go(&here.all);
                   }
                 }});
}

void sleeps_that_end_by_themselves() {
  engine here;
  record one;
  threads(thread{"worker", [&] { here.wait_for(1, 1000); }}, thread{"parks", [&] { here.push(&one); }});
}

void rung() {
  engine here;
  int made = 0;
  threads(thread{"worker",
                 [&] {
                   while (!take_ring(&here.all)) sleep_in_engine(&here.all, forever);
                   check(made == 1, "what was rung for is seen");
                 }},
          thread{"waker", [&] {
                   made = 1;
                   ring_engine(&here.all);
                 }});
}

void rung_beside_one_that_parks() {
  engine here;
  record one;
  threads(thread{"worker",
                 [&] {
                   bool has_rung = false;
                   int count = 0;
                   for (;;) {
                     has_rung = take_ring(&here.all) || has_rung;
                     count += here.take();
                     if (has_rung && count == 1) break;
                     sleep_in_engine(&here.all, forever);
                   }
                 }},
          thread{"waker", [&] { ring_engine(&here.all); }}, thread{"parks", [&] { here.push(&one); }});
}

void two_workers_ask() {
  engine here;
  record one, two;
  int count = 0;
  const auto ask = [&] {
    if (!hold_arrivals(&here.all)) return;
    for (mpi_link* each = take_arrivals_in_order(&here.all); each != nullptr; each = each->next) ++count;
    let_arrivals_go(&here.all);
  };
  here.push(&one);
  here.push(&two);
  threads(thread{"worker 0", ask}, thread{"worker 1", ask});
  check(count == 2, "both were taken, once");
}

void two_hold_it_in_turn() {
  engine here;
  const auto hold = [&] {
    here.enter();
    ++here.inside;
    let_arrivals_go(&here.all);
  };
  threads(thread{"worker", hold}, thread{"reporter", hold});
  check(here.inside == 2, "one after the other");
}

void finalize_comes_after_the_calls() {
  engine here;
  int done = 0;
  begin_call(&here.all);
  threads(thread{"call",
                 [&] {
                   done = 1;
                   end_call(&here.all);
                 }},
          thread{"finalizer", [&] {
                   while (open_calls(&here.all) != 0) explorer::pause(explorer::site::current());
                   check(done == 1, "the call has ended");
                 }});
}

void the_source_is_made() {
  weft::base::atomic<std::uint64_t> word{0};
  auto* const number = reinterpret_cast<std::uint64_t*>(&word);
  int made = 0;
  threads(thread{"first call",
                 [&] {
                   made = 1;
                   publish_source(number, 1);
                 }},
          thread{"another", [&] {
                   if (read_source(number) != 0) check(made == 1, "the source is made");
                 }});
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .executions = 50'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 2, .executions = 50'000};
constexpr bounds timed{.preemptions = 3, .weak = 2, .timeouts = 2, .executions = 50'000};
constexpr bounds timed_deep{.preemptions = 5, .weak = 3, .timeouts = 3, .executions = 10'000'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .executions = 10'000'000};

const model m1{"M one parks", {.at_least = 20, .quick = quick, .deep = deep}, one_parks};
const model m2{"M two park", {.at_least = 50, .quick = quick_three, .deep = deep}, two_park};
const model m3{"M they are taken in order", {.at_least = 5, .quick = quick, .deep = deep}, they_are_taken_in_order};
const model m4{
    "M sleeps that end by themselves", {.at_least = 500, .quick = timed, .deep = timed_deep}, sleeps_that_end_by_themselves};
const model m5{"M rung", {.at_least = 10, .quick = quick, .deep = deep}, rung};
const model m6{"M rung beside one that parks", {.at_least = 50, .quick = quick_three, .deep = deep}, rung_beside_one_that_parks};
const model m7{"M two workers ask", {.at_least = 3, .quick = quick, .deep = deep}, two_workers_ask};
const model m10{"M two hold it in turn", {.at_least = 2, .quick = quick, .deep = deep}, two_hold_it_in_turn};
const model m8{"M finalize comes after the calls", {.at_least = 2, .quick = quick, .deep = deep}, finalize_comes_after_the_calls};
const model m9{"M the source is made", {.at_least = 2, .quick = quick, .deep = deep}, the_source_is_made};

}  // namespace
