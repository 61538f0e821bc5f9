// Protocol J over net/barrier.hpp and rma/shm.cpp: no rank leaves a round before all have entered
// it, each then sees what all wrote before, and the words serve the next round at once; what was
// put before an operation on a word is got after one that finds it.
#include "arch/cpu.hpp"
#include "explorer/explorer.hpp"
#include "net/barrier.hpp"
#include "net/rma/shm.cpp"  // NOLINT(bugprone-suspicious-include): the operations themselves

namespace net = weft::net;
using namespace explorer::words;

namespace {

constexpr int most_ranks = 3;

struct job {
  net::barrier_words words;
  int written[most_ranks] = {};  // by its rank, before each round

  // The sleep on the futex is left out: the kernel compares the word that the loop looks at.
  void pass(std::uint32_t ranks) {
    std::uint32_t round = 0;
    if (net::arrive(&words, ranks, &round)) return;
    while (!net::has_passed(words, round)) weft::arch::pause();
  }

  void write_and_pass(int rank, int ranks, int rounds) {
    for (int round = 1; round <= rounds; ++round) {
      written[rank] = round;
      pass(static_cast<std::uint32_t>(ranks));
      for (int other = 0; other < ranks; ++other) check(written[other] == round, "what each rank wrote is seen");
      pass(static_cast<std::uint32_t>(ranks));
    }
  }
};

void two_ranks_two_rounds() {
  job all;
  threads(thread{"rank 0", [&] { all.write_and_pass(0, 2, 2); }}, thread{"rank 1", [&] { all.write_and_pass(1, 2, 2); }});
  check(all.words.round.load(weft::base::relaxed) == 4, "four rounds have passed");
}

void three_ranks_one_round() {
  job all;
  threads(thread{"rank 0", [&] { all.write_and_pass(0, 3, 1); }}, thread{"rank 1", [&] { all.write_and_pass(1, 3, 1); }},
          thread{"rank 2", [&] { all.write_and_pass(2, 3, 1); }});
  check(all.words.round.load(weft::base::relaxed) == 2, "two rounds have passed");
}

// ---- operations on another rank's memory --------------------------------------------------------

struct memory {
  alignas(8) weft::base::atomic<std::uint64_t> word{0};
  std::uint64_t written[2] = {};  // a put of one word is another thing
};
static_assert(sizeof(memory) == 24);

struct node {
  net::job all;
  memory of;
  net::window opened;

  node() : opened{&all, reinterpret_cast<std::byte*>(&of), sizeof of} {}
  void put(std::uint64_t value) {
    const std::uint64_t both[2] = {value, value};
    net::shm.put(opened, 0, sizeof of.word, both, sizeof both);
    net::shm.flush(opened, 0);
  }
  std::uint64_t get() {
    std::uint64_t both[2] = {};
    net::shm.get(opened, 0, sizeof of.word, both, sizeof both);
    return both[0];
  }
  void put_word(std::uint64_t value) { net::shm.put(opened, 0, 0, &value, sizeof value); }
  std::uint64_t add(std::uint64_t by) { return net::shm.fetch_add(opened, 0, 0, by); }
  std::uint64_t swap(std::uint64_t expected, std::uint64_t desired) {
    return net::shm.compare_swap(opened, 0, 0, expected, desired);
  }
};

void put_then_added() {
  node memory;
  threads(thread{"putter",
                 [&] {
                   memory.put(7);
                   memory.add(1);
                 }},
          thread{"getter", [&] {
                   while (memory.swap(1, 2) != 1) weft::arch::pause();
                   check(memory.get() == 7, "the getter has what was put");
                   memory.put(8);
                   memory.add(1);
                 }});
  check(memory.swap(3, 3) == 3 && memory.get() == 8, "each operation happened once");
}

void put_then_swapped() {
  node memory;
  threads(thread{"putter",
                 [&] {
                   memory.put(7);
                   memory.swap(0, 1);
                 }},
          thread{"getter", [&] {
                   while (memory.add(0) == 0) weft::arch::pause();
                   check(memory.get() == 7, "the getter has what was put");
                 }});
}

// A swap that changes nothing acquires, too.
void looked_at_by_a_swap() {
  node memory;
  threads(thread{"putter",
                 [&] {
                   memory.put(7);
                   memory.add(1);
                 }},
          thread{"getter", [&] {
                   while (memory.swap(5, 5) == 0) weft::arch::pause();
                   check(memory.get() == 7, "the getter has what was put");
                 }});
}

// A thief has copied, and says so by the put of a word; the owner then writes over what was copied.
void copied_then_put() {
  node memory;
  memory.of.written[0] = 7;
  threads(thread{"thief",
                 [&] {
                   check(memory.get() == 7, "the thief has what was there");
                   memory.put(8);
                   memory.put_word(1);
                 }},
          thread{"owner", [&] {
                   // acquire: as the owner of a queue loads a ticket [R5]
                   while (memory.of.word.load(weft::base::acquire) != 1) weft::arch::pause();
                   check(memory.of.written[0] == 8, "the owner sees what the thief put before the word");
                   memory.of.written[0] = 9;
                 }});
}

const explorer::expectations usual{.at_least = 20, .quick = {.executions = 30'000}, .deep = {}};
const model two{"J two ranks, two rounds", usual, two_ranks_two_rounds};
const model three{"J three ranks, one round", usual, three_ranks_one_round};
const explorer::expectations few{.at_least = 2, .quick = {}, .deep = {}};
const model added{"J put, then added", few, put_then_added};
const model swapped{"J put, then swapped", few, put_then_swapped};
const model put{"J copied, then a word is put", few, copied_then_put};
const model looked{"J looked at by a swap", few, looked_at_by_a_swap};

}  // namespace
