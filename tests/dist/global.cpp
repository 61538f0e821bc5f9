// The global heap: arrays and objects on all ranks, copies between them, words that are changed at
// once, futures that many read, and forks that no forker joins.
#include <weft/dist.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>

#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "programs.hpp"

using namespace weft::dist;
using programs::mixed;

namespace {

bool fail(const char* what) {
  std::printf("rank %d: wrong: %s\n", rank(), what);
  return false;
}

// Of the last call that failed.
bool says(const char* words) {
  return std::strncmp(weft_last_error(), words, std::strlen(words)) == 0 || fail(weft_last_error());
}

// Elements of 24 bytes, which do not divide a block evenly.
struct element {
  std::uint64_t index, value, check;

  static element of(std::uint64_t index, std::uint64_t salt) {
    const std::uint64_t value = mixed(index ^ salt);
    return {index, value, value ^ ~index};
  }
  bool operator==(const element&) const = default;
};

// Over a network, of which an operation takes long, there is less to do.
std::size_t size = 1000;
int rounds = 20;

// Long enough for a thief, also where ranks share a CPU.
void compute() {
  for (int i = 0; i < 5'000; ++i) asm volatile("");
  sched_yield();
}

bool blocks_of_an_array() {
  const global_array<element> all(size);
  const std::size_t block = (size + static_cast<std::size_t>(ranks()) - 1) / static_cast<std::size_t>(ranks());
  bool is_right = all.end() - all.begin() == static_cast<std::ptrdiff_t>(size);
  for (std::size_t i = 0; i < size; ++i) {
    is_right &= all[i].rank() == static_cast<int>(i / block);
    const std::size_t end = (i / block + 1) * block;
    is_right &= all[i].run() == (end < size ? end : size) - i;
    is_right &= (all[i].local() != nullptr) || all[i].rank() != rank();
  }
  return is_right || fail("blocks of an array");
}

// Each element by another thread, and read by threads elsewhere; by address where the memory is
// here.
bool elements_by_threads() {
  const global_array<element> all(size);
  const bool is_right = root([first = all.begin()] {
    weft::parallel_for(weft::range(0, static_cast<int>(size), 1), [first](int i) {
      compute();
      const element value = element::of(static_cast<std::uint64_t>(i), 1);
      if (element* const here = first[i].local(); here != nullptr && i % 2 == 0)
        *here = value;
      else
        first[i].put(value);
    });
    std::uint64_t wrong = 0;
    for (int i = 0; i < static_cast<int>(size); i += rounds < 20 ? 20 : 1) {
      auto later = weft::fork([first, i] { return first[i].get() == element::of(static_cast<std::uint64_t>(i), 1) ? 0UL : 1UL; });
      if (const element* const here = first[i].local(); here != nullptr) wrong += *here != first[i].get() ? 1 : 0;
      wrong += later.join();
    }
    return wrong == 0;
  });
  return is_right || fail("elements by threads");
}

bool bulk_copies() {
  const global_array<element> from(size), into(size);
  const bool is_right = root([a = from.begin(), b = into.begin()] {
    constexpr std::size_t most = 100;
    const std::size_t piece = size / 10;  // over the ends of blocks
    for (std::size_t at = 0; at < size; at += piece) {
      element values[most];
      for (std::size_t i = 0; i < piece; ++i) values[i] = element::of(at + i, 2);
      put(std::span(values, piece), a + static_cast<std::ptrdiff_t>(at));
      for (element& each : values) each = {};
      get(a + static_cast<std::ptrdiff_t>(at), std::span(values, piece));
      for (std::size_t i = 0; i < piece; ++i) {
        if (values[i] != element::of(at + i, 2)) return false;
      }
    }
    // The second half to the first of the other array, whose blocks lie otherwise, and one past it.
    const std::size_t half = size / 2;
    copy(a + static_cast<std::ptrdiff_t>(half), half, b + 1);
    for (std::size_t i = 0; i < half; ++i) {
      if (b[static_cast<std::ptrdiff_t>(i + 1)].get() != element::of(half + i, 2)) return false;
    }
    return true;
  });
  return is_right || fail("bulk copies");
}

void clear(const global_array<std::uint64_t>& words) {
  const std::vector<std::uint64_t> none(words.size());
  if (rank() == 0) put(std::span(none), words.begin());
}
std::uint64_t sum_of(const global_array<std::uint64_t>& words) {
  std::vector<std::uint64_t> all(words.size());
  get(words.begin(), std::span(all));
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

bool additions() {
  const global_array<std::uint64_t> sums(64);
  clear(sums);
  const bool is_right = root([first = sums.begin()] {
    weft::parallel_for(weft::range(0, static_cast<int>(size), 1),
                       [first](int i) { first[i % 64].add(static_cast<std::uint64_t>(i)); });
    std::uint64_t all = 0;
    for (std::ptrdiff_t i = 0; i < 64; ++i) all += first[i].fetch_add(0);
    if (first[3].compare_swap(1, 2) == 1) return false;
    const std::uint64_t third = first[3].get();
    return all == (size - 1) * size / 2 && first[3].compare_swap(third, 7) == third && first[3].get() == 7;
  });
  return is_right || fail("additions");
}

// Objects on all ranks, made and freed by threads wherever they run: no two have one block.
std::uint64_t churn(std::uint64_t seed, long depth) {
  std::uint64_t wrong = 0;
  const int where = static_cast<int>(seed % static_cast<std::uint64_t>(ranks()));
  const auto one = make_global(where, element::of(seed, 3));
  if (depth != 0) {
    compute();
    auto later = weft::fork([seed, depth] { return churn(mixed(seed), depth - 1); });
    wrong += churn(mixed(seed + 1), depth - 1);
    const auto other = make_global(where, element::of(seed, 4));
    wrong += later.join();
    wrong += other.get() == element::of(seed, 4) && other.rank() == where ? 0 : 1;
    drop(other);
  }
  wrong += one.get() == element::of(seed, 3) ? 0 : 1;
  drop(one);
  return wrong;
}

bool objects() {
  const long depth = rounds < 20 ? 3 : 7;
  const bool is_right = root([depth] { return churn(5, depth); }) == 0;
  return is_right || fail("objects");
}

// A part of a rank's heap that is freed is used again, by arrays and by objects.
bool memory_is_used_again() {
  bool is_right = true;
  weft_global large = 0;
  for (int i = 0; i < 3 * rounds; ++i) {
    weft_global one = 0, other = 0;
    const std::size_t count = static_cast<std::size_t>(ranks()) << (i % 3 == 0 ? 23 : 24);
    is_right &= weft_global_array(count, 1, &one) == WEFT_OK && weft_global_array(64, 8, &other) == WEFT_OK;
    if (i == 0) large = one;
    weft_global object = 0;
    is_right &= weft_global_make(rank(), std::size_t{1} << 20, &object) == WEFT_OK;
    if (!is_right) return fail("memory is used again: no memory");
    weft_global_free(object, std::size_t{1} << 20);
    is_right &= weft_global_array_free(i % 2 == 0 ? one : other) == WEFT_OK;
    is_right &= weft_global_array_free(i % 2 == 0 ? other : one) == WEFT_OK;
  }
  weft_global none = 0;
  is_right &= weft_global_array(std::size_t{1} << 40, 8, &none) == WEFT_NOMEM && none == 0;
  is_right &= says("weft_global_array: ");
  is_right &= weft_global_array_free(large) == WEFT_INVALID && says("weft_global_array_free: argument array: 0x");
  is_right &= weft_global_array(0, 8, &none) == WEFT_INVALID && says("weft_global_array: argument count: it is 0");
  is_right &= weft_global_array(8, 0, &none) == WEFT_INVALID && says("weft_global_array: argument bytes: it is 0");
  is_right &= weft_global_make(ranks(), 8, &none) == WEFT_INVALID && says("weft_global_make: argument rank: there is no rank ");
  is_right &= weft_global_future_make(-1, 8, &none) == WEFT_INVALID &&
              says("weft_global_future_make: argument rank: there is no rank -1");
  is_right &= weft_global_make(rank(), std::size_t{1} << 31, &none) == WEFT_NOMEM && says("weft_global_make: the heap of ");
  is_right &= root([] {
    weft_global array = 0;
    return weft_global_array(8, 8, &array) == WEFT_INVALID && says("weft_global_array: the caller is in a root");
  });
  return is_right || fail("memory is used again");
}

// ---- futures ------------------------------------------------------------------------------------

using value = shared_future<element>;

// Readers before the setter, on all ranks, below forkers that go on meanwhile.
std::uint64_t read_by_many(value what, std::uint64_t salt, long depth) {
  compute();
  if (depth == 0) return what.get() == element::of(salt, 6) ? 0 : 1;
  auto one = weft::fork([=] { return read_by_many(what, salt, depth - 1); });
  const std::uint64_t other = read_by_many(what, salt, depth - 1);
  return other + one.join();
}

bool futures_read_by_many() {
  for (std::uint64_t salt = 0; salt < static_cast<std::uint64_t>(rounds); ++salt) {
    const bool is_right = root([salt] {
      const value what = value::make(static_cast<int>(salt % static_cast<std::uint64_t>(ranks())));
      auto readers = weft::fork([=] { return read_by_many(what, salt, rounds < 20 ? 3 : 5); });
      auto setter = weft::fork([=] {
        what.set(element::of(salt, 6));
        return 0;
      });
      const std::uint64_t wrong = readers.join() + static_cast<std::uint64_t>(setter.join());
      const bool is_set = what.is_set() && what.get() == element::of(salt, 6);
      what.drop();
      return wrong == 0 && is_set;
    });
    if (!is_right) return fail("futures that many read");
  }
  return true;
}

// A chain: each thread waits for the future of the one that is forked after it.
std::uint64_t chain(shared_future<std::uint64_t> mine, std::uint64_t left) {
  if (left == 0) {
    mine.set(1);
    return 0;
  }
  const auto next = shared_future<std::uint64_t>::make(static_cast<int>(left % static_cast<std::uint64_t>(ranks())));
  auto waits = weft::fork([=] {
    compute();
    mine.set(next.get() + 1);
    return std::uint64_t{0};
  });
  const std::uint64_t wrong = chain(next, left - 1) + waits.join();
  next.drop();
  return wrong;
}

bool chains_of_futures() {
  const std::uint64_t length = rounds < 20 ? 8 : 60;
  const bool is_right = root([length] {
    const auto first = shared_future<std::uint64_t>::make(0);
    const std::uint64_t wrong = chain(first, length);
    const bool is_last = first.get() == length + 1;
    first.drop();
    return wrong == 0 && is_last;
  });
  return is_right || fail("chains of futures");
}

// The longest common subsequence by blocks, as in the programs for which futures of many readers
// are made: each block reads those above and beside it.
constexpr int side = 5;

bool wavefront() {
  using block = shared_future<std::uint64_t>;
  const global_array<block> cells(side * side);
  const bool is_right = root([first = cells.begin()] {
    const auto at = [first](int row, int column) { return first[row * side + column].get(); };
    for (int i = 0; i < side * side; ++i) first[i].put(block::make(i % ranks()));
    for (int i = side * side; i-- > 0;) {  // those that wait first
      discard([at, i] {
        compute();
        const int row = i / side, column = i % side;
        const std::uint64_t above = row == 0 ? 1 : at(row - 1, column).get();
        const std::uint64_t beside = column == 0 ? 1 : at(row, column - 1).get();
        at(row, column).set(row == 0 || column == 0 ? 1 : above + beside);
      });
    }
    const bool is_sum = at(side - 1, side - 1).get() == 70;  // 8 over 4
    for (int i = 0; i < side * side; ++i) at(i / side, i % side).drop();
    return is_sum;
  });
  return is_right || fail("a wavefront of futures");
}

// ---- forks that no forker joins -----------------------------------------------------------------

void scatter(global<std::uint64_t> sums, std::uint64_t seed, long depth) {
  compute();
  sums[static_cast<std::ptrdiff_t>(seed % 64)].add(1);
  if (depth == 0) return;
  for (std::uint64_t i = 0; i < 2; ++i) discard([=] { scatter(sums, mixed(seed + i), depth - 1); });
  auto joined = weft::fork([=] {
    scatter(sums, mixed(seed + 2), depth - 1);
    return 0;
  });
  (void)joined.join();
}

bool discarded_forks_end() {
  const global_array<std::uint64_t> sums(64);
  for (int round = 0; round < rounds; ++round) {
    clear(sums);
    root([first = sums.begin()] { scatter(first, 1, rounds < 20 ? 3 : 5); });
    const std::uint64_t all = sum_of(sums);
    root([] {});                                                            // no rank sets the sums before all have read them
    if (all != (rounds < 20 ? 40U : 364U)) return fail("discarded forks");  // (3^4 - 1) / 2, (3^6 - 1) / 2
  }
  return true;
}

bool shared_results() {
  const bool is_right = root([] {
    const auto one = fork_shared([] { return std::uint64_t{42}; });
    auto reader = weft::fork([=] { return one.get(); });
    const std::uint64_t sum = one.get() + reader.join();
    one.drop();
    return sum == 84;
  });
  return is_right || fail("results that many read");
}

bool exceptions_are_dropped() {
  const std::uint64_t before = weft::dropped_exceptions();
  root([] { discard([] { throw 7; }); });
  const std::uint64_t mine = weft::dropped_exceptions() - before;
  const global_array<std::uint64_t> counts(static_cast<std::size_t>(ranks()));
  counts[static_cast<std::size_t>(rank())].put(mine);
  root([] {});
  const std::uint64_t all = sum_of(counts);
  root([] {});
  return all == 1 || fail("exceptions of discarded forks");
}

}  // namespace

int main() {
  if (std::getenv("WEFT_LAUNCH_MPI") != nullptr) rounds = 1, size = 100;
  bool is_right = blocks_of_an_array();
  is_right &= elements_by_threads();
  is_right &= bulk_copies();
  is_right &= additions();
  is_right &= objects();
  is_right &= memory_is_used_again();
  is_right &= futures_read_by_many();
  is_right &= chains_of_futures();
  is_right &= wavefront();
  is_right &= discarded_forks_end();
  is_right &= shared_results();
  is_right &= exceptions_are_dropped();
  return is_right ? 0 : 1;
}
