// Litmus tests of load buffering (LB): may two threads each read what the other one writes afterwards? C++ permits it unless the
// reads-from edges synchronise, but nothing may come out of thin air.
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

// r1 = x; left(); y = 1   against   r2 = y; right(); x = 1
struct orders {
  std::memory_order load;
  std::memory_order store;
};
constexpr orders relaxed{base::relaxed, base::relaxed};
constexpr orders acquire_load{base::acquire, base::relaxed};
constexpr orders release_store{base::relaxed, base::release};
constexpr orders acquire_release{base::acquire, base::release};
constexpr orders seq_cst_load{base::seq_cst, base::relaxed};
constexpr orders seq_cst_store{base::relaxed, base::seq_cst};
constexpr orders seq_cst{base::seq_cst, base::seq_cst};

void nothing() {}
void full() { base::fence_seq_cst(); }
void acquire() { explorer::atomic_fence(base::acquire, explorer::site::current()); }
void release() { explorer::atomic_fence(base::release, explorer::site::current()); }
void light() { base::light_fence(); }
void heavy() { os::heavy_fence(); }

void load_buffering(orders left, orders right, void (*between_left)() = nothing, void (*between_right)() = nothing) {
  base::atomic<int> x{0}, y{0};
  explorer::name(x, "x");
  explorer::name(y, "y");
  int r1 = 0, r2 = 0;
  threads(thread{"left",
                 [&] {
                   r1 = x.load(left.load);
                   between_left();
                   y.store(1, left.store);
                 }},
          thread{"right", [&] {
                   r2 = y.load(right.load);
                   between_right();
                   x.store(1, right.store);
                 }});
  outcome(r1, r2);
}

const model lb{"LB relaxed", permits(4, all_four), [] { load_buffering(relaxed, relaxed); }};
const model no_promise{
    "LB relaxed, without promises", {.at_least = 3, .outcomes = all_but_11}, [] { load_buffering(relaxed, relaxed); }};
const model acquire_loads{"LB acquire loads, relaxed stores", permits(4, all_four),
                          [] { load_buffering(acquire_load, acquire_load); }};
const model release_stores{"LB relaxed loads, release stores", permits(4, all_four),
                           [] { load_buffering(release_store, release_store); }};
const model one_side{"LB acquire and release on one side", permits(4, all_four),
                     [] { load_buffering(acquire_release, relaxed); }};
const model one_edge{"LB one edge synchronises", permits(3, all_but_11), [] { load_buffering(acquire_load, release_store); }};
const model both_edges{"LB both edges synchronise", permits(3, all_but_11),
                       [] { load_buffering(acquire_release, acquire_release); }};
const model seq_cst_loads{"LB seq_cst loads, relaxed stores", permits(4, all_four),
                          [] { load_buffering(seq_cst_load, seq_cst_load); }};
const model seq_cst_stores{"LB relaxed loads, seq_cst stores", permits(4, all_four),
                           [] { load_buffering(seq_cst_store, seq_cst_store); }};
const model sequential{"LB seq_cst", permits(3, all_but_11), [] { load_buffering(seq_cst, seq_cst); }};

const model fences{"LB fences", permits(3, all_but_11), [] { load_buffering(relaxed, relaxed, full, full); }};
const model one_fence{"LB fence on one side", permits(4, all_four), [] { load_buffering(relaxed, relaxed, full, nothing); }};
const model fences_synchronise{"LB release fence, acquire fence", permits(3, all_but_11),
                               [] { load_buffering(relaxed, relaxed, release, acquire); }};
const model release_fences{"LB release fences", permits(4, all_four), [] { load_buffering(relaxed, relaxed, release, release); }};
const model acquire_fences{"LB acquire fences", permits(4, all_four), [] { load_buffering(relaxed, relaxed, acquire, acquire); }};
const model asymmetric{"LB light and heavy fence", permits(3, all_but_11),
                       [] { load_buffering(relaxed, relaxed, light, heavy); }};
const model two_light{"LB light fences", permits(4, all_four), [] { load_buffering(relaxed, relaxed, light, light); }};

