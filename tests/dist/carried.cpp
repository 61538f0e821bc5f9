// What a fork carries, byte by byte, also where its forker or its child is on another rank.
//
// - Bytes of every length arrive at the child, and come back; those behind them stay as they were.
// - An address of the region in any of its words keeps the fork in place, one beside the region
//   does not.
// - Its place is free again once it was joined, wherever the child was, or discarded.
// - What a function was given is still there when it has moved, and when it was brought back.
//
//   carried lengths | addresses | own | places, of which there are fewer than rounds | discarded
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include <weft/dist.h>
#include <weft/hot.h>

#include "dist/rank/engine.hpp"
#include "policy.hpp"
#include "shared_words.hpp"

namespace {

using namespace weft::dist;

shared_words words;
enum { met, child_may_end, moved_once, all_words };

// Of a fork and its forker, which are on different ranks from then on, where there are several.
void meet_in_child(int number) {
  if (weft_dist_ranks() == 1) return;
  if (forkers_go_on())
    words[met].store(number);
  else
    words.spin_for(met, number);
}
void meet_in_forker(int number) {
  if (weft_dist_ranks() == 1) return;
  if (forkers_go_on())
    words.spin_for(met, number);
  else
    words[met].store(number);
}

// ---- lengths ----

constexpr unsigned char byte_at(std::size_t at) { return static_cast<unsigned char>(0x35 + 7 * at); }
constexpr std::size_t behind = 16;

// is_known: the compiler knows the length at the fork.
constexpr int number_of(std::size_t bytes, bool is_known) { return 2 * static_cast<int>(bytes) + (is_known ? 1 : 0); }

template <std::size_t Bytes, bool Is_known>
void complement(void* work) {
  unsigned char own[Bytes];
  std::memcpy(own, work, Bytes);
  meet_in_child(number_of(Bytes, Is_known));
  bool is_right = true;
  for (std::size_t at = 0; at < Bytes; ++at) {
    is_right &= own[at] == byte_at(at);
    own[at] = static_cast<unsigned char>(~own[at]);
  }
  if (is_right) std::memcpy(work, own, Bytes);
}

[[gnu::noinline]] weft_forked* fork_of(void (*run)(void*), const void* work, std::size_t bytes) {
  return weft_fork(run, work, bytes);
}
[[gnu::noinline]] void join_of(weft_forked* forked, void (*run)(void*), void* work, std::size_t bytes) {
  weft_fork_join(forked, run, work, bytes);
}

template <std::size_t Bytes, bool Is_known>
bool comes_back() {
  unsigned char work[Bytes + behind];
  for (std::size_t at = 0; at < sizeof work; ++at) work[at] = byte_at(at);
  constexpr auto run = complement<Bytes, Is_known>;
  weft_forked* const forked = Is_known ? weft_fork(run, work, Bytes) : fork_of(run, work, Bytes);
  meet_in_forker(number_of(Bytes, Is_known));
  if constexpr (Is_known)
    weft_fork_join(forked, run, work, Bytes);
  else
    join_of(forked, run, work, Bytes);
  bool is_right = true;
  for (std::size_t at = 0; at < sizeof work; ++at)
    is_right &= work[at] == (at < Bytes ? static_cast<unsigned char>(~byte_at(at)) : byte_at(at));
  if (!is_right) std::printf("a fork of %zu bytes did not bring them there and back\n", Bytes);
  return is_right;
}

template <std::size_t... Less>
bool all_come_back(std::index_sequence<Less...>) {
  return (comes_back<Less + 1, true>() && ...) && (comes_back<Less + 1, false>() && ...);
}

void fork_all_lengths(void* work) {
  const long is_right = all_come_back(std::make_index_sequence<WEFT_FORK_BYTES>());
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- addresses ----

std::uint64_t kept() {
  std::uint64_t sum = 0;
  for (int rank = 0; rank < all.job.ranks; ++rank) sum += __atomic_load_n(&control_of(rank)->count.kept, __ATOMIC_RELAXED);
  return sum;
}

struct six_words {
  std::uintptr_t word[WEFT_FORK_BYTES / sizeof(std::uintptr_t)];
};

template <bool Stays>
void add_one(void* work) {
  std::uintptr_t first = 0;
  std::memcpy(&first, work, sizeof first);
  if (!Stays) meet_in_child(1);
  ++first;
  std::memcpy(work, &first, sizeof first);
}

// The fork has `count` words, and the address is the one at `which`. Under the policy `child` the
// thief that finds it counts it.
template <bool Stays, std::size_t Count, bool Is_known>
bool is_kept_as(std::size_t which, std::uintptr_t address) {
  constexpr std::size_t bytes = Count * sizeof(std::uintptr_t);
  constexpr auto run = add_one<Stays>;
  words[met].store(0);
  six_words work;
  for (std::size_t at = 0; at < Count; ++at) work.word[at] = at;
  work.word[which] = address;
  const std::uintptr_t expected = work.word[0] + 1;
  const std::uint64_t before = kept();
  weft_forked* const forked = Is_known ? weft_fork(run, &work, bytes) : fork_of(run, &work, bytes);
  if (!Stays) meet_in_forker(1);
  while (Stays && forkers_go_on() && __atomic_load_n(&forked->taker, __ATOMIC_ACQUIRE) != &kept_place) sched_yield();
  const bool is_counted = kept() == before + (Stays ? 1 : 0);
  if constexpr (Is_known)
    weft_fork_join(forked, run, &work, bytes);
  else
    join_of(forked, run, &work, bytes);
  if (is_counted && work.word[0] == expected) return true;
  std::printf("a fork of %zu words, the one at %zu being %#lx, %s\n", Count, which, address,
              is_counted ? "has another result" : (Stays ? "did not stay" : "stayed"));
  return false;
}

template <std::size_t Count, bool Is_known>
bool all_are_kept_as() {
  const std::uintptr_t region = all.mine->region, end = region + all.mine->region_bytes;
  bool is_right = true;
  for (std::size_t which = 0; which < Count && is_right; ++which) {
    is_right = is_kept_as<true, Count, Is_known>(which, reinterpret_cast<std::uintptr_t>(&which)) &&
               is_kept_as<true, Count, Is_known>(which, region) && is_kept_as<true, Count, Is_known>(which, end - 1) &&
               is_kept_as<false, Count, Is_known>(which, region - 1) && is_kept_as<false, Count, Is_known>(which, end);
  }
  return is_right;
}

void fork_all_addresses(void* work) {
  const long is_right = all_are_kept_as<1, true>() && all_are_kept_as<2, true>() && all_are_kept_as<1, false>() &&
                        all_are_kept_as<2, false>() && all_are_kept_as<6, true>();
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- own bytes ----

struct given {
  std::uint64_t word[6];

  static given of(std::uint64_t salt) {
    given its;
    for (std::uint64_t at = 0; at < 6; ++at) its.word[at] = (salt + at + 1) * 0x9e3779b97f4a7c15ULL;
    return its;
  }
};

bool is_given(const void* work, std::uint64_t salt) {
  const given right = given::of(salt);
  return std::memcmp(work, &right, sizeof right) == 0;
}

// The root's continuation is taken first, then that of keep_own, or, under the policy `child`, this
// function. Ends once the one that forked it waits, with its frames off the stack.
void end_once_joined(void*) {
  if (weft_dist_ranks() == 1) return;
  if (forkers_go_on())
    words[moved_once].store(1);
  else
    words.wait_for(moved_once, 1);
  words.wait_for(child_may_end, 1);
  const join_record* const its = forkers_go_on() ? all.mine->base[-1].record : all.mine->top[-1].record;
  while (its->state.load(weft::base::relaxed) == join_record::running) sched_yield();
}

// Reads what it was given, where its fork has led it, and where its join has.
void keep_own(void* work) {
  meet_in_child(2);
  long none = 0;
  weft_forked* const forked = weft_fork(end_once_joined, &none, sizeof none);
  if (weft_dist_ranks() > 1 && forkers_go_on()) words.wait_for(moved_once, 1);
  words[moved_once].store(1);
  const bool is_right = is_given(work, 1);
  words[child_may_end].store(1);
  weft_fork_join(forked, end_once_joined, &none, sizeof none);
  if (is_right && is_given(work, 1)) {
    const given result = given::of(2);
    std::memcpy(work, &result, sizeof result);
  }
}

void fork_own(void* work) {
  given own = given::of(1);
  weft_forked* const forked = weft_fork(keep_own, &own, sizeof own);
  meet_in_forker(2);
  weft_fork_join(forked, keep_own, &own, sizeof own);
  const long is_right = is_given(&own, 2);
  std::memcpy(work, &is_right, sizeof is_right);
}

// ---- places ----

constexpr int rounds_of_places = 50;

void meet_once(void* work) {
  int round = 0;
  std::memcpy(&round, work, sizeof round);
  meet_in_child(round);
}

bool has_room() {
  std::uint64_t full = 0;
  for (int rank = 0; rank < all.job.ranks; ++rank) full += __atomic_load_n(&control_of(rank)->count.full, __ATOMIC_RELAXED);
  return full == 0;
}

// The older one is joined first, as one that was taken, and as one that was not.
void fork_often(void* work) {
  for (int round = 1; round <= rounds_of_places; ++round) {
    int own = 2 * round, other = 2 * round + 1;
    weft_forked* const older = weft_fork(meet_once, &own, sizeof own);
    if (older == nullptr) return;  // in its join it would meet none
    meet_in_forker(2 * round);
    weft_forked* const newer = weft_fork(meet_once, &other, sizeof other);
    if (newer == nullptr) return;
    meet_in_forker(2 * round + 1);
    weft_fork_join(older, meet_once, &own, sizeof own);
    weft_fork_join(newer, meet_once, &other, sizeof other);
  }
  const long is_right = has_room();
  std::memcpy(work, &is_right, sizeof is_right);
}

void discard_often(void* work) {
  for (int round = 1; round <= rounds_of_places; ++round) {
    int own = round;
    weft_forked* const forked = weft_fork(meet_once, &own, sizeof own);
    if (forked == nullptr) return;
    meet_in_forker(round);
    weft_dist_discard(forked, meet_once, &own, sizeof own);
  }
  const long is_right = has_room();
  std::memcpy(work, &is_right, sizeof is_right);
}

const struct {
  const char* name;
  void (*run)(void*);
} cases[] = {{"lengths", fork_all_lengths},
             {"addresses", fork_all_addresses},
             {"own", fork_own},
             {"places", fork_often},
             {"discarded", discard_often}};

bool is_right_each_time(void (*run)(void*)) {
  for (int round = 0; round < 5; ++round) {
    for (int word = 0; word < all_words; ++word) words[word].store(0);
    long is_right = 0;
    if (weft_dist_root(run, &is_right, sizeof is_right) != WEFT_OK || is_right == 0) return false;
  }
  return true;
}

}  // namespace

int main(int count, char** line) {
  for (const auto& each : cases) {
    if (count == 2 && std::strcmp(line[1], each.name) == 0) return is_right_each_time(each.run) ? 0 : 1;
  }
  return 2;
}
