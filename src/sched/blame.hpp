// Whom the errors concern that AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer find: their reports know OS threads and
// frames, Weft adds the thread. Also in builds without a sanitizer, for programs that have one.
#pragma once

namespace weft::sched {

struct unit;
struct worker;

// At the start of a runtime, from the OS thread that starts it. The sanitizers' callbacks are ours from then on.
void add_threads_to_error_reports();

// `one` starts on the stack on which w stands: ThreadSanitizer's reports name it, and no longer the one that ran there before.
void name_in_race_reports(const worker* w, const unit* one);

}  // namespace weft::sched
