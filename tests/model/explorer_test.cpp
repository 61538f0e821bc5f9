// The explorer's own tests: planted bugs that it must find, and correct programs that it must not
// accuse.
#include "explorer/explorer.hpp"
#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "os/futex.hpp"

#include <cstring>

namespace arch = weft::arch;
namespace base = weft::base;
namespace os = weft::os;
using namespace explorer::words;

namespace {

// ---- plain fields -------------------------------------------------------------------------------

void pass_plain(std::memory_order store, std::memory_order load) {
  base::atomic<int> flag{0};
  int data = 0;
  threads(thread{"writer",
                 [&] {
                   data = 1;
                   flag.store(1, store);
                 }},
          thread{"reader", [&] {
                   if (flag.load(load) != 0) check(data == 1, "the datum behind the flag");
                 }});
}
const model passed{"plain datum behind release and acquire", {.at_least = 2}, [] { pass_plain(base::release, base::acquire); }};
const model no_release{
    "plain datum without release", {.must_fail = "data race"}, [] { pass_plain(base::relaxed, base::acquire); }};
const model no_acquire{
    "plain datum without acquire", {.must_fail = "data race"}, [] { pass_plain(base::release, base::relaxed); }};

const model read_race{"overwriting what another still reads", {.must_fail = "data race"}, [] {
                        base::atomic<int> done{0};
                        int data = 0, sum = 0;
                        threads(thread{"reader",
                                       [&] {
                                         sum = data;
                                         done.store(1, base::relaxed);
                                       }},
                                thread{"writer", [&] {
                                         if (done.load(base::acquire) != 0) data = 2;
                                       }});
                      }};

const model neighbours{"neighbouring bytes do not race", {.at_least = 1}, [] {
                         struct pair {
                           char a = 0, b = 0;
                         } both;
                         threads(thread{"a", [&] { both.a = 1; }}, thread{"b", [&] { both.b = 1; }});
                         check(both.a == 1 && both.b == 1, "both written");
                       }};

std::size_t bytes_copied = sizeof(int[3]);  // which the compiler does not know

void pass_a_copy(std::memory_order store) {
  base::atomic<int> flag{0};
  int data[3] = {}, seen[3] = {}, given[3] = {1, 2, 3};
  threads(thread{"writer",
                 [&] {
                   std::memcpy(data, given, bytes_copied);
                   flag.store(1, store);
                 }},
          thread{"reader", [&] {
                   if (flag.load(base::acquire) == 0) return;
                   std::memcpy(seen, data, bytes_copied);
                   check(seen[2] == 3, "all of it");
                 }});
}
const model copied{"copies behind release and acquire", {.at_least = 2}, [] { pass_a_copy(base::release); }};
const model no_release_of_copy{"copies without release", {.must_fail = "data race"}, [] { pass_a_copy(base::relaxed); }};

// ---- spinning -----------------------------------------------------------------------------------

void spin_lock_test(std::memory_order take, std::memory_order give) {
  base::atomic<int> word{0};
  int inside = 0;
  const auto work = [&] {
    for (int expected = 0; !word.compare_exchange_strong(expected, 1, take, base::relaxed); expected = 0) arch::pause();
    ++inside;
    word.store(0, give);
  };
  threads(thread{"a", work}, thread{"b", work}, thread{"c", work});
  check(inside == 3, "everybody was inside");
}
const model spin_lock{"spin lock", {.at_least = 6}, [] { spin_lock_test(base::acquire, base::release); }};
const model spin_lock_weak{
    "spin lock without release", {.must_fail = "data race"}, [] { spin_lock_test(base::acquire, base::relaxed); }};

void spin_for_ever() {
  base::atomic<int> word{0};
  threads(thread{"waits",
                 [&] {
                   while (word.load(base::acquire) == 0) arch::pause();
                 }},
          thread{"forgets", [&] { (void)word.load(base::relaxed); }});
}
const model spins_for_ever{"a loop that nobody ends", {.must_fail = "deadlock"}, spin_for_ever};
const model spins_impatiently{
    "a loop that nobody ends, impatient", {.quick = {.impatience = 1}, .must_fail = "deadlock"}, spin_for_ever};

// Each round stores something, but nothing that another thread stored.
const model spins_with_a_lock{"a loop with a lock that no thread ends", {.must_fail = "deadlock"}, [] {
                                base::atomic<int> lock{0}, word{0};
                                threads(thread{"waits",
                                               [&] {
                                                 for (bool is_over = false; !is_over;) {
                                                   lock.exchange(1, base::acquire);
                                                   is_over = word.load(base::relaxed) != 0;
                                                   lock.store(0, base::release);
                                                   arch::pause();
                                                 }
                                               }},
                                        thread{"forgets", [&] { (void)word.load(base::relaxed); }});
                              }};

// The flag goes up and down again: the waiter may miss it.
const model missed_flicker{"a flag that goes down again", {.must_fail = "deadlock"}, [] {
                             base::atomic<int> word{0};
                             threads(thread{"waits",
                                            [&] {
                                              while (word.load(base::acquire) == 0) arch::pause();
                                            }},
                                     thread{"flickers", [&] {
                                              word.store(1, base::release);
                                              word.store(0, base::release);
                                            }});
                           }};

const model abba{"two locks in opposite orders", {.must_fail = "deadlock"}, [] {
                   base::atomic<int> one{0}, two{0};
                   const auto take = [](base::atomic<int>& word) {
                     for (int expected = 0; !word.compare_exchange_strong(expected, 1, base::acquire, base::relaxed);
                          expected = 0)
                       arch::pause();
                   };
                   const auto both = [&](base::atomic<int>& first, base::atomic<int>& second) {
                     take(first);
                     take(second);
                     second.store(0, base::release);
                     first.store(0, base::release);
                   };
                   threads(thread{"ab", [&] { both(one, two); }}, thread{"ba", [&] { both(two, one); }});
                 }};

const model livelock{"a loop without pause", {.quick = {.steps = 200}, .must_fail = "livelock"}, [] {
                       base::atomic<int> word{0};
                       threads(thread{"waits", [&] {
                                        while (word.load(base::acquire) == 0) {
                                        }
                                      }});
                     }};

// A loop with patience may give up although the other is about to come: only with impatience.
void patience() {
  base::atomic<int> word{0};
  int gave_up = 0;
  threads(thread{"waits",
                 [&] {
                   int round = 0;
                   while (word.load(base::acquire) == 0 && ++round < 100) arch::pause();
                   gave_up = round == 100 ? 1 : 0;
                 }},
          thread{"comes", [&] { word.store(1, base::release); }});
  explorer::outcome(gave_up);
}
const model patient{"patience without impatience", {.at_least = 2, .outcomes = "0"}, [] { patience(); }};
const model impatient{"patience with impatience",
                      {.at_least = 2, .quick = {.impatience = 1}, .deep = {.impatience = 1}, .outcomes = "0 1"},
                      [] { patience(); }};

// ---- sleeping -----------------------------------------------------------------------------------

template <class Announce>
void sleep_and_wake(Announce announce) {
  base::atomic<std::uint32_t> word{0};
  int data = 0;
  threads(thread{"sleeper",
                 [&] {
                   while (word.load(base::acquire) == 0) os::futex_wait(&word, 0);
                   check(data == 1, "woken for a reason");
                 }},
          thread{"waker", [&] {
                   data = 1;
                   announce(word);
                 }});
}
const model woken{"sleep and wake", {.at_least = 3}, [] {
                    sleep_and_wake([](base::atomic<std::uint32_t>& word) {
                      word.store(1, base::release);
                      os::futex_wake(&word, 1);
                    });
                  }};
const model no_wake{"forgotten wake", {.must_fail = "deadlock"}, [] {
                      sleep_and_wake([](base::atomic<std::uint32_t>& word) { word.store(1, base::release); });
                    }};
const model early_wake{"wake before the store", {.must_fail = "deadlock"}, [] {
                         sleep_and_wake([](base::atomic<std::uint32_t>& word) {
                           os::futex_wake(&word, 1);
                           word.store(1, base::release);
                         });
                       }};
const model one_for_two{"one wake for two sleepers", {.must_fail = "deadlock"}, [] {
                          base::atomic<std::uint32_t> word{0};
                          const auto sleeper = [&] {
                            while (word.load(base::acquire) == 0) os::futex_wait(&word, 0);
                          };
                          threads(thread{"first", sleeper}, thread{"second", sleeper}, thread{"waker", [&] {
                                                                                                word.store(1, base::release);
                                                                                                os::futex_wake(&word, 1);
                                                                                              }});
                        }};
// The kernel wakes any of the sleepers: where both sleep, one of them is woken, and the deadline of
// the other one passes.
const model any_sleeper{"any of two sleepers is woken", {.at_least = 3, .outcomes = "01 10 11"}, [] {
                          base::atomic<std::uint32_t> word{0};
                          bool ended[2] = {};
                          const auto sleep = [&](int which) { ended[which] = os::futex_wait_until(&word, 0, 5); };
                          threads(thread{"one", [&] { sleep(0); }}, thread{"two", [&] { sleep(1); }},
                                  thread{"waker", [&] {
                                           word.store(1, base::release);
                                           os::futex_wake(&word, 1);
                                         }});
                          explorer::outcome(ended[0] ? 1 : 0, ended[1] ? 1 : 0);
                        }};

void wait_for_nothing() {
  base::atomic<std::uint32_t> word{0};
  int returned = 0;
  threads(thread{"sleeper", [&] { returned = os::futex_wait_until(&word, 0, 5) ? 1 : 0; }},
          thread{"other", [&] { (void)word.load(base::relaxed); }});
  explorer::outcome(returned);
}
constexpr explorer::bounds one_spurious{.spurious = 1};
const model woken_for_nothing{"a wait that ends for no reason",
                              {.at_least = 2, .quick = one_spurious, .deep = one_spurious, .outcomes = "0 1"},
                              wait_for_nothing};

// A deadline that passes because nothing else can happen is none of those that pass early.
void waits_twice() {
  base::atomic<std::uint32_t> go{0}, come{0};
  bool has_come = false;
  threads(thread{"waits",
                 [&] {
                   (void)os::futex_wait_until(&go, 0, 5);
                   go.store(1, base::release);
                   os::futex_wake(&go, 1);
                   has_come = come.load(base::acquire) != 0 || os::futex_wait_until(&come, 0, 9);
                 }},
          thread{"comes", [&] {
                   while (go.load(base::acquire) == 0) os::futex_wait(&go, 0);
                   come.store(1, base::release);
                   os::futex_wake(&come, 1);
                 }});
  explorer::outcome(has_come ? 1 : 0);
}
const model late_then_early{"one early timeout after one late",
                            {.at_least = 2, .quick = {.timeouts = 1}, .deep = {.timeouts = 1}, .outcomes = "0 1"},
                            [] { waits_twice(); }};

const model deadline{"a deadline ends a wait for nothing", {.at_least = 1}, [] {
                       base::atomic<std::uint32_t> word{0};
                       threads(thread{"sleeper", [&] {
                                        check(!explorer::has_timed_out(), "it has not waited yet");
                                        check(!os::futex_wait_until(&word, 0, 5), "the deadline passed");
                                        check(explorer::has_timed_out(), "that is known afterwards");
                                      }});
                     }};

// ---- lifetimes ----------------------------------------------------------------------------------

template <class T>
union late {  // an object whose life the test controls
  late() {}
  ~late() {}
  T object;
};

void end_of_life(std::memory_order last) {
  late<base::atomic<int>> word;
  new (&word.object) base::atomic<int>(0);
  threads(thread{"finisher", [&] { word.object.store(1, last); }}, thread{"joiner", [&] {
                                                                            while (word.object.load(base::acquire) == 0)
                                                                              arch::pause();
                                                                            word.object.~atomic();
                                                                          }});
}
const model last_touch{"destroyed after the last touch", {.at_least = 1}, [] { end_of_life(base::release); }};
const model unordered_end{"destroyed without order", {.must_fail = "race with destruction"}, [] { end_of_life(base::relaxed); }};

const model touched_after{"touched after the hand-over", {.must_fail = "race with destruction"}, [] {
                            late<base::atomic<int>> word;
                            new (&word.object) base::atomic<int>(0);
                            threads(thread{"finisher",
                                           [&] {
                                             word.object.store(1, base::release);
                                             (void)word.object.load(base::relaxed);
                                           }},
                                    thread{"joiner", [&] {
                                             while (word.object.load(base::acquire) == 0) arch::pause();
                                             word.object.~atomic();
                                           }});
                          }};

// A thread that comes after the end knows of it.
const model used_after_end{"used after its end", {.must_fail = "use after destruction"}, [] {
                             late<base::atomic<int>> word;
                             base::atomic<int> gone{0};
                             new (&word.object) base::atomic<int>(0);
                             threads(thread{"destroyer",
                                            [&] {
                                              word.object.~atomic();
                                              gone.store(1, base::release);
                                            }},
                                     thread{"user", [&] {
                                              if (gone.load(base::acquire) != 0) (void)word.object.load(base::relaxed);
                                            }});
                           }};

void beginning_of_life(std::memory_order announce) {
  late<base::atomic<int>> word;
  base::atomic<int> made{0};
  threads(thread{"maker",
                 [&] {
                   new (&word.object) base::atomic<int>(1);
                   made.store(1, announce);
                 }},
          thread{"user", [&] {
                   if (made.load(base::acquire) != 0) check(word.object.load(base::relaxed) == 1, "as it was made");
                 }});
}
const model made_before{"used after its construction", {.at_least = 2}, [] { beginning_of_life(base::release); }};
const model not_made_before{"used without order after its construction", {.must_fail = "use before construction"}, [] {
                              beginning_of_life(base::relaxed);
                            }};

// ---- phases -------------------------------------------------------------------------------------

const model second_phase{"the second phase knows of the first", {.at_least = 1}, [] {
                           base::atomic<int> word{0};
                           threads(thread{"first", [&] { word.store(1, base::relaxed); }});
                           threads(thread{"second", [&] { check(word.load(base::relaxed) == 1, "what the first one wrote"); }});
                         }};

// ---- restartable stores -------------------------------------------------------------------------

// A store of 1 where 0 was, against a store of 2 and a restart fence: behind the fence the 1 does
// not come any more.
void store_against_restart() {
  base::atomic<int> word{0};
  int made = 0, seen = 0;
  threads(thread{"owner",
                 [&] { made = explorer::replace_restartably({&word, sizeof(int)}, 0, 1, explorer::site::current()) ? 1 : 0; }},
          thread{"fencer", [&] {
                   word.store(2, base::relaxed);
                   explorer::restart_fence(explorer::site::current());
                   seen = word.load(base::relaxed);
                 }});
  explorer::outcome(made, seen, word.load(base::relaxed));
}
const model restarted{"a restart fence", {.at_least = 3, .outcomes = "022 111 122"}, store_against_restart};

void store_alone() {
  base::atomic<int> word{0};
  int made = 0;
  threads(thread{"owner",
                 [&] { made = explorer::replace_restartably({&word, sizeof(int)}, 0, 1, explorer::site::current()) ? 1 : 0; }});
  explorer::outcome(made);
}
constexpr explorer::bounds one_interruption{.spurious = 1};
const model interrupted{
    "an interruption", {.at_least = 2, .quick = one_interruption, .deep = one_interruption, .outcomes = "0 1"}, store_alone};
const model not_interrupted{"no interruption", {.at_least = 1, .outcomes = "1"}, store_alone};

// ---- bounds -------------------------------------------------------------------------------------

// Needs two preemptions to fail: the explorer finds it with two and not with one.
void needs_two_preemptions() {
  base::atomic<int> x{0};
  int seen[2] = {0, 0};
  threads(thread{"reader",
                 [&] {
                   seen[0] = x.load(base::seq_cst);
                   seen[1] = x.load(base::seq_cst);
                 }},
          thread{"writer", [&] {
                   x.store(1, base::seq_cst);
                   x.store(2, base::seq_cst);
                 }});
  check(!(seen[0] == 1 && seen[1] == 2), "read in the middle twice");
}
constexpr explorer::bounds one{.preemptions = 1, .weak = 0};
constexpr explorer::bounds two{.preemptions = 2, .weak = 0};
const model one_preemption{"one preemption does not reach it", {.at_least = 2, .quick = one, .deep = one}, needs_two_preemptions};
const model two_preemptions{"two preemptions reach it", {.quick = two, .must_fail = "assertion"}, needs_two_preemptions};

// Two stale reads, of which the bound permits one.
void needs_two_stale_reads() {
  base::atomic<int> x{0}, y{0};
  int first = 0, second = 0;
  threads(thread{"writer",
                 [&] {
                   x.store(1, base::relaxed);
                   y.store(1, base::relaxed);
                 }},
          thread{"reader", [&] {
                   if (y.load(base::relaxed) == 0) return;
                   first = x.load(base::relaxed) == 0 ? 1 : 0;
                   second = x.load(base::relaxed) == 0 ? 1 : 0;
                 }});
  check(!(first == 1 && second == 1), "stale twice");
}
constexpr explorer::bounds one_weak{.preemptions = 2, .weak = 1};
constexpr explorer::bounds two_weak{.preemptions = 2, .weak = 2};
const model one_stale_read{
    "one weak choice does not reach it", {.at_least = 2, .quick = one_weak, .deep = one_weak}, needs_two_stale_reads};
const model two_stale_reads{"two weak choices reach it", {.quick = two_weak, .must_fail = "assertion"}, needs_two_stale_reads};

}  // namespace
