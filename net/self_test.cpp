// See network.hpp: the self-test at the start. Between two ranks, each operation is timed with a
// target that makes progress, and then tried on a target that computes for 2 ms and makes none. It
// is one-sided if each of a few tries ended a good while before the target could have helped.
#include <sched.h>
#include <stdlib.h>

#include "base/assert.hpp"
#include "net/mpi/start.hpp"
#include "net/network.hpp"
#include "os/clock.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t computes_for = 2'000'000;
constexpr std::uint64_t begins_after = 500'000;  // the target has surely begun to compute
constexpr std::uint64_t ends_within = 1'000'000;
constexpr int tries = 3;
constexpr int repetitions = 21;
constexpr std::uint64_t repeats_for = 10'000'000;  // at most: ranks may share a processor

// At these offsets of the region and the words: both are still unused.
constexpr std::size_t word_at = 0, bytes_at = 64, bytes = 64;
constexpr std::size_t stop_at = 8;  // of the words: the target may go on

struct pair {
  const job& all;
  const network& net;
  int target;

  [[nodiscard]] bool is_target() const { return all.rank == target; }
  [[nodiscard]] bool is_origin() const { return all.rank == 0; }
};

void do_get(const pair& of, const window& in) {
  unsigned char into[bytes];
  of.net.by->get(in, of.target, bytes_at, into, sizeof into);
  of.net.by->flush(in, of.target);
}
void do_put(const pair& of, const window& in) {
  const unsigned char from[bytes] = {};
  of.net.by->put(in, of.target, bytes_at, from, sizeof from);
  of.net.by->flush(in, of.target);
}
void do_add(const pair& of, const window& in) { (void)of.net.by->fetch_add(in, of.target, word_at, 0); }
void do_swap(const pair& of, const window& in) { (void)of.net.by->compare_swap(in, of.target, word_at, 0, 0); }

std::uint64_t time(const pair& of, const window& in, void (*operation)(const pair&, const window&)) {
  const std::uint64_t began = os::now_ns();
  operation(of, in);
  return os::now_ns() - began;
}

void wait_in_progress(const pair& of) {
  const auto* const stop = static_cast<const volatile std::uint64_t*>(of.net.by->alias(of.net.words, of.target, stop_at));
  while (*stop == 0) {
    of.net.by->progress(of.net.words);
    sched_yield();
  }
  of.net.by->compare_swap(of.net.words, of.target, stop_at, 1, 0);
}

void compute() {
  const std::uint64_t until = os::now_ns() + computes_for;
  while (os::now_ns() < until) continue;
}

int by_time(const void* a, const void* b) {
  const auto one = *static_cast<const std::uint64_t*>(a), other = *static_cast<const std::uint64_t*>(b);
  return one < other ? -1 : one > other ? 1 : 0;
}

std::uint32_t median_of(const pair& of, const window& in, void (*operation)(const pair&, const window&)) {
  std::uint64_t took[repetitions];
  int count = 0;
  const std::uint64_t until = os::now_ns() + repeats_for;
  while (count == 0 || (count < repetitions && os::now_ns() < until)) took[count++] = time(of, in, operation);
  qsort(took, static_cast<std::size_t>(count), sizeof *took, by_time);
  return static_cast<std::uint32_t>(took[count / 2]);
}

// Collective.
operations_found::one try_operation(const pair& of, const window& in, void (*operation)(const pair&, const window&)) {
  operations_found::one found = {};
  barrier(of.all);
  if (of.is_origin()) {
    found.median_ns = median_of(of, in, operation);
    (void)of.net.by->fetch_add(of.net.words, of.target, stop_at, 1);
  } else if (of.is_target()) {
    wait_in_progress(of);
  }
  found.is_one_sided = true;
  for (int i = 0; i < tries; ++i) {
    barrier(of.all);
    if (of.is_target()) compute();
    if (!of.is_origin()) continue;
    os::sleep_until(os::now_ns() + begins_after);
    found.is_one_sided = time(of, in, operation) < ends_within && found.is_one_sided;
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
