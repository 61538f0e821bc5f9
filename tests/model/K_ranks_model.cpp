// Protocol K between ranks, over include/weft/hot.h and dist/words/fork_line.hpp: each fork is run once,
// by its forker or by a thief; a thief sees what the forker wrote, and the forker what the thief
// did; a fork that stays is its forker's; one that leaves is no thief's.
#include "arch/cpu.hpp"
#include "dist/words/fork_line.hpp"
#include "explorer/explorer.hpp"

namespace base = weft::base;
namespace dist = weft::dist;
using namespace explorer::words;

namespace {

constexpr int most_places = 3;

// Where a thief says that its child has ended.
struct record {
  base::atomic<int> has_ended{0};
};

struct job {
  int payload = 0;
  int runs = 0;
};

struct world {
  weft_hot_line line{};
  dist::fork_line forks;
  weft_forked places[most_places] = {};
  record records[4];
};
world* the;

void make(world& its, bool has_fence, int places = most_places) {
  the = &its;
  its.forks.set_up(its.line, its.places, its.places + places, has_fence);
  explorer::name(its.line.bottom.value, "bottom");
  explorer::name(its.line.taken.value, "taken");
}

job* job_of(const void* work) { return *static_cast<job* const*>(work); }
void run_job(void* work) {
  job* const one = job_of(work);
  check(one->payload == 1, "the fork is as its forker wrote it");
  ++one->runs;
}

weft_forked* start(job& what) {
  what.payload = 1;
  job* address = &what;
  return weft_fork(run_job, &address, sizeof address);
}
void finish(weft_forked* forked, job& what) {
  job* address = &what;
  weft_fork_join(forked, run_job, &address, sizeof address);
}

bool rob_once(int thief, bool may_take = true) {
  weft_forked taken;
  const bool is_taken = the->forks.claim(
      the->line, [](weft_forked* place) { return place; }, [=](const weft_forked&) { return may_take; }, &the->records[thief],
      &taken);
  if (!is_taken) return false;
  taken.run(taken.work);
  the->records[thief].has_ended.store(1, base::release);
  return true;
}

void one_fork(bool has_fence) {
  world its;
  make(its, has_fence);
  job what;
  threads(thread{"forker", [&] { finish(start(what), what); }}, thread{"thief", [&] { rob_once(0); }});
  check(what.runs == 1, "the fork is run once");
}
void with_fence() { one_fork(true); }
void without_fence() { one_fork(false); }

// A thief that is late for the first fork may get the second.
void place_used_again() {
  world its;
  make(its, true);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   finish(start(first), first);
                   finish(start(second), second);
                 }},
          thread{"thief", [&] { rob_once(0); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

void two_forks(bool is_in_order, int places) {
  world its;
  make(its, true, places);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   weft_forked* const one = start(first);
                   weft_forked* const other = start(second);
                   if (is_in_order) finish(other, second);
                   finish(one, first);
                   if (!is_in_order) finish(other, second);
                 }},
          thread{"thief", [&] {
                   if (rob_once(0)) rob_once(1);
                 }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
  // A place joined before a newer one is dropped by the next slow join.
  check(!is_in_order || its.forks.seems_empty(its.line), "nothing is left");
}
// A thief passes over all places that were joined before newer ones, and takes the fork behind
// them.
void joined_below() {
  world its;
  make(its, true);
  job jobs[4];
  weft_forked* const first = start(jobs[0]);
  weft_forked* const second = start(jobs[1]);
  weft_forked* const third = start(jobs[2]);
  finish(first, jobs[0]);
  finish(second, jobs[1]);
  threads(thread{"forker",
                 [&] {
                   finish(third, jobs[2]);
                   finish(start(jobs[3]), jobs[3]);
                 }},
          thread{"thief", [&] { rob_once(0); }});
  for (const job& each : jobs) check(each.runs == 1, "each fork is run once");
}

// Once the fork that a thief took is joined, all places are free, also those that the thief passed
// over.
void places_come_back() {
  world its;
  make(its, true);
  job jobs[4];
  weft_forked* const first = start(jobs[0]);
  weft_forked* const second = start(jobs[1]);
  weft_forked* const third = start(jobs[2]);
  finish(first, jobs[0]);
  finish(second, jobs[1]);
  check(rob_once(0), "the fork behind joined places is taken");
  finish(third, jobs[2]);
  weft_forked* const fourth = start(jobs[3]);
  check(fourth == its.places, "the next fork has the first place");
  finish(fourth, jobs[3]);
}

void in_order() { two_forks(true, 3); }
void out_of_order() { two_forks(false, 3); }
void line_is_full() { two_forks(true, 2); }
// The second fork runs in its join: there is no place.
void no_place() { two_forks(true, 1); }

void two_thieves() {
  world its;
  make(its, true);
  job first, second;
  weft_forked* const one = start(first);
  weft_forked* const other = start(second);
  threads(thread{"forker",
                 [&] {
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"thief a", [&] { rob_once(0); }}, thread{"thief b", [&] { rob_once(1); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// Its bytes hold an address: a thief leaves it, and a later one takes what is newer.
void fork_that_stays() {
  world its;
  make(its, true);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   weft_forked* const one = start(first);
                   weft_forked* const other = start(second);
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"thief", [&] {
                   check(!rob_once(0, false), "what stays is not taken");
                   rob_once(1);
                 }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

// The thread waits, and goes on: in between no thief finds its forks.
void forker_leaves() {
  world its;
  make(its, true);
  job what;
  threads(thread{"forker",
                 [&] {
                   weft_forked* const forked = start(what);
                   const dist::fork_line::range forks = its.forks.take_all(its.line);
                   check(its.forks.seems_empty(its.line), "nothing is left for thieves");
                   its.forks.set(its.line, forks);
                   finish(forked, what);
                 }},
          thread{"thief", [&] { rob_once(0); }});
  check(what.runs == 1, "the fork is run once");
}

// A thread ends with a joined place in the line. Where the next one lays its places, a thief that
// looks too early takes a fork that waits again later.
void another_comes() {
  world its;
  make(its, true);
  job first, second, third;
  weft_forked* const one = start(first);
  weft_forked* const other = start(second);
  finish(one, first);
  finish(other, second);
  check(!its.forks.seems_empty(its.line), "a joined place is left");
  threads(thread{"forker",
                 [&] {
                   const auto lay = [&] {
                     third.payload = 1;
                     job* const address = &third;
                     std::memcpy(its.places[0].work, &address, sizeof address);
                     its.places[0].run = run_job;
                   };
                   its.forks.set_after(its.line, {its.places, its.places + 1}, lay);
                   finish(its.places, third);
                 }},
          thread{"thief", [&] { rob_once(0); }});
  check(third.runs == 1, "the fork is run once");
}

// The owner takes its oldest fork and offers it to another node, which has no lock to enter; a
// thief of the node looks meanwhile. The offer is a word that one of them exchanges, as protocol R
// has it.
struct offering {
  base::atomic<int> is_open{0};
  weft_forked what = {};
  record taker;

  void make() {
    const auto any = [](const weft_forked&) { return true; };
    if (the->forks.take_oldest(the->line, any, &taker, &what)) is_open.store(1, base::release);
  }
  bool claim() {
    int expected = 1;
    return is_open.compare_exchange_strong(expected, 0, base::acquire, base::relaxed);
  }
  bool take_back(weft_forked* forked) {
    if (the->forks.taker_of(forked) != &taker || !claim()) return false;
    the->forks.keep(forked);
    return true;
  }
};
offering* offered = nullptr;

void forks_offered(int forks) {
  world its;
  make(its, true);
  offering its_offer;
  offered = &its_offer;
  job jobs[2];
  threads(thread{"forker",
                 [&] {
                   weft_forked* made[2] = {};
                   for (int i = 0; i < forks; ++i) made[i] = start(jobs[i]);
                   its_offer.make();
                   for (int i = forks; i-- > 0;) finish(made[i], jobs[i]);
                 }},
          thread{"thief", [&] { rob_once(0); }}, thread{"another node", [&] {
                                                          if (!its_offer.claim()) return;
                                                          its_offer.what.run(its_offer.what.work);
                                                          its_offer.taker.has_ended.store(1, base::release);
                                                        }});
  for (int i = 0; i < forks; ++i) check(jobs[i].runs == 1, "each fork is run once");
  check(its.forks.seems_empty(its.line), "nothing is left");
  offered = nullptr;
}

// An OS thread of the rank asks for a fork, however that meets the answers.
void asked_for() {
  world its;
  make(its, true);
  job first, second;
  threads(thread{"forker",
                 [&] {
                   weft_forked* const one = start(first);
                   weft_forked* const other = start(second);
                   finish(other, second);
                   finish(one, first);
                 }},
          thread{"ticker", [&] { dist::fork_line::ask(its.line); }}, thread{"thief", [&] { rob_once(0); }});
  check(first.runs == 1 && second.runs == 1, "each fork is run once");
}

constexpr bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 60'000};
constexpr bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 60'000};
constexpr bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 10'000'000};
constexpr bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 10'000'000};

const model m1{"K ranks, one fork", {.at_least = 50, .quick = quick, .deep = deep}, with_fence};
const model m2{"K ranks, one fork without a fence", {.at_least = 10, .quick = quick, .deep = deep}, without_fence};
const model m3{"K ranks, a place used again", {.at_least = 100, .quick = quick, .deep = deep}, place_used_again};
const model m4{"K ranks, two forks", {.at_least = 100, .quick = quick, .deep = deep}, in_order};
const model m5{"K ranks, out of order", {.at_least = 50, .quick = quick, .deep = deep}, out_of_order};
const model m12{"K ranks, several joined out of order", {.at_least = 50, .quick = quick, .deep = deep}, joined_below};
const model m13{"K ranks, places come back", {.at_least = 1, .quick = quick, .deep = deep}, places_come_back};
const model m6{"K ranks, two thieves", {.at_least = 100, .quick = quick_three, .deep = deep_three}, two_thieves};
const model m7{"K ranks, a fork that stays", {.at_least = 50, .quick = quick, .deep = deep}, fork_that_stays};
const model m8{"K ranks, the forker leaves", {.at_least = 20, .quick = quick, .deep = deep}, forker_leaves};
const model m9{"K ranks, the line is full", {.at_least = 100, .quick = quick, .deep = deep}, line_is_full};
const model m10{"K ranks, no place", {.at_least = 50, .quick = quick, .deep = deep}, no_place};
const model m14{
    "K ranks, a fork is offered", {.at_least = 50, .quick = quick_three, .deep = deep_three}, [] { forks_offered(1); }};
const model m15{
    "K ranks, the older of two is offered", {.at_least = 50, .quick = quick_three, .deep = deep_three}, [] { forks_offered(2); }};
const model m16{"K ranks, a tick", {.at_least = 50, .quick = quick_three, .deep = deep_three}, asked_for};
const model m11{"K ranks, another thread comes", {.at_least = 20, .quick = quick, .deep = deep}, another_comes};

}  // namespace

weft_hot_line* weft_hot_here() { return &the->line; }

extern "C" {

weft_forked* weft_fork_slowly(void (*run)(void* work), const void* work, std::size_t bytes) {
  return the->forks.push(the->line, run, work, bytes);
}
weft_forked* weft_fork_small_slowly(void (*run)(void* work), weft_small_work work) {
  return the->forks.push(the->line, run, work.words, sizeof(job*));
}
void weft_fork_at_limit(weft_forked* forked) {
  the->forks.is_at_end(forked) ? the->forks.close(the->line) : the->forks.answer(the->line);
}
bool weft_fork_join_slowly(weft_forked* forked) {
  if (forked != nullptr && offered != nullptr) (void)offered->take_back(forked);
  if (forked == nullptr || the->forks.take_back(the->line, forked)) return true;
  auto* const its = static_cast<record*>(forked->taker);
  while (its->has_ended.load(base::acquire) == 0) weft::arch::pause();
  the->forks.end_join(the->line, forked);
  return false;
}
}
