// What all loops are made of: a job that halves itself as long as that keeps workers busy. Used by
// the C loops of the core too, hence without the C++ library.
//
// The later half becomes a fork and the earlier one is divided further, so that a worker alone does
// everything in program order, and a thief takes the latest and largest part. How far: a job begins
// with the right to a number of parts, which each half inherits by half; a part that another worker
// took begins anew, as idle workers are what parts are for. (The splitter of rayon,
// https://github.com/rayon-rs/rayon, rayon/src/iter/plumbing.)
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <concepts>

#include <weft/hot.h>

namespace weft::detail {

// Nothing that a job does may throw.
template <class Job>
concept divisible_job = std::move_constructible<Job> && requires(Job job, const Job& look, Job& later, bool is_wanted) {
  { look.is_divisible(is_wanted) } -> std::convertible_to<bool>;  // is_wanted: more parts would keep workers busy
  { job.split() } -> std::same_as<Job>;                           // the later part; the job keeps the earlier one
  job.run();
  job.append(later);  // both have ended
};

inline unsigned parts_to_begin_with() noexcept { return 8 * weft_worker_count(); }

template <divisible_job Job>
void run_taken(void* work) noexcept;

template <divisible_job Job>
void divide(Job& job, unsigned parts) noexcept {
  if (!job.is_divisible(parts > 1)) return job.run();
  Job later = job.split();
  Job* const address = &later;
  weft_forked* const forked = weft_fork(run_taken<Job>, &address, sizeof address);
  divide(job, parts / 2);
  if (weft_fork_take_back(forked)) divide(later, parts / 2);
  job.append(later);
}

// A fork's start on another worker.
template <divisible_job Job>
void run_taken(void* work) noexcept {
  divide(**static_cast<Job**>(work), 2 * weft_worker_count());
}

template <divisible_job Job>
void divide(Job& job) noexcept {
  divide(job, parts_to_begin_with());
}

}  // namespace weft::detail
