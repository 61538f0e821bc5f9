// Whom the errors concern that AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer and Memcheck find: their reports know OS
// threads and frames, Weft adds the thread. Also in builds without a sanitizer, for programs that have one.
#pragma once

namespace weft::sched {

struct unit;
struct worker;

// At the start of a runtime, from the OS thread that starts it. The sanitizers' callbacks are ours from then on.
void add_threads_to_error_reports();

// `one` starts on the stack on which w stands: ThreadSanitizer's reports name it, and no longer the one that ran there before.
void name_in_race_reports(const worker* w, const unit* one);

// Memcheck calls nobody back but counts: then each event of a unit is an opportunity to look at the count. False: it does not run the
// program, as nearly always.
bool starts_to_count_errors();

// When the count has grown since somebody looked, a line behind Memcheck's report names `one`, which ran on w until now; null: nobody did.
void blame_errors(const worker* w, unit* one);

// As blame_errors, by whoever runs. Nothing happens without Memcheck. From signal handlers as well.
void blame_errors_so_far();

}  // namespace weft::sched
