// A program that weft launch runs in the tests: the first argument names the scene.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "base/atomic.hpp"
#include "base/rng.hpp"
#include "net/job.hpp"
#include "net/table.hpp"

using namespace weft;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;

struct part {
  base::atomic<int> process{0};
  base::atomic<std::uint32_t> claimed_by{0};  // rank + 1; 0: free
  base::atomic<std::uint64_t> claims{0};
};

part& part_of(const net::job& all, int rank) {
  return *reinterpret_cast<part*>(all.shared + static_cast<std::size_t>(rank) * all.shared_bytes);
}

bool claim(const net::job& all, int victim) {
  std::uint32_t expected = 0;
  return part_of(all, victim)
      .claimed_by.compare_exchange_strong(expected, static_cast<std::uint32_t>(all.rank) + 1, base::acq_rel);
}

void describe(const net::job& all, int rank, char* text, std::size_t bytes) {
  for (int victim = 0; victim < all.ranks; ++victim) {
    if (part_of(all, victim).claimed_by.load(base::relaxed) == static_cast<std::uint32_t>(rank) + 1)
      std::snprintf(text, bytes, "the claim of rank %d", victim);
  }
}

void print_ranks(const net::job& all) {
  static constexpr net::table_column columns[] = {
      {"claims", net::unit_of_value::count,
       [](const net::job& of, int rank) { return part_of(of, rank).claims.load(base::relaxed); }},
      {"memory", net::unit_of_value::bytes, [](const net::job&, int rank) { return 1000 * static_cast<std::uint64_t>(rank); }},
      {"idle", net::unit_of_value::permille, [](const net::job&, int rank) { return 5 * static_cast<std::uint64_t>(rank); }},
  };
  net::print_table(all, columns, 3);
}

// One write(2), so that lines of several ranks do not mix.
void say(int descriptor, const std::string& line) {
  if (write(descriptor, line.data(), line.size()) < 0) std::abort();
}

// Claims other ranks' words at random, for ever, and is inside a claim half of the time.
[[noreturn]] void claim_for_ever(const net::job& all) {
  base::rng random(static_cast<std::uint64_t>(all.rank) + 1);
  const auto wait = [&random] {
    for (std::uint64_t left = random.next() % 4096; left != 0; --left) asm volatile("" ::: "memory");
  };
  for (;;) {
    const int victim = static_cast<int>(random.next() % static_cast<std::uint64_t>(all.ranks));
    if (claim(all, victim)) {
      wait();
      part_of(all, victim).claimed_by.store(0, base::release);
    }
    wait();
  }
}

// Once all have started, as launch_deaths.py reads it.
void tell_process(const net::job& all) {
  net::barrier(all);
  say(STDOUT_FILENO,
      std::string("process ").append(std::to_string(all.rank)).append(" ").append(std::to_string(getpid())).append("\n"));
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

// One line for each SIGINT, until SIGTERM comes. Of two that are pending the kernel gives SIGINT
// first. A rank other than 0 is in a process group of its own, to which the terminal sends nothing.
[[noreturn]] void tell_interrupts(const net::job& all) {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigprocmask(SIG_BLOCK, &both, nullptr);
  if (all.rank != 0 && setpgid(0, 0) != 0) std::abort();
  tell_process(all);
  int signal = 0;
  while (sigwait(&both, &signal) == 0 && signal == SIGINT) {
    say(STDOUT_FILENO, std::string("interrupted ").append(std::to_string(all.rank)).append("\n"));
  }
  sigprocmask(SIG_UNBLOCK, &both, nullptr);
  raise(SIGTERM);
  std::abort();
}

// Whether SIGCHLD is ignored, as the launcher's parent has left it, and no signal is blocked.
bool has_signals_of_parent() {
  struct sigaction child = {};
  sigset_t blocked;
  sigaction(SIGCHLD, nullptr, &child);
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  bool is_right = child.sa_handler == SIG_IGN;
  for (const int each : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) is_right = is_right && sigismember(&blocked, each) == 0;
  return is_right;
}

// A child of the rank, and one of that child, each in a session of its own. They keep the standard
// output open.
void make_orphans() {
  int are_there[2];
  char byte = 0;
  if (pipe(are_there) != 0) std::abort();
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      setsid();
      alarm(300);  // where they are not ended, the test fails and leaves them
      if (write(are_there[1], &byte, 1) != 1) std::abort();
    }
    alarm(300);
    sleep_for_ever();
  }
  if (read(are_there[0], &byte, 1) != 1) std::abort();
}

int play(const net::job& all, const std::string& scene, int first, int second) {
  const bool is_first = all.rank == first;
  if (scene == "claims") tell_process(all), claim_for_ever(all);
  if (scene == "interrupts") tell_interrupts(all);
  if (scene == "signals") return has_signals_of_parent() ? first : 1;
  if (scene == "status") return net::barrier(all), first;
  if (scene == "own-status") return is_first ? second : 0;
  if (scene == "awaited") {  // rank `first` exits while the others are in a barrier
    if (is_first) return second;
    net::barrier(all);
  }
  if (scene == "alone") {  // rank `first` exits while the others do what needs no other rank
    if (is_first) return second;
    sleep_for_ever();
  }
  if (scene == "both-fail") {  // rank `first`, and rank `second` once the launcher knows
    net::barrier(all);
    if (is_first) return 3;
    const int before = part_of(all, first).process.load(base::relaxed);
    while (all.rank == second && kill(before, 0) == 0) usleep(1000);
    if (all.rank == second) return 4;
    sleep_for_ever();
  }
  if (scene == "holding" && is_first) {
    while (!claim(all, second)) continue;
    raise(SIGKILL);
  }
  if (scene == "orphans") {
    make_orphans();
    net::barrier(all);
    if (is_first) raise(SIGKILL);
    sleep_for_ever();
  }
  if (scene == "signal" && is_first) {
    std::signal(second, SIG_DFL);
    raise(second);
  }
  if (scene == "holding" || scene == "signal") sleep_for_ever();
  return 0;
}

void report_input(const net::job& all) {
  char bytes[64];
  const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
  std::printf("rank %d read %zd\n", all.rank, got);
}

void report_self(const net::job& all, int count, char** words) {
  std::string line = "rank ";
  line.append(std::to_string(all.rank)).append(" of ").append(std::to_string(all.ranks));
  for (int i = 2; i < count; ++i) line.append(" ").append(words[i]);
  say(STDOUT_FILENO, line.append("\n"));
}

}  // namespace

int main(int count, char** words) {
  const std::string scene = count > 1 ? words[1] : "say";
  net::job_request request;
  request.region_bytes = 1 << 20;
  request.shared_bytes = sizeof(part);
  if (const char* kib = std::getenv("WEFT_TEST_REGION_KIB")) request.region_bytes = std::strtoul(kib, nullptr, 10) << 10;
  request.smaller = "set WEFT_TEST_REGION_KIB lower";
  request.describe = describe;
  request.at_end = print_ranks;
  net::job all;
  if (net::start(request, &all) != status::ok) return 1;
  part_of(all, all.rank).process.store(getpid(), base::relaxed);
  part_of(all, all.rank).claims.store(1000 * static_cast<std::uint64_t>(all.rank), base::relaxed);
  if (scene == "say") report_self(all, count, words);
  if (scene == "input") report_input(all);
  return play(all, scene, count > 2 ? std::atoi(words[2]) : 0, count > 3 ? std::atoi(words[3]) : 0);
}
