// See far.hpp: joins between nodes, and what comes back over a network.
#include <cstdlib>
#include <cstring>

#include "base/assert.hpp"
#include "dist/far/far_state.hpp"
#include "dist/rank/engine.hpp"

namespace weft::dist {
namespace {

// A code names an evacuated thread's memory: rank, size and offset in the rank's shared part.
constexpr unsigned units_at = 26, rank_at = 40, mark_at = 50;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << units_at) - 1;
constexpr std::uint64_t units_mask = (std::uint64_t{1} << (rank_at - units_at)) - 1;
constexpr std::uint64_t rank_mask = (std::uint64_t{1} << (mark_at - rank_at)) - 1;
static_assert(net::most_ranks <= rank_mask + 1 && frame_pool::units <= units_mask);

// Where the root's bytes lie: rank and offset in its region.
constexpr unsigned root_rank_at = 48;

[[nodiscard]] bool is_near_record(const join_record* record) {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(record) - reinterpret_cast<std::uintptr_t>(all.job.shared);
  return at < static_cast<std::size_t>(all.job.ranks) * all.job.shared_bytes;
}

std::size_t offset_in_part(int rank, const void* address) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - reinterpret_cast<const std::byte*>(part_of(rank)));
}

void give_near(join_record* record) {
  const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(record) - all.job.shared);
  part_of(static_cast<int>(offset / all.job.shared_bytes))->records.give(record);
}

// A fork of the frames that are about to move. False: no memory.
bool make_taker_far(weft_forked* place) {
  auto* const record = static_cast<join_record*>(place->taker);
  if (!is_near_record(record)) return true;
  const std::size_t made = far.records.take();
  if (made == 0) return false;
  join_record* const to = far_record_at(all.job.rank, made);
  const std::uint64_t found = record->move_forker(reinterpret_cast<std::uint64_t>(to));
  if (found == join_record::running) {
    place->taker = to;
    return true;
  }
  far.records.put_back(made);
  place->taker = nullptr;
  if (found == join_record::ended)
    std::memcpy(place->work, record->cargo, sizeof place->work);
  else
    place->taker = reinterpret_cast<join_record*>(found);
  give_near(record);
  return true;
}

void give_far(const far_join& its) {
  its.give();
  note_put(its.words, its.rank);
}

}  // namespace

bool make_far(const continuation& what, join_record** parent) {
  for (weft_forked* each = what.places; each != what.places_end; ++each) {
    if (!make_taker_far(each)) return false;
  }
  join_record* const record = *parent;
  if (!is_near_record(record)) return true;
  const std::size_t made = far.records.take();
  if (made == 0) return false;
  join_record* const to = far_record_at(all.job.rank, made);
  const std::uint64_t found = record->move_child(reinterpret_cast<std::uint64_t>(to));
  *parent = to;
  if (found == join_record::running) return true;
  if (found == join_record::discarded) {
    (void)join_of(to).discard();
    give_near(record);
    return true;
  }
  // The forker has moved before: it has never evacuated its frames to a near record.
  far.records.put_back(made);
  *parent = reinterpret_cast<join_record*>(found);
  WEFT_ASSERT(is_far(*parent), "a forker waits at a near record in a job of several nodes");
  give_near(record);
  return true;
}

bool make_thread_far(control* mine) { return make_forks_far(mine, mine->places); }

bool make_forks_far(control* mine, weft_forked* end) {
  slot& before = mine->base[-1];
  return make_far({0, 0, before.place, end, nullptr, nullptr}, &before.record);
}

std::uint64_t end_far_child(join_record* record, const void* cargo) {
  const far_join its = join_of(record);
  const std::uint64_t found = its.end(cargo);
  if (found != far_record::discarded) return found;
  give_far(its);
  end_discarded();
  return 0;
}

bool has_far_child_ended(const join_record* record) {
  if (is_far(record)) return join_of(record).has_ended();
  const join_record* const to = record->moved_to();
  return record->has_ended() || (is_far(to) && join_of(to).has_ended());
}

