// What ends a job with a line that names the cure. Each case hangs, or goes on with wrong values,
// where the library does not notice.
//
//   misuse CASE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <weft/dist.hpp>

#include "shared_words.hpp"

namespace {

constexpr std::size_t more_than_the_pool = 5 * 1024 * 1024;

// ---- a deadlock: WEFT_DIST_CHECK=all on one rank, where the order in which threads are taken up is fixed

// Three that have moved: the newest is taken up first, then the oldest, which joins the one in
// between.
long below(long depth) {
  if (depth == 0) return 1;
  auto child = weft::fork([=] { return below(depth - 1); });
  return child.join();
}

long join_with_exception() {
  auto child = weft::fork([] { return below(2); });
  try {
    throw std::runtime_error("open");
  } catch (const std::runtime_error&) {
    return child.join();
  }
}

template <class Child>
[[gnu::noinline]] long join_above(Child& child) {
  volatile char large[more_than_the_pool];
  large[0] = 1;
  return child.join() + large[0] - 1;
}

long join_without_memory() {
  auto child = weft::fork([] { return below(2); });
  return join_above(child);
}

long wait_with_exception() {
  return weft::dist::root([] { return join_with_exception(); }) == 1 ? 0 : 1;
}
long wait_without_memory() {
  return weft::dist::root([] { return join_without_memory(); }) == 1 ? 0 : 1;
}

// ---- other misuse ----

long fork_in_root() {
  return weft::dist::root([] {
    if (fork() == 0) _exit(0);
    return 0L;
  });
}

// A child of main is no rank: its root is refused, and the rank goes on.
long root_in_child() {
  const pid_t child = fork();
  if (child == 0) {
    long nothing = 0;
    _exit(weft_dist_root([](void*) {}, &nothing, sizeof nothing) == WEFT_INVALID ? 7 : 8);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 1;
  return weft::dist::root([] { return 0L; });
}

long different_functions() {
  long value = 0;
  void (*const mine)(void*) = [](void*) {};
  void (*const others)(void*) = [](void* work) { std::memset(work, 0, sizeof value); };
  return weft_dist_root(weft::dist::rank() == 0 ? mine : others, &value, sizeof value);
}

long different_bytes() {
  long values[2] = {};
  return weft_dist_root([](void*) {}, values, weft::dist::rank() == 0 ? sizeof values : sizeof *values);
}

// So many children throw before the first of them is joined.
long throw_often(long depth) {
  if (depth == 0) return 0;
  auto child = weft::fork([=]() -> long { throw std::out_of_range(std::to_string(depth)); });
  const long below = throw_often(depth - 1);
  try {
    return child.join();
  } catch (const std::out_of_range& error) {
    return below + (std::to_string(depth) == error.what() ? 1 : 0);
  } catch (const weft::dist::remote_error& error) {
    return below + (std::to_string(depth) == error.what() ? 1 : 0);
  }
}

long throw_1000() {
  return weft::dist::root([] { return throw_often(1000); }) == 1000 ? 0 : 1;
}
long throw_1025() {
  return weft::dist::root([] { return throw_often(1025); }) == 1025 ? 0 : 1;
}

long nested_root() {
  return weft::dist::root([] {
    try {
      weft::dist::root([] {});
    } catch (const weft::error& error) {
      return std::strstr(error.what(), "weft_dist_root: the caller is in a root") != nullptr ? 0L : 1L;
    }
    return 1L;
  });
}

// Not misuse: forks that are joined oldest first, more often than there are places.
long join_oldest_first() {
  const long wrong = weft::dist::root([] {
    long sum = 0;
    for (long i = 0; i < 100'000; ++i) {
      auto older = weft::fork([=] { return i; });
      auto newer = weft::fork([=] { return -i; });
      sum += older.join();
      sum += newer.join();
    }
    return sum;
  });
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  if (counts.full != 0) std::printf("%lu forks found no place\n", static_cast<unsigned long>(counts.full));
  return wrong != 0 || counts.full != 0;
}

// Nor is it misuse to have more forks open than there are places, of which a stack of 8 MiB has
// 2^16 but two: the root has the first, and the last stays free. The others run in their joins.
void count_up(void* work) {
  long value = 0;
  std::memcpy(&value, work, sizeof value);
  ++value;
  std::memcpy(work, &value, sizeof value);
}

void fork_more_than_places(void* work) {
  constexpr long forks = 70'000;
  std::vector<weft_forked*> open(forks);  // one rank: the heap is its
  for (long i = 0; i < forks; ++i) open[static_cast<std::size_t>(i)] = weft_fork(count_up, &i, sizeof i);
  long wrong = 0;
  for (long i = forks; i-- > 0;) {
    long value = i;
    weft_fork_join(open[static_cast<std::size_t>(i)], count_up, &value, sizeof value);
    wrong += value == i + 1 ? 0 : 1;
  }
  std::memcpy(work, &wrong, sizeof wrong);
}

long more_than_places() {
  long wrong = 0;
  if (weft_dist_root(fork_more_than_places, &wrong, sizeof wrong) != WEFT_OK) return 1;
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  if (counts.full != 70'000 - 65'534) std::printf("%lu forks found no place\n", static_cast<unsigned long>(counts.full));
  return wrong != 0 || counts.full != 70'000 - 65'534;
}

// Each child's stack is its own under the policy iso-address: deeper forks than a rank has stacks
// run in their joins.
constexpr long depth_of_nest = 4300, stacks_of_rank = 4096;

long nest(long depth) {
  if (depth == 0) return 0;
  auto child = weft::fork([=] { return nest(depth - 1); });
  return child.join() + 1;
}

long more_than_stacks() {
  if (weft::dist::root([] { return nest(depth_of_nest); }) != depth_of_nest) return 1;
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  return counts.full != depth_of_nest - stacks_of_rank;
}

template <int Which>
long keep_one() {
  long own = 1;
  auto child = weft::fork([&own] { return own + Which; });
  return child.join();
}
template <int... Which>
long keep_each(std::integer_sequence<int, Which...>) {
  return (keep_one<Which>() + ...);
}
// Forks of more functions than a rank names.
long keep_many() {
  return weft::dist::root([] { return keep_each(std::make_integer_sequence<int, 12>()); }) == 78 ? 0 : 1;
}

// Under WEFT_DIST_CHECK=all a child finds what its forker has left written over: the forker's
// frame, and the bytes of its other forks.
volatile const long* left_in_frame;
const weft_forked* left_in_places;

bool is_written_over(const volatile void* left) {
  const auto* const bytes = static_cast<const volatile unsigned char*>(left);
  for (std::size_t i = 0; i < sizeof(long); ++i) {
    if (bytes[i] != 0xdb) return false;
  }
  return true;
}

void look_at_what_was_left(void* work) {
  const long found = (is_written_over(left_in_frame) ? 1 : 0) + (is_written_over(left_in_places->work) ? 2 : 0);
  std::memcpy(work, &found, sizeof found);
}

long left_is_written_over() {
  return weft::dist::root([] {
    volatile long own = 42;
    long first = 1, second = 2;
    weft_forked* const older = weft_fork([](void*) {}, &first, sizeof first);
    left_in_frame = &own;
    left_in_places = older;
    weft_forked* const newer = weft_fork(look_at_what_was_left, &second, sizeof second);
    weft_fork_join(newer, look_at_what_was_left, &second, sizeof second);
    weft_fork_join(older, [](void*) {}, &first, sizeof first);
    return own == 42 && first == 1 && second == 3 ? 0L : 1L;
  });
}

// ---- the global heap and futures ----

using future = weft::dist::shared_future<long>;

// The reader's forker goes on, and joins it.
long future_never_set() {
  return weft::dist::root([] {
    const future never = future::make(0);
    auto reader = weft::fork([=] { return never.get(); });
    return reader.join();
  });
}

// One waits on the rank where the root began, one on that to which the root has moved.
shared_words words;

long futures_never_set() {
  return weft::dist::root([] {
    const future never = future::make(0);
    auto there = weft::fork([=] {
      words.wait_for(0, 1);
      return never.get();
    });
    words[0].store(1);
    auto here = weft::fork([=] { return never.get(); });
    return here.join() + there.join();
  });
}

// The other ranks are out of work for longer than rank 0 waits before it asks whether all are.
long future_set_late() {
  return weft::dist::root([] {
    const future late = future::make(0);
    auto reader = weft::fork([=] { return late.get(); });
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < until) continue;
    late.set(0);
    return reader.join();
  });
}

long future_in_catch() {
  return weft::dist::root([] {
    const future never = future::make(0);
    try {
      throw std::runtime_error("open");
    } catch (const std::runtime_error&) {
      return never.get();
    }
  });
}

// A rank that waits in place cannot run those of its threads that wait for futures.
long join_in_catch_beside_future() {
  return weft::dist::root([] {
    const future later = future::make(0);
    auto reader = weft::fork([=] { return later.get(); });
    try {
      throw std::runtime_error("open");
    } catch (const std::runtime_error&) {
      later.set(1);
      return reader.join();
    }
  });
}

long heap_outside() {
  const weft::dist::global_array<long> all(10);
  return weft::dist::root([end = all.end()] { return end.get(); });
}
// An object ends where its rank's heap does.
long heap_behind_object() {
  const weft_global last = (weft_global{1} << 63) + (std::size_t{64} << 20);  // rank 0's
  long value = 0;
  weft_global_get(&value, last - sizeof value, sizeof value);
  weft_global_get(&value, last - sizeof value / 2, sizeof value);
  return value;
}
long heap_of_no_array() { return weft::dist::global<long>(weft_global{5} << 48).get(); }
long heap_unaligned() {
  const weft::dist::global_array<char> all(100);
  return static_cast<long>(weft_global_add(all.begin().address() + 4, 1));
}
long different_arrays() {
  weft_global made = 0;
  return weft_global_array(weft::dist::rank() == 0 ? 10 : 11, 8, &made);
}

// ---- a SIGSEGV that is no fault

long signal_raised() { return std::raise(SIGSEGV); }
long signal_sent() {
  return weft::dist::root([] { return kill(getpid(), SIGSEGV); });
}
// Ignored when the library starts.
long signal_ignored() {
  constexpr char mark[] = "TEST_SIGNAL_IGNORED";
  if (std::getenv(mark) != nullptr) return std::raise(SIGSEGV);
  if (setenv(mark, "1", 1) != 0 || std::signal(SIGSEGV, SIG_IGN) == SIG_ERR) return 1;
  return execl("/proc/self/exe", "misuse", "signal_ignored", nullptr);
}

struct {
  const char* name;
  long (*run)();
} const cases[] = {
    {"deadlock_of_exception", wait_with_exception},
    {"deadlock_of_memory", wait_without_memory},
    {"fork_in_root", fork_in_root},
    {"root_in_child", root_in_child},
    {"different_functions", different_functions},
    {"different_bytes", different_bytes},
    {"throw_1000", throw_1000},
    {"throw_1025", throw_1025},
    {"nested_root", nested_root},
    {"join_oldest_first", join_oldest_first},
    {"more_than_places", more_than_places},
    {"more_than_stacks", more_than_stacks},
    {"keep_many", keep_many},
    {"left_is_written_over", left_is_written_over},
    {"future_never_set", future_never_set},
    {"futures_never_set", futures_never_set},
    {"future_set_late", future_set_late},
    {"future_in_catch", future_in_catch},
    {"join_in_catch_beside_future", join_in_catch_beside_future},
    {"heap_outside", heap_outside},
    {"heap_behind_object", heap_behind_object},
    {"heap_of_no_array", heap_of_no_array},
    {"heap_unaligned", heap_unaligned},
    {"different_arrays", different_arrays},
    {"signal_raised", signal_raised},
    {"signal_sent", signal_sent},
    {"signal_ignored", signal_ignored},
};

}  // namespace

int main(int count, char** line) {
  for (const auto& each : cases) {
    if (count == 2 && std::strcmp(line[1], each.name) == 0) return static_cast<int>(each.run());
  }
  return 2;
}
