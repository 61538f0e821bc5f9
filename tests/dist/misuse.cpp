// What ends a job with a line that names the cure. Each case hangs, or goes on with wrong values, where the library does not notice.
//
//   misuse CASE
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include <weft/dist.hpp>

namespace {

constexpr std::size_t more_than_the_pool = 5 * 1024 * 1024;

// ---- a deadlock: WEFT_DIST_CHECK=all on one rank, where the order in which threads are taken up is fixed ----

// Three that have moved: the newest is taken up first, then the oldest, which joins the one in between.
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
      return std::strstr(error.what(), "inside a root") != nullptr ? 0L : 1L;
    }
    return 1L;
  });
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
    {"keep_many", keep_many},
};

}  // namespace

int main(int count, char** words) {
  for (const auto& each : cases) {
    if (count == 2 && std::strcmp(words[1], each.name) == 0) return static_cast<int>(each.run());
  }
  return 2;
}
