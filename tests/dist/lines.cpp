// The policy `child`, where thieves look at a rank's line of forks at bad moments.
//
// - A claim in vain leaves no trace in what the rank says of itself.
// - A thread that another rank brings back has forks that wait: no rank takes them before they lie
//   where the line says. What lies there before are forks of an earlier thread, which would run
//   twice.
//
//   lines in_vain, on two ranks | lines brought_back, on three
#include <sched.h>

#include <cstdio>
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "dist/rank/engine.hpp"
#include "shared_words.hpp"

namespace {

using namespace weft::dist;

shared_words words;
enum { have_begun, old_runs, forker_left, all_words };

std::uint64_t probes_of(int rank) { return __atomic_load_n(&control_of(rank)->count.probes, __ATOMIC_RELAXED); }

void nothing(void*) {}

// ---- a claim in vain ----

void fork_what_stays(void* work) {
  long own = 0;
  long* const address = &own;
  weft_forked* const forked = weft_fork(nothing, &address, sizeof address);
  while (__atomic_load_n(&forked->taker, __ATOMIC_ACQUIRE) != &kept_place) sched_yield();
  const int other = 1 - weft_dist_rank();
  for (const std::uint64_t before = probes_of(other); probes_of(other) < before + 10;) sched_yield();
  const long is_right = part_of(other)->robbed.load(weft::base::relaxed) == 0;
  long* same = address;
  weft_fork_join(forked, nothing, &same, sizeof same);
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- forks that are brought back ----

constexpr int old_forks = 6;  // more than the forker has later

void count_old(void*) { words[old_runs].fetch_add(1); }

void triple(void* work) {
  long value = 0;
  std::memcpy(&value, work, sizeof value);
  value *= 3;
  std::memcpy(work, &value, sizeof value);
}

void leave_old_forks(void*) {
  words[have_begun].fetch_add(1);
  words.at_least(have_begun, 2);  // one on each of the other ranks
  weft_forked* forked[old_forks];
  long none = 0;
  for (weft_forked*& each : forked) each = weft_fork(count_old, &none, sizeof none);
  for (int i = old_forks; i-- > 0;) weft_fork_join(forked[i], count_old, &none, sizeof none);
}

void leave_old_forks_on_both() {
  words[have_begun].store(0);
  long none = 0;
  weft_forked* const older = weft_fork(leave_old_forks, &none, sizeof none);
  weft_forked* const newer = weft_fork(leave_old_forks, &none, sizeof none);
  words.at_least(have_begun, 2);
  weft_fork_join(newer, leave_old_forks, &none, sizeof none);
  weft_fork_join(older, leave_old_forks, &none, sizeof none);
}

void stay_until_forker_left(void*) {
  words[have_begun].fetch_add(1);
  words.wait_for(forker_left, 1);
}

// Its forker goes on here, while the rank that it has left looks for work.
void bring_back(void*) {
  words[have_begun].fetch_add(1);
  const auto& forker = all.mine->base[-1].record->state;
  while (forker.load(weft::base::relaxed) == join_record::running) sched_yield();
  const int left = owner_of(reinterpret_cast<const evacuated*>(forker.load(weft::base::relaxed)));
  words[forker_left].store(1);
  for (const std::uint64_t before = probes_of(left); probes_of(left) < before + 10;) sched_yield();
}

// Its frame is large, so that bringing it back takes long.
[[gnu::noinline]] bool fork_and_leave() {
  constexpr std::size_t large = 2 * 1024 * 1024, page = 4096;
  volatile unsigned char frame[large];
  for (std::size_t at = 0; at < large; at += page) frame[at] = 1;
  words[have_begun].store(0);
  long none = 0, first = 1, second = 2;
  weft_forked* const staying = weft_fork(stay_until_forker_left, &none, sizeof none);
  weft_forked* const bringing = weft_fork(bring_back, &none, sizeof none);
  words.at_least(have_begun, 2);
  weft_forked* const waiting = weft_fork(triple, &first, sizeof first);
  weft_forked* const newest = weft_fork(triple, &second, sizeof second);
  weft_fork_join(bringing, bring_back, &none, sizeof none);
  weft_fork_join(newest, triple, &second, sizeof second);
  weft_fork_join(waiting, triple, &first, sizeof first);
  weft_fork_join(staying, stay_until_forker_left, &none, sizeof none);
  return first == 3 && second == 6 && frame[large - page] == 1;
}

void go_and_come_back(void* work) {
  leave_old_forks_on_both();
  const bool is_right = fork_and_leave();
  const long result = is_right && words[old_runs].load() == 2 * old_forks;
  std::memcpy(work, &result, sizeof result);
}

const struct {
  const char* name;
  void (*run)(void*);
  int rounds;
  const char* otherwise;
} cases[] = {{"in_vain", fork_what_stays, 2, "a rank seems to claim what it was not given"},
             {"brought_back", go_and_come_back, 20, "a fork of a thread that was brought back is another"}};

}  // namespace

int main(int count, char** line) {
  for (const auto& each : cases) {
    if (count != 2 || std::strcmp(line[1], each.name) != 0) continue;
    for (int round = 0; round < each.rounds; ++round) {
      for (int word = 0; word < all_words; ++word) words[word].store(0);
      long is_right = 0;
      if (weft_dist_root(each.run, &is_right, sizeof is_right) != WEFT_OK) return 1;
      if (is_right == 0) return std::printf("round %d: %s\n", round, each.otherwise), 1;
    }
    return 0;
  }
  return 2;
}
