// Protocol R between nodes, over dist/words/far_words.hpp and join_record.hpp, and a transport as bad as
// a network may be: the words of a get arrive in either order, a put arrives at any time until the
// flush. Each continuation goes on once, with the frames that its owner wrote; the owner writes
// over frames only once their copy has ended; each joined forker goes on once, with what the child
// left, whichever side went to another node before.
#include "arch/cpu.hpp"
#include "dist/words/far_words.hpp"
#include "explorer/explorer.hpp"
#include "net/rma/shm.cpp"  // NOLINT(bugprone-suspicious-include): the operations that nothing delays

namespace base = weft::base;
namespace dist = weft::dist;
namespace net = weft::net;
using namespace explorer::words;

namespace {

using words = dist::basic_far_words<2, 2>;

// One rank's words, and a network on which one put at a time is under way.
struct node {
  net::job all;
  words of;
  net::window opened;
  base::atomic<std::uint64_t> sent{0};  // the value of the put that is under way; 0: none
  std::size_t sent_to = 0;
  bool is_backward = false;
  bool is_delayed = false;

  node() : opened{&all, reinterpret_cast<std::byte*>(&of), sizeof of, nullptr} {}
};
node* now = nullptr;
constexpr std::uint64_t none = ~std::uint64_t{0};  // instead of a put: none will come

void get(const net::window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  if (offset != offsetof(words, offered)) return net::shm.get(from, rank, offset, into, bytes);
  auto* const to = static_cast<std::uint64_t*>(into);
  for (unsigned i = 0; i < dist::offer::count; ++i) {
    const unsigned at = now->is_backward ? dist::offer::count - 1 - i : i;
    to[at] = now->of.offered[at].load(base::relaxed);
  }
}

void put(const net::window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  if (!now->is_delayed || bytes != sizeof(std::uint64_t)) return net::shm.put(into, rank, offset, from, bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  now->sent_to = offset;
  now->sent.store(value, base::release);
}

// A thread of the model: the put arrives, whenever it runs.
void deliver() {
  std::uint64_t value = 0;
  while ((value = now->sent.load(base::acquire)) == 0) weft::arch::pause();
  if (value != none) net::shm.put(now->opened, 0, now->sent_to, &value, sizeof value);
}

const net::rma network = {"model",        nullptr,           get,           put, net::shm.fetch_add, net::shm.compare_swap,
                          net::shm.flush, net::shm.progress, net::shm.alias};

// ---- offers -------------------------------------------------------------------------------------

struct offers {
  node net;
  dist::basic_offering<words> owner;
  unsigned frames[3] = {};
  int went_on[3] = {};
  base::atomic<int> went_on_elsewhere[3] = {};
  bool is_stolen = false;

  explicit offers(bool is_backward, bool is_delayed) {
    now = &net;
    net.is_backward = is_backward;
    net.is_delayed = is_delayed;
    owner.set_up(network, net.opened);
  }
  void offer(unsigned index, unsigned number) {
    frames[index] = number;
    owner.make(index, {{number, ~std::uint64_t{number}}});
  }
  // False: the continuation is gone, and nothing is copied any more.
  bool child_ends(unsigned index) {
    if (owner.take_back()) {
      ++went_on[frames[index]];
      return true;
    }
    while (!owner.all_copied()) weft::arch::pause();
    frames[index] = 0;
    return false;
  }
  void steal() {
    dist::offer claimed;
    if (!dist::claim_offer<words>(network, net.opened, 0, &claimed)) {
      if (net.is_delayed) net.sent.store(none, base::release);
      return;
    }
    const auto number = static_cast<unsigned>(claimed.words[dist::offer::what]);
    check(claimed.words[dist::offer::what + 1] == ~std::uint64_t{number}, "the descriptor is whole");
    check(frames[claimed.words[dist::offer::index]] == number, "the frames are those of the descriptor");
    went_on_elsewhere[number].fetch_add(1, base::relaxed);
    dist::end_copy<words>(network, net.opened, 0, claimed.words[dist::offer::ticket]);
  }
  int times(unsigned number) { return went_on[number] + went_on_elsewhere[number].load(base::relaxed); }
};

void one_offer() {
  offers its(false, false);
  threads(thread{"owner",
                 [&] {
                   its.offer(1, 1);
                   its.child_ends(1);
                 }},
          thread{"thief", [&] { its.steal(); }});
  check(its.times(1) == 1, "the continuation goes on once");
}

void copy_told_late() {
  offers its(false, true);
  threads(thread{"owner",
                 [&] {
                   its.offer(1, 1);
                   its.child_ends(1);
                 }},
          thread{"thief", [&] { its.steal(); }}, thread{"network", [] { deliver(); }});
  check(its.times(1) == 1, "the continuation goes on once");
}

void offered_again(bool is_backward) {
  offers its(is_backward, false);
  bool is_second = false;
  threads(thread{"owner",
                 [&] {
                   its.offer(1, 1);
                   if (!its.child_ends(1)) return;
                   is_second = true;
                   its.offer(2, 2);
                   its.child_ends(2);
                 }},
          thread{"thief", [&] { its.steal(); }});
  check(its.times(1) == 1, "the first goes on once");
  check(its.times(2) == (is_second ? 1 : 0), "the second goes on once");
}

void two_thieves() {
  offers its(true, false);
  threads(thread{"owner",
                 [&] {
                   its.offer(1, 1);
                   its.child_ends(1);
                 }},
          thread{"thief", [&] { its.steal(); }}, thread{"other thief", [&] { its.steal(); }});
  check(its.times(1) == 1, "the continuation goes on once");
}

// A fork's offer has all of it: its claimant copies nothing, and the owner waits for no copy.
void fork_offered(bool is_backward) {
  offers its(is_backward, false);
  int ran_here = 0;
  base::atomic<int> ran_elsewhere{0};
  threads(thread{"owner",
                 [&] {
                   for (std::uint64_t number = 1; number <= 2; ++number) {
                     const std::uint64_t bytes[] = {number, 2 * number, 3 * number, 4 * number, 5 * number, 6 * number};
                     its.owner.make_fork(7 * number, 8 * number, bytes);
                     if (its.owner.take_back()) ++ran_here;
                     check(its.owner.all_copied(), "the owner waits for no claimant");
                   }
                 }},
          thread{"thief", [&] {
                   dist::offer claimed;
                   if (!dist::claim_offer<words>(network, its.net.opened, 0, &claimed)) return;
                   const std::uint64_t number = claimed.words[dist::offer::bytes_at];
                   bool is_whole =
                       claimed.words[dist::offer::index] == 7 * number && claimed.words[dist::offer::what] == 8 * number;
                   for (unsigned i = 0; i < 6; ++i)
                     is_whole = is_whole && claimed.words[dist::offer::bytes_at + i] == (i + 1) * number;
                   check(is_whole && (number == 1 || number == 2), "the fork is whole");
                   ran_elsewhere.fetch_add(1, base::relaxed);
                 }});
  check(ran_here + ran_elsewhere.load(base::relaxed) == 2, "each fork is run once");
}

// ---- joins --------------------------------------------------------------------------------------

struct join {
  node net;
  dist::basic_far_pool<words> pool;
  std::size_t offset;
  int frames = 0;  // evacuated
  int resumed = 0;

  join() {
    now = &net;
    pool.set_up(&net.of, 2);
    offset = pool.take();
  }
  dist::far_join its() { return {network, net.opened, 0, offset}; }
  void go_on(int expected_frames) {
    ++resumed;
    check(frames == expected_frames, "the frames are whole");
    unsigned char cargo[dist::join_record::cargo_bytes];
    its().take_cargo(cargo);
    check(cargo[0] == 7, "the cargo is what the child left");
  }
  void end_child() {
    unsigned char cargo[dist::join_record::cargo_bytes] = {7};
    const std::uint64_t waiting = its().end(cargo);
    check(waiting == 0 || waiting == 12, "the code of the frames");
    if (waiting != 0) go_on(5);
  }
  void join_child() {
    if (its().has_ended()) return go_on(0);
    frames = 5;
    if (!its().wait(12)) go_on(5);
  }
};

void one_far_join() {
  join all;
  threads(thread{"child", [&] { all.end_child(); }}, thread{"forker", [&] { all.join_child(); }});
  check(all.resumed == 1, "the forker goes on once");
}

void record_used_again() {
  join all;
  std::size_t second = 0;
  threads(thread{"forker",
                 [&] {
                   unsigned char cargo[dist::join_record::cargo_bytes];
                   while (!all.its().has_ended()) weft::arch::pause();
                   all.its().take_cargo(cargo);
                   check(cargo[0] == 7, "the cargo is what the child left");
                   all.its().give();
                 }},
          thread{"owner", [&] {
                   const unsigned char cargo[dist::join_record::cargo_bytes] = {7};
                   (void)all.its().end(cargo);
                   (void)all.pool.take();
                   second = all.pool.take();
                   if (second == 0) return;
                   check(second == all.offset, "the record is free");
                   all.net.of.records[0].cargo[0] = 8;
                 }});
}

// ---- a near record, from which either side goes to a far one ------------------------------------

constexpr std::uint64_t far_of_forker = 1 << 20, far_of_child = 1 << 21;

struct moved {
  dist::join_record near;
  int told_forker = 0, told_child = 0;  // written before the far record is told of
  int given = 0;

  moved() { near.reset(); }
  bool is_far(std::uint64_t word) const { return word == far_of_forker || word == far_of_child; }
};

void both_move() {
  moved its;
  std::uint64_t forker = 0, child = 0;
  threads(thread{"forker's side",
                 [&] {
                   its.told_forker = 3;
                   const std::uint64_t found = its.near.move_forker(far_of_forker);
                   forker = found == dist::join_record::running ? far_of_forker : found;
                   if (found == far_of_child) check(its.told_child == 4, "the far record is as the child's side made it");
                 }},
          thread{"child's side", [&] {
                   its.told_child = 4;
                   const std::uint64_t found = its.near.move_child(far_of_child);
                   child = found == dist::join_record::running ? far_of_child : found;
                   if (found == far_of_forker) check(its.told_forker == 3, "the far record is as the forker's side made it");
                 }});
  check(forker == child && its.is_far(forker), "both sides have one far record");
}

void forker_moves() {
  moved its;
  std::uint64_t forker = 0, child = 0;
  threads(thread{"forker's side",
                 [&] {
                   its.told_forker = 3;
                   forker = its.near.move_forker(far_of_forker);
                   if (forker == dist::join_record::ended) check(its.near.cargo[0] == 7, "the cargo is what the child left");
                 }},
          thread{"child", [&] {
                   const unsigned char cargo[dist::join_record::cargo_bytes] = {7};
                   child = its.near.end(cargo);
                   if (child == far_of_forker) check(its.told_forker == 3, "the far record is as the forker's side made it");
                 }});
  check((forker == dist::join_record::ended) == (child == 0), "one side has come before the other");
}

void child_moves() {
  moved its;
  threads(thread{"child's side",
                 [&] {
                   its.told_child = 4;
                   (void)its.near.move_child(far_of_child);
                 }},
          thread{"forker", [&] {
                   const auto found = reinterpret_cast<std::uint64_t>(its.near.moved_to());
                   if (found == far_of_child) check(its.told_child == 4, "the far record is as the child's side made it");
                 }});
}

// ---- forks that no forker joins -----------------------------------------------------------------

// Of the child's side and the forker's, one gives the record back, after the other is done with it;
// the count of such forks falls after it has risen.
struct discarded_fork {
  dist::join_record near;
  base::atomic<int> count{0};
  int given = 0;

  discarded_fork() { near.reset(); }
  void give() {
    near.cargo[1] = 9;  // plain: a race with any later use
    ++given;
    check(count.fetch_sub(1, base::acq_rel) == 1, "the fork was counted before");
  }
  void end_child() {
    const unsigned char cargo[dist::join_record::cargo_bytes] = {7};
    if (near.end(cargo) == dist::join_record::discarded) give();
  }
  void discard() {
    count.fetch_add(1, base::acq_rel);
    const std::uint64_t found = near.discard();
    if (found == dist::join_record::running) return;
    check(found == dist::join_record::ended && near.cargo[0] == 7, "the child has ended");
    give();
  }
};

void discarded() {
  discarded_fork of;
  threads(thread{"child", [&] { of.end_child(); }}, thread{"forker", [&] { of.discard(); }});
  check(of.given == 1, "the record is given back once");
}

// The child's frames leave the node.
void child_moves_discarded() {
  moved its;
  std::uint64_t forker = 0, child = 0;
  threads(thread{"child's side",
                 [&] {
                   its.told_child = 4;
                   child = its.near.move_child(far_of_child);
                   if (child == dist::join_record::discarded) check(its.told_forker == 3, "the forker is done with the record");
                 }},
          thread{"forker", [&] {
                   its.told_forker = 3;
                   forker = its.near.discard();
                   if (forker == far_of_child) check(its.told_child == 4, "the far record is as the child's side made it");
                 }});
  check((child == dist::join_record::discarded) == (forker == dist::join_record::running), "one of them gives the record back");
}

void discarded_far() {
  join all;
  bool by_child = false, by_forker = false;
  threads(thread{"child",
                 [&] {
                   const unsigned char cargo[dist::join_record::cargo_bytes] = {7};
                   by_child = all.its().end(cargo) == dist::far_record::discarded;
                 }},
          thread{"forker", [&] { by_forker = !all.its().discard(); }});
  check(by_child != by_forker, "the record is given once");
}

// On the owner's node.
void frames_given() {
  dist::put_word freed;
  freed.clear();
  int frames = 5;
  threads(thread{"taker",
                 [&] {
                   check(frames == 5, "the frames are whole");
                   freed.set(1);
                 }},
          thread{"owner", [&] {
                   if (freed.value() != 0) frames = 6;
                 }});
}

const explorer::expectations usual{.at_least = 3, .quick = {.executions = 60'000}, .deep = {}};
const explorer::expectations few{.at_least = 2, .quick = {}, .deep = {}};
const model one{"R one offer", usual, one_offer};
const model late{"R the end of a copy is told late", usual, copy_told_late};
const model again{"R an offer is made again", usual, [] { offered_again(false); }};
const model backward{"R an offer is made again, and read backward", usual, [] { offered_again(true); }};
const model thieves{"R two thieves of an offer", usual, two_thieves};
const model fork{"R a fork is offered", usual, [] { fork_offered(false); }};
const model fork_backward{"R a fork is offered, and read backward", usual, [] { fork_offered(true); }};
const model joined{"R one far join", usual, one_far_join};
const model used_again{"R a far record is used again", few, record_used_again};
const model both{"R both sides move", few, both_move};
const model forker{"R the forker moves", few, forker_moves};
const model child{"R the child moves", few, child_moves};
const model unjoined{"R a discarded fork", few, discarded};
const model moves_unjoined{"R the child of a discarded fork moves", few, child_moves_discarded};
const model unjoined_far{"R a discarded fork between nodes", few, discarded_far};
const model given{"R frames are given back", few, frames_given};

}  // namespace
