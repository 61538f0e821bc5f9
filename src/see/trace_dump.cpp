// See trace_dump.hpp.
#include "see/trace_dump.hpp"

#include <errno.h>
#include <stdio.h>

#include "base/assert.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
#include "os/file.hpp"
#include "os/futex.hpp"
#include "os/peek.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "see/report.hpp"
#include "see/traced.hpp"
#include "see/tracing.hpp"
#include "trace/chrome.hpp"
#include "trace/snapshot.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

using trace::record;

namespace {

// ---- what lives ----

// Of a unit: its name, and where it is.
struct living {
  unit* one;
  std::uint64_t id;
  std::uint32_t changes;
  bool has_state;
  record name;
  record state;
};

constexpr std::size_t most_living = 1 << 20;

struct survey {
  runtime* rt;
  living* found;
  std::size_t count;
  std::size_t left_out;
  std::uint64_t until;  // the moment that the dump shows
};

// False: at that moment the unit did something that its state does not tell any more.
bool state_at(std::uint64_t until, std::uint64_t id, traced_state mark, living* out) {
  if (mark.begin > until) {
    mark.begin = until;
    mark.is_open = false;
  }
  if (mark.left > until) {  // in its last turn, of which only the begin is left
    if (mark.begin == until) return false;
    mark.since = mark.left = 0;
    mark.what = nullptr;
    mark.is_open = true;
  }
  if (mark.since > until) mark.since = 0;
  if (mark.left == 0 && mark.since == 0 && !mark.is_open) return false;
  if (!mark.is_open) mark.begin = until;
  out->state = turn_record(id, mark, until, trace::leave::none);
  out->state.worker = mark.at;
  return true;
}

// The kernel copies it; else plain reading does, for slabs stay as long as the runtime.
__attribute__((no_sanitize("thread", "address"), noinline)) void copy_state(const traced* mark, traced_state* out) {
  const traced_state* const from = mark;
  if (os::peek(from, out, sizeof *out)) return;
  const auto* bytes = reinterpret_cast<const volatile unsigned char*>(from);
  for (std::size_t index = 0; index < sizeof *out; ++index) reinterpret_cast<unsigned char*>(out)[index] = bytes[index];
}

void look_at_living(void* state, unit* one) {
  auto* all = static_cast<survey*>(state);
  const std::uint64_t id = one == main_of(all->rt) ? id_of(one) : one->id.load(base::relaxed);
  if (id == 0) return;
  const traced* const mark = traced_of(all->rt, one);
  // [H12] acquire: sees the state; pairs with [H11]
  const std::uint32_t changes = mark->changes.load(base::acquire);
  traced_state copy;
  copy_state(mark, &copy);
  unit_view view;
  if (!look_at(one, &view) || view.has_ended || view.id != id) return;
  if (all->count == most_living) {
    ++all->left_out;
    return;
  }
  living* const next = &all->found[all->count++];
  const char* const name = (view.flags & is_adopted) != 0 && view.name[0] == '\0' ? adopted_name : view.name;
  *next = {one, id, changes, false, {}, {}};
  next->name = name_record(id, view.function, name, view.made_at, (view.flags & is_main) != 0, all->until);
  next->has_state = (changes & 1) == 0 && state_at(all->until, id, copy, next);
}

// What has changed since it was looked at is left out: it may be neither what was nor what is.
std::size_t choose_records(const survey& all, record* out) {
  std::size_t count = 0;
  for (std::size_t index = 0; index < all.count; ++index) {
    const living& each = all.found[index];
    if (each.one->id.load(base::relaxed) != each.id) continue;
    out[count++] = each.name;
    const bool is_same = traced_of(all.rt, each.one)->changes.load(base::relaxed) == each.changes;
    if (each.has_state && is_same) out[count++] = each.state;
  }
  return count;
}

// ---- the file ----

struct dumping {
  tracing* all;
  const char* path;
  const char* how;
  status result;
  const char* why;  // of a failure; null: memory
};

void write_records(dumping* todo, trace::recorder* copy, std::uint64_t until, names how) {
  constexpr std::size_t found_bytes = most_living * sizeof(living), records_bytes = 2 * most_living * sizeof(record);
  auto* found = static_cast<living*>(os::reserve(found_bytes, os::page_bytes()));
  auto* records = static_cast<record*>(os::reserve(records_bytes, os::page_bytes()));
  if (found != nullptr && records != nullptr) {
    survey living_units{todo->all->rt, found, 0, 0, until};
    walk_units(todo->all->rt, look_at_living, &living_units);
    // [H13] heavy fence: a change that was seen is seen to have begun; pairs with [H10] [H14]
    os::heavy_fence();
    const std::size_t count = choose_records(living_units, records);
    copy->without_memory.fetch_add(living_units.left_out, base::relaxed);
    todo->why = trace::write_snapshot(copy, records, count, todo->how, how == names::readable);
    todo->result = todo->why == nullptr ? status::ok : status::invalid;
  }
  if (found != nullptr) os::release(found, found_bytes);
  if (records != nullptr) os::release(records, records_bytes);
}

void fail(dumping* todo, const char* why) {
  todo->result = status::invalid;
  todo->why = why;
}

// A dump that fails leaves the file of an earlier one.
void put_in_place(dumping* todo, os::whole_file* whole) {
  if (todo->result != status::ok) return whole->give_up();
  if (!whole->finish()) fail(todo, os::why_not_opened(errno));
}

// The file is opened first, so that a path that cannot be written costs nothing.
void write_dump(void* argument, names how) {
  auto* todo = static_cast<dumping*>(argument);
  os::whole_file whole;
  trace::output file;
  if (!file.start_at(whole.start(todo->path))) {
    const int error = errno;
    whole.give_up();
    if (error != ENOMEM) fail(todo, os::why_not_opened(error));
    return;
  }
  trace::recorder* copy = nullptr;
  std::uint64_t until = 0;
  if (trace::take_snapshot(&copy, todo->all->recorded, &until) == status::ok) {
    copy->workers = todo->all->rt->worker_slots.load(base::relaxed);
    copy->file = file;
    copy->file.give_up_when(begin_dump());
    write_records(todo, copy, until, how);
    put_in_place(todo, &whole);  // before a process that dies writes there
    end_dump();
    trace::free_snapshot(copy);
  } else {
    whole.give_up();
  }
  file.stop();
}

struct errand {
  dumping* todo;
  base::atomic<std::uint32_t> is_over{0};  // futex
};

void* run_errand(void* memory) {
  os::name_this_thread("weft-report");
  auto* all = static_cast<errand*>(memory);
  write_dump(all->todo, names::readable);
  all->is_over.store(1, base::relaxed);
  os::futex_wake(&all->is_over, 1);
  return nullptr;
}

constexpr std::size_t os_stack_bytes = 512 * 1024;  // as run_beside's
constexpr std::uint64_t step_ns = 100'000'000;

// By the runtime's holder. A long trace takes seconds: the wait has deadlines, so that the watchdog
// does not take it for one without an end.
void dump_held(dumping* todo) {
  todo->result = status::nomem;
  errand beside{todo};
  os::os_thread helper;
  if (os::start_thread(&helper, run_errand, &beside, os_stack_bytes) != status::ok) return write_dump(todo, names::raw);
  while (beside.is_over.load(base::relaxed) == 0) os::futex_wait_until(&beside.is_over, 0, os::now_ns() + step_ns);
  os::join_thread(helper);
}

void hold_in_steps(runtime** rt) {
  constexpr std::uint64_t try_again_ns = 1'000'000;
  while (!local::try_hold(rt)) os::sleep_until(os::now_ns() + try_again_ns);
}

}  // namespace

