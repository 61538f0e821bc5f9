// What a thread does on its own stack where the hot paths of fork.cpp do not suffice.
#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/see/check.hpp"
#include "dist/values/exception.hpp"
#include "dist/values/global.hpp"
#include "dist/values/waiting.hpp"

namespace weft::dist {
namespace {

// The taker of a place whose fork was joined before newer ones.
join_record joined_mark;
// The taker of a place above such a one, whose fork has ended here: its join takes the rare way,
// which frees them. So the newest place of a thread is never a joined one.
join_record above_joined_mark;

join_record* record_of(const weft_forked* forked) { return static_cast<join_record*>(forked->taker); }

// The rank that evacuated them has just written them. Most frames are not longer.
void prefetch_evacuated(const evacuated* frames) {
  constexpr std::size_t bytes = sizeof *frames + 8 * base::cache_line;
  const auto* const begin = reinterpret_cast<const std::byte*>(frames);
  arch::prefetch_to_write(begin);
  for (std::size_t at = base::cache_line; at < bytes; at += base::cache_line) __builtin_prefetch(begin + at);
  part_of(owner_of(frames))->frames.prefetch_to_give();
}

// By the forker that joins, on whatever rank: the last to know the record.
void give_back(join_record* record) {
  const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(record) - all.job.shared);
  const auto owner = static_cast<int>(offset / all.job.shared_bytes);
  record_pool& pool = part_of(owner)->records;
  owner == all.job.rank ? pool.put_back(record) : pool.give(record);
}

// A join in a job of several nodes. While the thread is away, its forks' records may be exchanged.
void join_far(control* from, weft_forked* forked) {
  if (!has_far_child_ended(record_of(forked))) leave(from, event::waits, reinterpret_cast<std::uint64_t>(record_of(forked)));
  take_cargo(forked);
}

// False: the child has ended.
bool discard_record(join_record* record) {
  if (is_far(record)) return discard_far(record);
  const std::uint64_t found = record->discard();
  if (found == join_record::running) return true;
  give_back(record);
  return found != join_record::ended && discard_far(reinterpret_cast<join_record*>(found));
}

void free_joined(control* mine) {
  while (record_of(mine->places - 1) == &joined_mark) --mine->places;
}

void mark_joined(control* mine, weft_forked* forked) {
  forked->taker = &joined_mark;
  weft_forked* const newer = forked + 1;
  if (newer == mine->places) return free_joined(mine);
  // Another record, or another mark, leads to the rare way as well.
  if (newer->taker == nullptr) newer->taker = &above_joined_mark;
}

}  // namespace

bool has_child_ended(const join_record* record) { return all.is_far ? has_far_child_ended(record) : record->has_ended(); }

void take_cargo(weft_forked* forked) {
  join_record* const record = record_of(forked);
  if (record == nullptr) return;  // its cargo is here
  if (is_far(record) || is_far(record->moved_to())) return take_far_cargo(record, forked->work);
  std::memcpy(forked->work, record->cargo, sizeof forked->work);
  give_back(record);
}

void publish(control* from) {
  if (has_open_exception()) return;  // asked again at the next fork: limit stays
  if (all.set.checking == check::all) return move_forker(from);
  if (publish_far(from)) return;
  if (all.job.ranks == 1) {
    from->limit.store(from->quiet_limit, base::relaxed);
    return;
  }
  const auto is_private = static_cast<std::uint32_t>(from->top - from->split);
  const std::uint32_t wanted = from->queue.room((is_private + 1) / 2);
  // Before the publication: a thief that takes the last continuation stores 0 after it.
  from->limit.store(from->quiet_limit, base::relaxed);
  std::uint32_t count = 0;
  for (; count < wanted; ++count) {
    slot* const which = from->split + count;
    which->record = all.part->records.take();
    if (which->record == nullptr) break;
    const std::uintptr_t frame_end = all.how->frame_end(from, which, which->frame);
    const continuation what{which->frame, frame_end, which[-1].place, which->place, which->record, which[-1].record};
    descriptor words;
    __builtin_memcpy(&words, &what, sizeof words);
    from->queue.describe(from->index_of(which), words);
  }
  if (count != 0) from->queue.publish(count);
  from->split += count;
  if (from->queue.seems_empty()) from->limit.store(0, base::relaxed);
  if (all.set.checking != check::off) note_publication();
}

bool take_back(control* from, const slot* forker) {
  if (all.is_far && is_offered(forker)) return take_back_offer(from, forker);
  std::uint32_t new_end = 0;
  const std::uint32_t newest = from->index_of(forker);
  if (forker < from->base || !from->queue.take_back(newest, &new_end)) return false;
  for (std::uint32_t i = new_end; i <= newest; ++i) {
    all.part->records.put_back(from->slots[i].record);
    from->slots[i].record = nullptr;
  }
  from->split = from->slots + new_end;
  if (from->queue.seems_empty()) from->limit.store(0, base::relaxed);
  return true;
}

static void end_near_child(control* from, join_record* record, const void* cargo) {
  const std::uint64_t word = record->end(cargo);
  from->word = word;
  if (is_far(reinterpret_cast<const join_record*>(word))) return give_back(record);  // the forker has moved to a far record
  from->why = event::child_ended;
  if (word == join_record::discarded) {
    from->word = 0;
    give_back(record);
    return end_discarded();
  }
  if (word != 0) prefetch_evacuated(reinterpret_cast<const evacuated*>(word));
}

void end_thread(control* from, join_record* record, const void* cargo) {
  from->why = event::far_child_ended;
  from->word = reinterpret_cast<std::uint64_t>(record);
  if (!is_far(record)) end_near_child(from, record, cargo);
  arch::jump_context(from->scheduler, nullptr);
}

void end_child(control* from) {
  const slot* const forker = from->top - 1;
  end_thread(from, forker->record, forker->place->work);
}

[[gnu::noinline]] void leave(control* from, event why, std::uint64_t word) {
  from->why = why;
  from->word = word;
  arch::switch_context(&from->suspended, from->scheduler, nullptr);
}

bool join_rarely(control* from, weft_forked* forked) { return forked == nullptr || all.how->join(from, forked); }

void wait_for_child(control* from, weft_forked* forked, join_record* record) {
  from->joining = forked->run;
  from->awaited = forked;
  if (all.is_far) return join_far(from, forked);
  if (!record->has_ended()) leave(from, event::waits, reinterpret_cast<std::uint64_t>(record));
  take_cargo(forked);
}

bool is_separated(const weft_forked* forked) {
  return forked->taker != nullptr && forked->taker != &above_joined_mark && forked->taker != &joined_mark;
}

bool join_continuation(control* from, weft_forked* forked) {
  join_record* const record = record_of(forked);
  WEFT_ALWAYS(record != &joined_mark, "this fork was joined before");
  if (is_separated(forked)) wait_for_child(from, forked, record);
  mark_joined(here(), forked);
  return false;
}

void discard(control* from, weft_forked* forked) {
  join_record* const record = record_of(forked);
  count_discarded(1);  // before the child can find that it was discarded
  if (!discard_record(record)) end_discarded();
  mark_joined(from, forked);
}

void keep(control* from, void (*run)(void* work)) {
  ++from->count.kept;
  for (kept_forks& each : all.part->kept) {
    if (each.run != nullptr && each.run != run) continue;
    each.run = run;
    ++each.count;
    return;
  }
}

}  // namespace weft::dist
