// Protocol R over dist/words/steal_queue.hpp and join_record.hpp: each continuation goes on once, on its
// own rank or a thief's, with the frames that its owner wrote; the owner writes over frames only
// once their copies have ended; each joined forker goes on once, with what the child left, wherever
// its own frames lie; blocks come back to their owner once.
#include "arch/cpu.hpp"
#include "dist/words/in_place.hpp"
#include "dist/words/join_record.hpp"
#include "dist/words/kept_exception.hpp"
#include "dist/words/steal_queue.hpp"
#include "explorer/explorer.hpp"

namespace base = weft::base;
namespace dist = weft::dist;
using namespace explorer::words;

namespace {

constexpr int most_frames = 8;

// A rank whose continuations are numbers. The frame of the one at an index lies in frames[index].
template <unsigned Capacity>
struct rank {
  dist::basic_steal_queue<Capacity> queue;
  unsigned frames[most_frames] = {};
  int went_on[most_frames] = {};  // of each number
  int published = 0;

  rank() { queue.occupy(1); }

  void publish(unsigned index, unsigned number) {
    frames[index] = number;
    queue.describe(index, {{index, number}});
    queue.publish(1);
  }
  // The child above the continuation at index ends. False: the continuation is gone, and nothing is
  // copied any more.
  bool child_ends(unsigned index) {
    std::uint32_t new_end = 0;
    if (queue.take_back(index, &new_end)) {
      ++went_on[frames[index]];
      return true;
    }
    while (!queue.all_copied()) weft::arch::pause();
    for (unsigned& each : frames) each = 0;
    return false;
  }
  void steal() {
    typename dist::basic_steal_queue<Capacity>::claimed claimed;
    if (!queue.claim(&claimed, [](const dist::descriptor&) {})) return;
    const auto index = static_cast<unsigned>(claimed.what.words[0]);
    const unsigned number = frames[index];
    check(index == claimed.index, "the descriptor is that of what was claimed");
    check(number == claimed.what.words[1], "the frames are those of the descriptor");
    queue.end_copy(claimed);
    went_on_elsewhere[number].fetch_add(1, base::relaxed);
  }
  int times(unsigned number) { return went_on[number] + went_on_elsewhere[number].load(base::relaxed); }

  base::atomic<int> went_on_elsewhere[most_frames] = {};
};

void one_continuation() {
  rank<2> victim;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   victim.child_ends(1);
                 }},
          thread{"thief", [&] { victim.steal(); }});
  check(victim.times(1) == 1, "the continuation goes on once");
}

// The newer one is taken back, the older one is left, or both are gone.
void two_continuations() {
  rank<2> victim;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   victim.publish(2, 2);
                   if (!victim.child_ends(2)) return;
                   if (victim.queue.end() == 2)
                     victim.child_ends(1);
                   else
                     victim.went_on[1] += 1;
                 }},
          thread{"thief", [&] { victim.steal(); }}, thread{"other thief", [&] { victim.steal(); }});
  check(victim.times(2) == 1, "the newer one goes on once");
  check(victim.times(1) == 1, "the older one goes on once");
}

// The second is published beside the first, and both are taken.
void two_taken() {
  rank<2> victim;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   victim.publish(2, 2);
                 }},
          thread{"thief", [&] {
                   victim.steal();
                   victim.steal();
                 }});
  check(victim.times(1) <= 1 && victim.times(2) <= victim.times(1), "the older one is taken first");
}

// A thief that is late with its descriptor must not claim what has the same index by then.
void index_used_again() {
  rank<2> victim;
  bool is_mine = false;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   is_mine = victim.child_ends(1);
                   if (!is_mine) return;
                   victim.publish(1, 2);
                   victim.child_ends(1);
                 }},
          thread{"thief", [&] {
                   victim.steal();
                   victim.steal();
                 }});
  check(victim.times(1) == 1, "the first goes on once");
  check(!is_mine || victim.times(2) == 1, "the second goes on once");
}

// The ring has one cell: a descriptor is written over as soon as it was claimed.
void cell_used_again() {
  rank<1> victim;
  bool is_second_public = false;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   if (victim.queue.room(1) == 0) return;
                   is_second_public = true;
                   victim.publish(2, 2);
                 }},
          thread{"thief", [&] { victim.steal(); }}, thread{"other thief", [&] { victim.steal(); }});
  check(victim.times(1) <= 1 && victim.times(2) <= 1, "each goes on once at most");
  check(victim.times(2) == 0 || is_second_public, "what was not published is not taken");
}

