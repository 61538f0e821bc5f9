// What idle ranks ask of other nodes: at most 100 probes a second, by a clock of the test's and by
// the probes that the transport counts; and that a rank with work calls one that had asked it in
// vain.
#include <weft/dist.h>
#include <weft/hot.h>

#include <cstdio>

#include "dist/words/far_words.hpp"
#include "dist/words/probe_pace.hpp"
#include "net/network.hpp"
#include "os/clock.hpp"

using namespace weft;

namespace {

constexpr unsigned seconds_of_ns = 1'000'000'000;
// Until the interval is at its longest, each probe waits twice as long as the one before.
constexpr std::uint64_t before_the_longest = dist::probe_pace::at_once + 10;

const net::rma* inner = nullptr;
net::rma counting = {};
std::uint64_t probes = 0, calls = 0;

void get(const net::window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  probes += offset == offsetof(dist::far_words, offered) && bytes == sizeof(dist::offer);
  inner->get(from, rank, offset, into, bytes);
}

void put(const net::window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  calls += &into == &into.all->network->words && offset == offsetof(dist::far_words, called);
  inner->put(into, rank, offset, from, bytes);
}

bool is_within_pace(std::uint64_t count, std::uint64_t ns) {
  return count <= before_the_longest + ns / dist::probe_pace::longest_ns + 1;
}

bool paces_by_a_clock() {
  constexpr std::uint64_t step = 50'000;
  dist::probe_pace pace;
  for (int idling = 0; idling < 2; ++idling) {
    const std::uint64_t begin = static_cast<std::uint64_t>(idling) * 100 * seconds_of_ns;
    std::uint64_t made = 0, in_last_second = 0;
    pace.restart();
    for (std::uint64_t now = begin; now < begin + 10ULL * seconds_of_ns; now += step) {
      const bool is_made = pace.is_time(now);
      made += is_made;
      in_last_second += is_made && now >= begin + 9ULL * seconds_of_ns;
    }
    if (made > before_the_longest + 1000 || in_last_second > 100 || in_last_second < 99) return false;
  }
  return true;
}

void nothing(void*) {}

// Forks now and then: its forker may be stolen.
void stay(void*) {
  long none = 0;
  const std::uint64_t until = os::now_ns() + seconds_of_ns / 20;
  while (os::now_ns() < until) {
    weft_forked* const child = weft_fork(nothing, &none, sizeof none);
    weft_fork_join(child, nothing, &none, sizeof none);
  }
}

void called_root(void*) {
  const std::uint64_t until = os::now_ns() + seconds_of_ns / 5;
  while (os::now_ns() < until) continue;
  long none = 0;
  weft_forked* const child = weft_fork(stay, &none, sizeof none);
  weft_fork_join(child, stay, &none, sizeof none);
}

void compute(void*) {
  const std::uint64_t until = os::now_ns() + seconds_of_ns / 2;
  while (os::now_ns() < until) continue;
}

}  // namespace

extern "C" const net::rma* weft_net_wrap_transport(const net::rma* of) {
  inner = of;
  counting = {of->name,  of->region_create, get,       put,     of->fetch_add, of->compare_swap,
              of->flush, of->progress,      of->alias, nullptr, of->send_puts};
  return &counting;
}

int main() {
  if (!paces_by_a_clock()) return std::puts("more probes than the pace allows"), 1;
  long none = 0;
  const std::uint64_t began = os::now_ns();
  if (weft_dist_root(compute, &none, sizeof none) != WEFT_OK) return 1;
  const std::uint64_t took = os::now_ns() - began;  // of both clocks the same: no limit of time
  if (!is_within_pace(probes, took))
    return std::printf("rank %d: %lu probes in %lu ms\n", weft_dist_rank(), probes, took / 1'000'000), 1;
  const bool has_probed = probes != 0;
  weft_dist_counts before = {}, after = {};
  weft_dist_read_counts(&before);
  if (weft_dist_root(called_root, &none, sizeof none) != WEFT_OK) return 1;
  weft_dist_read_counts(&after);
  if (weft_dist_rank() == 0 && calls == 0) return std::puts("rank 0 had work, and called no thief"), 1;
  if (weft_dist_rank() == 1)
    std::printf("rank 1 %s, and %s\n", has_probed ? "probed in vain" : "did not probe",
                after.steals != before.steals ? "stole" : "did not steal");
  return 0;
}
