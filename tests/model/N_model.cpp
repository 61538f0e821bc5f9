// Protocol N over lang/runtime/node_words.hpp: a place for a request of another node is not filled
// while a victim reads it; a node that finds nothing hears of the next task; and, over stand-ins of
// a transport, a task that is given to a node is done once, whenever that node dies.
#include "explorer/explorer.hpp"
#include "lang/runtime/lazy_ranges.hpp"
#include "lang/runtime/node_words.hpp"
#include "lang/runtime/words.hpp"
#include "os/futex.hpp"

namespace base = weft::base;
using namespace weft::tascell_runtime;
using namespace explorer::words;

namespace {

void place() {
  place_word word;
  request_set requests;
  atomic<std::uint64_t> bits[1] = {};
  requests.use(bits);
  int asker = 0, answered = 0;
  threads(thread{"door",
                 [&] {
                   for (int i = 1; i <= 2; ++i) {
                     while (!word.is_free()) spin_hint();
                     asker = i;
                     word.begin();
                     requests.post(3);
                   }
                 }},
          thread{"victim", [&] {
                   while (answered < 2) {
                     if (requests.take(0) == 0) {
                       spin_hint();
                       continue;
                     }
                     check(asker == ++answered, "the answer goes to the node that asked");
                     word.end();
                   }
                 }});
}

// The node that asked is told that a task runs, in the answer or by a hint.
void hint() {
  hint_word word;
  atomic<std::uint32_t> runs{0};
  bool is_in_answer = false, is_hinted = false;
  threads(thread{"door",
                 [&] {
                   word.want();
                   is_in_answer = runs.load(base::relaxed) != 0;
                 }},
          thread{"worker", [&] {
                   runs.store(1, base::relaxed);
                   is_hinted = word.is_wanted();
                 }});
  check(is_in_answer || is_hinted, "a node that asked hears of the task");
}

// What goes one way between two nodes: frames arrive whole, once and in order; the last is the
// transport's word that the sender has gone.
struct way {
  enum what { nothing, give, result, back, cancel, died };
  what sent[4] = {};
  base::atomic<int> count{0};
  int taken = 0;

  void send(what one) {
    const int at = count.load(base::relaxed);
    sent[at] = one;
    count.store(at + 1, base::release);
  }
  what take() {
    if (taken == count.load(base::acquire)) return nothing;
    return sent[taken++];
  }
};

// A giver's door, and the joiner beside it, which runs what comes back. Under the lock: one bit.
struct giver {
  base::atomic<int> lock{0};
  bool is_given = true;  // the task is in the list of those that are out
  bool is_orphan = false;
  int ends = 0;

  void with_lock(void (*change)(giver*)) {
    int expected = 0;
    while (!lock.compare_exchange_strong(expected, 1, base::acquire, base::relaxed)) {
      expected = 0;
      spin_hint();
    }
    change(this);
    lock.store(0, base::release);
  }
  static void take_result(giver* self) {
    if (!self->is_given) return;
    self->is_given = false;
    ++self->ends;
  }
  static void lose(giver* self) {
    if (!self->is_given) return;
    self->is_given = false;
    self->is_orphan = true;
  }
  static void run_orphan(giver* self) {
    if (!self->is_orphan) return;
    self->is_orphan = false;
    ++self->ends;
  }
};

void done_once() {
  giver its;
  way to_thief, to_giver;
  base::atomic<int> must_die{0}, is_done{0};
  to_thief.send(way::give);
  const auto is_dead = [&] { return must_die.load(base::relaxed) != 0; };
  threads(thread{"killer", [&] { must_die.store(1, base::relaxed); }},
          thread{"thief",
                 [&] {
                   if (!is_dead() && to_thief.take() == way::give && !is_dead()) to_giver.send(way::result);
                   to_giver.send(way::died);  // at the latest when the run is over
                 }},
          thread{"door",
                 [&] {
                   for (;;) {
                     const way::what got = to_giver.take();
                     if (got == way::nothing) spin_hint();
                     if (got == way::result) its.with_lock(giver::take_result);
                     if (got == way::died) its.with_lock(giver::lose);
                     if (got == way::died) break;
                   }
                   is_done.store(1, base::release);
                 }},
          thread{"joiner", [&] {
                   while (is_done.load(base::acquire) == 0) spin_hint();
                   its.with_lock(giver::run_orphan);
                 }});
  check(its.ends == 1, "the task was done once");
}

// Elements that are read lazily: two workers touch ranges that overlap, the door sends and
// receives, and the home may die. Stand-ins of a lock and of a condition: a bit, and a number of
// changes.
struct lazy_node {
  base::atomic<std::uint32_t> lock{0}, changes{0};
  byte_range memory[8] = {};
  range_set wanted, here;
  byte_range asked[4] = {};
  int asked_count = 0, sent[4] = {}, done_count = 0, answers_left = 0;
  bool is_lost = false;

  lazy_node() {
    wanted.use(memory, 4);
    here.use(memory + 4, 4);
  }
  // Under the lock, again after each change, until step returns true.
  template <class Step>
  void repeat(const Step& step) {
    for (bool is_over = false; !is_over;) {
      while (lock.exchange(1, base::acquire) != 0) weft::os::futex_wait(&lock, 1);
      is_over = step();
      const std::uint32_t seen = changes.load(base::relaxed);
      lock.store(0, base::release);
      weft::os::futex_wake(&lock, 1);
      if (!is_over) weft::os::futex_wait(&changes, seen);
    }
  }
  void tell() {  // under the lock
    changes.fetch_add(1, base::relaxed);
    weft::os::futex_wake(&changes, 3);
  }

