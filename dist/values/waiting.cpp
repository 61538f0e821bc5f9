// See waiting.hpp. Futures (weft/global.h) are cells of the global heap: global_words.hpp.
#include "dist/values/waiting.hpp"

#include <sched.h>

#include <cstdio>
#include <cstring>

#include "base/assert.hpp"
#include "base/failure.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/values/exception.hpp"
#include "dist/values/global.hpp"
#include "dist/words/standstill.hpp"

namespace weft::dist {
namespace {

struct waiting_thread {
  evacuated* frames;
  awaited_value what;
};
// Not more than there is memory for frames.
waiting_thread waiting[record_pool::most];
unsigned waiting_count = 0;
unsigned next_looked_at = 0;
awaited_value wanted;  // by the thread that leaves

constexpr std::size_t value_at = sizeof(put_word);

put_word* near_word(const global_place& at) { return reinterpret_cast<put_word*>(near_bytes(at)); }

far_cell far_cell_at(const global_place& at) { return {*shared_heap.by, shared_heap.window, at.rank, at.offset}; }

// From no other OS thread: then a rank knows that no thread is left that could set a future.
global_place cell_at(weft_global future, std::size_t bytes, const char* what) {
  require_main_thread(what);
  return place_of(future, value_at + bytes, what);
}

bool is_set(const global_place& at) {
  if (const put_word* const near = near_word(at); near != nullptr) return near->value() != 0;
  return far_cell_at(at).is_set();
}

// ---- a wait in a root ----

[[noreturn]] void end_waiting(const char* why, const char* cure) {
  net::fail(all.job, "rank %d of %d: a thread waits for a future %s; %s", all.job.rank, all.job.ranks, why, cure);
}

}  // namespace

bool awaited_value::is_there() const {
  if (record != nullptr) return has_child_ended(record);
  if (future == 0) return !has_discarded();
  return is_set(place_of(future, sizeof(put_word), "weft_global_future_get"));
}

bool find_forker(control* mine, forker_above* out) {
  if (mine->top == mine->base) return true;
  slot* const forker = mine->top - 1;
  if (forker < mine->split && !take_back(mine, forker)) {
    mine->base = mine->top;  // thieves have it, and all older ones
    return true;
  }
  forker->record = nullptr;  // of a private slot, that of an earlier thread
  out->which = forker;
  out->record = all.is_far ? take_far_record() : all.part->records.take();
  return out->record != nullptr;
}

bool evacuate_below(control* mine, const forker_above& forker, evacuated** out) {
  slot* const base = mine->base;
  mine->base = mine->top;
  const bool is_done = all.how->evacuate(mine, reinterpret_cast<std::uintptr_t>(mine->suspended), out);
  mine->base = base;
  if (is_done && forker.which != nullptr) (*out)->what.parent_record = forker.record;
  return is_done;
}

void* part(control* mine, const forker_above& forker) {
  slot* const which = forker.which;
  if (which == nullptr) return nullptr;
  which->place->taker = forker.record;
  mine->top = which;
  mine->places = which->place + 1;
  next_is_forker(all.job.rank, current_thread(), which->place->run);
  return reinterpret_cast<void*>(which->frame);
}

void stay_below(const forker_above& forker) {
  if (forker.record == nullptr) return;
  is_far(forker.record) ? put_back_far_record(forker.record) : all.part->records.put_back(forker.record);
}

void* after_value_wait(control* mine) {
  mine->word = 0;
  mine->joining = nullptr;
  forker_above forker;
  evacuated* frames = nullptr;
  if (!find_forker(mine, &forker) || !evacuate_below(mine, forker, &frames))
    end_waiting("and there is no memory for its frames", "set WEFT_DIST_POOL higher, or unset it");
  keep_waiting(frames, wanted);
  return part(mine, forker);
}

void keep_waiting(evacuated* frames, const awaited_value& what) { waiting[waiting_count++] = {frames, what}; }

bool may_take_more() { return !all.how->stalls || waiting_count < all.pool; }

bool take_waiting(control* mine) {
  // A look at a child of another node takes an operation.
  const unsigned most = all.is_far && all.how->stalls ? 1 : waiting_count;
  for (unsigned tries = most < waiting_count ? most : waiting_count; tries != 0; --tries) {
    next_looked_at = next_looked_at + 1 < waiting_count ? next_looked_at + 1 : 0;
    waiting_thread& each = waiting[next_looked_at];
    if (!each.what.is_there()) continue;
    evacuated* const frames = each.frames;
    each = waiting[--waiting_count];
    all.how->bring_back(mine, frames);
    return true;
  }
  return false;
}

open_waits count_waits() {
  open_waits its = {waiting_count, 0};
  for (unsigned i = 0; i < waiting_count && its.future == 0; ++i) its.future = waiting[i].what.future;
  return its;
}

void end_deadlocked(int rank, const open_waits& waits) {
  char named[128] = "";
  if (waits.future != 0)
    (void)std::snprintf(named, sizeof named, ", as one of rank %d for the future %#lx, which lies on rank %d", rank,
                        static_cast<unsigned long>(waits.future), place_of(waits.future, sizeof(put_word), "deadlock").rank);
  net::fail(all.job, "deadlock: all threads wait, %lu of them for futures that no thread has set%s; set each future",
            static_cast<unsigned long>(waits.count), named);
}

void end_if_deadlocked() {
  if (waiting_count != 0) end_deadlocked(all.job.rank, count_waits());
}

void end_if_values_are_awaited() {
  if (waiting_count == 0) return;
  const bool is_open = has_open_exception();
  net::fail(all.job, "rank %d of %d waits in a join while %u of its threads wait %s, because %s; %s", all.job.rank, all.job.ranks,
            waiting_count, all.how->stalls ? "in theirs (WEFT_DIST_POLICY=stalling)" : "for futures",
            is_open ? "an exception is open" : "there is no memory for the forker's frames",
            is_open           ? "join before the catch block"
            : all.how->stalls ? "unset WEFT_DIST_POLICY"
                              : "set WEFT_DIST_POOL higher, or unset it");
}

void wait_for_value(const awaited_value& what) {
  if (what.is_there()) return;
  if (!here()->is_worker) {
    while (!what.is_there()) {
      poll_far();
      sched_yield();
    }
    return;
  }
  if (all.set.policy != way::optimised) end_waiting("under a WEFT_DIST_POLICY other than optimised", "unset the variable");
  if (has_open_exception()) end_waiting("in a catch block, or in a destructor during unwinding", "read the future before");
  wanted = what;
  leave(here(), event::waits_for_value, 0);
}

void end_discarded() { count_discarded(~std::uint64_t{0}); }

}  // namespace weft::dist