// The same for one thief, whose look at the cell would have to read what is written later.
void cell_written_early() {
  rank<1> victim;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   if (victim.queue.room(1) != 0) victim.publish(2, 2);
                 }},
          thread{"thief", [&] { victim.steal(); }});
  check(victim.times(1) + victim.times(2) <= 1, "one goes on at most");
}

// Likewise for the descriptor at the front, which the next publication of an empty queue writes
// over.
void front_written_early() {
  rank<2> victim;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   victim.publish(2, 2);
                 }},
          thread{"thief", [&] { victim.steal(); }});
  check(victim.times(1) + victim.times(2) <= 1, "one goes on at most");
}

// Of two claims that had one cell after the other, both copies end before the owner writes over the
// frames.
void cell_of_two_claims() {
  rank<1> victim;
  bool is_second_public = false;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   if (victim.queue.room(1) == 0) return;
                   is_second_public = true;
                   victim.publish(2, 2);
                   victim.child_ends(2);
                 }},
          thread{"thief", [&] { victim.steal(); }}, thread{"other thief", [&] { victim.steal(); }});
  check(victim.times(1) <= 1, "the first goes on once at most");
  check(victim.times(2) == (is_second_public ? 1 : 0), "the second goes on once if it was published");
}

// A cell whose second description is taken back says nothing of the first one's claim, whose copy
// had ended before.
void description_taken_back() {
  rank<1> victim;
  bool is_mine = false;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   if (victim.queue.room(1) == 0) return;
                   victim.publish(2, 2);
                   is_mine = victim.child_ends(2);
                   if (is_mine) victim.child_ends(1);
                 }},
          thread{"thief", [&] { victim.steal(); }});
  check(victim.times(1) <= 1, "the first goes on once at most");
  check(victim.times(2) == (is_mine ? 1 : 0), "the second goes on where it was made");
}

// What was copied is written over by the next thread that the rank takes up.
void occupied_again() {
  rank<2> victim;
  bool is_second = false;
  threads(thread{"owner",
                 [&] {
                   victim.publish(1, 1);
                   if (victim.child_ends(1)) return;
                   is_second = true;
                   victim.queue.occupy(1);
                   victim.publish(1, 2);
                   victim.child_ends(1);
                 }},
          thread{"thief", [&] { victim.steal(); }}, thread{"other thief", [&] { victim.steal(); }});
  check(victim.times(1) == 1, "the first goes on once");
  check(!is_second || victim.times(2) == 1, "the second goes on once");
}

// ---- joins --------------------------------------------------------------------------------------

struct join {
  dist::join_record record;
  int frames = 0;  // evacuated
  int resumed = 0;

  join() { record.reset(); }

  void resume(int expected_frames) {
    ++resumed;
    unsigned char cargo[dist::join_record::cargo_bytes];
    std::memcpy(cargo, record.cargo, sizeof cargo);
    check(frames == expected_frames, "the frames are whole");
    check(cargo[0] == 7, "the cargo is what the child left");
  }
  void end_child() {
    unsigned char cargo[dist::join_record::cargo_bytes] = {7};
    const std::uint64_t waiting = record.end(cargo);
    if (waiting == 0) return;
    check(waiting == reinterpret_cast<std::uint64_t>(&frames), "the frames of the one that waits");
    resume(5);
  }
  void join_child() {
    if (record.has_ended()) return resume(0);
    frames = 5;
    if (record.wait(reinterpret_cast<std::uint64_t>(&frames))) return;
    resume(5);
  }
};

void one_join() {
  join its;
  threads(thread{"child", [&] { its.end_child(); }}, thread{"forker", [&] { its.join_child(); }});
  check(its.resumed == 1, "the forker goes on once");
}

// ---- what comes back ----------------------------------------------------------------------------

struct block {
  base::atomic<std::uint64_t> link;
  int uses = 0;
};

int take_all(dist::return_list& list) {
  int count = 0;
  for (std::uint64_t next = list.take_all(); next != 0; ++count) {
    auto* const one = reinterpret_cast<block*>(next);
    next = one->link.load(base::relaxed);
    ++one->uses;
  }
  return count;
}

