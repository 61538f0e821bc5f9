// See blame.hpp. A program may set callbacks of its own after weft_init; then it has ours no more.
#include "see/blame.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "arch/valgrind.hpp"
#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "base/config.hpp"
#include "fiber/sanitizer.hpp"
#include "os/symbol.hpp"
#include "queue/spinlock.hpp"
#include "see/moves.hpp"
#include "see/naming.hpp"
#include "see/report.hpp"
#include "unit/details.hpp"
#include "worker/adoption.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runner.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

// The run-time libraries' own; null where the program has none.
extern "C" {
void __asan_set_error_report_callback(void (*tell)(const char* report)) __attribute__((weak));
void __sanitizer_set_death_callback(void (*tell)()) __attribute__((weak));
void __asan_init() __attribute__((weak));
void __tsan_init() __attribute__((weak));
}

namespace weft::sched {

namespace {

// "thread 7 "name" (entry)", which *view then shows. False: no unit runs.
bool name_who(text& out, const runner& running, unit_view* view) {
  const bool in_thread = running.one != nullptr && look_at_own(running.one, view);
  if (in_thread) {
    identity(out, *view, names::raw);
  } else {
    out << "worker " << running.w->index << ", between two threads";
  }
  if (running.w == nullptr) out << ", in a blocking region";
  return in_thread;
}

// doubt: what to add to the place.
void name_place(text& out, const runner& running, const char* doubt) {
  unit_view view;
  const bool in_thread = name_who(out, running, &view);
  if (in_thread && running.w != nullptr) out << " on worker " << running.w->index;
  out << doubt;
  if (in_thread) name_maker(out, "; made in ", view, names::raw);
  out << "\n";
}

void tell_thread() {
  const runner running = runner_here();
  if (running.rt == nullptr) return;
  text out(STDERR_FILENO);
  name_place(out << "weft: this happened in ", running, "");
}

// ASan tells of each error, also where it goes on after it; a program that dies of one was told
// already.
constinit base::atomic<bool> has_told{false};

void after_report(const char*) {
  tell_thread();
  has_told.store(true, base::relaxed);
}

void before_death() {
  if (!has_told.load(base::relaxed)) tell_thread();
}

// What to do about it, behind the line.
void name_cure(text& out, const death& how, bool has_exception) {
  if (has_exception) {
    out << "; cure: catch it in the thread's function, or start that by weft::async, whose get() throws it";
  } else {
    out << (how.is_abort ? "; the lines before may say why" : "");
    out << "; a debugger or a core shows where";
  }
}

constinit base::atomic<bool> has_warned{false};

// Reports that come of it do not say so themselves.
void warn_of_plain_library() {
  const bool is_missed_by_asan = __asan_init != nullptr && !config::address_sanitizer;
  const bool is_missed_by_tsan = __tsan_init != nullptr && !config::thread_sanitizer;
  if ((!is_missed_by_asan && !is_missed_by_tsan) || has_warned.exchange(true, base::relaxed)) return;
  base::report(
      "this program is checked by %s, which this libweft does not tell about its stacks: reports may be wrong; link a libweft "
      "that was "
      "configured with -DWEFT_SANITIZE=%s (docs/guide/sanitizers.md)",
      is_missed_by_asan ? "AddressSanitizer" : "ThreadSanitizer", is_missed_by_asan ? "address" : "thread");
}

}  // namespace

void blame_death(const death& how) {
  const runner running = runner_here();
  if (running.rt == nullptr || has_told.exchange(true, base::relaxed)) return;
  unit_view view;
  text out(STDERR_FILENO);
  const bool in_thread = name_who(out << "weft: in ", running, &view);
  out << ": " << how.signal;
  if (how.address != nullptr) out << " at ", out.address(how.address);
  char exception[256];
  const bool has_exception = how.is_abort && os::name_current_exception(exception, sizeof exception);
  if (has_exception) out << ", an exception was under way: " << exception;
  if (how.stack_low != nullptr) {
    out << ", on a stack of ";
    out.bytes(how.stack_bytes) << " from ";
    out.address(how.stack_low);
  }
  if (how.is_elsewhere) out << ", but it stood on another stack, as of a coroutine of the program's or a library's";
  if (in_thread) name_maker(out, ", made in ", view, names::raw);
  name_cure(out, how, has_exception);
  out << "\n";
  if (running.w != nullptr) tell_move(out, running.w, running.one, how.context);
}

void panic_in_unit(const worker* w, const char* did, const char* cure) {
  has_told.store(true, base::relaxed);
  {
    unit_view view;
    text out(STDERR_FILENO);
    name_who(out << "weft: fatal: in ", runner_on(w), &view);
    out << ": " << did << " worker " << w->index << "; cure: " << cure << "\n";
  }
  std::abort();
}

namespace {

// Each is told of once, and some of them at all.
constinit base::atomic<const void*> told_ready[8] = {};

bool is_told_of(const void* ready) {
  for (auto& each : told_ready) {
    const void* known = nullptr;
    if (each.compare_exchange_strong(known, ready, base::relaxed)) return false;
    if (known == ready) return true;
  }
  return true;
}

}  // namespace

void tell_ready_that_waits() {
  const worker* w = local::current_worker();
  const delivery* here = w != nullptr ? &w->delivers : local::delivery_outside();
  while (here->inner != nullptr) here = here->inner;
  if (here->running.load(base::relaxed) == nullptr || (w != nullptr && w->current != nullptr))
    return;  // a tasklet, or another callback
  if (is_told_of(here->ready)) return;
  text out(STDERR_FILENO);
  code_name(out << "weft: the ready of an awaiter, ", here->ready, true, names::raw)
      << ", called what may wait, and got WEFT_CANNOT_BLOCK; cure: ready creates a thread for that\n";
}

void abort_after_report() {
  has_told.store(true, base::relaxed);
  std::abort();
}

void add_threads_to_error_reports() {
  warn_of_plain_library();
  if (__asan_set_error_report_callback != nullptr) __asan_set_error_report_callback(after_report);
  if (__sanitizer_set_death_callback != nullptr && !config::thread_sanitizer) __sanitizer_set_death_callback(before_death);
}

// ---- Memcheck ----

namespace {

constexpr std::uint64_t most_told = 100;  // a loop may repeat an error for ever, which Memcheck shows once

// Valgrind counts for the process, whichever runtime it has.
constinit base::atomic<std::uint64_t> errors_seen{0};
constinit base::atomic<std::uint64_t> times_told{0};

// Those that came since the last look.
std::uint64_t take_new_errors() {
  const std::uint64_t now = arch::valgrind::errors();
  std::uint64_t seen = errors_seen.load(base::relaxed);
  while (seen < now && !errors_seen.compare_exchange_weak(seen, now, base::relaxed)) continue;
  return seen < now ? now - seen : 0;
}

// Then the errors may be theirs. Virtual workers look before they pass their turn.
bool do_others_run(const worker* w) {
  if (w->rt->turns != nullptr) return false;
  for (unsigned index = 0; index < w->rt->worker_slots.load(base::relaxed); ++index) {
    const worker* other = worker_in_slot(w->rt, index);
    if (other != nullptr && other != w && glance(other->current) != nullptr) return true;
  }
  return false;
}

void into_report(const char* words) { arch::valgrind::print("%s", words); }

}  // namespace

bool starts_to_count_errors() {
  if (!arch::valgrind::is_memcheck()) return false;
  static_cast<void>(take_new_errors());
  return true;
}

void blame_errors(const worker* w, unit* one) {
  const std::uint64_t errors = take_new_errors();
  if (errors == 0) return;
  const std::uint64_t told = times_told.fetch_add(1, base::relaxed);
  if (told > most_told) return;
  text out(into_report);
  if (told == most_told) {
    out << "weft: no more threads are named: " << most_told << " were\n";
    return;
  }
  out << "weft: the last ";
  if (errors > 1) out << errors << " ";
  out << (errors > 1 ? "errors" : "error") << " happened in ";
  name_place(out, {w->rt, w, one, w->standing}, do_others_run(w) ? ", or on another worker meanwhile" : "");
}

void blame_errors_so_far() {
  const worker* w = local::current_worker();
  if (w != nullptr && w->rt->counts_errors) blame_errors(w, w->current);
}

namespace {

// Its maker may write the name meanwhile; what is read of it then is half a name.
[[maybe_unused]] __attribute__((no_sanitize("thread"))) void copy_name(const details* from, char (&to)[name_bytes]) {
  for (std::size_t index = 0; index < name_bytes; ++index) to[index] = from->name[index];
  to[name_bytes - 1] = '\0';
}

// What threads run, by what that follows from: found out once, since it may take a look into the
// program's file.
struct known_start {
  unit::function_type function;
  const void* made_at;
  char words[32];  // with what stands before them as much as TSan keeps
};
constexpr std::size_t most_known_starts = 64;
constinit queue::spinlock known_lock;
constinit known_start known_starts[most_known_starts] = {};

void find_start(void* argument, names) {
  auto* wanted = static_cast<known_start*>(argument);
  unit_view view;
  view.function = wanted->function;
  view.made_at = wanted->made_at;
  write_what_runs(view, names::raw, wanted->words, sizeof wanted->words);
}

// The stack at hand may be small.
[[maybe_unused]] void describe_start(known_start* wanted) {
  const std::uintptr_t key =
      reinterpret_cast<std::uintptr_t>(wanted->function) ^ reinterpret_cast<std::uintptr_t>(wanted->made_at);
  known_start* const known = &known_starts[key * 0x9e3779b97f4a7c15 >> 58];
  {
    const queue::guard hold(known_lock);
    if (known->function == wanted->function && known->made_at == wanted->made_at) {
      *wanted = *known;
      return;
    }
  }
  run_beside(find_start, wanted);
  const queue::guard hold(known_lock);
  *known = *wanted;
}

}  // namespace

// As dumps name a thread that has no id yet: to give it one would change what is observed.
void name_in_race_reports(const worker* w, const unit* one) {
  if constexpr (config::thread_sanitizer) {
    if (is_os_threads(w->standing)) return;
    char name[96 + name_bytes];
    char own[name_bytes] = "";
    if (const details* extra = details_if_any(one); extra != nullptr) copy_name(extra, own);
    known_start start{shown_function(one), one->maker(), ""};
    if (is_builders_start(function_of(one))) start.made_at = nullptr;
    if (own[0] == '\0') describe_start(&start);
    std::snprintf(name, sizeof name, own[0] != '\0' ? "weft thread at %p \"%s\"" : "weft thread at %p (%s)",
                  static_cast<const void*>(one), own[0] != '\0' ? own : start.words);
    __tsan_set_fiber_name(w->standing->sanitizer, name);
  }
}

}  // namespace weft::sched
