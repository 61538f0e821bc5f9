// What the launcher tells of a rank: each count in its column, and what a dead rank held. The ranks
// write down what the engine would.
//
//   told counts | told claim | told depth | told idle, which compares with a clock | told bytes, by a steal
#include <unistd.h>

#include <csignal>
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "dist/rank/engine.hpp"
#include "os/clock.hpp"
#include "shared_words.hpp"

namespace {

using namespace weft::dist;

void kept(void*) {}

int write_counts() {
  long nothing = 0;
  if (weft_dist_root([](void*) {}, &nothing, sizeof nothing) != WEFT_OK) return 1;
  const std::uint64_t tens = 10 * (1 + static_cast<std::uint64_t>(all.job.rank));
  counters& its = all.part->count;
  its = {};
  its.steals = tens + 1;
  its.stolen_bytes = tens + 2;
  its.evacuations = tens + 3;
  its.resumed = tens + 4;
  its.kept = tens + 5;
  its.full = tens + 6;
  its.idle_ns = tens + 7;
  all.part->kept[0] = {kept, 3 + static_cast<std::uint64_t>(all.job.rank)};
  return 0;
}

// No rank is idle for longer than the program runs, and one that has no thread is idle.
int compare_idle() {
  const std::uint64_t began = weft::os::now_ns();
  for (int root = 0; root < 30; ++root) {
    long nothing = 0;
    if (weft_dist_root([](void*) { usleep(2000); }, &nothing, sizeof nothing) != WEFT_OK) return 1;
  }
  const std::uint64_t idle = all.part->count.idle_ns;
  return idle > weft::os::now_ns() - began || (all.job.rank != 0 && idle == 0) ? 1 : 0;
}

// A thread that another rank takes brings the places of its forks along: those bytes count.
shared_words words;
constexpr std::size_t open_forks = 1000;

void nothing(void*) {}
void stay_until_taken(void*) { words.wait_for(0, 1); }

void fork_often(void* work) {
  weft_forked* forked[open_forks];
  long none = 0;
  for (weft_forked*& each : forked) each = weft_fork(nothing, &none, sizeof none);
  weft_forked* const last = weft_fork(stay_until_taken, &none, sizeof none);
  words[0].store(1);
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  weft_fork_join(last, stay_until_taken, &none, sizeof none);
  for (std::size_t i = open_forks; i-- > 0;) weft_fork_join(forked[i], nothing, &none, sizeof none);
  const long is_right = counts.stolen_bytes >= open_forks * sizeof(weft_forked);
  std::memcpy(work, &is_right, sizeof is_right);
}

int compare_bytes() {
  long is_right = 0;
  return weft_dist_root(fork_often, &is_right, sizeof is_right) == WEFT_OK && is_right != 0 ? 0 : 1;
}

// Rank 2, while it claims a continuation of rank 1.
[[noreturn]] void die_in_claim(void*) {
  all.part->robbed.store(1 + 1, weft::base::relaxed);
  raise(SIGKILL);
  __builtin_unreachable();
}

// The root's child's child: two forkers are suspended.
void die_below(void* work) {
  long depth = 0;
  std::memcpy(&depth, work, sizeof depth);
  if (depth == 2) raise(SIGKILL);
  ++depth;
  weft_forked* const forked = weft_fork(die_below, &depth, sizeof depth);
  weft_fork_join(forked, die_below, &depth, sizeof depth);
}

}  // namespace

int main(int count, char** line) {
  if (count != 2) return 2;
  if (std::strcmp(line[1], "counts") == 0) return write_counts();
  if (std::strcmp(line[1], "idle") == 0) return compare_idle();
  if (std::strcmp(line[1], "bytes") == 0) return compare_bytes();
  if (std::strcmp(line[1], "depth") == 0) {
    long depth = 0;
    return weft_dist_root(die_below, &depth, sizeof depth);
  }
  if (all.job.rank == 2) die_in_claim(nullptr);
  long nothing = 0;
  return weft_dist_root([](void*) {}, &nothing, sizeof nothing);
}
