// Models that fail, each in a way of its own, for replay_test.py: the command that a failure ends
// with must give the same schedule again.
#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "explorer/explorer.hpp"
#include "os/futex.hpp"

namespace base = weft::base;
using namespace explorer::words;

namespace {

void race() {
  base::atomic<int> flag{0};
  int data = 0;
  threads(thread{"writer",
                 [&] {
                   data = 1;
                   flag.store(1, base::relaxed);
                 }},
          thread{"reader", [&] {
                   if (flag.load(base::acquire) != 0) check(data == 1, "the datum behind the flag");
                 }});
}

// Fails with a stale read.
void store_buffering() {
  base::atomic<int> x{0}, y{0};
  int seen[2] = {0, 0};
  threads(thread{"left",
                 [&] {
                   x.store(1, base::release);
                   seen[0] = y.load(base::acquire);
                 }},
          thread{"right", [&] {
                   y.store(1, base::release);
                   seen[1] = x.load(base::acquire);
                 }});
  check(seen[0] + seen[1] != 0, "one of them came first");
}

// Fails with two preemptions, long after the beginning.
void read_in_the_middle() {
  base::atomic<int> x{0};
  bool once = false, twice = false;
  threads(thread{"reader",
                 [&] {
                   for (int round = 0; round < 40; ++round) {
                     const int seen = x.load(base::seq_cst);
                     once = once || (seen == 1 && round > 30);
                     twice = twice || (seen == 2 && once);
                   }
                 }},
          thread{"writer", [&] {
                   x.store(1, base::seq_cst);
                   x.store(2, base::seq_cst);
                 }});
  check(!twice, "read in the middle, and afterwards");
}

void spin_for_ever() {
  base::atomic<int> word{0};
  threads(thread{"waits",
                 [&] {
                   while (word.load(base::acquire) == 0) weft::arch::pause();
                 }},
          thread{"flickers", [&] {
                   word.store(1, base::release);
                   word.store(0, base::release);
                 }});
}

void impatient() {
  base::atomic<int> word{0};
  threads(thread{"waits",
                 [&] {
                   int round = 0;
                   while (word.load(base::acquire) == 0 && ++round < 100) weft::arch::pause();
                   check(round < 100, "it comes in time");
                 }},
          thread{"comes", [&] { word.store(1, base::release); }});
}

void sleeps(std::uint64_t deadline_ns) {
  base::atomic<std::uint32_t> word{0};
  threads(thread{"sleeper",
                 [&] {
                   bool in_time = true;
                   while (word.load(base::acquire) == 0 && in_time) in_time = weft::os::futex_wait_until(&word, 0, deadline_ns);
                   check(in_time, "woken in time");
                 }},
          thread{"waker", [&] {
                   word.store(1, base::release);
                   if (deadline_ns != explorer::no_deadline) weft::os::futex_wake(&word, 1);
                 }});
}

void chooses() {
  base::atomic<int> sum{0};
  const auto add = [&] { (void)sum.fetch_add(explorer::any_of(4), base::relaxed); };
  threads(thread{"a", add}, thread{"b", add});
  check(sum.load(base::relaxed) != 5, "another sum");
}

// Fails where a load reads what is written only afterwards.
void load_buffering() {
  base::atomic<int> x{0}, y{0};
  int seen[2] = {0, 0};
  threads(thread{"left",
                 [&] {
                   seen[0] = x.load(base::relaxed);
                   y.store(70'000, base::relaxed);
                 }},
          thread{"right", [&] {
                   seen[1] = y.load(base::relaxed);
                   x.store(1, base::relaxed);
                 }});
  check(seen[0] == 0 || seen[1] == 0, "one of them came first");
}

constexpr bounds limited{.preemptions = 2, .weak = 1};

const model m1{"a stale read, not a race", {}, store_buffering};  // its name contains the next one's
const model m2{"a race", {}, race};
const model m3{"a stale read, limited", {.quick = limited}, store_buffering};
const model m4{"two preemptions", {.quick = limited}, read_in_the_middle};
const model m5{"a loop that nobody ends", {.quick = limited}, spin_for_ever};
const model m6{"one that gives up", {.quick = {.impatience = 1}}, impatient};
const model m7{"a wake-up left out", {}, [] { sleeps(explorer::no_deadline); }};
const model m8{"a deadline that comes early", {.quick = {.timeouts = 1}}, [] { sleeps(5); }};
const model m9{"a model's own choice", {}, chooses};
const model m11{"a promise", {.quick = {.promises = 1}}, load_buffering};
const model m12{"promised on request", {}, load_buffering};
const model m10{"in depth alone", {.deep = {.timeouts = 1}}, [] { sleeps(5); }};

}  // namespace
