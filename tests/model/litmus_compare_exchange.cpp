// Litmus tests of compare-exchanges, whose failing needs no order of its success; all other
// read-modify-writes are in programs in litmus/.
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"

namespace base = weft::base;
using namespace explorer::words;

namespace {

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

// data = 1; flag = 1 (release)   against   a compare-exchange of flag; r2 = data. Outcome: whether
// it succeeded, the flag seen, the data.
template <int Expected>
void message_to_exchange(std::memory_order success, std::memory_order failure) {
  base::atomic<int> data{0}, flag{0};
  int won = 0, seen = Expected, r2 = 0;
  threads(thread{"writer",
                 [&] {
                   data.store(1, base::relaxed);
                   flag.store(1, base::release);
                 }},
          thread{"reader", [&] {
                   won = flag.compare_exchange_strong(seen, 3, success, failure) ? 1 : 0;
                   r2 = data.load(base::relaxed);
                 }});
  outcome(won, seen, r2);
}

const model failure_acquires{"a failure that acquires synchronises", {.at_least = 3, .outcomes = "011 100 101"}, [] {
                               message_to_exchange<0>(base::acquire, base::acquire);
                             }};
const model failure_relaxed{"a relaxed failure does not", {.at_least = 4, .outcomes = "010 011 100 101"}, [] {
                              message_to_exchange<0>(base::acquire, base::relaxed);
                            }};
const model success_acquires{"a success that acquires synchronises", {.at_least = 3, .outcomes = "000 001 111"}, [] {
                               message_to_exchange<1>(base::acquire, base::relaxed);
                             }};
const model success_relaxed{"a relaxed success does not", {.at_least = 4, .outcomes = "000 001 110 111"}, [] {
                              message_to_exchange<1>(base::relaxed, base::relaxed);
                            }};

// The order of a success: what it writes is published by its release.
template <class... Orders>
void message_by_exchange(Orders... orders) {
  base::atomic<int> data{0}, flag{0};
  int r1 = 0, r2 = 0;
  threads(thread{"writer",
                 [&] {
                   data.store(1, base::relaxed);
                   int expected = 0;
                   flag.compare_exchange_strong(expected, 1, orders...);
                 }},
          thread{"reader", [&] {
                   r1 = flag.load(base::acquire);
                   r2 = data.load(base::relaxed);
                 }});
  outcome(r1, r2);
}
const model success_releases{"a success that releases publishes", {.at_least = 3, .outcomes = "00 01 11"}, [] {
                               message_by_exchange(base::release, base::relaxed);
                             }};
const model success_publishes_nothing{"a success that acquires publishes nothing",
                                      {.at_least = 4, .outcomes = "00 01 10 11"},
                                      [] { message_by_exchange(base::acquire, base::relaxed); }};

// Without a reason only a weak one fails, and only as often as the bound says.
template <bool Weak>
void alone() {
  base::atomic<int> x{0};
  int failures = 0;
  threads(thread{"only", [&] {
                   const auto exchanged = [&](int expected) {
                     return Weak ? x.compare_exchange_weak(expected, expected + 1, base::relaxed, base::relaxed)
                                 : x.compare_exchange_strong(expected, expected + 1, base::relaxed, base::relaxed);
                   };
                   if (!exchanged(0)) ++failures;
                   if (!exchanged(x.load(base::relaxed))) ++failures;
                 }});
  outcome(failures, x.load(base::relaxed));
}
constexpr bounds one_failure{.spurious = 1};
const model weak{"a weak one fails for no reason",
                 {.at_least = 3, .quick = one_failure, .deep = one_failure, .outcomes = "02 11"},
                 alone<true>};
const model strong{
    "a strong one does not", {.at_least = 1, .quick = one_failure, .deep = one_failure, .outcomes = "02"}, alone<false>};

}  // namespace
