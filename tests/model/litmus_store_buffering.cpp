// Litmus tests around store buffering (SB): can two threads each miss the other's store? Dekker's algorithm, the idle protocol and the
// biased lock stand or fall with the outcome 00.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/fence.hpp"

namespace base = weft::base;
namespace os = weft::os;
using namespace explorer::words;

namespace {

// x = 1; between(); r = y   against   y = 1; other_between(); r = x
template <class Left, class Right>
void store_buffering(std::memory_order store, std::memory_order load, Left left, Right right) {
  base::atomic<int> x{0}, y{0};
  explorer::name(x, "x");
  explorer::name(y, "y");
  int r1 = 0, r2 = 0;
  threads(thread{"left",
                 [&] {
                   x.store(1, store);
                   left();
                   r1 = y.load(load);
                 }},
          thread{"right", [&] {
                   y.store(1, store);
                   right();
                   r2 = x.load(load);
                 }});
  outcome(r1, r2);
}

void nothing() {}
void full() { base::fence_seq_cst(); }
void light() { base::light_fence(); }
void heavy() { os::heavy_fence(); }

const model relaxed{"SB relaxed", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                      store_buffering(base::relaxed, base::relaxed, nothing, nothing);
                    }};
const model release_acquire{"SB release acquire", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                              store_buffering(base::release, base::acquire, nothing, nothing);
                            }};
const model seq_cst{"SB seq_cst", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                      store_buffering(base::seq_cst, base::seq_cst, nothing, nothing);
                    }};
const model fences{
    "SB fences", {.at_least = 3, .outcomes = "01 10 11"}, [] { store_buffering(base::relaxed, base::relaxed, full, full); }};
const model one_fence{"SB one fence", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                        store_buffering(base::relaxed, base::relaxed, full, nothing);
                      }};
const model asymmetric{"SB light fence, heavy fence", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                         store_buffering(base::relaxed, base::relaxed, light, heavy);
                       }};
const model two_light{"SB two light fences", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                        store_buffering(base::relaxed, base::relaxed, light, light);
                      }};
const model light_full{"SB light fence, full fence", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                         store_buffering(base::relaxed, base::relaxed, light, full);
                       }};
const model heavy_alone{"SB heavy fence alone", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                          store_buffering(base::relaxed, base::relaxed, nothing, heavy);
                        }};
const model two_heavy{"SB two heavy fences", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                        store_buffering(base::relaxed, base::relaxed, heavy, heavy);
                      }};
const model heavy_full{"SB heavy fence, full fence", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                         store_buffering(base::relaxed, base::relaxed, heavy, full);
                       }};

// C++20 made this hold: a seq_cst store against a fence.
const model store_against_fence{"SB seq_cst operations against a fence", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                                  base::atomic<int> x{0}, y{0};
                                  int r1 = 0, r2 = 0;
                                  threads(thread{"left",
                                                 [&] {
                                                   x.store(1, base::seq_cst);
                                                   r1 = y.load(base::seq_cst);
                                                 }},
                                          thread{"right", [&] {
                                                   y.store(1, base::relaxed);
                                                   base::fence_seq_cst();
                                                   r2 = x.load(base::relaxed);
                                                 }});
                                  outcome(r1, r2);
                                }};

// A read-modify-write that writes back what it read orders like a fence only on its own location: dropping the fence is wrong in C++,
// although it works on x86.
const model exchange_is_no_fence{"SB relaxed exchange is no fence", {.at_least = 4, .outcomes = "00 01 10 11"}, [] {
                                   base::atomic<int> x{0}, y{0};
                                   int r1 = 0, r2 = 0;
                                   threads(thread{"left",
                                                  [&] {
                                                    (void)x.exchange(1, base::acq_rel);
                                                    r1 = y.load(base::acquire);
                                                  }},
                                           thread{"right", [&] {
                                                    (void)y.exchange(1, base::acq_rel);
                                                    r2 = x.load(base::acquire);
                                                  }});
                                   outcome(r1, r2);
                                 }};

// Both through a read-modify-write of the other's word: one of them comes second and sees the first.
const model read_by_exchange{"SB read by fetch_add", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                               base::atomic<int> x{0}, y{0};
                               int r1 = 0, r2 = 0;
                               threads(thread{"left",
                                              [&] {
                                                x.store(1, base::relaxed);
                                                r1 = y.fetch_add(0, base::acq_rel);
                                              }},
                                       thread{"right", [&] {
                                                (void)y.fetch_add(1, base::acq_rel);
                                                r2 = x.load(base::relaxed);
                                              }});
                               outcome(r1, r2);
                             }};

// R: a store race against a read.
template <class Fence>
void store_then_read(Fence fence) {
  base::atomic<int> x{0}, y{0};
  int r = 0;
  threads(thread{"left",
                 [&] {
                   x.store(1, base::relaxed);
                   fence();
                   y.store(1, base::relaxed);
                 }},
          thread{"right", [&] {
                   y.store(2, base::relaxed);
                   fence();
                   r = x.load(base::relaxed);
                 }});
  outcome(y.load(base::relaxed), r);
}
const model r_relaxed{"R relaxed", {.at_least = 4, .outcomes = "10 11 20 21"}, [] { store_then_read(nothing); }};
const model r_fences{"R fences", {.at_least = 3, .outcomes = "10 11 21"}, [] { store_then_read(full); }};

}  // namespace
