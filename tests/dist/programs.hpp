// Random programs of forks, from seeds. A program is a tree: what a node does follows from its
// number, and its value is the same on every rank, so that plain calls are the oracle.
//
// A node fills a buffer in its frame, lets other processes run now and then, makes children by
// forks (of values, of an address of its frame, of more bytes than fit into two words, or plain
// calls), forks again while others are open, joins in any order, and looks whether its frame is as
// it was. Some children are discarded, and some wait for a future that the node sets when it joins
// them. Every node adds to a word of the global heap, and some keep their buffer in an object on
// any rank meanwhile.
#pragma once

#include <sched.h>

#include <cstdint>
#include <cstring>

#include <weft/dist.h>
#include <weft/global.h>
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
  std::uint64_t check[4];  // follow from the number, and afterwards from the result

  void fill() {
    for (std::uint64_t i = 0; i < 4; ++i) check[i] = mixed(its.value + i) ^ its.depth;
  }
  [[nodiscard]] bool is_whole() const {
    large_child right{its, {}};
    right.fill();
    return std::memcmp(check, right.check, sizeof check) == 0;
  }
};
static_assert(sizeof(large_child) == WEFT_FORK_BYTES);

inline constexpr unsigned most_children = 5;
inline constexpr std::uint64_t broken = ~std::uint64_t{0};

// Two arrays of words, used in turn, so that one can be read while the other is cleared; and
// whether readers of futures wait.
inline constexpr std::uint64_t sums = 61;
inline weft_global sums_at = 0;
inline std::uint64_t plain_sums[sums];
inline bool may_wait = true;

struct plain {
  static constexpr bool forks = false;
  static void pause(std::uint64_t) {}
};
// A program of a few microseconds would be over before another rank has woken up, and on few CPUs
// that rank would not run.
struct forking {
  static constexpr bool forks = true;
  static void pause(std::uint64_t random) {
    constexpr std::uint64_t one_of = 4, most_spins = 4096;
    static int yields_left = 1000;  // of this rank: on a loaded machine each may take milliseconds
    if ((random >> 32) % one_of != 0) return;
    if (yields_left > 0 && --yields_left > 0) sched_yield();
    for (std::uint64_t left = (random >> 40) % most_spins; left != 0; --left) asm volatile("");
  }
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
  own.its.value = own.is_whole() ? value_of<forking>(own.its.value, own.its.depth) : broken;
  own.fill();
  std::memcpy(work, &own, sizeof own);
}
inline void run_discarded(void* work) {
  child own;
  std::memcpy(&own, work, sizeof own);
  if (value_of<forking>(own.value, own.depth) == broken) weft_global_add(sums_at, 1);
}
inline void run_reader(void* work) {
  child own;
  std::memcpy(&own, work, sizeof own);
  std::uint64_t value = 0;
  weft_global_future_get(own.value, &value, sizeof value);
  own.value = mixed(value);
  std::memcpy(work, &own, sizeof own);
}
inline void run_by_address(void* work) {
  child* own;
  std::memcpy(&own, work, sizeof own);
  own->value = value_of<forking>(own->value, own->depth);
}

enum class kind { small, large, by_address, call, discarded, reader };
inline constexpr unsigned kinds = 6;

struct open_child {
  kind how;
  weft_forked* forked;
  child its;
  large_child large;
  child reader;  // with the future instead of the number
};

inline int any_rank(std::uint64_t number) { return static_cast<int>(number % static_cast<std::uint64_t>(weft_dist_ranks())); }

inline void start_reader(open_child& one) {
  one.reader = {0, 0};
  if (weft_global_future_make(any_rank(one.its.value), sizeof one.its.value, &one.reader.value) != WEFT_OK) return;
  if (!may_wait) weft_global_future_set(one.reader.value, &one.its.value, sizeof one.its.value);
  one.forked = weft_fork(run_reader, &one.reader, sizeof one.reader);
}
inline std::uint64_t finish_reader(open_child& one) {
  const weft_global future = one.reader.value;
  if (future == 0) return broken;
  if (may_wait) weft_global_future_set(future, &one.its.value, sizeof one.its.value);
  weft_fork_join(one.forked, run_reader, &one.reader, sizeof one.reader);
  weft_global_future_free(future, sizeof one.its.value);
  return one.reader.value;
}

