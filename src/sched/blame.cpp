// See blame.hpp. A program may set callbacks of its own after weft_init; then it has ours no more.
#include "sched/blame.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "base/config.hpp"
#include "fiber/sanitizer.hpp"
#include "sched/details.hpp"
#include "sched/local.hpp"
#include "sched/report.hpp"
#include "sched/worker.hpp"

// The run-time libraries' own; null where the program has none.
extern "C" {
void __asan_set_error_report_callback(void (*tell)(const char* report)) __attribute__((weak));
void __sanitizer_set_death_callback(void (*tell)()) __attribute__((weak));
void __asan_init() __attribute__((weak));
void __tsan_init() __attribute__((weak));
}

namespace weft::sched {

namespace {

void tell_thread() {
  const worker* w = local::current_worker();
  if (w == nullptr) return;
  text out(STDERR_FILENO);
  out << "weft: this happened in ";
  unit_view view;
  const bool in_thread = w->current != nullptr && look_at_own(w->current, &view);
  if (in_thread) {
    identity(out, view, names::raw) << " on worker " << w->index;
  } else {
    out << "worker " << w->index << ", between two threads";
  }
  if (in_thread && view.made_at != nullptr && (view.flags & is_main) == 0) {
    code_name(out << "; made in ", view.made_at, false, names::raw);
  }
  out << "\n";
}

// ASan tells of each error, also where it goes on after it; who dies of one was told about already.
constinit std::atomic<bool> has_told{false};

void after_report(const char*) {
  tell_thread();
  has_told.store(true, base::relaxed);
}

void before_death() {
  if (!has_told.load(base::relaxed)) tell_thread();
}

constinit std::atomic<bool> has_warned{false};

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

void add_threads_to_error_reports() {
  warn_of_plain_library();
  if (__asan_set_error_report_callback != nullptr) __asan_set_error_report_callback(after_report);
  if (__sanitizer_set_death_callback != nullptr && !config::thread_sanitizer) __sanitizer_set_death_callback(before_death);
}

namespace {

// Its maker may write the name meanwhile; what is read of it then is half a name.
[[maybe_unused]] __attribute__((no_sanitize("thread"))) void copy_name(const details* from, char (&to)[name_bytes]) {
  for (std::size_t index = 0; index < name_bytes; ++index) to[index] = from->name[index];
  to[name_bytes - 1] = '\0';
}

}  // namespace

// As dumps name a thread that has no id yet: to give it one would change what is observed.
void name_in_race_reports(const worker* w, const unit* one) {
  if constexpr (config::thread_sanitizer) {
    char name[32 + name_bytes];
    char own[name_bytes] = "";
    if (const details* extra = details_if_any(one); extra != nullptr) copy_name(extra, own);
    std::snprintf(name, sizeof name, own[0] != '\0' ? "weft thread at %p \"%s\"" : "weft thread at %p",
                  static_cast<const void*>(one), own);
    if (w->standing != nullptr) __tsan_set_fiber_name(w->standing->sanitizer, name);
  }
}

}  // namespace weft::sched
