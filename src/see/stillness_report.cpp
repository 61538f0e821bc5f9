// See stillness_report.hpp and deadlock.hpp.
#include "see/stillness_report.hpp"

#include <stdio.h>
#include <unistd.h>

#include <cstring>

#include "os/clock.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "run/wait.hpp"
#include "see/circles.hpp"
#include "see/deadlock.hpp"
#include "see/frames.hpp"
#include "see/holders.hpp"
#include "see/naming.hpp"
#include "see/report.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr unsigned most_listed = 32;
constexpr unsigned most_groups = 16;

// Units that wait for the same kind of thing and run the same function.
struct group {
  char what[sizeof(unit_view::what)];
  unit::function_type function;
  std::uint64_t units;
};

struct listing {
  runtime* rt;
  text* out;
  names how;
  bool is_still;  // ids may be given out
  const char* margin;
  unsigned limit;
  std::uint64_t now_ns;
  const known_stacks* stacks = nullptr;
  const backtraces* frames = nullptr;  // null: none are wanted
  bool has_forks = false;              // that became units
  bool waits_by_hand = false;          // a unit waits for what others do in time, not for an end or a mutex
  std::uint64_t seen = 0;
  std::uint64_t ungrouped = 0;
  unsigned groups_used = 0;
  group groups[most_groups] = {};
};

const char* reason_of(const unit_view& one) {
  if (one.waits) return one.what;
  return one.state == unit_state::ready ? "its turn (no worker serves its pool)" : "?";
}

void count(listing* all, const unit_view& one) {
  const char* what = reason_of(one);
  for (unsigned index = 0; index < all->groups_used; ++index) {
    group* known = &all->groups[index];
    if (known->function != one.function || std::strcmp(known->what, what) != 0) continue;
    ++known->units;
    return;
  }
  if (all->groups_used == most_groups) {
    ++all->ungrouped;
    return;
  }
  group* made = &all->groups[all->groups_used++];
  made->function = one.function;
  made->units = 1;
  snprintf(made->what, sizeof made->what, "%s", what);
}

void list_unit(void* state, unit* one) {
  auto* all = static_cast<listing*>(state);
  unit_view view;
  if (!look_at(one, &view)) return;
  all->has_forks = all->has_forks || (view.flags & is_fork) != 0;
  if (all->is_still && view.has_ended) return;
  const bool is_plain_wait = std::strcmp(view.what, "join") == 0 || view.holder != 0;
  all->waits_by_hand = all->waits_by_hand || (view.waits && !is_plain_wait);
  ++all->seen;
  if (all->is_still) count(all, view);
  if (all->seen > all->limit) return;
  if (all->is_still) {
    view.id = id_of(one);
    if (view.waits && std::strcmp(view.what, "join") == 0)
      static_cast<void>(id_of(static_cast<unit*>(const_cast<void*>(view.object))));
  }
  if (all->stacks != nullptr && view.holder != 0) {
    view.held_by = holder_of(all->rt, *all->stacks, view);
    if (view.held_by != nullptr) static_cast<void>(id_of(const_cast<unit*>(view.held_by)));
  }
  look_at_runner(all->rt, &view);
  *all->out << all->margin;
  describe(*all->out, view, all->now_ns, all->how);
  if (all->frames != nullptr) all->frames->write(view, all->margin);
}

void list_units(listing* all) { walk_units(all->rt, list_unit, all); }

// As list_units, with backtraces. On an OS thread's stack.
[[gnu::noinline]] void list_units_with_frames(listing* all) {
  known_frames known;
  const backtraces frames(all->rt, all->out, &known);
  if (frames.begin(all->margin)) all->frames = &frames;
  list_units(all);
  all->frames = nullptr;
}

void list_units_in_full(listing* all) {
  if (all->how == names::readable) return list_units_with_frames(all);
  *all->out << all->margin << "no backtraces: there is no OS thread for this report, and the stack at hand may be small\n";
  list_units(all);
}

void list_groups(const listing& all) {
  *all.out << all.margin << "... in all:\n";
  for (unsigned index = 0; index < all.groups_used; ++index) {
    const group& one = all.groups[index];
    *all.out << all.margin << "  ";
    all.out->count(one.units, "waits", "wait") << " for " << one.what << " in ";
    if (one.function == nullptr) {
      *all.out << "main\n";
    } else {
      start_name(*all.out, one.function, all.how) << "\n";
    }
  }
  if (all.ungrouped != 0) *all.out << all.margin << "  " << all.ungrouped << " others\n";
}

// A worker's OS thread that waits runs no other unit meanwhile.
void name_worker(const listing* all, const worker* w) {
  *all->out << ", worker " << w->index << ", which runs no other thread meanwhile";
  unit_view view;
  if (look_at(glance(w->current), &view)) identity(*all->out << ", in ", view, all->how);
}

void list_one_outside(const listing* all, const outside_copy& one) {
  const char* what = one.waits_for;
  if (one.is_blocked == wait_kind::spare) return;
  const bool waits = one.is_blocked != wait_kind::none;
  const worker* w = worker_with(all->rt, one.id);
  if (w != nullptr && !waits) return;  // it was outside once
  *all->out << all->margin << "OS thread " << static_cast<unsigned>(one.id);
  if (w != nullptr) name_worker(all, w);
  *all->out << ": ";
  if (!waits || what == nullptr) {
    *all->out << "outside Weft" << (all->is_still ? ", in a lock or join of OS threads\n" : "\n");
    return;
  }
  *all->out << "waits for " << (std::strcmp(what, "join") == 0 ? "the end of a thread" : what);
  const std::uint64_t now_ns = os::now_ns();  // no schedule is theirs
  if (one.since_ns != 0 && now_ns > one.since_ns) *all->out << ", for ", all->out->interval(now_ns - one.since_ns);
  *all->out << "\n";
}

