// What moves arrives as it was, although its rank goes on meanwhile.
//
// Frames: each call fills a large frame with words of its own, so that another's frame at the same
// addresses differs. Each forks a short child, so that the child ends while a thief copies its
// forker. The victim then takes frames to the same addresses from a third rank. The children look
// into the library for the thief.
//
// A thread that waits for a future leaves the stack while a thief copies its forker, whose frame is
// large. What the rank runs next must not lie on the stack before the thief has all.
//
// Results: a root's result fills much of the stack of the rank on which it ended, which begins the
// next root at once, while others copy.
#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <weft/dist.h>
#include <weft/global.h>
#include <weft/hot.h>

#include "dist/rank/engine.hpp"
#include "shared_words.hpp"

namespace {

constexpr std::size_t frame_words = 32 * 1024, step = 64;
constexpr std::uint64_t chains = 8, links = 12;

// A call, which counts those frames, of itself and below, that were as they had been left.
struct call {
  std::uint64_t number, depth;
  std::uint64_t good;
};

std::uint64_t word_of(std::uint64_t number, std::size_t at) { return (number * frame_words + at) * 0x9e3779b97f4a7c15ULL; }

bool is_being_robbed() {
  for (int rank = 0; rank < weft_dist_ranks(); ++rank) {
    if (weft::dist::part_of(rank)->robbed.load(weft::base::relaxed) == static_cast<unsigned>(weft_dist_rank()) + 1) return true;
  }
  return false;
}

// Ends when a thief has begun to take its forker, or none comes.
void run_leaf(void* work) {
  constexpr int patience = 200;
  call own;
  std::memcpy(&own, work, sizeof own);
  for (int i = 0; weft_dist_ranks() > 1 && i < patience && !is_being_robbed(); ++i) sched_yield();
  own.good = 1;
  std::memcpy(work, &own, sizeof own);
}

void run_chain(void* work) {
  call own;
  std::memcpy(&own, work, sizeof own);
  volatile std::uint64_t frame[frame_words];
  for (std::size_t at = 0; at < frame_words; at += step) frame[at] = word_of(own.number, at);
  if (own.depth != 0) {
    call leaf{own.number, 0, 0}, rest{own.number + 1, own.depth - 1, 0};
    weft_forked* const forked = weft_fork(run_leaf, &leaf, sizeof leaf);
    run_chain(&rest);
    weft_fork_join(forked, run_leaf, &leaf, sizeof leaf);
    own.good = leaf.good + rest.good;
  }
  bool is_good = true;
  for (std::size_t at = 0; at < frame_words; at += step) is_good &= frame[at] == word_of(own.number, at);
  own.good += is_good ? 1 : 0;
  std::memcpy(work, &own, sizeof own);
}

// Chains that begin at about the same address, on whatever rank they run.
void run_chains(void* work) {
  call parts[chains];
  weft_forked* forked[chains];
  for (std::uint64_t i = 0; i < chains; ++i) {
    parts[i] = {i * links, links - 1, 0};
    forked[i] = weft_fork(run_chain, &parts[i], sizeof parts[i]);
  }
  std::uint64_t good = 0;
  for (std::uint64_t i = chains; i-- > 0;) {
    weft_fork_join(forked[i], run_chain, &parts[i], sizeof parts[i]);
    good += parts[i].good;
  }
  std::memcpy(work, &good, sizeof good);
}

bool are_frames_whole(int rounds) {
  const std::uint64_t all = chains * (2 * links - 1);
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t good = 0;
    if (weft_dist_root(run_chains, &good, sizeof good) != WEFT_OK) return false;
    if (good == all) continue;
    std::printf("round %d: %lu of %lu frames and leaves are whole\n", round, good, all);
    return false;
  }
  return true;
}

// ---- waits for futures ----

shared_words met;
enum { keeper_is_alone, keeper_may_end };

// Of two futures: rank 0's heap has both.
struct awaited {
  weft_global of_older, of_newer;
};

