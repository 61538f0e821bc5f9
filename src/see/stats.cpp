// See stats.hpp.
#include "see/stats.hpp"

#include <stdio.h>
#include <unistd.h>

#include "see/report.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

void add(weft_stats* to, const worker* w) {
  to->created += w->created.load(base::relaxed);
  to->ended += w->finished.load(base::relaxed);
  to->searches += w->searches.load(base::relaxed);
  to->thefts += w->thefts.load(base::relaxed);
  to->stolen += w->stolen.load(base::relaxed);
  to->forks_taken += w->forks_taken.load(base::relaxed);
  to->idle += w->times_idle.load(base::relaxed);
  to->sleeps += w->sleeps.load(base::relaxed);
  to->woken += w->times_woken.load(base::relaxed);
}

void add_common(weft_stats* to, runtime* rt) {
  mem::stack_depot::counts stacks = rt->stack_depot.count();
  for (mem::stack_depot& each : rt->sized_stacks) {
    const mem::stack_depot::counts sized = each.count();
    stacks.made += sized.made;
    stacks.cooled += sized.cooled;
  }
  to->created += rt->outside_created.load(base::relaxed);
  to->ended += rt->outside_discarded.load(base::relaxed);
  to->migrations = rt->migrations.load(base::relaxed);
  to->stacks_made = stacks.made;
  to->stacks_returned = stacks.cooled;
}

const worker* worker_ever_at(const runtime* rt, unsigned index) {
  return index < rt->worker_slots.load(base::relaxed) ? worker_in_slot(rt, index) : nullptr;
}

constexpr const char* heads[] = {"created", "ended", "searches", "thefts", "stolen", "forks", "idle", "sleeps", "woken"};

void print_row(text& out, const char* name, const weft_stats& of) {
  const std::uint64_t cells[] = {of.created,     of.ended, of.searches, of.thefts, of.stolen,
                                 of.forks_taken, of.idle,  of.sleeps,   of.woken};
  char cell[32];
  snprintf(cell, sizeof cell, "weft:   %-8s", name);
  out << cell;
  for (const std::uint64_t each : cells) {
    snprintf(cell, sizeof cell, " %10llu", static_cast<unsigned long long>(each));
    out << cell;
  }
  out << "\n";
}

void print_head(text& out) {
  char cell[32];
  out << "weft: what the workers have done:\nweft:   worker  ";
  for (const char* each : heads) {
    snprintf(cell, sizeof cell, " %10s", each);
    out << cell;
  }
  out << "\n";
}

}  // namespace

status read_stats(runtime* rt, int worker, weft_stats* out) {
  weft_stats found = WEFT_STATS_INIT;
  if (worker == WEFT_ANY_WORKER) {
    const unsigned slots = rt->worker_slots.load(base::relaxed);
    for (unsigned index = 0; index < slots; ++index) {
      if (const sched::worker* w = worker_ever_at(rt, index); w != nullptr) add(&found, w);
    }
    add_common(&found, rt);
  } else {
    const sched::worker* w = worker >= 0 ? worker_ever_at(rt, static_cast<unsigned>(worker)) : nullptr;
    if (w == nullptr) return status::invalid;
    add(&found, w);
  }
  *out = found;
  return status::ok;
}

void count_units(runtime* rt, weft_counts* out) {
  weft_counts found = WEFT_COUNTS_INIT;
  walk_units(
      rt,
      [](void* state, unit* one) {
        auto* const to = static_cast<weft_counts*>(state);
        if (join_word::has_ended(one)) return;
        switch (one->state.load(base::relaxed)) {
          case unit_state::free: break;
          case unit_state::ready: ++to->ready; break;
          case unit_state::running: ++to->running; break;
          case unit_state::blocked:
          case unit_state::suspended: ++to->blocked; break;
        }
      },
      &found);
  found.workers = rt->worker_count.load(base::relaxed);
  found.idle = rt->searchers.load(base::relaxed) + sleeping_workers(rt);
  *out = found;
}

void print_stats(runtime* rt) {
  if (!rt->settings.stats) return;
  text out(STDERR_FILENO);
  print_head(out);
  weft_stats row;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    char name[16];
    snprintf(name, sizeof name, "%u", index);
    if (read_stats(rt, static_cast<int>(index), &row) == status::ok) print_row(out, name, row);
  }
  static_cast<void>(read_stats(rt, WEFT_ANY_WORKER, &row));
  print_row(out, "all", row);
  out << "weft:   migrations " << row.migrations << ", stacks made " << row.stacks_made << ", returned " << row.stacks_returned
      << "\n";
}

}  // namespace weft::sched
