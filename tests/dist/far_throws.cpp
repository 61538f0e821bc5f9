// Exceptions that cross ranks, also nodes: each leaf of a tree throws, and its parent catches what
// arrives.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <weft/dist.hpp>
#include <weft/fork.hpp>

#include "shared_words.hpp"

namespace {

struct caught {
  long all = 0, remote = 0;

  caught operator+(const caught& other) const { return {all + other.all, remote + other.remote}; }
};

void spin() {
  for (int i = 0; i < 20'000; ++i) asm volatile("");
}

caught count(int depth);

long leaves(int depth) { return depth < 2 ? 1 : leaves(depth - 1) + leaves(depth - 2); }

template <class Call>
caught count_caught(Call call) {
  try {
    return call();
  } catch (const weft::dist::remote_error& error) {
    return {error.type() == "std::out_of_range" && std::string(error.what()) == "leaf" ? 1 : 0, 1};
  } catch (const std::out_of_range&) {
    return {1, 0};
  }
}

caught count(int depth) {
  if (depth < 2) {
    spin();
    throw std::out_of_range("leaf");
  }
  // The smaller part: it has often ended when a forker that has moved joins.
  auto left = weft::fork([depth] { return count(depth - 2); });
  const caught right = count_caught([depth] { return count(depth - 1); });
  return count_caught([&left] { return left.join(); }) + right;
}

bool root_throws() {
  try {
    weft::dist::root([] { throw std::out_of_range("leaf"); });
  } catch (const weft::dist::remote_error& error) {
    return error.type() == "std::out_of_range";
  } catch (const std::out_of_range&) {
    return true;
  }
  return false;
}

// The child throws once its forker has moved, and the forker joins about then. Whether what it
// caught came from another rank.
shared_words words;
enum { has_moved, throws };

bool moves_and_joins(int round) {
  auto child = weft::fork([round]() -> int {
    while (words[has_moved].load() != round) weft::fork([] { return 0; }).join();
    words[throws].store(round);
    throw std::out_of_range("leaf");
  });
  words[has_moved].store(round);
  words.wait_for(throws, round);
  for (int i = 0; i < round % 7; ++i) spin();
  try {
    child.join();
  } catch (const weft::dist::remote_error& error) {
    return error.type() == "std::out_of_range" && std::string(error.what()) == "leaf";
  } catch (const std::out_of_range&) {
    return false;
  }
  return false;
}

bool exceptions_cross() {
  constexpr int most_rounds = 2000;
  for (int round = 1; round <= most_rounds; ++round) {
    if (weft::dist::root([round] { return moves_and_joins(round); })) return true;
  }
  return false;
}

}  // namespace

// With an argument: ranks that share memory, in which an exception is made to cross.
int main(int count_of_words, char**) {
  constexpr int depth = 12, roots = 20;
  for (int i = 0; i < roots; ++i) {
    const caught sum = weft::dist::root([] { return count(depth); });
    if (sum.all != leaves(depth)) {
      std::printf("rank %d: %ld exceptions arrived, not %ld\n", weft::dist::rank(), sum.all, leaves(depth));
      return 1;
    }
    if (!root_throws()) return 1;
  }
  return count_of_words == 1 || exceptions_cross() ? 0 : 1;
}
