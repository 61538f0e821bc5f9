// The start of a rank, before main: settings, the job, and this rank's region.
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "base/assert.hpp"
#include "base/rng.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/rank.hpp"
#include "dist/run/first_touch.hpp"
#include "dist/see/check.hpp"
#include "dist/see/debug.hpp"
#include "dist/see/report.hpp"
#include "dist/see/tracing.hpp"
#include "dist/values/global.hpp"
#include "dist/values/waiting.hpp"
#include "dist/words/far_words.hpp"
#include "dist/words/standstill.hpp"
#include "os/process.hpp"
#include "os/vm.hpp"

namespace weft::dist {

process all;
constinit control outside{};

namespace {

weft_thread* const no_self = nullptr;

// One slot, and one place, for every 128 bytes of stack, which is less than the frames of a child
// take.
constexpr std::size_t bytes_of_slot = 128;

struct layout {
  std::size_t guard, stack, slots, places, more, end;  // offsets
};

const policy* chosen_policy(way which) {
  switch (which) {
    case way::basic: return &policies::basic;
    case way::iso_address: return &policies::iso_address;
    case way::child: return &policies::child;
    case way::stalling: return &policies::stalling;
    case way::run_to_completion: return &policies::run_to_completion;
    default: return &policies::optimised;
  }
}

// Where no launcher sees all ranks' memory.
void gather_at_end(const net::job& job) {
  gather_counts(job);
  gather_trace(job);
}

layout lay_out(const settings& set) {
  const std::size_t page = os::page_bytes();
  const std::size_t slots = set.stack_bytes / bytes_of_slot;
  layout result;
  result.guard = base::round_up(sizeof(control), page);
  result.stack = result.guard + guard_bytes;
  result.slots = result.stack + set.stack_bytes;
  result.places = base::round_up(result.slots + slots * sizeof(slot), page);
  result.more = base::round_up(result.places + slots * sizeof(weft_forked), page);
  result.end = result.more + all.how->region_bytes(set.stack_bytes);
  return result;
}

void set_up_region(const layout& parts) {
  auto* const mine = new (all.job.region) control{};
  const auto region = reinterpret_cast<std::uintptr_t>(all.job.region);
  mine->line.self = &no_self;
  mine->region = region;
  mine->region_bytes = all.job.region_bytes;
  mine->slots = reinterpret_cast<slot*>(region + parts.slots);
  mine->first_place = reinterpret_cast<weft_forked*>(region + parts.places);
  const std::size_t slots = all.set.stack_bytes / bytes_of_slot;
  const std::size_t usable = all.set.pool < slots - 2 ? all.set.pool : slots - 2;
  mine->places_end = mine->first_place + 1 + usable;  // the first is the root's
  mine->is_worker = true;
  all.mine = mine;
  all.guard = region + parts.guard;
  all.how->start(mine, all.job.region + parts.more);
  (void)os::install_guard(all.job.region + parts.guard, guard_bytes, os::guard_kind::mprotect_page);
}

// A child of the worker would go on with its own threads on the same bytes: the region is shared.
void refuse_fork() {
  if (!here()->is_worker) return;
  net::fail(all.job,
            "rank %d of %d called fork() in a root, whose stack the child would share; call posix_spawn() or system(), or "
            "fork before the root",
            all.job.rank, all.job.ranks);
}

void watch_for_forks() {
  if (os::call_before_forks(refuse_fork) == status::ok) return;
  net::fail(all.job, "rank %d of %d cannot start: no memory for a handler of fork(); free some", all.job.rank, all.job.ranks);
}

void start() {
  if (all.is_started) return;
  all.is_started = true;
  asm volatile("" : : "m"(weft_dist_debug_layout));  // a program linked statically keeps it
  outside.line.self = &no_self;
  if (read_settings(&all.set) != status::ok) net::end_start();
  all.how = chosen_policy(all.set.policy);
  if (open_trace() != status::ok) net::end_start();
  const layout parts = lay_out(all.set);
  net::job_request request;
  request.region_bytes = parts.end;
  request.region_bytes_a_rank = all.how->region_bytes_a_rank;
  const std::size_t heap_at = base::round_up(sizeof(shared_part) + trace_bytes(), os::page_bytes());
  request.shared_bytes = heap_at + all.set.heap_bytes;
  request.words_bytes = sizeof(far_words) + sizeof(standstill_words);
  request.alike = std::uint64_t{static_cast<std::uint8_t>(all.set.policy)} << 8 | static_cast<std::uint8_t>(all.set.checking);
  request.smaller = all.set.policy == way::iso_address ? "unset WEFT_DIST_POLICY" : "set WEFT_DIST_STACK or WEFT_DIST_HEAP lower";
  request.progress = all.set.progress;
  request.may_assist = all.set.poll != 0;
  request.describe = describe_rank;
  request.at_end = print_ranks;
  request.before_end = gather_at_end;
  request.at_last = write_trace;
  if (net::start(request, &all.job) != status::ok) _exit(1);
  all.process = getpid();
  all.part = part_of(all.job.rank);
  set_up_region(parts);
  start_far();
  start_standstill();
  start_global(heap_at, all.set.heap_bytes);
  start_trace();
  const std::uint32_t pool = all.pool = all.set.pool < record_pool::most ? all.set.pool : record_pool::most;
  all.part->records.set_up(pool);
  all.part->frames.set_up(pool);
  all.random = base::rng(static_cast<std::uint64_t>(all.job.rank) + 1);
  watch_for_overflow();
  watch_for_forks();
  note_first_mappings();
  touch_own();
  net::barrier(all.job);  // no rank runs main if another cannot start
  touch_first_victims();
}

// Without a launcher, the only rank writes its trace.
__attribute__((destructor)) void write_own_trace() {
  if (all.job.is_alone && getpid() == all.process) write_trace(all.job, 0);
}

__attribute__((constructor(101))) void start_before_main() { start(); }

}  // namespace

bool is_main_thread() { return syscall(SYS_gettid) == all.process; }

}  // namespace weft::dist

extern "C" {
[[gnu::used]] WEFT_API __thread weft_hot_line* weft_hot_word_here = &weft::dist::outside.line;
}
