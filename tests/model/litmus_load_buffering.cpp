// Litmus tests of load buffering (LB) beyond the programs in litmus/: may two threads each read
// what the other one writes afterwards? C++ permits it unless the reads-from edges synchronise, but
// nothing may come out of thin air.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/fence.hpp"

namespace base = weft::base;
namespace os = weft::os;
using namespace explorer::words;

namespace {

constexpr const char* all_four = "00 01 10 11";
constexpr const char* all_but_11 = "00 01 10";

constexpr explorer::expectations permits(long at_least, const char* outcomes, int promises = 1) {
  return {.at_least = at_least,
          .quick = {.promises = promises},
          .deep = {.preemptions = 100, .promises = promises},
          .outcomes = outcomes};
}

void light() { base::light_fence(); }
void heavy() { os::heavy_fence(); }

// r1 = x; left(); y = 1   against   r2 = y; right(); x = 1
void load_buffering(void (*left)(), void (*right)()) {
  base::atomic<int> x{0}, y{0};
  int r1 = 0, r2 = 0;
  threads(thread{"left",
                 [&] {
                   r1 = x.load(base::relaxed);
                   left();
                   y.store(1, base::relaxed);
                 }},
          thread{"right", [&] {
                   r2 = y.load(base::relaxed);
                   right();
                   x.store(1, base::relaxed);
                 }});
  outcome(r1, r2);
}

const model asymmetric{"LB light and heavy fence", permits(3, all_but_11), [] { load_buffering(light, heavy); }};
const model two_light{"LB light fences", permits(4, all_four), [] { load_buffering(light, light); }};

// ---- dependencies -------------------------------------------------------------------------------

// r1 = x; y = left(r1)   against   r2 = y; x = right(r2); 0: no store
void dependent(int (*left)(int), int (*right)(int)) {
  base::atomic<int> x{0}, y{0};
  int r1 = 0, r2 = 0;
  const auto pass_on = [](base::atomic<int>& from, int& seen, int (*next)(int), base::atomic<int>& to) {
    seen = from.load(base::relaxed);
    if (const int value = next(seen); value != 0) to.store(value, base::relaxed);
  };
  threads(thread{"left", [&] { pass_on(x, r1, left, y); }}, thread{"right", [&] { pass_on(y, r2, right, x); }});
  outcome(r1, r2);
}
int always(int) { return 1; }
int copies(int seen) { return seen; }
int in_any_case(int seen) { return seen == 1 ? seen : 1; }

const model thin_air{"LB nothing out of thin air", permits(1, "00", 2), [] { dependent(copies, copies); }};
const model one_dependency{"LB one side depends", permits(3, "00 01 11"), [] { dependent(always, copies); }};
const model false_dependency{"LB a dependency that is none", permits(4, all_four), [] { dependent(in_any_case, in_any_case); }};

// ---- read-modify-writes, coherence, longer cycles -----------------------------------------------

// No store comes between the read and the write of an addition that was promised.
const model kept_by_addition{"LB an addition keeps the promise", permits(6, "005 105 505 056 556 656"), [] {
                               base::atomic<int> x{0};
                               int r1 = 0, r2 = 0;
                               threads(thread{"reader", [&] { r1 = x.load(base::relaxed); }},
                                       thread{"adder", [&] { r2 = x.fetch_add(1, base::relaxed); }},
                                       thread{"writer", [&] { x.store(5, base::relaxed); }});
                               outcome(r1, r2, x.load(base::relaxed));
                             }};

// What was read early counts only with the store that was promised: after r2 == 1 no thread writes
// x.
const model unkept{"LB a promise that is not kept", permits(3, "00 01 10"), [] {
                     base::atomic<int> x{0}, y{0};
                     int r1 = 0, r2 = 0;
                     threads(thread{"left",
                                    [&] {
                                      r1 = x.load(base::relaxed);
                                      y.store(1, base::relaxed);
                                    }},
                             thread{"right", [&] {
                                      r2 = y.load(base::relaxed);
                                      if (r2 == 0) x.store(1, base::relaxed);
                                    }});
                     outcome(r1, r2);
                   }};

// Nor does what fails in between.
const model fails_unkept{"LB a failure before a promise that is not kept", permits(2, nullptr), [] {
                           base::atomic<int> x{0}, y{0};
                           base::atomic<int> seen{0};
                           threads(thread{"left",
                                          [&] {
                                            seen.store(x.load(base::relaxed), base::relaxed);
                                            y.store(1, base::relaxed);
                                          }},
                                   thread{"right", [&] {
                                            if (y.load(base::relaxed) == 0) {
                                              x.store(1, base::relaxed);
                                            } else {
                                              check(seen.load(base::relaxed) == 0, "x was not written");
                                            }
                                          }});
                         }};

// Causality test 5 of the Java memory model (Pugh 2004), which forbids 110: the ones that left and
// right hand to each other come from a store that the last thread makes only in another execution.
// The explorer finds it, because that execution certifies the promise: docs/protocols/explorer.md
// says so.
const model causality_5{"LB causality test 5", permits(8, "000 001 101 110 111"), [] {
                          base::atomic<int> x{0}, y{0}, z{0};
                          int r1 = 0, r2 = 0, r3 = 0;
                          threads(thread{"left",
                                         [&] {
                                           r1 = x.load(base::relaxed);
                                           y.store(r1, base::relaxed);
                                         }},
                                  thread{"right",
                                         [&] {
                                           r2 = y.load(base::relaxed);
                                           x.store(r2, base::relaxed);
                                         }},
                                  thread{"sets z", [&] { z.store(1, base::relaxed); }}, thread{"hands z on", [&] {
                                                                                                 r3 = z.load(base::relaxed);
                                                                                                 x.store(r3, base::relaxed);
                                                                                               }});
                          outcome(r1, r2, r3);
                        }};

}  // namespace
