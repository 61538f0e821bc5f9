// Protocol G, over dist/words/global_words.hpp and a transport: a block of a rank's heap has one owner at
// a time, whichever ranks take and give it; what was put into it is what the next owner's thread
// finds; and a reader of a cell that is set finds the whole value.
#include "arch/cpu.hpp"
#include "dist/words/global_words.hpp"
#include "explorer/explorer.hpp"
#include "net/rma/shm.cpp"  // NOLINT(bugprone-suspicious-include): the operations that nothing delays

namespace base = weft::base;
namespace dist = weft::dist;
namespace net = weft::net;
using namespace explorer::words;

namespace {

using words = dist::basic_heap_words<2>;
using object_memory = dist::basic_object_memory<words>;

constexpr unsigned blocks = 2;
constexpr unsigned words_of_block = object_memory::smallest / sizeof(std::uint64_t);

// A rank's heap: its words, and blocks of whose first word a racing rank may see any value, so that
// it is an atomic here.
struct heap {
  net::job all;
  words its;
  base::atomic<std::uint64_t> bytes[blocks * words_of_block];
  net::window opened;

  heap() : opened{&all, reinterpret_cast<std::byte*>(&its), sizeof its + sizeof bytes, nullptr} {
    static_assert(sizeof(words) % object_memory::smallest == 0);
    its.room.store(sizeof bytes, base::relaxed);
    for (auto& each : its.free) each.store(0, base::relaxed);
  }
  base::atomic<std::uint64_t>& word_at(std::size_t offset) { return bytes[(offset - sizeof its) / sizeof(std::uint64_t)]; }
};
heap* now = nullptr;

void get(const net::window&, int, std::size_t offset, void* into, std::size_t) {
  const std::uint64_t word = now->word_at(offset).load(base::relaxed);
  std::memcpy(into, &word, sizeof word);
}
void put(const net::window&, int, std::size_t offset, const void* from, std::size_t) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  now->word_at(offset).store(word, base::relaxed);
}

const net::rma network = {"model",        nullptr,           get,           put, net::shm.fetch_add, net::shm.compare_swap,
                          net::shm.flush, net::shm.progress, net::shm.alias};

struct objects {
  heap net;
  unsigned owners[blocks] = {};  // of each block: plain, so that two at once are a race

  objects() { now = &net; }
  [[nodiscard]] object_memory its() const { return {network, net.opened, 0, 0}; }
  static unsigned number(std::uint64_t at) { return static_cast<unsigned>((at - sizeof(words)) / object_memory::smallest); }
  std::uint64_t take(unsigned owner) {
    const std::uint64_t at = its().take(0, sizeof(words));
    if (at == 0) return 0;
    check(number(at) < blocks && at % object_memory::smallest == 0, "the block lies in the heap");
    owners[number(at)] = owner;
    net.word_at(at).store(owner + 100, base::relaxed);  // over the link
    return at;
  }
  void give(std::uint64_t at, unsigned owner) {
    check(owners[number(at)] == owner, "a block has one owner");
    its().give(0, at);
  }
  bool take_and_give(unsigned owner) {
    const std::uint64_t at = take(owner);
    if (at != 0) give(at, owner);
    return at != 0;
  }
  void use_one_of_two(unsigned owner) { check(take_and_give(owner), "there is memory for each"); }
};

void two_ranks_take() {
  objects all;
  threads(thread{"one", [&] { all.use_one_of_two(1); }}, thread{"other", [&] { all.use_one_of_two(2); }});
  check(all.take(3) != 0 && (all.take(4) != 0), "both blocks are free");
  check(all.take(5) == 0, "and no third");
}

// Both begin with a free list.
void two_ranks_take_again() {
  objects all;
  const std::uint64_t first = all.take(1), second = all.take(1);
  all.give(first, 1);
  all.give(second, 1);
  threads(thread{"one", [&] { all.use_one_of_two(1); }}, thread{"other", [&] { all.use_one_of_two(2); }});
  check(all.take(3) != 0 && (all.take(4) != 0), "both blocks are free");
}

// The tag: the head is the block that a slow rank has seen, and the next one is another.
void the_same_block_comes_back() {
  objects all;
  const std::uint64_t first = all.take(1), second = all.take(1);
  all.give(first, 1);
  all.give(second, 1);
  threads(thread{"slow", [&] { (void)all.take_and_give(2); }},
          thread{"quick", [&] {
                   const std::uint64_t one = all.take(1), other = all.take(1);
                   if (one != 0) all.give(one, 1);
                   if (other != 0) check(all.owners[objects::number(other)] == 1, "a block that was not given has its owner");
                 }});
}

// ---- cells --------------------------------------------------------------------------------------

struct cell {
  net::job all;
  struct {
    dist::put_word is_set;
    std::uint64_t value[2];
  } its;
  net::window opened{&all, reinterpret_cast<std::byte*>(&its), sizeof its, nullptr};

  cell() {
    its.is_set.clear();
    its.value[0] = its.value[1] = 0;
  }
  [[nodiscard]] dist::far_cell far() const { return {net::shm, opened, 0, 0}; }
  void set_near() {
    its.value[0] = its.value[1] = 7;
    its.is_set.set(1);
  }
  void set_far() const {
    const std::uint64_t value[2] = {7, 7};
    far().set(value, sizeof value);
  }
  void read_near() const {
    if (its.is_set.value() != 0) check(its.value[0] == 7 && its.value[1] == 7, "the value is whole");
  }
};

void near_cell() {
  cell of;
  threads(thread{"setter", [&] { of.set_near(); }}, thread{"reader", [&] { of.read_near(); }},
          thread{"other", [&] { of.read_near(); }});
}
void far_cell() {
  cell of;
  threads(thread{"setter", [&] { of.set_far(); }}, thread{"reader", [&] { of.read_near(); }});
}

const explorer::expectations usual{.at_least = 3, .quick = {.executions = 60'000}, .deep = {}};
const explorer::expectations few{.at_least = 2, .quick = {}, .deep = {}};
const model take{"G two ranks take memory", usual, two_ranks_take};
const model take_again{"G two ranks take memory that was given", usual, two_ranks_take_again};
const model back{"G the same block comes back", usual, the_same_block_comes_back};
const model near{"G a cell that its node sets", few, near_cell};
const model far{"G a cell that another node sets", few, far_cell};

}  // namespace
