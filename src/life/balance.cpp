// See balance.hpp.
#include "life/balance.hpp"

#include <inttypes.h>

#include "base/assert.hpp"
#include "run/end.hpp"
#include "run/fork.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

void must_be(std::uint64_t expected, std::uint64_t found, const char* what) {
  if (found == expected) return;
  base::panic("weft_finalize: %s: %" PRIu64 " at the end, not %" PRIu64 "; this is a fault of Weft's", what, found, expected);
}

// Pinned to it are still the callers of weft_init and weft_worker_adopt, whose threads end with the
// runtime.
void check_worker(const runtime* rt, worker* w) {
  const bool has_caller = w->index == 0 && rt->has_adopted_caller;
  must_be(has_caller ? 1 : 0, w->pinned_units.load(base::relaxed), "units that are pinned to a worker");
  must_be(0, w->ready.is_empty() ? 0 : 1, "queues of workers with units");
  must_be(0, w->mail.is_empty() && w->pinned_mail.is_empty() ? 0 : 1, "inboxes of workers with units");
  must_be(0, has_forks(w) ? 1 : 0, "workers with forks that were not joined");
  must_be(0, w->is_visiting.load(base::relaxed) ? 1 : 0, "workers that look into pools");
}

void check_unit(void*, void* block) {
  const auto* one = static_cast<const unit*>(block);
  const bool is_free = one->state.load(base::relaxed) == unit_state::free;
  const bool is_unjoined = join_word::means_ended(one->join.load(base::relaxed));  // the program's to join
  must_be(0, is_free || is_unjoined ? 0 : 1, "units that have neither ended nor gone");
}

std::uint64_t lent_stacks(runtime* rt) {
  std::uint64_t lent = rt->stack_depot.lent();
  for (mem::stack_depot& each : rt->sized_stacks) lent += each.lent();
  return lent;
}

}  // namespace

void check_balance(runtime* rt) {
  must_be(0, live_units(rt), "units that have not ended");
  must_be(0, rt->searchers.load(base::relaxed), "workers that look for work");
  must_be(0, sleeping_workers(rt), "workers that sleep");
  must_be(0, rt->calls.load(base::relaxed), "calls that add workers, or make units ready, under way");
  must_be(0, rt->adopted_count, "adopted OS threads");
  must_be(0, rt->watches.is_empty() ? 0 : 1, "lists with callers that wait for a pool");
  must_be(0, rt->woken_in_handlers.is_empty() ? 0 : 1, "lists with units that signal handlers woke");
  must_be(rt->context_slots.load(base::relaxed), lent_stacks(rt), "stacks that were not given back, beyond those of contexts");
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    if (worker* w = worker_in_slot(rt, index); w != nullptr) check_worker(rt, w);
  }
  rt->unit_depot.walk(check_unit, nullptr);
}

}  // namespace weft::sched
