// Litmus tests of the asymmetric fences, of which C11 and herd7 know nothing: a light and a heavy
// one are ordered as two seq_cst fences are. All others are programs in litmus/.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/fence.hpp"

namespace base = weft::base;
namespace os = weft::os;
using namespace explorer::words;

namespace {

void nothing() {}
void full() { base::fence_seq_cst(); }
void light() { base::light_fence(); }
void heavy() { os::heavy_fence(); }

constexpr const char* all_four = "00 01 10 11";

// x = 1; left(); r1 = y   against   y = 1; right(); r2 = x
template <class Left, class Right>
void store_buffering(Left left, Right right) {
  base::atomic<int> x{0}, y{0};
  explorer::name(x, "x");
  explorer::name(y, "y");
  int r1 = 0, r2 = 0;
  threads(thread{"left",
                 [&] {
                   x.store(1, base::relaxed);
                   left();
                   r1 = y.load(base::relaxed);
                 }},
          thread{"right", [&] {
                   y.store(1, base::relaxed);
                   right();
                   r2 = x.load(base::relaxed);
                 }});
  outcome(r1, r2);
}

constexpr explorer::expectations ordered{.at_least = 3, .outcomes = "01 10 11"};
constexpr explorer::expectations not_ordered{.at_least = 4, .outcomes = all_four};

const model asymmetric{"SB light fence, heavy fence", ordered, [] { store_buffering(light, heavy); }};
const model two_light{"SB two light fences", not_ordered, [] { store_buffering(light, light); }};
const model light_full{"SB light fence, full fence", not_ordered, [] { store_buffering(light, full); }};
const model heavy_alone{"SB heavy fence alone", not_ordered, [] { store_buffering(nothing, heavy); }};
const model two_heavy{"SB two heavy fences", ordered, [] { store_buffering(heavy, heavy); }};
const model heavy_full{"SB heavy fence, full fence", ordered, [] { store_buffering(heavy, full); }};

const model light_message{"MP light fences", not_ordered, [] {
                            base::atomic<int> data{0}, flag{0};
                            int r1 = 0, r2 = 0;
                            threads(thread{"writer",
                                           [&] {
                                             data.store(1, base::relaxed);
                                             light();
                                             flag.store(1, base::relaxed);
                                           }},
                                    thread{"reader", [&] {
                                             r1 = flag.load(base::relaxed);
                                             light();
                                             r2 = data.load(base::relaxed);
                                           }});
                            outcome(r1, r2);
                          }};

// The third thread runs after the second one's store to z, and its fence may yet be the first: the
// order of the fences alone decides.
template <class Second, class Third>
void fences_behind_a_chain(Second second, Third third) {
  base::atomic<int> x{0}, y{0}, z{0};
  int r1 = 0, r2 = 0, r3 = 0, r4 = 0;
  threads(thread{"first", [&] { x.store(1, base::relaxed); }},
          thread{"second",
                 [&] {
                   r1 = x.load(base::relaxed);
                   z.store(1, base::relaxed);
                   second();
                   r2 = y.load(base::relaxed);
                 }},
          thread{"third", [&] {
                   r3 = z.load(base::relaxed);
                   y.store(1, base::relaxed);
                   third();
                   r4 = x.load(base::relaxed);
                 }});
  outcome(r1, r2, r3, r4);
}
constexpr explorer::expectations chained{.at_least = 14,
                                         .outcomes = "0000 0001 0010 0011 0100 0101 0110 0111 1001 1011 1100 1101 1110 1111"};
const model light_behind{"Z light fence, heavy fence", chained, [] { fences_behind_a_chain(light, heavy); }};
const model heavy_behind{"Z heavy fence, light fence", chained, [] { fences_behind_a_chain(heavy, light); }};

}  // namespace
