// Steps of the engine that a program's values do not show.
//
//   inside victims | exceptions | no_memory | records | few_records | quick, under `optimised` | stacks, under `iso-address` | line, under `child`
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include <weft/dist.h>
#include <weft/hot.h>
#include <weft/remote_error.hpp>

#include "dist/rank/engine.hpp"
#include "policy.hpp"
#include "shared_words.hpp"

namespace {

using namespace weft::dist;

// ---- an idle rank asks all other ranks for work, and never itself ----

int choose_victims() {
  constexpr int draws = 1000;
  bool is_asked[weft::net::most_ranks] = {};
  for (int i = 0; i < draws; ++i) is_asked[other_rank()] = true;
  int wrong = 0;
  for (int rank = 0; rank < all.job.ranks; ++rank) wrong += is_asked[rank] == (rank != all.job.rank) ? 0 : 1;
  if (wrong != 0) std::printf("rank %d asks itself, or never asks another rank\n", all.job.rank);
  return wrong;
}

// ---- a rank destroys all exceptions of its own that other ranks have caught ----

int collect_exceptions() {
  int first = 0, second = 0;
  for (int* const each : {&first, &second}) {
    void* const kept = weft_dist_keep_exception(each, "an error", "that crossed ranks");
    static_cast<kept_exception*>(kept)->drop(false);  // as another rank does
  }
  int* found = nullptr;
  while ((found = static_cast<int*>(weft_dist_dropped_exception())) != nullptr) ++*found;
  if (first == 1 && second == 1) return 0;
  std::printf("of two exceptions one came %d times, the other %d times\n", first, second);
  return 1;
}

// ---- a forker that waits in place, because there is no memory for its frames, goes on with all
// its forks, and no rank takes it for one that still waits ----

shared_words words;
enum { older_ended, newer_begun, forker_rank, waits_before, forker_is_known };

struct tagged {
  long value, rank;
};

int waits_in_place(int rank) {
  return static_cast<int>(__atomic_load_n(&control_of(rank)->count.waits_in_place, __ATOMIC_RELAXED));
}

void end_at_once(void* work) {
  const tagged own{3, weft_dist_rank()};
  std::memcpy(work, &own, sizeof own);
  words[older_ended].store(1);
}

void end_once_forker_waits(void* work) {
  words[newer_begun].store(1);
  words.wait_for(forker_is_known, 1);
  while (waits_in_place(words[forker_rank].load()) == words[waits_before].load()) sched_yield();
  const tagged own{5, weft_dist_rank()};
  std::memcpy(work, &own, sizeof own);
}

[[gnu::noinline]] void join_below_large_frame(weft_forked* forked, tagged* its) {
  constexpr std::size_t more_than_the_pool = 5 * 1024 * 1024;
  volatile char large[more_than_the_pool];
  large[0] = 1;
  weft_fork_join(forked, end_once_forker_waits, its, sizeof *its);
  if (large[0] != 1) std::printf("a large frame is not as it was\n");
}

// Whether this rank counts as one that waits in place for the child of this record.
bool seems_to_wait_for(join_record* record) {
  record->reset();  // as when another fork has it
  const join_record running{};
  in_place_waits& waits = part_of(0)->in_place;
  const int other = 1 - all.job.rank;
  const bool seems = waits.begin(other, 2, &running);
  waits.end(other);
  return seems;
}

// On two ranks. Only under the policy `child` does the other rank run two forks of a forker.
void fork_without_memory(void* work) {
  tagged older{0, 0}, newer{0, 0};
  weft_forked* with_older = nullptr;
  if (forkers_go_on()) {
    with_older = weft_fork(end_at_once, &older, sizeof older);
    words.wait_for(older_ended, 1);
  }
  weft_forked* const with_newer = weft_fork(end_once_forker_waits, &newer, sizeof newer);
  words.wait_for(newer_begun, 1);
  const int rank = weft_dist_rank();
  words[forker_rank].store(rank);
  words[waits_before].store(waits_in_place(rank));
  words[forker_is_known].store(1);
  auto* const record = static_cast<join_record*>(with_newer->taker);
  join_below_large_frame(with_newer, &newer);
  if (with_older != nullptr) weft_fork_join(with_older, end_at_once, &older, sizeof older);
  const bool is_older_right = with_older == nullptr || (older.value == 3 && older.rank != rank);
  const long is_right = is_older_right && newer.value == 5 && newer.rank != rank && !seems_to_wait_for(record);
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- a rank that had no record for a continuation offers one at the first fork after records
// came back ----

std::vector<join_record*> taken_records;

bool is_public(const control& mine) { return mine.split != mine.base; }

void look_with_records(void* work) {
  const long is_right = is_public(*all.mine);
  std::memcpy(work, &is_right, sizeof is_right);
}

void look_without_records(void* work) {
  const bool was_private = !is_public(*all.mine);
  for (join_record* const each : taken_records) all.part->records.put_back(each);
  long is_right = 0;
  weft_forked* const forked = weft_fork(look_with_records, &is_right, sizeof is_right);
  weft_fork_join(forked, look_with_records, &is_right, sizeof is_right);
  is_right = is_right != 0 && was_private;
  std::memcpy(work, &is_right, sizeof is_right);
}

void fork_without_records(void* work) {
  while (join_record* const record = all.part->records.take()) taken_records.push_back(record);
  long is_right = 0;
  weft_forked* const forked = weft_fork(look_without_records, &is_right, sizeof is_right);
  weft_fork_join(forked, look_without_records, &is_right, sizeof is_right);
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- forks take the quick way again, once a continuation is public and no rank wants another ----

enum { rank_is_kept = 6, rank_may_end };

void keep_rank(void*) {
  words.wait_for(rank_is_kept, 1);
  words.wait_for(rank_may_end, 1);
}

void look_at_limit(void* work) {
  const bool is_next_quick = reinterpret_cast<std::uintptr_t>(all.mine->places) < all.mine->limit.load(weft::base::relaxed);
  const long is_right = is_public(*all.mine) && is_next_quick;
  std::memcpy(work, &is_right, sizeof is_right);
}

void fork_beside_busy_rank(void* work) {
  long is_right = 0, none = 0;
  weft_forked* const keeper = weft_fork(keep_rank, &none, sizeof none);
  words[rank_is_kept].store(1);
  weft_forked* const forked = weft_fork(look_at_limit, &is_right, sizeof is_right);
  weft_fork_join(forked, look_at_limit, &is_right, sizeof is_right);
  words[rank_may_end].store(1);
  weft_fork_join(keeper, keep_rank, &none, sizeof none);
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- where there are fewer records than continuations that are to be offered, as many are public as have one

constexpr long depth_without_records = 4;

bool all_public_have_records() { return all.mine->queue.end() == all.mine->index_of(all.mine->split); }

void look_with_one_record(void* work) {
  const long is_right = all_public_have_records() && all.mine->split - all.mine->base == 2;
  std::memcpy(work, &is_right, sizeof is_right);
}

// The root's continuation is public. Those below it stay private, until there is one record, and a
// rank wants some.
void fork_deeper(void* work) {
  long depth = 0, is_right = 0;
  std::memcpy(&depth, work, sizeof depth);
  if (depth == 0) {
    while (join_record* const record = all.part->records.take()) taken_records.push_back(record);
  } else if (depth == depth_without_records) {
    all.part->records.put_back(taken_records.back());
    taken_records.pop_back();
    all.mine->limit.store(0, weft::base::relaxed);  // as a thief does
    weft_forked* const forked = weft_fork(look_with_one_record, &is_right, sizeof is_right);
    weft_fork_join(forked, look_with_one_record, &is_right, sizeof is_right);
    for (join_record* const each : taken_records) all.part->records.put_back(each);
    return void(std::memcpy(work, &is_right, sizeof is_right));
  }
  ++depth;
  weft_forked* const forked = weft_fork(fork_deeper, &depth, sizeof depth);
  weft_fork_join(forked, fork_deeper, &depth, sizeof depth);
  std::memcpy(work, &depth, sizeof depth);
}

void fork_deeper_beside_busy_rank(void* work) {
  long is_right = 0, none = 0;
  weft_forked* const keeper = weft_fork(keep_rank, &none, sizeof none);
  words[rank_is_kept].store(1);
  weft_forked* const forked = weft_fork(fork_deeper, &is_right, sizeof is_right);
  weft_fork_join(forked, fork_deeper, &is_right, sizeof is_right);
  words[rank_may_end].store(1);
  weft_fork_join(keeper, keep_rank, &none, sizeof none);
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- stacks on which threads have ended on another rank are used again in the same root ----

constexpr int rounds = 100;  // more than there are stacks: WEFT_DIST_POOL
enum { root_went_on = 8, forker_went_on, leaf_ended };

void leaf(void* work) {
  int round = 0;
  std::memcpy(&round, work, sizeof round);
  words.spin_for(forker_went_on, round);
  words[leaf_ended].store(round);
}

// Its stack is of the rank that runs the leaf, and it goes on at the other, which has taken its
// forker before.
void fork_leaf(void* work) {
  int round = 0;
  std::memcpy(&round, work, sizeof round);
  words.spin_for(root_went_on, round);
  weft_forked* const forked = weft_fork(leaf, &round, sizeof round);
  words[forker_went_on].store(round);
  if (forked != nullptr) words.spin_for(leaf_ended, round);
  weft_fork_join(forked, leaf, &round, sizeof round);
}

void fork_often(void* work) {
  for (int round = 1; round <= rounds; ++round) {
    weft_forked* const forked = weft_fork(fork_leaf, &round, sizeof round);
    words[root_went_on].store(round);
    weft_fork_join(forked, fork_leaf, &round, sizeof round);
  }
  std::uint64_t full = 0;
  for (int rank = 0; rank < all.job.ranks; ++rank) full += control_of(rank)->count.full;
  const long is_right = full == 0;
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- what a thread has left of its forks is no longer there for the rank's next thread ----

enum { is_left = 16, all_words };

void nothing(void*) {}

bool has_first_place(const weft_forked* forked) { return forked == all.mine->first_place + 1; }

// The first place is that of the older, and the newer is joined without a look at it. Whether the
// rank has given its first place.
bool join_oldest_first() {
  long none = 0;
  weft_forked* const older = weft_fork(nothing, &none, sizeof none);
  weft_forked* const newer = weft_fork(nothing, &none, sizeof none);
  const bool is_right = has_first_place(older);
  weft_fork_join(older, nothing, &none, sizeof none);
  weft_fork_join(newer, nothing, &none, sizeof none);
  return is_right;
}

void leave_places(void* work) {
  const long is_right = join_oldest_first();
  std::memcpy(work, &is_right, sizeof is_right);
  words[is_left].fetch_add(1);
}

// The other rank runs both forks, one after the other.
void fork_two(void* work) {
  words[is_left].store(0);
  long first = 0, second = 0;
  weft_forked* forked = weft_fork(leave_places, &first, sizeof first);
  bool is_right = has_first_place(forked);
  words.wait_for(is_left, 1);
  weft_fork_join(forked, leave_places, &first, sizeof first);
  forked = weft_fork(leave_places, &second, sizeof second);
  words.wait_for(is_left, 2);
  weft_fork_join(forked, leave_places, &second, sizeof second);
  is_right = join_oldest_first() && is_right && first != 0 && second != 0;
  const long result = is_right;
  std::memcpy(work, &result, sizeof result);
}

const struct {
  const char* name;
  void (*run)(void*);
  const char* otherwise;
} cases[] = {
    {"no_memory", fork_without_memory, "a fork ran twice, or a rank still seems to wait in place"},
    {"records", fork_without_records, "a continuation is offered without a record, or not with one"},
    {"quick", fork_beside_busy_rank, "a fork takes the rare way although no rank wants a continuation"},
    {"few_records", fork_deeper_beside_busy_rank, "more continuations are offered than have records"},
    {"stacks", fork_often, "a fork found no stack"},
    {"line", fork_two, "a fork has the place behind one that an earlier thread has left"},
};

int run_twice(void (*root)(void*), const char* otherwise) {
  for (int i = 0; i < 2; ++i) {
    taken_records.clear();
    for (int word = 0; word < all_words; ++word) words[word].store(0);
    long is_right = 0;
    if (weft_dist_root(root, &is_right, sizeof is_right) != WEFT_OK) return 1;
    if (is_right == 0) return std::printf("%s\n", otherwise), 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** line) {
  if (count != 2) return 2;
  if (std::strcmp(line[1], "victims") == 0) return choose_victims();
  if (std::strcmp(line[1], "exceptions") == 0) return collect_exceptions();
  for (const auto& each : cases) {
    if (std::strcmp(line[1], each.name) == 0) return run_twice(each.run, each.otherwise);
  }
  return 2;
}
