// many-guards: what Weft does on the machine, as counts that need no calibration
// (tests/many/guard_test.py). Each program tells its counts.
#include <weft/loops.h>
#include <weft/weft.h>
#include <weft/fork.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "many.h"
#include "programs/weft_fields.hpp"

namespace {

void must(weft_status status) {
  if (status == WEFT_OK) return;
  std::fprintf(stderr, "many-guards: %s\n", weft_status_name(status));
  std::exit(1);
}

constexpr std::uint64_t step_ns = 1000;
constexpr std::uint64_t quiet_ns = 3'000'000;  // until every worker sleeps

void body(std::size_t begin, std::size_t end, void*) {
  for (; begin < end; ++begin) many_work(step_ns);
}
void loop(std::size_t steps) { must(weft_parallel_for(0, steps, 1, body, nullptr)); }

weft_stats stats() {
  weft_stats now = WEFT_STATS_INIT;
  must(weft_stats_read(WEFT_ANY_WORKER, &now));
  return now;
}

double ratio(std::uint64_t count, std::uint64_t of) { return of != 0 ? static_cast<double>(count) / static_cast<double>(of) : 0; }

// All workers become busy at once, and idle at once.
void idle_wave() {
  constexpr unsigned waves = 10;
  loop(64UL * many_cpus());
  many_work(quiet_ns);
  std::uint64_t fences = 0;
  std::uint64_t transfers = 0;
  const weft_stats before = stats();
  for (unsigned i = 0; i < waves; ++i) {
    loop(64UL * many_cpus());
    const std::uint64_t fences_before = many_heavy_fences();
    const std::uint64_t transfers_before = many_transfers();
    many_work(quiet_ns);
    fences += many_heavy_fences() - fences_before;
    transfers += many_transfers() - transfers_before;
  }
  many_tell("fences_a_wave", ratio(fences, waves));
  many_tell("transfers_a_wave", ratio(transfers, waves));
  many_tell("sleeps_a_wave", ratio(stats().sleeps - before.sleeps, waves));
}

// A program that has been through its loop before needs nothing more of the memory map.
void warm_loop() {
  constexpr unsigned loops = 20;
  for (unsigned i = 0; i < 10; ++i) loop(1000);
  const std::uint64_t calls = many_mm_calls();
  const std::uint64_t fences = many_heavy_fences();
  const std::uint64_t transfers = many_transfers();
  const weft_stats before = stats();
  many_begin();
  for (unsigned i = 0; i < loops; ++i) loop(1000);
  many_end();
  many_tell("mm_calls_a_loop", ratio(many_mm_calls() - calls, loops));
  many_tell("fences_a_loop", ratio(many_heavy_fences() - fences, loops));
  many_tell("transfers_a_taken_fork", ratio(many_transfers() - transfers, stats().forks_taken - before.forks_taken));
  many_tell("forks_taken_a_loop", ratio(stats().forks_taken - before.forks_taken, loops));
}

// One worker computes and forks nothing, the others search all the time (WEFT_WAIT_POLICY=active).
void looks() {
  constexpr std::uint64_t looking_ns = 300'000;
  many_work(looking_ns);
  const std::uint64_t transfers = many_transfers();
  const weft_stats before = stats();
  many_begin();
  many_work(looking_ns);
  many_end();
  many_tell("searches", static_cast<double>(stats().searches - before.searches));
  many_tell("transfers_a_look", ratio(many_transfers() - transfers, stats().searches - before.searches));
}

struct named {
  const char* name;
  void (*run)();
};
constexpr named programs[] = {{"idle-wave", idle_wave}, {"warm-loop", warm_loop}, {"looks", looks}};

}  // namespace

int main(int argument_count, char** arguments) {
  const char* const name = argument_count > 1 ? arguments[1] : "";
  for (const named& each : programs) {
    if (std::strcmp(each.name, name) != 0) continue;
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = many_cpus();
    must(weft_init(&config));
    many_program::name_fields();
    each.run();
    must(weft_finalize());
    return 0;
  }
  std::fprintf(stderr, "many-guards: there is no program '%s'\n", name);
  return 2;
}