  void touch(std::uint64_t low, std::uint64_t high) {
    repeat([&] {
      byte_range gap{};
      if (is_lost || here.has(low, high)) {
        ++done_count;
        tell();
        return true;
      }
      if (wanted.find_gap(low, high, &gap)) {
        check(wanted.add(gap.low, gap.high), "there is room");
        asked[asked_count++] = gap;
        tell();
      }
      return is_lost;
    });
  }
  bool look_after() {
    while (asked_count != 0 && !is_lost) {
      const byte_range next = asked[--asked_count];
      for (std::uint64_t i = next.low; i < next.high; ++i) check(++sent[i] == 1, "no byte is asked for twice");
      is_lost = answers_left-- == 0;
      if (!is_lost) check(here.add(next.low, next.high), "there is room");
      tell();
    }
    return done_count == 2;
  }
};

// The home dies before it has answered so many fetches.
void fetched_once(int answers) {
  lazy_node its;
  its.answers_left = answers;
  threads(thread{"first", [&] { its.touch(0, 2); }}, thread{"second", [&] { its.touch(1, 3); }},
          thread{"door", [&] { its.repeat([&] { return its.look_after(); }); }});
}

// A task that is unwanted touches [0, 2), and the home has no task out any more that names it. A
// task that names bytes from low to 3 is given meanwhile, and comes: it waits for bytes that the
// other one asked for, and none of them is lost for it.
struct beside_lost : lazy_node {
  std::uint64_t low;
  bool is_given = false, is_first_lost = false, is_second_lost = false;
  std::uint64_t users = 1, newest_of_second = UINT64_MAX;
  byte_range fetch{};  // that is under way
  std::uint64_t users_then = 0;
  bool has_task = false;  // that names it, as the home says

  explicit beside_lost(std::uint64_t low_of_second) : low(low_of_second) {}

  bool step(std::uint64_t from, std::uint64_t to, bool is_over) {
    byte_range gap{};
    if (is_over) ++done_count;
    if (!is_over && !wanted.find_gap(from, to, &gap)) return false;
    if (!is_over) {
      check(wanted.add(gap.low, gap.high), "there is room");
      asked[asked_count++] = gap;
    }
    tell();
    return is_over;
  }
  void first() {
    repeat([&] { return step(0, 2, is_first_lost || here.has(0, 2)); });
  }
  void second() {
    repeat([&] { return is_given = true; });
    repeat([&] {
      if (newest_of_second == UINT64_MAX) newest_of_second = ++users;
      check(!is_second_lost, "no byte is lost for a task that is wanted");
      return step(low, 3, here.has(low, 3));
    });
  }
  // The answer is under way for some time, too.
  void door() {
    for (bool is_over = false; !is_over;) {
      repeat([&] {
        is_over = done_count == 2;
        if (asked_count == 0) return is_over;
        fetch = asked[--asked_count];
        users_then = users;
        return true;
      });
      if (is_over) return;
      repeat([&] {
        has_task = is_given && fetch.low >= low;
        return true;
      });
      repeat([&] {
        take_answer();
        return true;
      });
    }
  }
  void take_answer() {
    if (has_task) {
      check(here.add(fetch.low, fetch.high), "there is room");
    } else {
      check(wanted.remove(fetch.low, fetch.high), "there is room");
      if (fetch.high <= 2) is_first_lost = true;
      if (fetch.low >= low && newest_of_second <= users_then) is_second_lost = true;
    }
    tell();
  }
};

void comes_beside_lost(std::uint64_t low) {
  beside_lost its(low);
  threads(thread{"first", [&] { its.first(); }}, thread{"second", [&] { its.second(); }}, thread{"door", [&] { its.door(); }});
}

const model m1{"N a place is used again", {.at_least = 2}, place};
const model m2{"N a node that found nothing hears of a task", {.at_least = 3}, hint};
const model m3{"N a task is done once, whenever its node dies", {.at_least = 3}, done_once};
const model m4{"N elements are fetched once",
               {.at_least = 100, .quick = {.preemptions = 1, .weak = 0}, .deep = {.preemptions = 2, .weak = 0}},
               [] { fetched_once(2); }};
const model m5{"N touches end when the home dies",
               {.at_least = 100, .quick = {.preemptions = 1, .weak = 0}, .deep = {.preemptions = 2, .weak = 0}},
               [] { fetched_once(0); }};
const model m6{"N touches end when the home dies after a fetch",
               {.at_least = 100, .quick = {.preemptions = 1, .weak = 0}, .deep = {.preemptions = 2, .weak = 0}},
               [] { fetched_once(1); }};
const model m7{"N elements that are lost for a task are fetched for one beside it",
               {.at_least = 100, .quick = {.preemptions = 1, .weak = 0}, .deep = {.preemptions = 2, .weak = 0}},
               [] { comes_beside_lost(1); }};
const model m8{"N elements that are lost for a task are fetched for one that names more",
               {.at_least = 100, .quick = {.preemptions = 1, .weak = 0}, .deep = {.preemptions = 2, .weak = 0}},
               [] { comes_beside_lost(0); }};

}  // namespace
