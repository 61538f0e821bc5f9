// See network.hpp: the self-test at the start. Between two ranks, each operation is timed with a
// target that makes progress, and then tried on a target that computes for 2 ms and makes none. The
// target marks its own memory while it computes, and no longer. So an operation that finds the mark
// was carried out meanwhile, without the target's help, however late either rank got a CPU.
#include <sched.h>
#include <stdlib.h>

#include "base/assert.hpp"
#include "net/network.hpp"
#include "os/clock.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t computes_for = 2'000'000;
constexpr int tries = 4;  // at most: one that finds the mark is enough
constexpr int repetitions = 21;
constexpr std::uint64_t repeats_for = 10'000'000;  // at most: ranks may share a processor

// At these offsets of the region and the words: both are still unused. The first word is for
// operations on words, the second for gets; puts write elsewhere.
constexpr std::size_t word_at = 0, mark_at = 64, bytes_at = 128, bytes = 64;
constexpr std::size_t stop_at = 8;  // of the words: the target may go on
enum mark : std::uint64_t { none, computing = 0x676e697475706d6f, over, never };

struct pair {
  const job& all;
  const network& net;
  int target;

  [[nodiscard]] bool is_target() const { return all.rank == target; }
  [[nodiscard]] bool is_origin() const { return all.rank == 0; }
};

// What it found in the target's memory.
using operation = std::uint64_t(const pair&, const window&);

std::uint64_t do_get(const pair& of, const window& in) {
  std::uint64_t into[bytes / sizeof(std::uint64_t)];
  of.net.by->get(in, of.target, mark_at, into, sizeof into);
  of.net.by->flush(in, of.target);
  return into[0];
}
std::uint64_t do_put(const pair& of, const window& in) {
  const unsigned char from[bytes] = {};
  of.net.by->put(in, of.target, bytes_at, from, sizeof from);
  of.net.by->flush(in, of.target);
  return 0;
}
// Neither of the two writes the word: the target may do so meanwhile.
std::uint64_t do_add(const pair& of, const window& in) { return of.net.by->fetch_add(in, of.target, word_at, 0); }
std::uint64_t do_swap(const pair& of, const window& in) { return of.net.by->compare_swap(in, of.target, word_at, never, never); }

std::uint64_t time(const pair& of, const window& in, operation* what) {
  const std::uint64_t began = os::now_ns();
  (void)what(of, in);
  return os::now_ns() - began;
}

// Of the target's own memory.
volatile std::uint64_t* word_of(const pair& of, const window& in, std::size_t offset) {
  return static_cast<volatile std::uint64_t*>(of.net.by->alias(in, of.target, offset));
}

void wait_in_progress(const pair& of) {
  const volatile std::uint64_t* const stop = word_of(of, of.net.words, stop_at);
  while (*stop == 0) {
    of.net.by->progress(of.net.words);
    sched_yield();
  }
  of.net.by->compare_swap(of.net.words, of.target, stop_at, 1, 0);
}

void set_marks(const pair& of, const window& in, mark value) {
  *word_of(of, in, word_at) = value;
  *word_of(of, in, mark_at) = value;
}

// In no call of the transport.
void compute(const pair& of, const window& in) {
  set_marks(of, in, computing);
  const std::uint64_t until = os::now_ns() + computes_for;
  while (os::now_ns() < until) continue;
  set_marks(of, in, over);
}

// A put finds nothing: it begins after one get that found the mark, and has ended before another.
std::uint64_t find(const pair& of, const window& in, operation* what) {
  if (what != do_put) return what(of, in);
  const std::uint64_t found = do_get(of, in);
  if (found != computing) return found;
  (void)do_put(of, in);
  return do_get(of, in);
}

// False also where the origin got no CPU while the target computed.
bool finds_mark(const pair& of, const window& in, operation* what) {
  std::uint64_t found = none;
  while (found == none) found = find(of, in, what);
  return found == computing;
}

int by_time(const void* a, const void* b) {
  const auto one = *static_cast<const std::uint64_t*>(a), other = *static_cast<const std::uint64_t*>(b);
  return one < other ? -1 : one > other ? 1 : 0;
}

std::uint32_t median_of(const pair& of, const window& in, operation* what) {
  std::uint64_t took[repetitions];
  int count = 0;
  const std::uint64_t until = os::now_ns() + repeats_for;
  while (count == 0 || (count < repetitions && os::now_ns() < until)) took[count++] = time(of, in, what);
  qsort(took, static_cast<std::size_t>(count), sizeof *took, by_time);
  return static_cast<std::uint32_t>(took[count / 2]);
}

// Collective.
operations_found::one try_operation(const pair& of, const window& in, operation* what) {
  operations_found::one found = {};
  barrier(of.all);
  if (of.is_origin()) {
    found.median_ns = median_of(of, in, what);
    (void)of.net.by->fetch_add(of.net.words, of.target, stop_at, 1);
  } else if (of.is_target()) {
    wait_in_progress(of);
  }
  for (int i = 0; i < tries && !found.is_one_sided; ++i) {
    bool by_rank[most_ranks] = {};
    barrier(of.all);
    if (of.is_target()) compute(of, in);
    const bool has_found = of.is_origin() && finds_mark(of, in, what);
    gather(of.all, &has_found, sizeof has_found, by_rank);
    found.is_one_sided = by_rank[0];
    if (of.is_target()) set_marks(of, in, none);
  }
  return found;
}

operations_found try_window(const pair& of, const window& in) {
  return {try_operation(of, in, do_get), try_operation(of, in, do_put), try_operation(of, in, do_add),
          try_operation(of, in, do_swap)};
}

int find_target(const job& all) {
  for (int rank = 1; rank < all.ranks; ++rank) {
    if (!is_near(all, rank)) return rank;
  }
  return all.ranks - 1;
}

}  // namespace

void test_network(const job& all, network* found) {
  if (all.ranks == 1) return;
  struct {
    int target;
    operations_found created, allocated;
  } mine = {}, of[most_ranks];
  mine.target = find_target(all);  // as rank 0 sees the nodes
  gather(all, &mine, sizeof mine, of);
  const pair these{all, *found, of[0].target};
  mine.created = try_window(these, found->region);
  mine.allocated = try_window(these, found->words);
  gather(all, &mine, sizeof mine, of);
  found->created = of[0].created;
  found->allocated = of[0].allocated;
  found->is_tested = true;
}

}  // namespace weft::net
