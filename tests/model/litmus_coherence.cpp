// Litmus tests of single locations (coherence, atomicity of read-modify-writes) and of independent observers (IRIW).
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"

#include <initializer_list>
#include <string>

namespace base = weft::base;
using namespace explorer::words;

namespace {

const model corr{"CoRR", {.at_least = 6, .outcomes = "00 01 02 11 12 22"}, [] {
                   base::atomic<int> x{0};
                   int r1 = 0, r2 = 0;
                   threads(thread{"writer",
                                  [&] {
                                    x.store(1, base::relaxed);
                                    x.store(2, base::relaxed);
                                  }},
                           thread{"reader", [&] {
                                    r1 = x.load(base::relaxed);
                                    r2 = x.load(base::relaxed);
                                  }});
                   outcome(r1, r2);
                 }};

// Two readers never see two writes in opposite orders: one store is last for both.
std::string by_two(std::initializer_list<const char*> one_reader) {
  std::string all;
  for (const char* a : one_reader) {
    for (const char* b : one_reader) all += std::string(a) + b + " ";
  }
  return all;
}
const std::string readers_that_agree =
    by_two({"00", "01", "02", "11", "12", "22"}) + by_two({"00", "01", "02", "11", "21", "22"});
const model corr2{"CoRR2, two writers, two readers", {.at_least = 47, .outcomes = readers_that_agree.c_str()}, [] {
                    base::atomic<int> x{0};
                    int a1 = 0, a2 = 0, b1 = 0, b2 = 0;
                    threads(thread{"one", [&] { x.store(1, base::relaxed); }}, thread{"two", [&] { x.store(2, base::relaxed); }},
                            thread{"reader a",
                                   [&] {
                                     a1 = x.load(base::relaxed);
                                     a2 = x.load(base::relaxed);
                                   }},
                            thread{"reader b", [&] {
                                     b1 = x.load(base::relaxed);
                                     b2 = x.load(base::relaxed);
                                   }});
                    outcome(a1, a2, b1, b2);
                  }};

const model cowr{"CoWR", {.at_least = 2, .outcomes = "1 2"}, [] {
                   base::atomic<int> x{0};
                   int r = 0;
                   threads(thread{"left",
                                  [&] {
                                    x.store(1, base::relaxed);
                                    r = x.load(base::relaxed);
                                  }},
                           thread{"right", [&] { x.store(2, base::relaxed); }});
                   outcome(r);
                 }};

const model corw{"CoRW", {.at_least = 3, .outcomes = "01 02 21"}, [] {
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

// 2+2W: both first stores may be last in modification order, which no interleaving gives.
void crossed_stores(std::memory_order o, bool fences) {
  base::atomic<int> x{0}, y{0};
  threads(thread{"left",
                 [&] {
                   x.store(1, o);
                   if (fences) base::fence_seq_cst();
                   y.store(2, o);
                 }},
          thread{"right", [&] {
                   y.store(1, o);
                   if (fences) base::fence_seq_cst();
                   x.store(2, o);
                 }});
  outcome(x.load(base::relaxed), y.load(base::relaxed));
}
const model two_writes{"2+2W relaxed", {.at_least = 4, .outcomes = "11 12 21 22"}, [] { crossed_stores(base::relaxed, false); }};
const model two_writes_release{
    "2+2W release", {.at_least = 4, .outcomes = "11 12 21 22"}, [] { crossed_stores(base::release, false); }};
const model two_writes_seq_cst{
    "2+2W seq_cst", {.at_least = 3, .outcomes = "12 21 22"}, [] { crossed_stores(base::seq_cst, false); }};
const model two_writes_fences{
    "2+2W fences", {.at_least = 3, .outcomes = "12 21 22"}, [] { crossed_stores(base::relaxed, true); }};

// IRIW: two readers of two independent writes. Only seq_cst makes them agree on which came first.
void independent_writes(std::memory_order store, std::memory_order load, bool fences) {
  base::atomic<int> x{0}, y{0};
  int r1 = 0, r2 = 0, r3 = 0, r4 = 0;
  threads(thread{"writer x", [&] { x.store(1, store); }}, thread{"writer y", [&] { y.store(1, store); }},
          thread{"reader xy",
                 [&] {
                   r1 = x.load(load);
                   if (fences) base::fence_seq_cst();
                   r2 = y.load(load);
                 }},
          thread{"reader yx", [&] {
                   r3 = y.load(load);
                   if (fences) base::fence_seq_cst();
                   r4 = x.load(load);
                 }});
  outcome(r1, r2, r3, r4);
}
constexpr const char* all_sixteen = "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111";
constexpr const char* all_but_1010 = "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111";
const model iriw{"IRIW release acquire", {.at_least = 16, .outcomes = all_sixteen}, [] {
                   independent_writes(base::release, base::acquire, false);
                 }};
const model iriw_seq_cst{
    "IRIW seq_cst", {.at_least = 15, .outcomes = all_but_1010}, [] { independent_writes(base::seq_cst, base::seq_cst, false); }};
const model iriw_fences{
    "IRIW fences", {.at_least = 15, .outcomes = all_but_1010}, [] { independent_writes(base::relaxed, base::relaxed, true); }};
const model iriw_load_seq_cst{"IRIW seq_cst loads, release stores", {.at_least = 15, .outcomes = all_but_1010}, [] {
                                independent_writes(base::release, base::seq_cst, false);
                              }};

// ---- read-modify-writes ----

const model atomicity{"fetch_add is atomic", {.at_least = 6, .outcomes = "3"}, [] {
                        base::atomic<int> x{0};
                        const auto add = [&] { (void)x.fetch_add(1, base::relaxed); };
                        threads(thread{"a", add}, thread{"b", add}, thread{"c", add});
                        outcome(x.load(base::relaxed));
                      }};

const model lost_update{"load and store lose updates", {.at_least = 2, .outcomes = "1 2"}, [] {
                          base::atomic<int> x{0};
                          const auto add = [&] { x.store(x.load(base::relaxed) + 1, base::relaxed); };
                          threads(thread{"a", add}, thread{"b", add});
                          outcome(x.load(base::relaxed));
                        }};

const model one_winner{"compare_exchange has one winner", {.at_least = 2, .outcomes = "101 012"}, [] {
                         base::atomic<int> x{0};
                         int won[2] = {0, 0};
                         const auto race = [&](int me) {
                           int expected = 0;
                           won[me] = x.compare_exchange_strong(expected, me + 1, base::relaxed, base::relaxed) ? 1 : 0;
                         };
                         threads(thread{"a", [&] { race(0); }}, thread{"b", [&] { race(1); }});
                         outcome(won[0], won[1], x.load(base::relaxed));
                       }};

// A store of another thread never comes between the read and the write of a read-modify-write.
const model nothing_between{"nothing between read and write", {.at_least = 3, .outcomes = "01 52"}, [] {
                              base::atomic<int> x{0};
                              int r = 0;
                              threads(thread{"adder", [&] { r = x.fetch_add(2, base::relaxed); }},
                                      thread{"writer", [&] { x.store(5, base::relaxed); }});
                              outcome(r, x.load(base::relaxed) == 5 ? 1 : 2);
                            }};

}  // namespace