void keep_rank(void*) {
  met.wait_for(keeper_is_alone, 1);
  met.wait_for(keeper_may_end, 1);
}

void wait_for_older(void* work) {
  awaited both;
  std::memcpy(&both, work, sizeof both);
  char value = 0;
  weft_global_future_get(both.of_older, &value, sizeof value);
}

// Its forker has just been claimed. The older one of this rank's threads can go on at once.
void wait_for_newer(void* work) {
  awaited both;
  std::memcpy(&both, work, sizeof both);
  constexpr int spins = 100'000;
  for (int i = 0; !weft::dist::all.mine->queue.seems_empty(); ++i) {
    if (i >= spins) sched_yield();
  }
  char value = 1;
  weft_global_future_set(both.of_older, &value, sizeof value);
  weft_global_future_get(both.of_newer, &value, sizeof value);
}

[[gnu::noinline]] bool fork_below_large_frame(awaited both) {
  constexpr std::size_t large = 3 * 1024 * 1024, page = 4096;
  volatile unsigned char frame[large];
  for (std::size_t at = 0; at < large; at += page) frame[at] = static_cast<unsigned char>(at / page);
  met[keeper_may_end].store(1);  // its rank becomes the thief
  weft_forked* const forked = weft_fork(wait_for_newer, &both, sizeof both);
  const char value = 1;
  weft_global_future_set(both.of_newer, &value, sizeof value);
  weft_fork_join(forked, wait_for_newer, &both, sizeof both);
  bool is_whole = true;
  for (std::size_t at = 0; at < large; at += page) is_whole &= frame[at] == static_cast<unsigned char>(at / page);
  return is_whole;
}

void wait_beside_a_copy(void* work) {
  awaited both{0, 0};
  long none = 0, is_right = 0;
  if (weft_global_future_make(0, 1, &both.of_older) == WEFT_OK && weft_global_future_make(0, 1, &both.of_newer) == WEFT_OK) {
    weft_forked* const keeper = weft_fork(keep_rank, &none, sizeof none);
    met[keeper_is_alone].store(1);
    awaited same = both;
    weft_forked* const older = weft_fork(wait_for_older, &same, sizeof same);
    is_right = fork_below_large_frame(both);
    weft_fork_join(older, wait_for_older, &same, sizeof same);
    weft_fork_join(keeper, keep_rank, &none, sizeof none);
    weft_global_future_free(both.of_older, 1);
    weft_global_future_free(both.of_newer, 1);
  }
  std::memcpy(work, &is_right, sizeof is_right);
}

bool are_frames_whole_beside_waits(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    met[keeper_is_alone].store(0);
    met[keeper_may_end].store(0);
    long is_right = 0;
    if (weft_dist_root(wait_beside_a_copy, &is_right, sizeof is_right) != WEFT_OK || is_right == 0) return false;
  }
  return true;
}

// ---- results ----

constexpr std::size_t result_words = 256 * 1024;

// The work is the result of the root before: its first word is the number of the next.
void fill(void* work) {
  auto* const words = static_cast<std::uint64_t*>(work);
  const std::uint64_t number = words[0] + 1;
  for (std::size_t at = 1; at < result_words; ++at) words[at] = word_of(number, at);
  words[0] = number;
}

bool are_results_whole(int rounds) {
  std::vector<std::uint64_t> words(result_words);
  for (int round = 1; round <= rounds; ++round) {
    if (weft_dist_root(fill, words.data(), words.size() * sizeof words[0]) != WEFT_OK) return false;
    bool is_good = words[0] == static_cast<std::uint64_t>(round);
    for (std::size_t at = 1; at < result_words; ++at) is_good &= words[at] == word_of(words[0], at);
    if (is_good) continue;
    std::printf("rank %d, round %d: the result is not the root's\n", weft_dist_rank(), round);
    return false;
  }
  return true;
}

}  // namespace

int main(int count, char**) {
  if (count > 1) return are_frames_whole_beside_waits(20) ? 0 : 1;
  return are_frames_whole(10) && are_results_whole(30) ? 0 : 1;
}
