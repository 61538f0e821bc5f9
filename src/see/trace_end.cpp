// How a trace begins and ends: with its runtime, or before its time, when the program dies.
//
// Of the ways to die, these write it: SIGABRT (abort, assert, the runtime's fatal errors, an
// uncaught exception), a stack overflow or another fault that no handler of the program's takes, a
// deadlock under a schedule, and exit without weft_finalize. Not: _exit, SIGKILL, signals with
// their default action.
#include <unistd.h>

#include "base/assert.hpp"
#include "os/clock.hpp"
#include "os/fault.hpp"
#include "os/peek.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "see/report.hpp"
#include "see/traced.hpp"
#include "see/tracing.hpp"
#include "trace/chrome.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/worker.hpp"

extern "C" {
int __cxa_atexit(void (*function)(void*), void* argument, void* library);
extern void* __dso_handle;  // NOLINT(readability-identifier-naming): the linker's name
}

namespace weft::sched {

using trace::record;

namespace {

// Handlers are given nothing: this is the process's. One runtime at a time is there.
constinit base::atomic<tracing*> active{nullptr};
constinit bool is_registered_at_exit = false;  // the OS thread that starts the runtime

// ---- what is under way at the end ----

constexpr std::size_t most_open = 1 << 20;

class open_records {
 public:
  open_records() : items_(static_cast<record*>(os::reserve(most_open * sizeof(record), os::page_bytes()))) {}
  ~open_records() {
    if (items_ != nullptr) os::release(items_, most_open * sizeof(record));
  }
  open_records(const open_records&) = delete;
  open_records& operator=(const open_records&) = delete;

  void add(const record& one, unsigned worker) {
    if (items_ == nullptr || count_ == most_open) {
      ++left_out_;
      return;
    }
    items_[count_] = one;
    items_[count_++].worker = static_cast<std::uint16_t>(worker);
  }
  const record* items() const { return items_; }
  std::size_t count() const { return count_; }
  std::size_t left_out() const { return left_out_; }

