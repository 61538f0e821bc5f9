// Random programs of forks, from seeds. A program is a tree: what a node does follows from its number, and its value is the same
// on every rank, so that plain calls are the oracle.
//
// A node fills a buffer in its frame, makes children by forks (of values, of an address of its frame, of more bytes than fit into two
// words, or plain calls), forks again while others are open, joins in any order, and looks whether its frame is as it was.
#pragma once

#include <cstdint>
#include <cstring>

#include <weft/hot.h>

namespace programs {

inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// What a child is given, and what it gives back in `value`.
struct child {
  std::uint64_t value;  // the number, then the result
  std::uint64_t depth;
};
struct large_child {
  child its;
  std::uint64_t check[4];
};
static_assert(sizeof(large_child) == WEFT_FORK_BYTES);

inline constexpr unsigned most_children = 5;
inline constexpr std::uint64_t broken = ~std::uint64_t{0};

struct plain {
  static constexpr bool forks = false;
};
struct forking {
  static constexpr bool forks = true;
};

template <class Way>
std::uint64_t value_of(std::uint64_t number, std::uint64_t depth);

inline void run_small(void* work) {
  child own;
  std::memcpy(&own, work, sizeof own);
  own.value = value_of<forking>(own.value, own.depth);
  std::memcpy(work, &own, sizeof own);
}
inline void run_large(void* work) {
  large_child own;
  std::memcpy(&own, work, sizeof own);
  const bool is_whole = own.check[3] == (own.its.value ^ own.its.depth);
  own.its.value = is_whole ? value_of<forking>(own.its.value, own.its.depth) : broken;
  std::memcpy(work, &own, sizeof own);
}
inline void run_by_address(void* work) {
  child* own;
  std::memcpy(&own, work, sizeof own);
  own->value = value_of<forking>(own->value, own->depth);
}

enum class kind { small, large, by_address, call };

struct open_child {
  kind how;
  weft_forked* forked;
  child its;
  large_child large;
};

inline void start(open_child& one) {
  switch (one.how) {
    case kind::small: one.forked = weft_fork(run_small, &one.its, sizeof one.its); break;
    case kind::large:
      one.large = {one.its, {1, 2, 3, one.its.value ^ one.its.depth}};
      one.forked = weft_fork(run_large, &one.large, sizeof one.large);
      break;
    case kind::by_address: {
      child* const address = &one.its;
      one.forked = weft_fork(run_by_address, &address, sizeof address);
      break;
    }
    case kind::call: one.its.value = value_of<forking>(one.its.value, one.its.depth); break;
  }
}

inline std::uint64_t finish(open_child& one) {
  switch (one.how) {
    case kind::small: weft_fork_join(one.forked, run_small, &one.its, sizeof one.its); break;
    case kind::large: weft_fork_join(one.forked, run_large, &one.large, sizeof one.large); return one.large.its.value;
    case kind::by_address: {
      child* address = &one.its;
      weft_fork_join(one.forked, run_by_address, &address, sizeof address);
      break;
    }
    case kind::call: break;
  }
  return one.its.value;
}

// An order of joins that follows from the number.
inline void shuffle(unsigned (&order)[most_children], unsigned count, std::uint64_t random) {
  for (unsigned i = 0; i < count; ++i) order[i] = count - 1 - i;
  if (random % 2 == 0) return;  // the last first
  for (unsigned i = count; i > 1; --i) {
    random = mixed(random);
    const auto other = static_cast<unsigned>(random % i);
    const unsigned kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
}

template <class Way>
std::uint64_t value_of(std::uint64_t number, std::uint64_t depth) {
  const std::uint64_t random = mixed(number);
  std::uint64_t buffer[16];
  const std::size_t used = 1 + random % 16;
  for (std::size_t i = 0; i < used; ++i) buffer[i] = random * (i + 1);
  const auto count = depth == 0 ? 0U : static_cast<unsigned>((random >> 8) % (most_children + 1));
  open_child children[most_children];
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t its = mixed(random + i);
    children[i].how = static_cast<kind>((its >> 16) % 4);
    children[i].its = {its, depth - 1 - (its >> 24) % depth};
    if constexpr (Way::forks) start(children[i]);
  }
  unsigned order[most_children];
  shuffle(order, count, random >> 4);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    open_child& one = children[order[i]];
    std::uint64_t value;
    if constexpr (Way::forks) {
      value = finish(one);
    } else {
      value = value_of<plain>(one.its.value, one.its.depth);
    }
    sum += mixed(value + order[i]);
  }
  for (std::size_t i = 0; i < used; ++i) {
    if (buffer[i] != random * (i + 1)) return broken;
  }
  return mixed(sum ^ random);
}

}  // namespace programs
