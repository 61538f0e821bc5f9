// See rma.hpp: the operations between ranks of one node are loads, stores and atomics of the CPU. A
// put has ended when it returns; the next operation on a word, or the flush, publishes it.
#include <string.h>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "net/rma.hpp"

namespace weft::net {
namespace {

status region_create(const job& all, part which, window* out) {
  const bool is_region = which == part::region;
  const bool is_words = which == part::words;
  std::byte* const ranks = is_region ? all.aliases : is_words ? all.words : all.shared;
  const std::size_t bytes = is_region ? all.region_bytes : is_words ? all.words_bytes : all.shared_bytes;
  if (ranks == nullptr || bytes == 0) return status::invalid;
  *out = {&all, ranks, bytes, nullptr};
  return status::ok;
}

std::byte* at(const window& in, int rank, std::size_t offset, std::size_t bytes) {
  WEFT_ASSERT(rank >= 0 && rank < in.all->ranks, "an operation on a rank that the job does not have");
  WEFT_ASSERT(offset <= in.bytes && bytes <= in.bytes - offset, "an operation past the end of a window");
  return in.ranks + static_cast<std::size_t>(rank) * in.bytes + offset;
}

base::atomic<std::uint64_t>& word_at(const window& in, int rank, std::size_t offset) {
  WEFT_ASSERT(offset % sizeof(std::uint64_t) == 0, "an atomic operation on a word that is not aligned");
  return *reinterpret_cast<base::atomic<std::uint64_t>*>(at(in, rank, offset, sizeof(std::uint64_t)));
}

void get(const window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  memcpy(into, at(from, rank, offset, bytes), bytes);
}

void put(const window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  if (bytes != sizeof(std::uint64_t) || offset % bytes != 0) {
    memcpy(at(into, rank, offset, bytes), from, bytes);
    return;
  }
  std::uint64_t word = 0;
  memcpy(&word, from, sizeof word);
  // [J6] release: what the rank did before, for the owner that loads the word; pairs with [R19]
  word_at(into, rank, offset).store(word, base::release);
}

std::uint64_t fetch_add(const window& in, int rank, std::size_t offset, std::uint64_t by) {
  // [J4] acq_rel: what was put before it, and what was put before the operation that it finds;
  // pairs with [J4] [J5]
  return word_at(in, rank, offset).fetch_add(static_cast<base::atomic<std::uint64_t>::difference_type>(by), base::acq_rel);
}

std::uint64_t compare_swap(const window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired) {
  // [J5] acq_rel: as fetch_add; one that changes nothing acquires alone; pairs with [J4] [J5]
  word_at(in, rank, offset).compare_exchange_strong(expected, desired, base::acq_rel, base::acquire);
  return expected;
}

// Plain stores: the operation on a word that tells of them releases them.
void flush(const window&, int) {}

void progress(const window&) {}

void* alias(const window& of, int rank, std::size_t offset) { return at(of, rank, offset, 0); }

}  // namespace

constinit const rma shm = {"shm", region_create, get, put, fetch_add, compare_swap, flush, progress, alias};

}  // namespace weft::net