 private:
  record* items_;
  std::size_t count_ = 0;
  std::size_t left_out_ = 0;
};

struct survey {
  tracing* of;
  open_records* into;
  std::uint64_t now;
};

void add_open_turns(const survey& to) {
  for (unsigned index = 0; index < most_workers; ++index) {
    unit* one = base::load_relaxed(to.of->running[index]);
    if (one == nullptr) continue;
    const traced* mark = traced_of(to.of->rt, one);
    if (mark->is_open) to.into->add(turn_record(id_of(one), *mark, to.now, trace::leave::none), index);
  }
}

// A unit that waits, or is ready: until now. Others may run, so it is looked at as reports do; one
// that goes on meanwhile has a wrong line in the trace of a program that dies.
void add_living(void* state, unit* one) {
  const auto* to = static_cast<const survey*>(state);
  unit_view view;
  traced_state mark;
  if (!look_at(one, &view) || view.has_ended || view.id == 0 || !os::peek(traced_of(to->of->rt, one), &mark, sizeof mark)) return;
  const char* const name = (view.flags & is_adopted) != 0 && view.name[0] == '\0' ? adopted_name : view.name;
  to->into->add(name_record(view.id, view.function, name, view.made_at, (view.flags & is_main) != 0, to->now), 0);
  if (mark.is_open) return;
  mark.begin = to->now;
  to->into->add(turn_record(view.id, mark, to->now, trace::leave::none), 0);
}

void write(tracing* all, const char* how_ended, bool is_dying) {
  if (all->recorded->process != getpid() || !all->recorded->file.is_started()) return;
  if (all->rt->settings.keeps_trace) {
    if (!is_dying) return;
    static_cast<void>(all->recorded->file.open_again(all->recorded->path));
  }
  trace::stop_recording(all->recorded, is_dying);  // or a turn that ends meanwhile would be there twice
  all->recorded->workers = all->rt->worker_slots.load(base::relaxed);
  open_records open;
  const survey to{all, &open, all->recorded->time.stamp()};
  add_open_turns(to);
  if (is_dying && all->rt->unit_depot.can_be_listed()) {
    walk_units(all->rt, add_living, const_cast<survey*>(&to));
  } else if (unit* main = main_of(all->rt); main != nullptr) {
    unit_view view;
    if (look_at_own(main, &view)) open.add(name_record(view.id, view.function, view.name, nullptr, true, to.now), 0);
  }
  all->recorded->without_memory.fetch_add(open.left_out(), base::relaxed);
  static_cast<void>(trace::write(all->recorded, open.items(), open.count(), how_ended, is_dying));
}

// ---- death ----

// The OS thread that writes while the program dies; 0: none.
constinit base::atomic<int> writing_thread{0};

// Several OS threads may die at once, and the end of one is the end of all. Not for ever: the
// writer may stand still itself.
void let_another_write() {
  constexpr std::uint64_t longest_ns = 10'000'000'000, step_ns = 1'000'000;
  const std::uint64_t until = os::now_ns() + longest_ns;
  for (std::uint64_t now = os::now_ns(); now < until; now = os::now_ns()) {
    const int writer = writing_thread.load(base::relaxed);
    if (writer == 0 || writer == os::thread_id()) return;
    os::sleep_until(now + step_ns);
  }
}

// ---- dumps ----

// Of the process, as `active`. They hand nothing over.
constinit base::atomic<bool> is_dying_process{false};
constinit base::atomic<bool> is_dump_under_way{false};

// It gives up, unless it is what the program dies in.
void end_dump_of_others() {
  constexpr std::uint64_t longest_ns = 1'000'000'000, step_ns = 1'000'000;
  is_dying_process.store(true, base::relaxed);
  const std::uint64_t until = os::now_ns() + longest_ns;
  for (std::uint64_t now = os::now_ns(); now < until && is_dump_under_way.load(base::relaxed); now = os::now_ns()) {
    os::sleep_until(now + step_ns);
  }
}

void on_exit(void*) { write_trace_of_dying("exit without weft_finalize"); }

void watch_for_exit() {
  if (is_registered_at_exit || os::fault::fails(os::call::callback)) return;
  is_registered_at_exit = __cxa_atexit(on_exit, nullptr, &__dso_handle) == 0;
}

// The adopted caller runs already.
void begin_main(tracing* all) {
  unit* main = main_of(all->rt);
  if (main == nullptr) return;
  traced* mark = traced_of(all->rt, main);
  mark->begin = all->recorded->time.first();
  mark->is_open = true;
  all->running[0] = main;
}

}  // namespace

status start_trace(runtime* rt) {
  if (rt->settings.trace == nullptr) return status::ok;
  auto* made = static_cast<tracing*>(os::reserve(sizeof(tracing), os::page_bytes()));
  if (made == nullptr) return status::nomem;
  const os::settings& wanted = rt->settings;
  const status result = wanted.trace_file != nullptr
                            ? trace::start(&made->recorded, wanted.trace_file, wanted.trace_bytes)
                            : trace::start_without_file(&made->recorded, wanted.trace, wanted.trace_bytes);
  if (result != status::ok) {
    os::release(made, sizeof *made);
    return result;
  }
  made->rt = rt;
  rt->tracer = made;
  begin_main(made);
  // [H5] release: publishes the trace to OS threads that were there before; pairs with [H6]
  active.store(made, base::release);
  watch_for_exit();
  return status::ok;
}

void write_trace(runtime* rt) {
  if (rt->tracer != nullptr) write(rt->tracer, "weft_finalize", false);
}

void write_trace_of_dying(const char* how) {
  int nobody = 0;
  if (!writing_thread.compare_exchange_strong(nobody, os::thread_id(), base::relaxed, base::relaxed)) return let_another_write();
  // [H6] acquire: an OS thread that dies sees the trace; pairs with [H5]
  if (tracing* all = active.exchange(nullptr, base::acquire); all != nullptr) {
    if (all->recorded->process == getpid()) end_dump_of_others();
    write(all, how, true);
  }
  writing_thread.store(0, base::relaxed);
}

const base::atomic<bool>* begin_dump() {
  is_dump_under_way.store(true, base::relaxed);
  return &is_dying_process;
}
void end_dump() { is_dump_under_way.store(false, base::relaxed); }

void stop_trace(runtime* rt) {
  if (rt->tracer == nullptr) return;
  active.store(nullptr, base::relaxed);
  trace::stop(rt->tracer->recorded);
  os::release(rt->tracer, sizeof(tracing));
  rt->tracer = nullptr;
}

}  // namespace weft::sched
