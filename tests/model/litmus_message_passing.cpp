// Litmus tests around message passing (MP): does whoever sees the flag see what was written before it? In two threads and through others.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"

namespace base = weft::base;
using namespace explorer::words;

namespace {

void nothing() {}
void full() { base::fence_seq_cst(); }
void light() { base::light_fence(); }

template <class Before, class After>
void message_passing(std::memory_order store, std::memory_order load, Before before, After after) {
  base::atomic<int> data{0}, flag{0};
  int r1 = 0, r2 = 0;
  threads(thread{"writer",
                 [&] {
                   data.store(1, base::relaxed);
                   before();
                   flag.store(1, store);
                 }},
          thread{"reader", [&] {
                   r1 = flag.load(load);
                   after();
                   r2 = data.load(base::relaxed);
                 }});
  outcome(r1, r2);
}

const model relaxed{"MP relaxed", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                      message_passing(base::relaxed, base::relaxed, nothing, nothing);
                    }};
const model release_acquire{"MP release acquire", {.at_least = 3, .outcomes = "00 01 11"}, [] {
                              message_passing(base::release, base::acquire, nothing, nothing);
                            }};
const model release_relaxed{"MP release relaxed", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                              message_passing(base::release, base::relaxed, nothing, nothing);
                            }};
const model relaxed_acquire{"MP relaxed acquire", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                              message_passing(base::relaxed, base::acquire, nothing, nothing);
                            }};
const model fence_fence{
    "MP fences", {.at_least = 3, .outcomes = "00 01 11"}, [] { message_passing(base::relaxed, base::relaxed, full, full); }};
const model fence_acquire{"MP fence acquire", {.at_least = 3, .outcomes = "00 01 11"}, [] {
                            message_passing(base::relaxed, base::acquire, full, nothing);
                          }};
const model release_fence{"MP release fence", {.at_least = 3, .outcomes = "00 01 11"}, [] {
                            message_passing(base::release, base::relaxed, nothing, full);
                          }};
const model light_pair{"MP light fences", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                         message_passing(base::relaxed, base::relaxed, light, light);
                       }};

// A reader in the middle hands the news on.
void causality(std::memory_order second_load) {  // WRC
  base::atomic<int> x{0}, y{0};
  int r1 = 0, r2 = 0, r3 = 0;
  threads(thread{"first", [&] { x.store(1, base::release); }},
          thread{"second",
                 [&] {
                   r1 = x.load(second_load);
                   y.store(1, base::release);
                 }},
          thread{"third", [&] {
                   r2 = y.load(base::acquire);
                   r3 = x.load(base::relaxed);
                 }});
  outcome(r1, r2, r3);
}
const model wrc{
    "WRC release acquire", {.at_least = 7, .outcomes = "000 001 010 011 100 101 111"}, [] { causality(base::acquire); }};
// Coherence alone is carried by the middle thread's release, whatever order it read with.
const model wrc_relaxed_load{"WRC relaxed load in the middle", {.at_least = 7, .outcomes = "000 001 010 011 100 101 111"}, [] {
                               causality(base::relaxed);
                             }};

// ISA2: the same, but the datum is not the flag, so the middle load's order counts.
void chain(std::memory_order middle) {
  base::atomic<int> data{0}, x{0}, y{0};
  int r1 = 0, r2 = 0, r3 = 0;
  threads(thread{"first",
                 [&] {
                   data.store(1, base::relaxed);
                   x.store(1, base::release);
                 }},
          thread{"second",
                 [&] {
                   r1 = x.load(middle);
                   y.store(1, base::release);
                 }},
          thread{"third", [&] {
                   r2 = y.load(base::acquire);
                   r3 = data.load(base::relaxed);
                 }});
  outcome(r1, r2, r3);
}
const model isa2{
    "ISA2 release acquire", {.at_least = 7, .outcomes = "000 001 010 011 100 101 111"}, [] { chain(base::acquire); }};
const model isa2_relaxed{"ISA2 relaxed load in the middle", {.at_least = 8, .outcomes = "000 001 010 011 100 101 110 111"}, [] {
                           chain(base::relaxed);
                         }};

// S: the reader's store against the writer's earlier one.
void store_race(std::memory_order store, std::memory_order load) {
  base::atomic<int> x{0}, flag{0};
  int r = 0;
  threads(thread{"writer",
                 [&] {
                   x.store(2, base::relaxed);
                   flag.store(1, store);
                 }},
          thread{"reader", [&] {
                   r = flag.load(load);
                   x.store(1, base::relaxed);
                 }});
  outcome(r, x.load(base::relaxed));
}
const model s_relaxed{"S relaxed", {.at_least = 4, .outcomes = "01 02 11 12"}, [] { store_race(base::relaxed, base::relaxed); }};
const model s_release{
    "S release acquire", {.at_least = 3, .outcomes = "01 02 11"}, [] { store_race(base::release, base::acquire); }};

// ---- release sequences ----

// A read-modify-write by another thread carries the release on, even if it is relaxed itself.
const model sequence_by_rmw{"release sequence through fetch_add", {.at_least = 5, .outcomes = "00 01 11 20 21 31"}, [] {
                              base::atomic<int> data{0}, flag{0};
                              int r1 = 0, r2 = 0;
                              threads(thread{"writer",
                                             [&] {
                                               data.store(1, base::relaxed);
                                               flag.store(1, base::release);
                                             }},
                                      thread{"adder", [&] { (void)flag.fetch_add(2, base::relaxed); }},
                                      thread{"reader", [&] {
                                               r1 = flag.load(base::acquire);
                                               r2 = data.load(base::relaxed);
                                             }});
                              // 1 and 3 come from the writer; a 2 may be read before the writer's 1 replaces it
                              outcome(r1, r2);
                            }};
// A plain store breaks it, since C++20 also one by the releasing thread.
const model sequence_broken{"release sequence broken by a store", {.at_least = 5, .outcomes = "00 01 11 20 21"}, [] {
                              base::atomic<int> data{0}, flag{0};
                              int r1 = 0, r2 = 0;
                              threads(thread{"writer",
                                             [&] {
                                               data.store(1, base::relaxed);
                                               flag.store(1, base::release);
                                               flag.store(2, base::relaxed);
                                             }},
                                      thread{"reader", [&] {
                                               r1 = flag.load(base::acquire);
                                               r2 = data.load(base::relaxed);
                                             }});
                              outcome(r1, r2);
                            }};

}  // namespace