void two_give_back() {
  dist::return_list list;
  block one, other;
  const auto give = [&list](block& mine) {
    ++mine.uses;
    list.give(reinterpret_cast<std::uint64_t>(&mine), mine.link);
  };
  int taken = 0;
  threads(thread{"giver", [&] { give(one); }}, thread{"other giver", [&] { give(other); }},
          thread{"owner", [&] { taken = take_all(list); }});
  taken += take_all(list);
  check(taken == 2 && one.uses == 2 && other.uses == 2, "each comes back once");
}

void root_ends() {
  dist::root_word word;
  int result = 0;
  threads(thread{"the root",
                 [&] {
                   result = 9;
                   word.set(0);
                 }},
          thread{"another rank", [&] {
                   while (word.rank() < 0) weft::arch::pause();
                   check(word.rank() == 0 && result == 9, "the result arrives");
                 }});
}

// Three ranks wait in place for children, of which the third rank has ended the first one's, or
// none.
struct waits {
  dist::in_place_waits all;
  dist::join_record records[3];
  bool is_told[3] = {};

  waits() {
    for (dist::join_record& each : records) each.reset();
  }
  void wait(int rank) {
    is_told[rank] = all.begin(rank, 3, &records[rank]);
    if (records[rank].has_ended()) all.end(rank);
  }
  int tellers() const { return is_told[0] + is_told[1] + is_told[2]; }
};

void all_wait() {
  waits its;
  threads(thread{"first", [&] { its.wait(0); }}, thread{"second", [&] { its.wait(1); }}, thread{"third", [&] { its.wait(2); }});
  check(its.tellers() == 1, "one rank finds the deadlock");
}

void all_but_one_wait() {
  waits its;
  threads(thread{"first", [&] { its.wait(0); }}, thread{"second", [&] { its.wait(1); }},
          thread{"third", [&] {
                   const unsigned char cargo[dist::join_record::cargo_bytes] = {7};
                   (void)its.records[0].end(cargo);
                   its.wait(2);
                 }});
  check(its.tellers() == 0, "the first goes on, so there is no deadlock");
}

void exception_dropped() {
  dist::kept_exception entry;
  entry.state.store(dist::kept_exception::held, base::relaxed);
  entry.what[0] = 'a';
  threads(thread{"owner",
                 [&] {
                   if (entry.collect()) entry.what[0] = 'b';
                 }},
          thread{"another rank", [&] {
                   check(entry.what[0] == 'a', "the text stays until it is dropped");
                   entry.drop(false);
                 }});
}

const explorer::expectations usual{.at_least = 20, .quick = {.spurious = 1, .executions = 60'000}, .deep = {.spurious = 1}};
const model one{"R one continuation", usual, one_continuation};
const model two{"R two continuations", usual, two_continuations};
const model taken{"R two are taken", usual, two_taken};
const model index_again{"R an index is used again", usual, index_used_again};
const model cell_again{"R a cell is used again", usual, cell_used_again};
const model cell_early{"R a cell is used again, with promises",
                       {.at_least = 20,
                        .quick = {.preemptions = 2, .weak = 1, .promises = 1, .executions = 50'000},
                        .deep = {.preemptions = 3, .weak = 2, .promises = 1, .executions = 500'000}},
                       cell_written_early};
const model front_early{"R the front is used again, with promises",
                        {.at_least = 20,
                         .quick = {.preemptions = 2, .weak = 1, .promises = 1, .executions = 50'000},
                         .deep = {.preemptions = 3, .weak = 2, .promises = 1, .executions = 500'000}},
                        front_written_early};
const model claims{"R a cell has two claims", usual, cell_of_two_claims};
const model back{"R a description is taken back", usual, description_taken_back};
const model again{"R a region is used again", usual, occupied_again};
const model joined{"R one join", {.at_least = 4, .quick = {.spurious = 1}, .deep = {.spurious = 1}}, one_join};
const model returned{"R two give back", usual, two_give_back};
const model waiting{"R all wait in place", usual, all_wait};
const model not_waiting{"R all but one wait in place", usual, all_but_one_wait};
const model exception{"R an exception is dropped", {.at_least = 2}, exception_dropped};
const model ended{"R the root ends", {.at_least = 3, .quick = {.spurious = 1}, .deep = {.spurious = 1}}, root_ends};

}  // namespace