using namespace weft::dist;

extern "C" {

weft_status weft_global_future_make(int rank, size_t bytes, weft_global* out) {
  static constexpr char call[] = "weft_global_future_make";
  if (bytes == 0) return weft::fail(WEFT_INVALID, call, "bytes", "it is 0");
  weft_global made = 0;
  const weft_status status = make_object(call, rank, value_at + bytes, &made);
  if (status != WEFT_OK) return status;
  const std::uint64_t no = 0;
  weft_global_put(made, &no, sizeof no);
  *out = made;
  return WEFT_OK;
}

void weft_global_future_free(weft_global future, size_t bytes) { weft_global_free(future, value_at + bytes); }

void weft_global_future_set(weft_global future, const void* value, size_t bytes) {
  const global_place at = cell_at(future, bytes, "weft_global_future_set");
  if (put_word* const near = near_word(at); near != nullptr) {
    std::memcpy(reinterpret_cast<std::byte*>(near) + value_at, value, bytes);
    near->set(1);
    return;
  }
  far_cell_at(at).set(value, bytes);
}

bool weft_global_future_is_set(weft_global future) {
  poll_while_near();
  return is_set(cell_at(future, 0, "weft_global_future_is_set"));
}

void weft_global_future_get(weft_global future, void* into, size_t bytes) {
  (void)cell_at(future, bytes, "weft_global_future_get");
  poll_while_near();
  wait_for_value({future});
  const global_place at = cell_at(future, bytes, "weft_global_future_get");
  if (const put_word* const near = near_word(at); near != nullptr) {
    std::memcpy(into, reinterpret_cast<const std::byte*>(near) + value_at, bytes);
    return;
  }
  far_cell_at(at).read(into, bytes);
}

}  // extern "C"
