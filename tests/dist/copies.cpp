// What moves arrives as it was, although its rank goes on meanwhile.
//
// Frames: each call fills a large frame with words of its own, so that another's frame at the same addresses differs. Each forks a short
// child, so that the child ends while a thief copies its forker. The victim then takes frames to the same addresses from a third rank.
// The children look into the library for the thief.
//
// Results: a root's result fills much of the stack of the rank on which it ended, which begins the next root at once, while others copy.
#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <weft/dist.h>
#include <weft/hot.h>

#include "dist/engine.hpp"

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

int main() { return are_frames_whole(10) && are_results_whole(30) ? 0 : 1; }
