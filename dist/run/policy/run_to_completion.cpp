// The policy `run-to-completion`: forks and steals are those of `child`, but a thread never leaves
// its rank. One that waits in a join runs other forks above itself, its own older ones first, then
// other ranks', until its child has ended. It may then have to end what it runs first, however long
// that takes. It is there to be compared with the others.
//
// What lies above a waiting thread was started later, and a child is started later than its forker.
// So no circle of waits can close. A thread takes nothing above it once half of the stack is used.
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/run/policy/child.hpp"
#include "dist/words/far_words.hpp"
#include "dist/words/patience.hpp"

namespace weft::dist {
namespace {

using namespace child_stealing;

// Where a join that waits wants what the rank takes; null: it becomes a thread.
taken_fork* above = nullptr;

void take_up(control* mine, const taken_fork& taken) {
  if (above == nullptr) return begin(mine, taken);
  *above = taken;
  count(mine, taken);
}

bool steal(control* mine, int victim) {
  taken_fork taken;
  if (!take(mine, victim, &taken)) return false;
  take_up(mine, taken);
  return true;
}

void take_offer(control* mine, int victim, const offer& claimed) {
  if (victim != all.job.rank) ask_for_next_fork(victim);
  take_up(mine, taken_of(victim, claimed));
}

// An own fork, older than the one that the thread waits for, and joined after it.
bool take_own(control* mine, taken_fork* out) {
  if (mine->forks.seems_empty(mine->line)) return false;
  out->record = all.part->records.take();
  out->victim = all.job.rank;
  if (out->record == nullptr) return false;
  const auto any = [](const weft_forked&) { return true; };  // addresses of this stack are right here
  if (mine->forks.take_oldest(mine->line, any, out->record, &out->what)) return true;
  all.part->records.put_back(out->record);
  return false;
}

bool find_fork(control* mine, unsigned round, taken_fork* out) {
  if (take_own(mine, out)) return true;
  above = out;
  const bool is_found = find_thread(mine, round);
  above = nullptr;
  return is_found;
}

bool has_room(const void* frame) {
  return reinterpret_cast<std::uintptr_t>(frame) - (all.guard + guard_bytes) > all.set.stack_bytes / 2;
}

// No forker waits off its stack, so none is to be resumed.
void tell_end(join_record* record, const void* cargo) {
  const std::uint64_t waits = is_far(record) ? end_far_child(record, cargo) : record->end(cargo);
  WEFT_ASSERT(waits == 0, "a forker waits off its stack under run-to-completion");
  static_cast<void>(waits);
}

void run(taken_fork& taken) {
  taken.what.run(taken.what.work);
  tell_end(taken.record, taken.what.work);
}

[[gnu::noinline]] void run_others(control* mine, const weft_forked* forked) {
  const auto* const record = static_cast<const join_record*>(forked->taker);
  const bool may_run = has_room(__builtin_frame_address(0));
  const std::uint64_t began = arch::cycles();
  std::uint64_t ran = 0;
  patience patience;
  for (unsigned round = 0; !has_child_ended(record); ++round) {
    taken_fork taken;
    if (may_run && find_fork(mine, round, &taken)) {
      const std::uint64_t begins = arch::cycles();
      run(taken);
      ran += arch::cycles() - begins;
      patience = {};
      round = 0;
      continue;
    }
    patience.wait();
    poll_far();
  }
  mine->count.idle_ticks += arch::cycles() - began - ran;
}

bool join(control* mine, weft_forked* forked) {
  if (take_back(mine, forked)) return true;
  run_others(mine, forked);
  take_cargo(forked);
  return end_join(forked);
}

// No thread waits off the stack.
bool evacuate(control*, std::uintptr_t, evacuated**) { return false; }
void bring_back(control*, evacuated*) {}

}  // namespace

constinit const policy policies::run_to_completion = {
    .region_bytes = no_bytes,
    .region_bytes_a_rank = 0,
    .is_inline = true,
    .start = start,
    .fork = fork,
    .join = join,
    .steal = steal,
    .take_offer = take_offer,
    .stalls = false,
    .frame_end = frame_end_below,
    .copy_frame = copy_from_region,
    .evacuate = evacuate,
    .bring_back = bring_back,
    .stay = nullptr,
    .end_root = end_root,
};

}  // namespace weft::dist
