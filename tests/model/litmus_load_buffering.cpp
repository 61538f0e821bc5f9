// Litmus tests of load buffering (LB): may two threads each read what the other one writes afterwards? C++ permits it unless the
// reads-from edges synchronise, but nothing may come out of thin air.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/fence.hpp"

namespace base = weft::base;
namespace os = weft::os;
using namespace explorer::words;

namespace {

constexpr bounds one_promise{.promises = 1};
constexpr const char* all_four = "00 01 10 11";
constexpr const char* all_but_11 = "00 01 10";

// r1 = x; left(); y = 1   against   r2 = y; right(); x = 1
struct orders {
  std::memory_order load;
  std::memory_order store;
};
constexpr orders relaxed{base::relaxed, base::relaxed};
constexpr orders acquire_load{base::acquire, base::relaxed};
constexpr orders release_store{base::relaxed, base::release};
constexpr orders acquire_release{base::acquire, base::release};
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

const model lb{
    "LB relaxed", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] { load_buffering(relaxed, relaxed); }};
const model no_promise{
    "LB relaxed, without promises", {.at_least = 3, .outcomes = all_but_11}, [] { load_buffering(relaxed, relaxed); }};
const model acquire_loads{"LB acquire loads, relaxed stores", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                            load_buffering(acquire_load, acquire_load);
                          }};
const model release_stores{"LB relaxed loads, release stores", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                             load_buffering(release_store, release_store);
                           }};
const model one_side{"LB acquire and release on one side", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                       load_buffering(acquire_release, relaxed);
                     }};
const model one_edge{"LB one edge synchronises", {.at_least = 3, .quick = one_promise, .outcomes = all_but_11}, [] {
                       load_buffering(acquire_load, release_store);
                     }};
const model both_edges{"LB both edges synchronise", {.at_least = 3, .quick = one_promise, .outcomes = all_but_11}, [] {
                         load_buffering(acquire_release, acquire_release);
                       }};
const model sequential{
    "LB seq_cst", {.at_least = 3, .quick = one_promise, .outcomes = all_but_11}, [] { load_buffering(seq_cst, seq_cst); }};

const model fences{"LB fences", {.at_least = 3, .quick = one_promise, .outcomes = all_but_11}, [] {
                     load_buffering(relaxed, relaxed, full, full);
                   }};
const model one_fence{"LB fence on one side", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                        load_buffering(relaxed, relaxed, full, nothing);
                      }};
const model fences_synchronise{"LB release fence, acquire fence",
                               {.at_least = 3, .quick = one_promise, .outcomes = all_but_11},
                               [] { load_buffering(relaxed, relaxed, release, acquire); }};
const model release_fences{"LB release fences", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                             load_buffering(relaxed, relaxed, release, release);
                           }};
const model acquire_fences{"LB acquire fences", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                             load_buffering(relaxed, relaxed, acquire, acquire);
                           }};
const model asymmetric{"LB light and heavy fence", {.at_least = 3, .quick = one_promise, .outcomes = all_but_11}, [] {
                         load_buffering(relaxed, relaxed, light, heavy);
                       }};
const model two_light{"LB light fences", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                        load_buffering(relaxed, relaxed, light, light);
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

const model thin_air{
    "LB nothing out of thin air", {.quick = {.promises = 2}, .outcomes = "00"}, [] { dependent(copies, copies); }};
const model one_dependency{
    "LB one side depends", {.at_least = 3, .quick = one_promise, .outcomes = "00 01 11"}, [] { dependent(always, copies); }};
const model false_dependency{"LB a dependency that is none", {.at_least = 4, .quick = one_promise, .outcomes = all_four}, [] {
                               dependent(in_any_case, in_any_case);
                             }};

// ---- read-modify-writes, coherence, longer cycles ---------------------------------------------------------------------------------

const model exchanged_promise{
    "LB an exchange reads the promise", {.at_least = 4, .quick = one_promise, .outcomes = "001 011 102 112"}, [] {
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
const model added{"LB additions", {.at_least = 3, .quick = one_promise, .outcomes = "002 012 102 112"}, [] {
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

const model coherence{"CoRW with promises", {.at_least = 3, .quick = {.promises = 2}, .outcomes = "01 02 21"}, [] {
                        base::atomic<int> x{0};
                        int r = 0;
                        threads(thread{"left",
                                       [&] {
                                         r = x.load(base::relaxed);
                                         x.store(1, base::relaxed);
                                       }},
                                thread{"right", [&] { x.store(2, base::relaxed); }});
                        outcome(r, x.load(base::relaxed));
                      }};

// Each of the two reads the other's store, and both of them their own one's successor: no order of x gives that.
const model crossed_reads{"CoRW2 with promises", {.at_least = 3, .quick = {.promises = 2}, .outcomes = "00 01 20"}, [] {
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

const model three{"LB of three", {.at_least = 8, .quick = one_promise, .outcomes = "000 001 010 011 100 101 110 111"}, [] {
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
const model unkept{"LB a promise that is not kept", {.at_least = 3, .quick = one_promise, .outcomes = "00 01 10"}, [] {
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
const model fails_unkept{"LB a failure before a promise that is not kept", {.at_least = 2, .quick = one_promise}, [] {
                           base::atomic<int> x{0}, y{0};
                           base::atomic<int> seen{0};
                           threads(thread{"left",
                                          [&] {
                                            seen.store(x.load(base::relaxed), base::relaxed);
                                            y.store(1, base::release);
                                          }},
                                   thread{"right", [&] {
                                            if (y.load(base::acquire) == 0) {
                                              x.store(1, base::relaxed);
                                            } else {
                                              check(seen.load(base::relaxed) == 0, "x was not written");
                                            }
                                          }});
                         }};

}  // namespace
