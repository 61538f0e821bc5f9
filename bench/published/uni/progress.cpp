// What the ways of progress between nodes cost and gain, on two ranks:
//   uni-progress forks SIZE        processor time of a rank, all its OS threads, for the forks of
//                                  fib SIZE, while the other rank waits
//   uni-progress leaves DEPTH US   seconds for a tree of 2^DEPTH leaves, each of which spins US
//                                  microseconds
// Each of seven lines is a repetition. Figures: docs/decisions/0036-progress-by-an-assistant.md, by
// `weft launch -q --mpi mpirun.mpich -n 2 uni-progress forks 34` with WEFT_LAUNCH_APART=on and
// WEFT_DIST_PROGRESS=polling.
#include <weft/dist.hpp>
#include <weft/fork.hpp>
#include <weft/global.hpp>

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace weft::dist;

constexpr int repetitions = 7;

double now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

long fib(int n) noexcept {
  if (n < 2) return n;
  auto left = weft::fork([=] { return fib(n - 1); });
  const long right = fib(n - 2);
  return left.join() + right;
}

long leaves(int depth, double seconds) noexcept {
  if (depth == 0) {
    const double until = now() + seconds;
    while (now() < until) continue;
    return 1;
  }
  auto left = weft::fork([=] { return leaves(depth - 1, seconds); });
  const long right = leaves(depth - 1, seconds);
  return left.join() + right;
}

using cell = global<std::uint64_t>;

// Answers other ranks whatever the way of progress is, and takes nothing from them.
void wait_elsewhere(cell ended, std::uint64_t round) noexcept {
  while (ended.get() != round) usleep(1000);
}

// The forker goes to the other rank, where no thief comes: this rank waits in the child.
double forks_alone(int size, cell first, std::uint64_t round) {
  const int here = rank();
  const cell ended = first + here;
  auto all = weft::fork([=] {
    auto one = weft::fork([=] {
      auto other = weft::fork([=] { wait_elsewhere(ended, round); });
      other.join();
    });
    one.join();
  });
  const double began = now(CLOCK_PROCESS_CPUTIME_ID);
  const long result = rank() != here ? fib(size) : -1;
  const double took = now(CLOCK_PROCESS_CPUTIME_ID) - began;
  ended.put(round);
  all.join();
  return result > 0 ? took : -1;
}

}  // namespace

int main(int count, char** words) {
  const bool are_forks = count == 3 && std::strcmp(words[1], "forks") == 0;
  const bool are_leaves = count == 4 && std::strcmp(words[1], "leaves") == 0;
  if ((!are_forks && !are_leaves) || ranks() != 2) {
    std::fprintf(stderr, "usage: weft launch -n 2 uni-progress forks SIZE|leaves DEPTH US\n");
    return 2;
  }
  const int size = std::atoi(words[2]);
  const double seconds = are_leaves ? std::atof(words[3]) / 1e6 : 0;
  const global_array<std::uint64_t> cells(2);
  for (int i = 0; i < repetitions; ++i) {
    const double took = root([size, seconds, are_forks, first = cells.begin(), round = static_cast<std::uint64_t>(i) + 1] {
      if (are_forks) return forks_alone(size, first, round);
      const double began = now();
      const long done = leaves(size, seconds);
      return done == 1L << size ? now() - began : -1;
    });
    if (rank() == 0) std::printf("%.6f\n", took);
    std::fflush(stdout);
  }
}
