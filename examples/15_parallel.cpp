// Parallel algorithms in C++: loops in one and two dimensions, reductions, scans, sorting, groups
// of tasks, and what exceptions do.
#include <atomic>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <weft/parallel.hpp>
#include <weft/runtime.hpp>

namespace {

// The pairs of numbers from 1 to `size` that have no common divisor.
long coprime_pairs(int size) {
  const weft::blocked_range square(weft::range(1, size + 1), weft::range(1, size + 1));
  return weft::parallel_reduce(
      square, 0L, [](int row, int column) { return std::gcd(row, column) == 1 ? 1L : 0L; }, std::plus<>());
}

// Where each word starts in a text of words, one blank between them.
std::vector<std::size_t> starts(const std::vector<std::string>& words) {
  std::vector<std::size_t> found(words.size());
  weft::parallel_for(std::size_t{0}, words.size(), [&](std::size_t i) { found[i] = words[i].size() + 1; });
  weft::parallel_exclusive_scan(found.begin(), found.end(), found.begin(), std::size_t{0}, std::plus<>());
  return found;
}

// The ways to climb stairs, one or two at a time: each task adds others to the group.
void climb(weft::task_group& group, std::atomic<long>& ways, int stairs) {
  if (stairs <= 1) {
    ++ways;
    return;
  }
  group.run([&, stairs] { climb(group, ways, stairs - 1); });
  group.run([&, stairs] { climb(group, ways, stairs - 2); });
}

}  // namespace

int main() {
  const weft::runtime runtime;
  std::printf("%ld of a million pairs are coprime\n", coprime_pairs(1000));

  std::vector<std::string> words{"the", "warp", "is", "held", "in", "tension", "the", "weft", "is", "drawn", "through"};
  const std::vector<std::size_t> places = starts(words);
  std::printf("\"%s\" starts at %zu\n", words.back().c_str(), places.back());
  weft::parallel_sort(words);
  std::printf("the first word is \"%s\", the last is \"%s\"\n", words.front().c_str(), words.back().c_str());

  weft::task_group group;
  std::atomic<long> ways = 0;
  climb(group, ways, 15);
  group.wait();
  std::printf("%ld ways up 15 stairs\n", ways.load());

  try {
    weft::parallel_for(0, 1000, [](int i) {
      if (i % 300 == 299) throw std::runtime_error("nobody likes " + std::to_string(i));
    });
  } catch (const std::runtime_error& problem) {
    std::printf("%s\n", problem.what());  // the first in the order of the loop, not in time
  }
}
