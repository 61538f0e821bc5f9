// Whom the errors concern that AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer find: their reports know OS threads and
// frames, Weft adds the thread. Also in builds without a sanitizer, for programs that have one.
#pragma once

namespace weft::sched {

// At the start of a runtime, from the OS thread that starts it. The sanitizers' callbacks are ours from then on.
void add_threads_to_error_reports();

}  // namespace weft::sched
