// How many operations that wait for an answer a steal from another node takes: at most 3 when it
// succeeds, 1 when the victim offers nothing; a fork takes none, neither the victim's that makes
// the offer nor the thief's first. The transport here counts them; a steal begins with the get of
// an offer, and ends with the put of its ticket, or where the next one begins.
#include <weft/dist.h>
#include <weft/hot.h>

#include <cstdio>
#include <cstring>

#include "dist/words/far_words.hpp"
#include "net/network.hpp"
#include "shared_words.hpp"

using namespace weft;

namespace {

struct attempt {
  bool is_open = false, has_swapped = false;
  std::uint64_t waits = 0;
};
struct found {
  std::uint64_t steals = 0, empty = 0, waits_of_steal = 0, waits_of_empty = 0;
};

const net::rma* inner = nullptr;
net::rma counting = {};
attempt now;
found all;
bool has_open_get = false;
bool is_in_fork = false;
std::uint64_t waits_of_forks = 0;

void end_attempt() {
  if (now.is_open && !now.has_swapped) {
    ++all.empty;
    if (now.waits > all.waits_of_empty) all.waits_of_empty = now.waits;
  }
  now = {};
}

void get(const net::window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  if (offset == offsetof(dist::far_words, offered) && bytes == sizeof(dist::offer)) {
    end_attempt();
    now.is_open = true;
  } else if (!now.has_swapped) {
    end_attempt();  // of what no steal copies
  }
  has_open_get = true;
  inner->get(from, rank, offset, into, bytes);
}

// A claimed offer's ticket, behind the copy: the steal has succeeded. Any other put is of another
// step.
void put(const net::window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  if (&into != &into.all->network->words) return inner->put(into, rank, offset, from, bytes);  // a hint beside the copy
  constexpr std::size_t copied = offsetof(dist::far_words, copied);
  const bool is_ticket = offset >= copied && offset < copied + sizeof(dist::far_words::copied) && bytes == 8;
  if (now.is_open && now.has_swapped && is_ticket) {
    ++all.steals;
    if (now.waits > all.waits_of_steal) all.waits_of_steal = now.waits;
  }
  if (is_ticket) now = {};
  if (now.is_open) end_attempt();
  inner->put(into, rank, offset, from, bytes);
}

std::uint64_t fetch_add(const net::window& in, int rank, std::size_t offset, std::uint64_t by) {
  end_attempt();
  return inner->fetch_add(in, rank, offset, by);
}

std::uint64_t compare_swap(const net::window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired) {
  if (rank == in.all->rank) end_attempt();  // of its own offer
  ++now.waits;
  now.has_swapped = true;
  return inner->compare_swap(in, rank, offset, expected, desired);
}

void flush(const net::window& of, int rank) {
  if (has_open_get) ++now.waits;
  has_open_get = false;
  waits_of_forks += is_in_fork;
  inner->flush(of, rank);
}

void spin() {
  for (int i = 0; i < 20'000; ++i) asm volatile("");
}

struct tree {
  long depth;
};

long leaves(long depth);

void run_child(void* work) {
  tree own;
  std::memcpy(&own, work, sizeof own);
  own.depth = leaves(own.depth);
  std::memcpy(work, &own, sizeof own);
}

long leaves(long depth) {
  if (depth == 0) {
    spin();
    return 1;
  }
  const tree left{depth - 1};
  weft_forked* const child = weft_fork(run_child, &left, sizeof left);
  const long right = leaves(depth - 1);
  tree result = left;
  weft_fork_join(child, run_child, &result, sizeof result);
  return result.depth + right;
}

void root(void* work) { run_child(work); }

// Ends only once another rank goes on with its forker; each of its forks may answer the network.
shared_words words;

void nothing(void*) { is_in_fork = false; }

void fork_nothing() {
  long none = 0;
  is_in_fork = true;
  weft_forked* const child = weft_fork(nothing, &none, sizeof none);
  is_in_fork = false;  // where the child did not run first
  weft_fork_join(child, nothing, &none, sizeof none);
}

void stay(void*) {
  while (words[0].load() == 0) fork_nothing();
}

void robbed_root(void*) {
  long none = 0;
  weft_forked* const child = weft_fork(stay, &none, sizeof none);
  fork_nothing();
  words[0].store(1);
  weft_fork_join(child, stay, &none, sizeof none);
}

}  // namespace

extern "C" const net::rma* weft_net_wrap_transport(const net::rma* of) {
  inner = of;
  counting = {of->name, of->region_create, get,       put,     fetch_add,    compare_swap,
              flush,    of->progress,      of->alias, nullptr, of->send_puts};
  return &counting;
}

int main() {
  long none = 0;
  if (weft_dist_root(robbed_root, &none, sizeof none) != WEFT_OK) return 1;
  constexpr long depth = 9, roots = 30;
  for (long tries = 0; tries < roots; ++tries) {
    tree work{depth};
    if (weft_dist_root(root, &work, sizeof work) != WEFT_OK || work.depth != 1L << depth) return 1;
  }
  if (all.waits_of_steal > 3 || all.waits_of_empty > 1) {
    std::printf("rank %d: %lu waits of a steal, %lu of an empty one (%lu)\n", weft_dist_rank(), all.waits_of_steal,
                all.waits_of_empty, all.empty);
    return 1;
  }
  if (waits_of_forks != 0) return std::printf("rank %d: %lu waits in forks\n", weft_dist_rank(), waits_of_forks), 1;
  if (all.steals != 0) std::printf("rank %d: a steal takes %lu waits\n", weft_dist_rank(), all.waits_of_steal);
  return 0;
}
