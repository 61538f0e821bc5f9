// A rank that stays in one leaf gives what is public all the same: the leaf ends only once another
// rank has run what its forker does next. A thief that took the last public continuation is given
// another at the victim's next fork. Wants two ranks; hangs if a continuation cannot be stolen
// meanwhile. Large frames are being copied while their child ends.
//
// Under the policy `child` it is the forker that stays in one leaf, and its forks that are taken.
//
//   leaf [any word: without large frames]
#include <cstdio>
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "policy.hpp"
#include "shared_words.hpp"

namespace {

shared_words words;
enum { went_on, went_on_again };

struct ranks {
  long child, forker;
};

void stay(void* work) {
  words.wait_for(went_on, 1);
  const long rank = weft_dist_rank();
  std::memcpy(work, &rank, sizeof rank);
}

// ---- the continuation of the leaf's forker is the last public one, and is taken before the leaf forks

void stay_again(void*) { words.wait_for(went_on_again, 1); }

void fork_when_robbed(void*) {
  words.wait_for(went_on, 1);
  long nothing = 0;
  weft_forked* const forked = weft_fork(stay_again, &nothing, sizeof nothing);
  words[went_on_again].store(1);
  weft_fork_join(forked, stay_again, &nothing, sizeof nothing);
}

void run_two(void*) {
  long nothing = 0;
  weft_forked* const forked = weft_fork(fork_when_robbed, &nothing, sizeof nothing);
  words[went_on].store(1);
  weft_fork_join(forked, fork_when_robbed, &nothing, sizeof nothing);
}

// ---- the last public continuation comes back, because its child has ended, and the next fork is a leaf's: while the child ran, no rank was
// idle ----

void end_at_once(void*) {}

void stay_once_others_are_idle(void*) {
  words[went_on_again].store(1);
  words.wait_for(went_on, 2);
}

void fork_twice(void*) {
  words.wait_for(went_on, 1);
  long nothing = 0;
  weft_forked* const first = weft_fork(end_at_once, &nothing, sizeof nothing);
  weft_fork_join(first, end_at_once, &nothing, sizeof nothing);
  weft_forked* const second = weft_fork(stay_once_others_are_idle, &nothing, sizeof nothing);
  words[went_on].store(2);
  weft_fork_join(second, stay_once_others_are_idle, &nothing, sizeof nothing);
}

void keep_other_rank(void*) {
  long nothing = 0;
  weft_forked* const forked = weft_fork(fork_twice, &nothing, sizeof nothing);
  words[went_on].store(1);
  words.wait_for(went_on_again, 1);
  weft_fork_join(forked, fork_twice, &nothing, sizeof nothing);
}

bool is_given_again(void (*root)(void*)) {
  for (int round = 0; round < 20; ++round) {
    words[went_on].store(0);
    words[went_on_again].store(0);
    long nothing = 0;
    if (weft_dist_root(root, &nothing, sizeof nothing) != WEFT_OK) return false;
  }
  return true;
}

// ---- large frames ----

constexpr std::size_t large = 100 * 1024;

void count_nodes(void* work) {
  long depth = 0;
  std::memcpy(&depth, work, sizeof depth);
  volatile unsigned char frame[large];
  for (std::size_t i = 0; i < large; i += 512) frame[i] = static_cast<unsigned char>(depth);
  long nodes = 1;
  for (int i = 0; depth > 0 && i < 2; ++i) {
    long below = depth - 1;
    weft_forked* const forked = weft_fork(count_nodes, &below, sizeof below);
    long own = depth - 1;
    if (i == 1) own = 0;
    count_nodes(&own);
    weft_fork_join(forked, count_nodes, &below, sizeof below);
    nodes += own + below;
  }
  for (std::size_t i = 0; i < large; i += 512) {
    if (frame[i] != depth) nodes += 1'000'000;
  }
  std::memcpy(work, &nodes, sizeof nodes);
}

long nodes_below(long depth) { return depth == 0 ? 1 : 1 + 3 * nodes_below(depth - 1) + 1; }

bool are_large_frames_whole() {
  constexpr long depth = 5;
  for (int round = 0; round < 20; ++round) {
    long value = depth;
    if (weft_dist_root(count_nodes, &value, sizeof value) != WEFT_OK) return false;
    if (value == nodes_below(depth)) continue;
    std::printf("large frames: %ld nodes, not %ld\n", value, nodes_below(depth));
    return false;
  }
  return true;
}

void run(void* work) {
  long child = -1;
  weft_forked* const forked = weft_fork(stay, &child, sizeof child);
  const ranks both{0, weft_dist_rank()};
  words[went_on].store(1);
  weft_fork_join(forked, stay, &child, sizeof child);
  const ranks result{child, both.forker};
  std::memcpy(work, &result, sizeof result);
}

// ---- the policy `child`: a forker that stays in one leaf gives its forks ----

struct tagged {
  long word, rank;
};

void say_where(void* work) {
  tagged own;
  std::memcpy(&own, work, sizeof own);
  own.rank = weft_dist_rank();
  words[static_cast<int>(own.word)].store(1);
  std::memcpy(work, &own, sizeof own);
}

// Two forks, which other ranks run, the older one first.
void stay_behind(void* work) {
  tagged first{went_on, -1}, second{went_on_again, -1};
  weft_forked* const older = weft_fork(say_where, &first, sizeof first);
  weft_forked* const newer = weft_fork(say_where, &second, sizeof second);
  words.wait_for(went_on, 1);
  words.wait_for(went_on_again, 1);
  const long forker = weft_dist_rank();
  weft_fork_join(newer, say_where, &second, sizeof second);
  weft_fork_join(older, say_where, &first, sizeof first);
  const long is_right = first.rank != forker && second.rank != forker;
  std::memcpy(work, &is_right, sizeof is_right);
}

// The older fork holds an address of the stack, in its last word: it stays, and the newer one is
// taken.
struct by_address {
  long words[5];
  long* answer;
};
static_assert(sizeof(by_address) == WEFT_FORK_BYTES);

void answer(void* work) {
  by_address own;
  std::memcpy(&own, work, sizeof own);
  *own.answer = own.words[0];
}

void stay_with_address(void* work) {
  long is_right = 0;
  tagged newer{went_on, -1};
  by_address older{{1, 2, 3, 4, 5}, &is_right};
  weft_forked* const with_address = weft_fork(answer, &older, sizeof older);
  weft_forked* const taken = weft_fork(say_where, &newer, sizeof newer);
  words.wait_for(went_on, 1);
  const long forker = weft_dist_rank();
  weft_fork_join(taken, say_where, &newer, sizeof newer);
  weft_fork_join(with_address, answer, &older, sizeof older);
  is_right = is_right == 1 && newer.rank != forker;
  std::memcpy(work, &is_right, sizeof is_right);
}

bool stays_with_address() {
  words[went_on].store(0);
  long is_right = 0;
  return weft_dist_root(stay_with_address, &is_right, sizeof is_right) == WEFT_OK && is_right != 0;
}

int run_forkers_that_stay(bool has_large) {
  for (int round = 0; round < 20; ++round) {
    words[went_on].store(0);
    words[went_on_again].store(0);
    long is_right = 0;
    if (weft_dist_root(stay_behind, &is_right, sizeof is_right) != WEFT_OK) return 1;
    if (is_right == 0) return 4;
  }
  if (has_large && !are_large_frames_whole()) return 3;
  // Last: a thief sees what a fork has left in its place, and would leave the next fork there, too.
  return stays_with_address() ? 0 : 5;
}

}  // namespace

int main(int count, char**) {
  const bool has_large = count == 1;
  if (forkers_go_on()) return run_forkers_that_stay(has_large);
  for (int round = 0; round < 20; ++round) {
    words[went_on].store(0);
    ranks result{-1, -1};
    if (weft_dist_root(run, &result, sizeof result) != WEFT_OK) return 1;
    if (result.child == result.forker) {
      std::printf("the leaf and its forker ran on rank %ld both\n", result.child);
      return 1;
    }
  }
  if (!is_given_again(run_two) || !is_given_again(keep_other_rank)) return 2;
  return has_large && !are_large_frames_whole() ? 3 : 0;
}
