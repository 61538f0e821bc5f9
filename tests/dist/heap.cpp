// A forker that keeps an address of its heap across a fork: with WEFT_DIST_CHECK=all the library
// says so, and names the fork, also on one rank, on which the program ends rightly. It says so
// once. Memory that the program got since the root began counts as well.
//
// An address of the C stack is told as well. What main has given the root is not searched, nor what
// an earlier root has left on the stack.
//
// On two ranks each root moves one forker of the same fork, and the last of so many has an address
// of the heap: by default 64 are searched, of each fork.
//
//   heap | heap grown, since the root began | heap stack | heap work | heap stale | heap COUNT | heap COUNT other, which has another fork at last
#include <sched.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <weft/hot.h>
#include <weft/dist.hpp>

#include "dist/rank/engine.hpp"
#include "policy.hpp"
#include "shared_words.hpp"

namespace {

long sum_of(const std::vector<long>& all) {
  long sum = 0;
  for (const long each : all) sum += each;
  return sum;
}

long careless() {
  std::vector<long> mine(100, 3);
  auto child = weft::fork([] { return 42L; });
  const long sum = sum_of(mine);
  return sum + child.join();
}

long careless_with_mapping() {
  constexpr std::size_t bytes = 1 << 20;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return 0;
  auto child = weft::fork([] { return 42L; });
  static_cast<unsigned char*>(mapped)[bytes / 2] = 3;
  const long sum = static_cast<unsigned char*>(mapped)[bytes / 2] + child.join();
  (void)munmap(mapped, bytes);
  return sum;
}

// The library looks where the heap is now and then: before there is a mapping, and after.
long grow() {
  for (int round = 0; round < 20; ++round) weft::fork([] { return 42L; }).join();
  for (int round = 0; round < 100; ++round) {
    if (careless_with_mapping() != 45) return 1;
  }
  return 0;
}

const long* on_c_stack;

long careless_with_stack() {
  const long* const its = on_c_stack;
  auto child = weft::fork([] { return 42L; });
  const long sum = *its + child.join();
  return sum + *its;
}

long look_at_stack() {
  const long own = 3;
  on_c_stack = &own;
  return weft::dist::root([] { return careless_with_stack(); }) == 48 ? 0 : 1;
}

// The work lies above the root's frames, and has an address of the heap.
long give_work() {
  const std::vector<long> mine(100, 3);
  const long* address = mine.data();
  const auto fork_once = [](void*) { weft::fork([] { return 42L; }).join(); };
  return weft_dist_root(fork_once, &address, sizeof address) == WEFT_OK && address == mine.data() ? 0 : 1;
}

// ---- a root writes addresses of the heap on the stack, and the next one has a frame there ----

constexpr std::size_t words_of_frame = 512;

template <bool Writes>
[[gnu::noinline]] long with_frame(const long* address) {
  const long* volatile frame[words_of_frame];
  if constexpr (Writes) {
    for (const long* volatile& each : frame) each = address;
    return frame[0] == address ? 42 : 0;
  } else {
    frame[0] = nullptr;
    return weft::fork([] { return 42L; }).join() + (frame[0] == nullptr ? 0 : 1);
  }
}

long cover_stale() {
  static std::vector<long> mine(100, 3);
  const long written = weft::dist::root([] { return with_frame<true>(mine.data()); });
  return written == 42 && weft::dist::root([] { return with_frame<false>(nullptr); }) == 42 ? 0 : 1;
}

// ---- the search by default ----

shared_words words;
enum { forker_went_on, child_begun };

// Ends once its forker has moved; under the policy `child`, once it waits with its frames off the
// stack. So many bytes apart, two functions would be the same to a table that knows them by a part
// of their address.
template <int Which>
[[gnu::aligned(4096)]] void let_forker_move(void*) {
  if (!forkers_go_on()) return words.wait_for(forker_went_on, 1);
  words[child_begun].store(1);
  const auto& forker = weft::dist::all.mine->base[-1].record->state;
  while (forker.load(weft::base::relaxed) == weft::dist::join_record::running) sched_yield();
}

long own_word;

template <int Which>
void move_once(void* work) {
  const long* given = nullptr;
  std::memcpy(&given, work, sizeof given);
  const long* volatile kept = given;
  long none = 0;
  weft_forked* const forked = weft_fork(let_forker_move<Which>, &none, sizeof none);
  words[forker_went_on].store(1);
  if (forkers_go_on()) words.wait_for(child_begun, 1);
  weft_fork_join(forked, let_forker_move<Which>, &none, sizeof none);
  own_word = reinterpret_cast<long>(kept);
}

int move_often(int count, bool has_other) {
  const std::vector<long> mine(100, 3);
  for (int i = 1; i <= count; ++i) {
    words[forker_went_on].store(0);
    words[child_begun].store(0);
    const long* kept = i == count ? mine.data() : nullptr;
    if (weft_dist_root(i == count && has_other ? move_once<1> : move_once<0>, &kept, sizeof kept) != WEFT_OK) return 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** line) {
  const std::string_view which = count > 1 ? line[1] : "";
  if (which == "stack") return static_cast<int>(look_at_stack());
  if (which == "work") return static_cast<int>(give_work());
  if (which == "grown") return static_cast<int>(weft::dist::root([] { return grow(); }));
  if (which == "stale") return static_cast<int>(cover_stale());
  if (count > 1) return move_often(std::atoi(line[1]), count > 2);
  for (int round = 0; round < 3; ++round) {
    if (weft::dist::root([] { return careless(); }) != 342) return 1;
  }
  return 0;
}
