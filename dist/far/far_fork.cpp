// See far.hpp: forks that are set aside for ranks of other nodes, where forkers go on. The offer
// has all of the fork, and the fork's place names the far record from then on: to its forker it is
// taken.
#include <cstring>

#include "dist/far/far_state.hpp"

namespace weft::dist {
namespace {

join_record* offered_record() { return reinterpret_cast<join_record*>(far.fork.words[offer::index]); }

// False: it was claimed.
bool take_back_own() {
  far.offered = nullptr;
  return far.offers.take_back();
}

}  // namespace

void offer_fork(control* from, bool (*may_take)(const weft_forked& place)) {
  if (!may_offer() || far.offers.is_full()) return;
  const std::size_t made = far.records.take();
  if (made == 0) return;
  join_record* const record = far_record_at(all.job.rank, made);
  weft_forked what;
  if (!from->forks.take_oldest(from->line, may_take, record, &what)) return far.records.put_back(made);
  far.offered = record;
  far.fork.words[offer::index] = reinterpret_cast<std::uint64_t>(record);
  far.fork.words[offer::what] = reinterpret_cast<std::uint64_t>(what.run);
  std::memcpy(&far.fork.words[offer::bytes_at], what.work, sizeof what.work);
  const std::uint64_t asked_by = take_wanted();
  far.offers.make_fork(far.fork.words[offer::index], far.fork.words[offer::what], what.work);
  call_wanting(asked_by);
}

void ask_for_next_fork(int victim) {
  if (ask_for_next(victim)) note_put(far.net->region, victim);
}

bool take_back_fork(control* from, weft_forked* forked) {
  if (far.offered == nullptr || from->forks.taker_of(forked) != far.offered || !take_back_own()) return false;
  far.records.put_back(join_of(offered_record()).offset);
  from->forks.keep(forked);
  return true;
}

bool take_own_fork(control* mine) {
  if (far.offered == nullptr || !take_back_own()) return false;
  all.how->take_offer(mine, all.job.rank, far.fork);
  return true;
}

}  // namespace weft::dist
