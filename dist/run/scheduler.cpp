// The scheduler of a rank: what happens between threads, on the OS thread's own stack. It takes
// over when a thread ends whose forker is not here, or waits in a join; then the region is empty.
#include <cstring>

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/run/first_touch.hpp"
#include "dist/values/exception.hpp"
#include "dist/values/waiting.hpp"
#include "dist/words/patience.hpp"
#include "os/clock.hpp"

namespace weft::dist {
namespace {

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void wait_for_copies(const control* mine) {
  for (patience patience; !mine->queue.all_copied() || !are_far_copied(); poll_far()) patience.wait();
}

[[noreturn]] void end_deadlock() {
  const bool is_open = has_open_exception();
  net::fail(all.job, "deadlock: every rank waits in place in a join (WEFT_DIST_CHECK=all), rank %d of %d because %s; %s",
            all.job.rank, all.job.ranks,
            is_open ? "an exception is open there" : "there is no memory for the frames of its forker",
            is_open ? "join before the catch block, or set WEFT_DIST_CHECK=first" : "set WEFT_DIST_POOL higher, or unset it");
}

void wait_in_place(control* mine, const join_record* record) {
  ++mine->count.waits_in_place;
  const std::uint64_t began = os::now_ns();
  const bool is_checked = all.set.checking == check::all;
  in_place_waits& waits = part_of(0)->in_place;
  if (is_checked && waits.begin(all.job.rank, all.job.ranks, record)) end_deadlock();
  end_if_values_are_awaited();
  for (patience patience; !has_child_ended(record); poll_far()) patience.wait();
  if (is_checked) waits.end(all.job.rank);
  mine->count.idle_ns += os::now_ns() - began;
}

// The forker in a join whose child runs elsewhere. Null: its frames are evacuated.
void* after_wait(control* mine) {
  auto* record = reinterpret_cast<join_record*>(mine->word);
  evacuated* frames = nullptr;
  forker_above forker;
  if (!has_open_exception() && find_forker(mine, &forker) && evacuate_below(mine, forker, &frames)) {
    if (all.how->stalls) {
      keep_waiting(frames, {.record = record});
      return part(mine, forker);
    }
    if (all.is_far) {
      record = static_cast<join_record*>(mine->awaited->taker);  // may have been exchanged
      if (record != nullptr && wait_far(record, frames)) return part(mine, forker);
    } else if (record->wait(reinterpret_cast<std::uint64_t>(frames))) {
      return part(mine, forker);
    }
    if (all.how->stay != nullptr) all.how->stay(mine, frames);
    drop_evacuated(frames);
  } else {
    wait_in_place(mine, record);
  }
  stay_below(forker);
  next_is_resumed(current_thread());
  return mine->suspended;
}

trace::leave leave_of(event why) {
  return why == event::waits || why == event::waits_for_value ? trace::leave::parked : trace::leave::ended;
}

// The child's forker joins over a far record. Null: it does not wait.
void* after_far_child(control* mine) {
  const std::uint64_t frames = end_far_child(reinterpret_cast<join_record*>(mine->word), mine->top[-1].place->work);
  wait_for_copies(mine);
  if (frames == 0) return nullptr;
  bring_back_far(mine, frames);
  return pointer(mine->base[0].frame);
}

// What goes on once a thread has left its stack. Null: nothing, and the region is taken up anew.
void* after_leaving(const control* mine, void* next) {
  if (next == nullptr) wait_for_copies(mine);
  return next;
}

// What the thread's coming back leads to at once; null: nothing.
void* after_event(control* mine) {
  switch (mine->why) {
    case event::child_ended: {
      wait_for_copies(mine);
      if (mine->word == 0) return nullptr;
      auto* const frames = reinterpret_cast<evacuated*>(mine->word);
      void* const frame = pointer(frames->what.frame);
      all.how->bring_back(mine, frames);
      return frame;
    }
    case event::far_child_ended: return after_far_child(mine);
    case event::waits: return after_leaving(mine, after_wait(mine));
    case event::waits_for_value: return after_leaving(mine, after_value_wait(mine));
    default: return nullptr;
  }
}

}  // namespace

int random_below(int count) { return static_cast<int>(all.random.below(static_cast<std::uint32_t>(count))); }

int other_rank() {
  const int chosen = random_below(all.job.ranks - 1);
  return chosen >= all.job.rank ? chosen + 1 : chosen;
}

namespace {

// WEFT_DIST_CHECK=all: other ranks' frames, and this rank's once the others had time to take them.
bool take_up(control* mine, unsigned round) {
  constexpr unsigned patience_with_others = 64;
  for (int i = 1; i < all.job.ranks; ++i) {
    if (take_moved(mine, (all.job.rank + i) % all.job.ranks)) return true;
  }
  return (all.job.ranks == 1 || round >= patience_with_others) && take_moved(mine, all.job.rank);
}

}  // namespace

bool find_thread(control* mine, unsigned round) {
  if (take_waiting(mine)) return true;
  if (!may_take_more()) return false;
  if (all.set.checking == check::all) {
    if (take_up(mine, round)) return true;
    if (all.job.ranks == 1) end_if_deadlocked();
    return false;
  }
  if (all.job.ranks == 1) {
    end_if_deadlocked();
    return false;
  }
  if (all.is_far) return try_far(mine, round);
  ++mine->count.probes;
  return all.how->steal(mine, other_rank());
}

namespace {

int ended_on() { return all.is_far ? far_root_end() : part_of(0)->root_end.rank(); }

// Null: the root has ended.
void* find_work(control* mine) {
  if (find_thread(mine, 0)) {
    found_thread();
    return pointer(mine->base[0].frame);
  }
  const std::uint64_t began = arch::cycles();  // a clock would take as long as the thread's start
  patience patience;
  bool is_found = false;
  for (unsigned round = 1; !is_found && ended_on() < 0; ++round) {
    constexpr unsigned between_victims = 64;
    patience.wait();
    poll_far();
    if (round % between_victims == 0) touch_next_victim();
    const std::uint64_t question = seen_question();
    is_found = find_thread(mine, round);
    if (!is_found) found_no_thread(question, round);
  }
  found_thread();
  mine->count.idle_ticks += arch::cycles() - began;
  return is_found ? pointer(mine->base[0].frame) : nullptr;
}

}  // namespace

shared_part* part_of(int rank) {
  return reinterpret_cast<shared_part*>(all.job.shared + static_cast<std::size_t>(rank) * all.job.shared_bytes);
}

void drop_evacuated(evacuated* frames) {
  if (!all.is_far) return all.part->frames.put_back(frames);
  frames->freed.set_own(1);
}

void serve(control* mine, void (*first)(void* ignored, void* root), void* root) {
  mine->why = event::none;
  if (first != nullptr) {
    found_thread();
    begin_turn();
    arch::start_context(&mine->scheduler, root, first, nullptr, root);
    end_turn(leave_of(mine->why));
  }
  while (mine->why != event::root_ended) {
    give_emptied(mine);
    void* target = after_event(mine);
    if (target == nullptr) target = find_work(mine);
    if (target == nullptr) break;
    begin_turn();
    arch::switch_context(&mine->scheduler, target, nullptr);
    end_turn(leave_of(mine->why));
  }
  give_emptied(mine);
}

}  // namespace weft::dist
