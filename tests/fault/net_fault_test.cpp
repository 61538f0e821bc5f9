// The start of a job with one call of the system failing, in the launcher or in a rank: the job
// runs, or ends with a line that names the rank; it never hangs.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>

#include "../support/child.hpp"
#include "fault_test.hpp"
#include "net/job.hpp"

using namespace weft;
using os::call;

namespace {

constexpr unsigned hang_seconds = 180;
constexpr const char* ranks = "3";

test::child_end run_job(os::fault::plan* plan) {
  return test::run_in_child([&] {
    alarm(hang_seconds);  // ends the launcher, and with it the ranks
    setenv("WEFT_LAUNCH_RANKS", ranks, 1);
    setenv("WEFT_LAUNCH_LOCK", "on", 1);
    net::job_request request;
    request.region_bytes = 65536;
    request.shared_bytes = 4096;
    net::job all;
    os::fault::installed.store(plan, base::relaxed);
    if (net::start(request, &all) != status::ok) return 99;
    *all.region = std::byte(1);
    net::barrier(all);
    return 0;
  });
}

void check_end(const test::child_end& end) {
  CAPTURE(end.errors);
  CHECK(end.signal == 0);
  if (end.exit_code == 0) {
    CHECK(end.lines() == 0);
  } else if (end.says("weft: fatal: ")) {
    CHECK(end.says("was killed by signal 6 (Aborted)"));
  } else {
    CHECK(end.lines() == 1);
    CHECK(end.says("cannot start: "));
  }
}

// Every occurrence of the call, in whichever process it is; each fails in one run. How many runs
// met a failure.
int fail_each(call which, os::fault::repeat how) {
  for (std::uint32_t nth = 1;; ++nth) {
    os::fault::plan* const plan = fault_test::detail::make_shared_plan();
    plan->which = which;
    plan->nth = nth;
    plan->how = how;
    CAPTURE(os::fault::call_name(which));
    CAPTURE(nth);
    const test::child_end end = run_job(plan);
    fault_test::detail::figures.add(*plan);
    if (plan->failed.load(base::relaxed) == 0) return static_cast<int>(nth) - 1;
    check_end(end);
  }
}

}  // namespace

TEST_CASE("a job starts, or says why not, whatever fails") {
  for (const call which : {call::memory_file, call::write, call::mmap, call::fork, call::parent_death, call::sigaction,
                           call::open, call::read, call::lock_memory}) {
    for (const auto how : {os::fault::repeat::once, os::fault::repeat::for_ever}) CHECK(fail_each(which, how) >= 1);
  }
}

TEST_CASE("a rank that cannot be woken ends the job") { CHECK(fail_each(call::futex_wake, os::fault::repeat::for_ever) >= 1); }
