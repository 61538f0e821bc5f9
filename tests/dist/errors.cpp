// Exceptions on several ranks: what a child throws arrives at its join, as itself on its own rank,
// as a remote_error on another; what the root throws arrives on every rank. Each kind must be seen.
// A thread with an open exception stays on its rank.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include <weft/dist.hpp>

#include "policy.hpp"
#include "shared_words.hpp"

namespace {

shared_words words;
enum { round_of_forker, round_of_child, round_of_join };

struct outcome {
  bool is_right;
  bool is_remote;
};

[[noreturn]] void fail_in(int round) {
  if (weft::dist::ranks() > 1) words.wait_for(round_of_forker, round);
  words[round_of_child].store(round);
  throw std::out_of_range("round " + std::to_string(round));
}

outcome fork_that_fails(int round) {
  const int rank = weft::dist::rank();
  auto child = weft::fork([=]() -> int { fail_in(round); });
  words[round_of_forker].store(round);
  if (weft::dist::ranks() > 1) words.wait_for(round_of_child, round);
  for (int i = 0; i < (round % 4) * 300; ++i) sched_yield();
  const std::string expected = "round " + std::to_string(round);
  try {
    child.join();
  } catch (const weft::dist::remote_error& error) {
    const bool has_moved = weft::dist::rank() != rank;
    return {error.type() == "std::out_of_range" && error.what() == expected && has_moved != forkers_go_on(), true};
  } catch (const std::out_of_range& error) {
    return {error.what() == expected, false};
  }
  return {false, false};
}

bool forks_that_fail() {
  int remote = 0;
  for (int round = 1; round <= 40; ++round) {
    const outcome result = weft::dist::root([=] { return fork_that_fails(round); });
    if (!result.is_right) {
      std::printf("round %d: another exception, or none\n", round);
      return false;
    }
    remote += result.is_remote ? 1 : 0;
  }
  if (weft::dist::ranks() > 1 ? remote == 0 : remote != 0) std::printf("%d exceptions of 40 crossed ranks\n", remote);
  return weft::dist::ranks() > 1 ? remote != 0 : remote == 0;
}

// An exception that crossed is deleted on its own rank, once that rank keeps the next one.
struct counted : std::out_of_range {
  static inline int alive = 0;

  counted() : out_of_range("counted") { ++alive; }
  counted(const counted& other) : out_of_range(other) { ++alive; }
  ~counted() override { --alive; }
};

[[noreturn]] void fail_counted(int round) {
  if (weft::dist::ranks() > 1) words.wait_for(round_of_forker, round);
  words[round_of_child].store(round);
  throw counted();
}

bool are_deleted() {
  constexpr int rounds = 20, most_alive = 2;
  for (int round = 1; round <= rounds; ++round) {
    words[round_of_forker].store(0);
    words[round_of_child].store(0);
    const bool is_caught = weft::dist::root([=] {
      auto child = weft::fork([=]() -> int { fail_counted(round); });
      words[round_of_forker].store(round);
      // So that the child ends before its forker waits, which would go on where the child has
      // ended.
      if (weft::dist::ranks() > 1) words.wait_for(round_of_child, round);
      for (int i = 0; i < 100; ++i) sched_yield();
      try {
        child.join();
      } catch (const std::exception&) {
        return true;
      }
      return false;
    });
    if (!is_caught) return false;
  }
  if (counted::alive <= most_alive) return true;
  std::printf("rank %d: %d of %d exceptions were not deleted\n", weft::dist::rank(), counted::alive, rounds);
  return false;
}

bool root_that_fails() {
  for (int round = 0; round < 200; ++round) {
    try {
      weft::dist::root([] { throw std::out_of_range("root"); });
      return false;
    } catch (const weft::dist::remote_error& error) {
      if (weft::dist::ranks() == 1 || error.type() != "std::out_of_range" || std::strcmp(error.what(), "root") != 0) return false;
    } catch (const std::out_of_range& error) {
      if (std::strcmp(error.what(), "root") != 0) return false;
    }
  }
  return true;
}

// ---- a thread with an open exception, which lies on the heap of its rank ----

struct opened {
  int rank = weft::dist::rank();
  bool is_wrong = false;

  void look(const char* found) {
    if (weft::dist::rank() != rank || std::strcmp(found, "open") != 0) is_wrong = true;
  }
};

void yield_often() {
  for (int i = 0; i < 200; ++i) sched_yield();
}

// Ends well after its forker, which another rank has taken, has come to its join.
int stay_until_joined(int round) {
  if (weft::dist::ranks() > 1) words.wait_for(round_of_join, round);
  yield_often();
  return round;
}

int join_in_handler(int round) {
  auto child = weft::fork([=] { return stay_until_joined(round); });
  try {
    throw std::out_of_range("open");
  } catch (const std::out_of_range& error) {
    opened here;
    words[round_of_join].store(round);
    const bool is_joined = child.join() == round;
    here.look(error.what());
    return is_joined && !here.is_wrong;
  }
}

// The fork's destructor joins its child.
int join_while_unwinding(int round) {
  int rank = -1;
  try {
    auto child = weft::fork([=] { return stay_until_joined(round); });
    words[round_of_join].store(round);
    rank = weft::dist::rank();
    throw std::out_of_range("open");
  } catch (const std::out_of_range& error) {
    return weft::dist::rank() == rank && std::strcmp(error.what(), "open") == 0;
  }
}

int fork_in_handler(int round) {
  try {
    throw std::out_of_range("open");
  } catch (const std::out_of_range& error) {
    opened here;
    auto child = weft::fork([=] {
      yield_often();
      return round;
    });
    here.look(error.what());
    const bool is_joined = child.join() == round;
    here.look(error.what());
    return is_joined && !here.is_wrong;
  }
}

bool open_exceptions_stay(const char* name, int (*test)(int round)) {
  for (int round = 1; round <= 20; ++round) {
    words[round_of_join].store(0);
    if (weft::dist::root([=] { return test(round); }) == 1) continue;
    std::printf("%s, round %d: a thread moved away from its exception\n", name, round);
    return false;
  }
  return true;
}

bool nested_root_is_refused() {
  return weft::dist::root([] {
    try {
      weft::dist::root([] {});
    } catch (const weft::error& error) {
      return error.status() == WEFT_INVALID;
    }
    return false;
  });
}

}  // namespace

int main() {
  if (!forks_that_fail()) return 1;
  if (!are_deleted()) return 7;
  if (!root_that_fails()) return 2;
  if (!open_exceptions_stay("join in a handler", join_in_handler)) return 4;
  if (!open_exceptions_stay("join while unwinding", join_while_unwinding)) return 5;
  if (!open_exceptions_stay("fork in a handler", fork_in_handler)) return 6;
  return nested_root_is_refused() ? 0 : 3;
}
