// See kept_units.hpp. Idle workers only. A worker stays in a unit if it was found there at several
// looks in a row, and its OS thread slept at the last one or computed since the first: on a busy
// machine it may also have waited for a CPU, and then its units are not taken. Two looks would not
// do: a worker that goes from unit to unit is found as before now and then, by chance.
#include "run/kept_units.hpp"

#include "os/clock.hpp"
#include "os/thread_state.hpp"
#include "worker/find_whereabouts.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t long_run_ms = 40;
constexpr unsigned looks_in_a_row = 5;  // after the first

bool has_units(const worker* w) { return w->ready.stealable() != 0 || !w->mail.is_empty(); }

std::uint64_t cpu_ms_of(const worker* w, char* letter) {
  os::thread_state state;
  if (!os::read_thread_state(w->os_thread_id.load(base::relaxed), &state)) return 0;
  *letter = state.letter;
  return state.cpu_ms;
}

bool slept_or_computed(const worker* victim, const kept_look& then) {
  char letter = '?';
  const std::uint64_t cpu_ms = cpu_ms_of(victim, &letter);
  return letter == 'S' || cpu_ms >= then.cpu_ms + long_run_ms;
}

// From the one after `index` on, in a circle; null: no other worker has units.
worker* next_with_units(const worker* w, unsigned index) {
  const unsigned slots = w->rt->worker_slots.load(base::relaxed);
  for (unsigned step = 1; step <= slots; ++step) {
    worker* other = worker_in_slot(w->rt, (index + step) % slots);
    if (other != nullptr && other != w && has_units(other)) return other;
  }
  return nullptr;
}

}  // namespace

worker* look_for_kept_units(worker* w) {
  kept_look& then = w->last_look;
  const std::uint64_t now = os::now_ns();
  if (now - then.at_ns < look_at_kept_units_ns) return nullptr;
  then.at_ns = now;
  worker* const seen = worker_in_slot(w->rt, then.index);
  const bool is_as_before =
      then.where.in != nullptr && seen != nullptr && seen != w && has_units(seen) && find_whereabouts(seen) == then.where;
  if (is_as_before) return ++then.times >= looks_in_a_row && slept_or_computed(seen, then) ? seen : nullptr;
  char letter = '?';
  worker* const next = next_with_units(w, then.index);
  if (next == nullptr) return nullptr;
  then = {.at_ns = now, .where = find_whereabouts(next), .cpu_ms = cpu_ms_of(next, &letter), .index = next->index};
  return nullptr;
}

}  // namespace weft::sched
