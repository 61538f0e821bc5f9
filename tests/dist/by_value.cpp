// n-queens and UTS with forks of values alone, which move between ranks; the answers are those of the benchmarks' kernels.
//
//   by_value [queens N | uts DEPTH]     prints the seconds on rank 0; without words: both, small
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <weft/dist.hpp>

#include "kernels/queens/queens.hpp"
#include "kernels/uts/uts.hpp"

namespace {

using bench::queens::board;

struct row {
  board at;
  std::uint32_t free, full;

  row take_half() {
    row half = *this;
    for (int left = std::popcount(free) / 2; left > 0; --left) half.free &= half.free - 1;
    free &= ~half.free;
    return half;
  }
};

std::uint64_t solutions_of(row of) noexcept;

std::uint64_t solutions_below(const board& at, std::uint32_t full) noexcept {
  if (at.columns == full) return 1;
  const std::uint32_t free = bench::queens::free_squares(at, full);
  return free == 0 ? 0 : solutions_of({at, free, full});
}

std::uint64_t solutions_of(row of) noexcept {
  if ((of.free & (of.free - 1)) == 0) return solutions_below(bench::queens::place(of.at, of.free), of.full);
  const row half = of.take_half();
  auto others = weft::fork([=] { return solutions_of(half); });
  const std::uint64_t own = solutions_of(of);
  return own + others.join();
}

// The tree is that of the kernel, made anew by each thread that needs it: an address of it would not move.
struct siblings {
  bench::uts::node parent;
  std::uint32_t first, last, depth;
};

std::uint64_t nodes_of(siblings of) noexcept;

std::uint64_t nodes_below(const bench::uts::node& at, std::uint32_t depth) noexcept {
  const std::uint32_t count = bench::uts::count_children(bench::uts::make_t1(depth), at);
  return count == 0 ? 1 : 1 + nodes_of({at, 0, count - 1, depth});
}

std::uint64_t nodes_of(siblings of) noexcept {
  if (of.first == of.last) return nodes_below(bench::uts::child(of.parent, of.first), of.depth);
  siblings half = of;
  of.last = of.first + (of.last - of.first) / 2;
  half.first = of.last + 1;
  auto others = weft::fork([=] { return nodes_of(half); });
  const std::uint64_t own = nodes_of(of);
  return own + others.join();
}

template <class Function>
bool is_right(const char* name, std::uint64_t expected, Function function) {
  const auto began = std::chrono::steady_clock::now();
  const std::uint64_t result = weft::dist::root(function);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (weft::dist::rank() == 0) std::printf("%s: %lu, %.4f s\n", name, result, took.count());
  if (result != expected) std::printf("rank %d: not %lu\n", weft::dist::rank(), expected);
  return result == expected;
}

bool queens(std::uint64_t size) {
  bench::kernel_input input{};
  input.size = size;
  const std::uint32_t full = bench::queens::full_row(size);
  return is_right("queens", bench::queens::queens.expected(input), [=] { return solutions_below({0, 0, 0}, full); });
}

bool uts(std::uint64_t depth) {
  bench::kernel_input input{};
  input.size = depth;
  const auto small = static_cast<std::uint32_t>(depth);
  return is_right("uts", bench::uts::t1.expected(input),
                  [=] { return nodes_below(bench::uts::root(bench::uts::make_t1(small)), small); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return queens(8) && uts(6) ? 0 : 1;
  const std::uint64_t size = std::strtoull(argv[2], nullptr, 10);
  return (std::string_view(argv[1]) == "queens" ? queens(size) : uts(size)) ? 0 : 1;
}