status dump_trace(const char* path) {
  runtime* rt = nullptr;
  hold_in_steps(&rt);
  dumping todo{rt != nullptr ? rt->tracer : nullptr, path, "not yet (weft_trace_dump)", status::not_initialized, nullptr};
  if (todo.all != nullptr) dump_held(&todo);
  local::let_go();
  if (rt == nullptr) return status::not_initialized;
  if (todo.all == nullptr) return because(status::unsupported, nullptr, "no trace is recorded: WEFT_TRACE asks for one");
  return todo.result == status::invalid ? because(status::invalid, "path", todo.why) : todo.result;
}

void write_kept_trace_of(runtime* held, const char* occasion) {
  if (held->tracer == nullptr || !held->settings.keeps_trace || held->settings.trace_file == nullptr) return;
  char how[64];
  (void)snprintf(how, sizeof how, "not yet (%s)", occasion);
  dumping todo{held->tracer, held->settings.trace_file, how, status::nomem, nullptr};
  dump_held(&todo);
  if (todo.result == status::ok) return base::report("trace: what came before is in %s", todo.path);
  base::report("warning: WEFT_TRACE=keep:%s: the trace could not be written (%s)", todo.path,
               todo.why != nullptr ? todo.why : "out of memory");
}

void write_kept_trace(const char* occasion) {
  runtime* rt = nullptr;
  local::hold(&rt);
  if (rt != nullptr) write_kept_trace_of(rt, occasion);
  local::let_go();
}

}  // namespace weft::sched
