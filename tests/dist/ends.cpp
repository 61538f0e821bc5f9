// A child ends while its forker, which waits, leaves the stack: the forker then goes on where it
// is, with all its forks. The child looks into the library for the moment at which its forker's
// frames are being copied; they are large, so that this takes long.
//
// An older fork of the forker is not joined yet, and newer ones, which other ranks take, must not
// get its place.
//
//   ends [any word: without large frames]
#include <cstdio>
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "arch/cpu.hpp"
#include "dist/rank/engine.hpp"
#include "shared_words.hpp"

namespace {

shared_words words;
enum { round_of_child, round_of_forker, round_of_look, rank_of_forker, left_before, newer };

struct tagged {
  long value, round;
};

// How often threads have left the stack of a rank.
int left_stack(int rank) {
  return static_cast<int>(__atomic_load_n(&weft::dist::control_of(rank)->count.evacuations, __ATOMIC_RELAXED));
}
// How often threads were about to leave, and went on where they were.
long stayed() {
  long sum = 0;
  for (int rank = 0; rank < weft_dist_ranks(); ++rank) {
    sum += left_stack(rank) - static_cast<int>(__atomic_load_n(&weft::dist::control_of(rank)->count.resumed, __ATOMIC_RELAXED));
  }
  return sum;
}

void end_while_forker_leaves(void* work) {
  constexpr int patience = 1'000'000;
  tagged own;
  std::memcpy(&own, work, sizeof own);
  words[round_of_child].store(static_cast<int>(own.round));
  if (weft_dist_ranks() > 1) {
    words.spin_for(round_of_forker, static_cast<int>(own.round));
    const int rank = words[rank_of_forker].load(), before = words[left_before].load();
    words[round_of_look].store(static_cast<int>(own.round));
    for (int i = 0; i < patience && left_stack(rank) == before; ++i) weft::arch::pause();
  }
  own.value *= 3;
  std::memcpy(work, &own, sizeof own);
}

void triple(void* work) {
  tagged own;
  std::memcpy(&own, work, sizeof own);
  words[newer].fetch_add(1);
  own.value *= 3;
  std::memcpy(work, &own, sizeof own);
}

struct outcome {
  long wrong, stayed;
};

struct triples {
  tagged of;
  weft_forked* forked;

  void fork(void (*run)(void*)) { forked = weft_fork(run, &of, sizeof of); }
  void join(void (*run)(void*)) { weft_fork_join(forked, run, &of, sizeof of); }
};

// The child that other ranks run, or run the forker of, is the oldest.
void run(void* work) {
  long round = 0;
  std::memcpy(&round, work, sizeof round);
  triples all[4];
  for (long i = 0; i < 4; ++i) all[i].of = {10 * round + i, round};
  all[0].fork(end_while_forker_leaves);
  all[1].fork(triple);
  if (weft_dist_ranks() > 1) words.spin_for(round_of_child, static_cast<int>(round));
  words[rank_of_forker].store(weft_dist_rank());
  words[left_before].store(left_stack(weft_dist_rank()));
  words[round_of_forker].store(static_cast<int>(round));
  if (weft_dist_ranks() > 1) words.spin_for(round_of_look, static_cast<int>(round));
  all[0].join(end_while_forker_leaves);
  words[newer].store(0);
  all[2].fork(triple);
  all[3].fork(triple);
  if (weft_dist_ranks() > 1) words.at_least(newer, 2);
  for (const int i : {1, 3, 2}) all[i].join(triple);
  outcome its{0, stayed()};
  for (long i = 0; i < 4; ++i) its.wrong += all[i].of.value == 3 * (10 * round + i) ? 0 : 1;
  std::memcpy(work, &its, sizeof its);
}

void run_below_large_frame(void* work) {
  constexpr std::size_t large = 2 * 1024 * 1024, page = 4096;
  volatile unsigned char frame[large];
  for (std::size_t at = 0; at < large; at += page) frame[at] = 1;
  run(work);
  if (frame[large - page] != 1) std::printf("a large frame is not as it was\n");
}

}  // namespace

int main(int count, char**) {
  constexpr long rounds = 50, most_rounds = 300, wanted = 5;
  for (long round = 1; round <= most_rounds; ++round) {
    outcome value{round, 0};
    if (weft_dist_root(count > 1 ? run : run_below_large_frame, &value, sizeof value) != WEFT_OK) return 1;
    if (value.wrong != 0) {
      std::printf("rank %d, round %ld: %ld of 4 forks gave another value\n", weft_dist_rank(), round, value.wrong);
      return 1;
    }
    if (round >= rounds && (weft_dist_ranks() == 1 || count > 1 || value.stayed >= wanted)) break;
  }
  return 0;
}
