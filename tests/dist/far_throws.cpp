// Exceptions that cross ranks, also nodes: each leaf of a tree throws, and its parent catches what arrives.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <weft/dist.hpp>
#include <weft/fork.hpp>

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

}  // namespace

int main() {
  constexpr int depth = 12, least_roots = 20, most_roots = 300;
  long remote = 0;
  // All ranks have one result, so they agree on how many.
  for (int i = 0; i < least_roots || (remote == 0 && weft::dist::ranks() > 1 && i < most_roots); ++i) {
    const caught sum = weft::dist::root([] { return count(depth); });
    if (sum.all != leaves(depth)) {
      std::printf("rank %d: %ld exceptions arrived, not %ld\n", weft::dist::rank(), sum.all, leaves(depth));
      return 1;
    }
    remote += sum.remote;
    if (!root_throws()) return 1;
  }
  if (weft::dist::rank() == 0) std::printf("%s crossed ranks\n", remote != 0 ? "exceptions" : "none");
  return 0;
}
