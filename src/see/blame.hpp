// Which unit the errors concern that AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer
// and Memcheck find: their reports know OS threads and frames, Weft adds the thread. Also in builds
// without a sanitizer, for programs that have one.
#pragma once

#include <cstddef>

namespace weft::sched {

struct unit;
struct worker;

// At the start of a runtime, from the OS thread that starts it. The sanitizers' callbacks are ours
// from then on.
void add_threads_to_error_reports();

// `one` starts on the stack on which w stands: ThreadSanitizer's reports name it, and no longer the
// one that ran there before.
void name_in_race_reports(const worker* w, const unit* one);

// Memcheck calls no function back but counts: then each event of a unit is an opportunity to look
// at the count. False: it does not run the program, as nearly always.
bool starts_to_count_errors();

// When the count has grown since the last look, a line behind Memcheck's report names `one`,
// which ran on w until now; null: none did.
void blame_errors(const worker* w, unit* one);

// One line about a signal that ends the program in the running unit: what ("SIGSEGV at 0x40"), on
// which stack, and how to go on. Nothing is written outside of workers, or if a line was written
// before. Called from the signal's handler.
struct death {
  const char* signal;
  const void* address;  // of a fault; null: there is none
  const void* stack_low;
  std::size_t stack_bytes;
  bool is_abort;
  bool is_elsewhere = false;      // the stack pointer lies on another stack
  const void* context = nullptr;  // the third argument of the signal's handler
};
void blame_death(const death& how);

// Ends the program with one line: the running unit of w, what it did, and the cure.
[[noreturn]] void panic_in_unit(const worker* w, const char* did, const char* cure);

// Ends the program by SIGABRT after a report that says why, so that no line about the signal
// follows.
[[noreturn]] void abort_after_report();

// As blame_errors, by the running unit. Nothing happens without Memcheck. From signal handlers as
// well.
void blame_errors_so_far();

}  // namespace weft::sched
