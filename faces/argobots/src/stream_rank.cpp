// Ranks: the runtime's list of streams is sorted by them.

#include "faces/common/spinlock.hpp"
#include "runtime.hpp"
#include "stream.hpp"

namespace weft::abt {

namespace {

int rank_of(const stream* one) { return one->rank.load(std::memory_order_relaxed); }

int lowest_free(const runtime* all) {
  int rank = 0;
  for (const stream* one = all->first; one != nullptr && rank_of(one) == rank; one = one->after) ++rank;
  return rank;
}

bool is_taken(const runtime* all, int rank) {
  for (const stream* one = all->first; one != nullptr; one = one->after) {
    if (rank_of(one) == rank) return true;
  }
  return false;
}

void insert(runtime* all, stream* added, int rank) {
  added->rank.store(rank, std::memory_order_relaxed);
  stream* before = nullptr;
  stream* after = all->first;
  while (after != nullptr && rank_of(after) < rank) {
    before = after;
    after = after->after;
  }
  added->before = before;
  added->after = after;
  (before != nullptr ? before->after : all->first) = added;
  if (after != nullptr) after->before = added;
  if (rank >= all->most_streams.load(std::memory_order_relaxed)) all->most_streams.store(rank + 1, std::memory_order_relaxed);
}

void remove(runtime* all, stream* gone) {
  (gone->before != nullptr ? gone->before->after : all->first) = gone->after;
  if (gone->after != nullptr) gone->after->before = gone->before;
}

}  // namespace

bool take_rank(stream* one, int rank) {
  runtime* const all = current_runtime();
  const face::guard hold(all->lock);
  if (rank == ABT_XSTREAM_ANY_RANK) {
    rank = lowest_free(all);
  } else if (is_taken(all, rank)) {
    return false;
  }
  insert(all, one, rank);
  all->stream_count.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool change_rank(stream* one, int rank) {
  runtime* const all = current_runtime();
  const face::guard hold(all->lock);
  if (rank_of(one) == rank) return true;
  if (is_taken(all, rank)) return false;
  remove(all, one);
  insert(all, one, rank);
  return true;
}

void return_rank(stream* one) {
  runtime* const all = current_runtime();
  const face::guard hold(all->lock);
  remove(all, one);
  all->stream_count.fetch_sub(1, std::memory_order_relaxed);
}

stream* stream_of_callback() {
  const int worker = weft_worker_self();
  if (worker < 0 || weft_self() != nullptr) return nullptr;  // an OS thread, or a thread that weft.h made
  runtime* const all = current_runtime();
  const face::guard hold(all->lock);
  stream* one = all->first;
  while (one != nullptr && static_cast<int>(one->worker) != worker) one = one->after;
  return one;
}

}  // namespace weft::abt