// Of seq_cst, the fence comes after the store to x, which "first" has seen, and before the store to y, which is not there yet: 110.
const model fence_of_another{"LB seq_cst stores, fence of a third thread", permits(7, "000 001 010 011 100 101 111"), [] {
                               base::atomic<int> x{0}, y{0}, z{0};
                               int r1 = 0, r2 = 0, r3 = 0;
                               threads(thread{"first",
                                              [&] {
                                                r1 = x.load(base::relaxed);
                                                z.store(1, base::release);
                                              }},
                                       thread{"second",
                                              [&] {
                                                r2 = z.load(base::acquire);
                                                full();
                                                r3 = y.load(base::relaxed);
                                              }},
                                       thread{"third", [&] {
                                                y.store(1, base::seq_cst);
                                                x.store(1, base::seq_cst);
                                              }});
                               outcome(r1, r2, r3);
                             }};

// A third thread may know early of one of the stores.
const model early_reader{"SB seq_cst, read early", permits(6, "010 011 100 101 110 111"), [] {
                           base::atomic<int> x{0}, y{0};
                           int r1 = 0, r2 = 0, r3 = 0;
                           threads(thread{"reader", [&] { r3 = x.load(base::relaxed); }},
                                   thread{"left",
                                          [&] {
                                            x.store(1, base::seq_cst);
                                            r1 = y.load(base::seq_cst);
                                          }},
                                   thread{"right", [&] {
                                            y.store(1, base::seq_cst);
                                            r2 = x.load(base::seq_cst);
                                          }});
                           outcome(r1, r2, r3);
                         }};

// ---- dependencies -----------------------------------------------------------------------------------------------------------------

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

// ---- read-modify-writes, coherence, longer cycles ---------------------------------------------------------------------------------

const model exchanged_promise{"LB an exchange reads the promise", permits(4, "001 011 102 112"), [] {
                                base::atomic<int> x{0}, y{0};
                                int r1 = 0, r2 = 0;
                                threads(thread{"left",
                                               [&] {
                                                 r1 = x.exchange(2, base::relaxed);
                                                 y.store(1, base::relaxed);
                                               }},
                                        thread{"right", [&] {
                                                 r2 = y.load(base::relaxed);
                                                 x.store(1, base::relaxed);
                                               }});
                                outcome(r1, r2, x.load(base::relaxed));
                              }};

// One of two additions comes first, and the second one reads it: a cycle takes both the addition's edge and that of y.
const model added{"LB additions", permits(3, "002 012 102 112"), [] {
                    base::atomic<int> x{0}, y{0};
                    int r1 = 0, r2 = 0;
                    threads(thread{"left",
                                   [&] {
                                     r1 = x.fetch_add(1, base::relaxed);
                                     y.store(1, base::relaxed);
                                   }},
                            thread{"right", [&] {
                                     r2 = y.load(base::relaxed);
                                     x.fetch_add(1, base::relaxed);
                                   }});
                    outcome(r1, r2, x.load(base::relaxed));
                  }};

// Nobody comes between the read and the write of an addition that was promised.
const model kept_by_addition{"LB an addition keeps the promise", permits(6, "005 105 505 056 556 656"), [] {
                               base::atomic<int> x{0};
                               int r1 = 0, r2 = 0;
                               threads(thread{"reader", [&] { r1 = x.load(base::relaxed); }},
                                       thread{"adder", [&] { r2 = x.fetch_add(1, base::relaxed); }},
                                       thread{"writer", [&] { x.store(5, base::relaxed); }});
                               outcome(r1, r2, x.load(base::relaxed));
                             }};

// Each of the two reads the other's store, and both of them their own one's successor: no order of x gives that.
const model crossed_reads{"CoRW2 with promises", permits(3, "00 01 20", 2), [] {
                            base::atomic<int> x{0};
                            int r1 = 0, r2 = 0;
                            threads(thread{"left",
                                           [&] {
                                             r1 = x.load(base::relaxed);
                                             x.store(1, base::relaxed);
                                           }},
                                    thread{"right", [&] {
                                             r2 = x.load(base::relaxed);
                                             x.store(2, base::relaxed);
                                           }});
                            outcome(r1, r2);
                          }};

const model three{"LB of three", permits(8, "000 001 010 011 100 101 110 111"), [] {
                    base::atomic<int> x{0}, y{0}, z{0};
                    int r1 = 0, r2 = 0, r3 = 0;
                    const auto pass = [](base::atomic<int>& from, int& seen, base::atomic<int>& to) {
                      seen = from.load(base::relaxed);
                      to.store(1, base::relaxed);
                    };
                    threads(thread{"one", [&] { pass(x, r1, y); }}, thread{"two", [&] { pass(y, r2, z); }},
                            thread{"three", [&] { pass(z, r3, x); }});
                    outcome(r1, r2, r3);
                  }};

// What was read early counts only with the store that was promised: after r2 == 1 nobody writes x.
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