// Copied first: writing may take for ever, and an OS thread that begins or ends to use Weft would
// wait for it.
void list_outside(const listing* all) {
  constexpr unsigned batch = 32;
  outside_copy copies[batch];
  std::uint64_t last = 0;
  for (unsigned count = batch; count == batch;) {
    count = local::copy_outside(last, copies, batch);
    for (unsigned index = 0; index < count; ++index) list_one_outside(all, copies[index]);
    if (count != 0) last = copies[count - 1].number;
  }
}

// ---- the deadlock ----

struct deadlock {
  runtime* rt;
  bool certain;
};

// Nothing tells the parts of a loop from other forks.
void tell_cure_of_loops(const listing& all) {
  *all.out << all.margin << "cure, if steps of a parallel loop wait for each other: a part of the loop runs its steps one after "
           << "the other, so give it a grain of 1: weft::range(begin, end, 1), weft_parallel_for(begin, end, 1, ...)\n";
}

unsigned workers_held_up(const runtime* rt) {
  struct counting {
    const runtime* rt;
    unsigned count;
  } all{rt, 0};
  local::walk_outside(
      [](void* state, outside* one) {
        auto* to = static_cast<counting*>(state);
        const wait_kind waits = one->is_blocked.load(base::relaxed);
        if (waits != wait_kind::none && waits != wait_kind::spare && worker_with(to->rt, one->id) != nullptr) ++to->count;
      },
      &all);
  return all.count;
}

void tell_end(text& out, runtime* rt) {
  if (rt->is_draining.load(base::relaxed)) {
    out << "weft:   weft_finalize waits for the end of ";
    out.count(live_units(rt), "thread", "threads") << "\n";
  }
  switch (rt->settings.deadlock) {
    case os::deadlock_action::abort: out << "weft:   WEFT_DEADLOCK=abort: the program ends\n"; break;
    case os::deadlock_action::report:
      if (rt->turns != nullptr) {
        out << "weft:   a run under WEFT_SCHEDULE ends here, with exit status " << exit_deadlock << "\n";
        break;
      }
      out << "weft:   the program stays as it is; WEFT_DEADLOCK=abort ends it here\n";
      break;
    case os::deadlock_action::off: break;
  }
}

void write_deadlock(void* argument, names how) {
  const auto* found = static_cast<deadlock*>(argument);
  runtime* rt = found->rt;
  text out(STDERR_FILENO);
  out << (found->certain ? "weft: deadlock: nothing can ever run again. " : "weft: possible deadlock: nothing runs any more. ");
  const unsigned held_up = workers_held_up(rt);
  out.count(rt->worker_count.load(base::relaxed) - held_up, "worker is idle", "workers are idle") << ", ";
  if (held_up != 0) out.count(held_up, "is held up by what waits on it", "are held up by what waits on them") << ", ";
  out.count(live_units(rt), "thread lives", "threads live");
  if (!found->certain) out << "; OS threads wait in locks or joins of their own";
  out << "\n";
  const bool in_full = (rt->settings.dump_on & os::at_deadlock) != 0;
  const known_stacks stacks(rt);
  listing all{rt, &out, how, true, "weft:   ", in_full ? UINT32_MAX : most_listed, now_ns(rt), &stacks};
  in_full ? list_units_in_full(&all) : list_units(&all);
  if (all.seen > all.limit) list_groups(all);
  list_outside(&all);
  if (all.has_forks && all.waits_by_hand) tell_cure_of_loops(all);
  if (held_up != 0)
    out << "weft:   cure: a tasklet or callback that waits keeps the threads of its worker waiting: wait in a thread (ULT)\n";
  write_circles(rt, out, all.margin, how);
  tell_end(out, rt);
}

// ---- the dump ----

struct dumping {
  runtime* rt;
  int fd;
  bool has_failed;
};

void write_dump(void* argument, names how) {
  auto* todo = static_cast<dumping*>(argument);
  runtime* rt = todo->rt;
  text out(todo->fd);
  const unsigned asleep = sleeping_workers(rt);
  out << "weft: ";
  out.count(live_units(rt), "live thread", "live threads") << ", ";
  out.count(rt->worker_count.load(base::relaxed), "worker", "workers") << " (" << asleep << " asleep)\n";
  listing all{rt, &out, how, false, "  ", UINT32_MAX, now_ns(rt)};
  list_units_in_full(&all);
  list_outside(&all);
  out.flush();
  todo->has_failed = out.has_failed();
}

}  // namespace

void report_deadlock(runtime* rt, bool certain) {
  deadlock found{rt, certain};
  run_beside(write_deadlock, &found);
}

status dump(int fd) {
  runtime* rt = nullptr;
  local::hold(&rt);
  if (rt == nullptr) {
    local::let_go();
    return status::not_initialized;
  }
  dumping todo{rt, fd, false};
  run_beside(write_dump, &todo);
  local::let_go();
  return todo.has_failed ? status::invalid : status::ok;
}

}  // namespace weft::sched
