// The job's own record, in memory that the launcher and all ranks share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "net/barrier.hpp"
#include "net/fingerprint.hpp"
#include "net/job.hpp"

namespace weft::net {

// One rank's; written by the rank, read by the launcher. At the same address in all processes, as
// are literals, which `together` points to.
struct alignas(64) rank_record {
  base::atomic<const char*> together{nullptr};  // what needs all ranks and has begun; null: nothing
  base::atomic<std::uint32_t> begun{0};         // how many of those this rank has begun
  fingerprint print;                            // written before the first barrier
  std::byte given[256];                         // in a gather
};

// Whether `rank` is in something that `ended`, a rank that has ended, will never take part in
// again. Both may have begun the same and passed it: a rank leaves a barrier after the last to
// arrive.
inline bool waits_for_ended(const rank_record& rank, const rank_record& ended) {
  if (rank.together.load(base::relaxed) == nullptr) return false;
  return ended.together.load(base::relaxed) != nullptr || rank.begun.load(base::relaxed) > ended.begun.load(base::relaxed);
}

enum class failure : std::uint32_t { none, being_told, told };

struct control {
  barrier_words barrier;
  base::atomic<failure> failed{failure::none};  // of a rank that cannot go on
  std::uint64_t made_by;                        // where another launcher started the ranks: the process that made the memory
  rank_record of[most_ranks];
};

// By a rank that cannot go on, before it ends: tells why in one line. Of several such ranks the
// first tells it, since all may fail for one reason; the others return once it has, because the
// first end of a rank ends the job.
void tell_failure(const job& all, const char* format, ...) __attribute__((format(printf, 2, 3), cold));

// Keeps this rank's part and its region in memory. Null, or why it cannot, with the cure, as the
// end of "cannot start: ".
const char* lock_memory(const job& all);

}  // namespace weft::net