void take_far_cargo(join_record* record, void* into) {
  if (!is_far(record)) {
    // Of a near record, of which the child's side has moved.
    join_record* const to = record->moved_to();
    give_near(record);
    record = to;
  }
  const far_join its = join_of(record);
  its.take_cargo(into);
  give_far(its);
}

join_record* take_far_record() {
  const std::size_t made = far.records.take();
  return made != 0 ? far_record_at(all.job.rank, made) : nullptr;
}

void put_back_far_record(join_record* record) { far.records.put_back(join_of(record).offset); }

bool discard_far(join_record* record) {
  const far_join its = join_of(record);
  if (its.discard()) return true;
  give_far(its);
  return false;
}

bool wait_far(join_record* record, const evacuated* frames) { return join_of(record).wait(code_of(frames)); }

std::uint64_t code_of(const evacuated* frames) {
  const auto* const at = reinterpret_cast<const std::byte*>(frames);
  const auto offset = static_cast<std::uint64_t>(at - all.job.shared);
  const std::uint64_t rank = offset / all.job.shared_bytes;
  const std::uint64_t in_part = offset % all.job.shared_bytes / base::cache_line;
  return std::uint64_t{1} << mark_at | rank << rank_at | std::uint64_t{frames->units} << units_at | in_part;
}

void bring_back_far(control* mine, std::uint64_t code) {
  static void* const scratch = std::malloc(frame_pool::units * frame_pool::unit);
  if (scratch == nullptr)
    net::fail(all.job, "rank %d of %d has no memory for frames of other ranks", all.job.rank, all.job.ranks);
  const int rank = static_cast<int>(code >> rank_at & rank_mask);
  const std::size_t offset = (code & offset_mask) * base::cache_line;
  if (net::is_near(all.job, rank)) {
    return all.how->bring_back(mine, reinterpret_cast<evacuated*>(reinterpret_cast<std::byte*>(part_of(rank)) + offset));
  }
  const net::rma& by = *far.net->by;
  by.get(far.net->shared, rank, offset, scratch, (code >> units_at & units_mask) * frame_pool::unit);
  by.flush(far.net->shared, rank);
  auto* const frames = static_cast<evacuated*>(scratch);
  all.how->bring_back(mine, frames);
  mine->emptied = nullptr;  // is given back by a put
  const std::uint64_t yes = 1;
  by.put(far.net->shared, rank, offset + offsetof(evacuated, freed), &yes, sizeof yes);
  note_put(far.net->shared, rank);
}

void get_far_part(int rank, const void* from, void* into, std::size_t bytes) {
  far.net->by->get(far.net->shared, rank, offset_in_part(rank, from), into, bytes);
  far.net->by->flush(far.net->shared, rank);
}

void put_far_word(int rank, const put_word* into) {
  const std::uint64_t yes = 1;
  far.net->by->put(far.net->shared, rank, offset_in_part(rank, into), &yes, sizeof yes);
  note_put(far.net->shared, rank);
}

void tell_root_end(const void* bytes) {
  const net::rma& by = *far.net->by;
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(bytes) - all.job.region);
  const std::uint64_t word = (static_cast<std::uint64_t>(all.job.rank) + 1) << root_rank_at | offset;
  for (int rank = 0; rank < all.job.ranks; ++rank) {
    by.put(far.net->words, rank, offsetof(far_words, root_end), &word, sizeof word);
    note_put(far.net->words, rank);
  }
  poll_far();
}

int far_root_end() { return static_cast<int>(far.offers.words().root_end.value() >> root_rank_at) - 1; }

void take_root_bytes(int rank, void* into, std::size_t bytes) {
  put_word& word = far.offers.words().root_end;
  const std::size_t offset = word.value() & ((std::uint64_t{1} << root_rank_at) - 1);
  if (bytes != 0) {
    far.net->by->get(far.net->region, rank, offset, into, bytes);
    far.net->by->flush(far.net->region, rank);
  }
  word.clear();  // no rank puts it before the next root
}

}  // namespace weft::dist
