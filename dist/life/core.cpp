// What programs on forks and loops call of the core besides the five symbols. There is no runtime
// of threads here: each rank has one worker, and no unit has a handle.
#include <weft/weft.h>

#include "base/failure.hpp"
#include "dist/rank/rank.hpp"

using weft::dist::all;

namespace {

// One for the rank's worker, and one for each other OS thread of the rank. The worker's is no
// thread-local one: a compiler keeps such an address, and a fork may go on in another rank.
constinit weft::failure of_worker;
constinit thread_local weft::failure of_outside;

weft::failure* record_here() { return weft::dist::here()->is_worker ? &of_worker : &of_outside; }

}  // namespace

namespace weft {

weft_status fail(weft_status result, const char* call, const char* argument, const char* cause, const void* object,
                 std::uint64_t value) {
  failure* const into = record_here();
  into->call = call;
  into->argument = argument;
  into->cause = cause;
  into->object = object;
  into->value = value;
  return result;
}

void rename_failure(const char* call) {
  failure* const into = record_here();
  if (into->call != nullptr) into->call = call;
}

}  // namespace weft

extern "C" {

const char* weft_last_error(void) { return record_here()->write_text(); }

unsigned weft_worker_count(void) { return weft::dist::here()->is_worker ? static_cast<unsigned>(all.job.ranks) : 0; }
int weft_worker_self(void) { return weft::dist::here()->is_worker ? all.job.rank : -1; }

weft_thread* weft_self(void) { return nullptr; }

}  // extern "C"