inline void start(open_child& one) {
  switch (one.how) {
    case kind::small: one.forked = weft_fork(run_small, &one.its, sizeof one.its); break;
    case kind::large:
      one.large.its = one.its;
      one.large.fill();
      one.forked = weft_fork(run_large, &one.large, sizeof one.large);
      break;
    case kind::by_address: {
      child* const address = &one.its;
      one.forked = weft_fork(run_by_address, &address, sizeof address);
      break;
    }
    case kind::call: one.its.value = value_of<forking>(one.its.value, one.its.depth); break;
    case kind::discarded:
      weft_dist_discard(weft_fork(run_discarded, &one.its, sizeof one.its), run_discarded, &one.its, sizeof one.its);
      break;
    case kind::reader: start_reader(one); break;
  }
}

inline std::uint64_t finish(open_child& one) {
  switch (one.how) {
    case kind::small: weft_fork_join(one.forked, run_small, &one.its, sizeof one.its); break;
    case kind::large:
      weft_fork_join(one.forked, run_large, &one.large, sizeof one.large);
      return one.large.is_whole() ? one.large.its.value : broken;
    case kind::by_address: {
      child* address = &one.its;
      weft_fork_join(one.forked, run_by_address, &address, sizeof address);
      break;
    }
    case kind::call: break;
    case kind::discarded: return 0;
    case kind::reader: return finish_reader(one);
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

// What a discarded or a waiting child gives without forks.
inline std::uint64_t plain_value(const open_child& one) {
  if (one.how == kind::reader) return mixed(one.its.value);
  const std::uint64_t value = value_of<plain>(one.its.value, one.its.depth);
  return one.how == kind::discarded ? 0 : value;
}

// A node's buffer, in the heap while it waits for its children.
class kept_buffer {
 public:
  kept_buffer(const std::uint64_t* from, std::size_t count, std::uint64_t random) : bytes_(count * sizeof *from) {
    if (random >> 60 != 0 || weft_global_make(any_rank(random), bytes_, &at_) != WEFT_OK) return;
    weft_global_put(at_, from, bytes_);
  }
  // Whether it is as it was put.
  [[nodiscard]] bool is_whole(const std::uint64_t* from) const {
    std::uint64_t found[16];
    if (at_ == 0) return true;
    weft_global_get(found, at_, bytes_);
    weft_global_free(at_, bytes_);
    return std::memcmp(found, from, bytes_) == 0;
  }

 private:
  std::size_t bytes_;
  weft_global at_ = 0;
};

template <class Way>
void add_to_sums(std::uint64_t number) {
  const std::uint64_t which = number % sums;
  if constexpr (Way::forks)
    (void)weft_global_add(sums_at + which * sizeof(std::uint64_t), mixed(number));
  else
    plain_sums[which] += mixed(number);
}

template <class Way>
std::uint64_t value_of(std::uint64_t number, std::uint64_t depth) {
  const std::uint64_t random = mixed(number);
  std::uint64_t buffer[16];
  const std::size_t used = 1 + random % 16;
  for (std::size_t i = 0; i < used; ++i) buffer[i] = random * (i + 1);
  add_to_sums<Way>(number);
  if (Way::forks && random >> 56 < 16) sched_yield();  // to the thieves, where ranks share a CPU
  const kept_buffer kept(buffer, used, Way::forks ? random : ~std::uint64_t{0});
  const auto count = depth == 0 ? 0U : static_cast<unsigned>((random >> 8) % (most_children + 1));
  open_child children[most_children];
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t its = mixed(random + i);
    children[i].how = static_cast<kind>((its >> 16) % kinds);
    children[i].its = {its, depth - 1 - (its >> 24) % depth};
    if constexpr (Way::forks) start(children[i]);
    Way::pause(mixed(its));
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
      value = plain_value(one);
    }
    sum += mixed(value + order[i]);
  }
  for (std::size_t i = 0; i < used; ++i) {
    if (buffer[i] != random * (i + 1)) return broken;
  }
  return kept.is_whole(buffer) ? mixed(sum ^ random) : broken;
}

}  // namespace programs
