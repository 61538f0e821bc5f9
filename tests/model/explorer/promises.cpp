// The promises of memory.hpp.
#include <algorithm>

#include "explorer/execution.hpp"
#include "explorer/memory.hpp"

namespace explorer {

// ---- read ---------------------------------------------------------------------------------------

// The position of the store that is read: one of candidates_, or a promise behind one of them.
std::size_t memory::choose_store(int thread, int location, order o) {
  const int options = static_cast<int>(candidates_.size());
  if (promises_left_ == 0 || thread == 0) return candidates_[static_cast<std::size_t>(pick(options))];
  const std::vector<stored>& stores = locations_[location].stores;
  std::vector<std::size_t> gaps = candidates_;
  std::erase_if(gaps, [&](std::size_t i) { return stores[i].glued; });
  const open_choice chosen = path_.choose_open(weak_left_ == 0 ? 1 : options, static_cast<int>(gaps.size()));
  const std::size_t taken = static_cast<std::size_t>(chosen.taken);
  if (chosen.behind != nullptr) {
    --promises_left_;
    return make_promise(*chosen.behind, location, gaps[taken]);
  }
  open_loads_.push_back({path_.depth() - 1, thread, location, clock_[thread], acquires(o)});
  if (taken != 0) --weak_left_;
  return candidates_[taken];
}

std::size_t memory::make_promise(const finding& what, int location, std::size_t position) {
  std::vector<stored>& stores = locations_[location].stores;
  const timestamp at = time_behind(stores, position);
  stored promised{what.value, at, false, beginning_};
  promised.released.seen.raise(location, at);
  stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(position) + 1, promised);
  promises_.push_back({location, at, what.thread, 0, false});
  prune_if_hopeless(what.thread);
  return position + 1;
}

// ---- found --------------------------------------------------------------------------------------

// Whether a thread that synchronises with the store learns something by that.
bool memory::carries_news(int location, const stored& made) const {
  frontier known = beginning_;
  known.seen.raise(location, made.at);
  const frontier without = known;
  known.join(made.released);
  return !(known == without);
}

// A store that is made now might have been read before by loads that do not happen before it.
void memory::tell_open_loads(int thread, int location, const stored& made) {
  if (open_loads_.empty()) return;
  const bool synchronises = carries_news(location, made);
  for (const open_load& each : open_loads_) {
    if (each.location != location || each.thread == thread || covers(thread, each.thread, each.time)) continue;
    if (!each.acquires || !synchronises) path_.add(each.place, {thread, made.value});
  }
}

// ---- kept ---------------------------------------------------------------------------------------

memory::promise* memory::promise_at(int location, timestamp at) {
  const auto is_it = [&](const promise& each) { return each.location == location && each.at == at; };
  const auto it = std::find_if(promises_.begin(), promises_.end(), is_it);
  return it != promises_.end() ? &*it : nullptr;
}

// A thread that has seen that its store was made cannot make it any more.
void memory::prune_if_hopeless(int thread) const {
  for (const promise& each : promises_) {
    if (each.thread == thread && threads_[thread].current.seen.at[each.location] >= each.at) prune();
  }
}

// The promise that thread can keep by a store of value: its oldest one of that location. Null:
// none.
memory::promise* memory::owed(int thread, int location, word value) {
  promise* oldest = nullptr;
  for (promise& each : promises_) {
    if (each.thread != thread || each.location != location) continue;
    if (oldest == nullptr || each.at < oldest->at) oldest = &each;
  }
  if (oldest == nullptr) return nullptr;
  const std::vector<stored>& stores = locations_[location].stores;
  const auto promised = std::find_if(stores.begin(), stores.end(), [&](const stored& each) { return each.at == oldest->at; });
  return promised->value == value ? oldest : nullptr;
}

// A reader of the promise did not know what the store releases: if it has synchronised with the
// store since, what it has done does not follow. Nor does a seq_cst store come after an operation
// or fence of that order that knows of it.
timestamp memory::keep(int thread, promise* kept, order o, const stored* continued) {
  const promise it = *kept;
  promises_.erase(promises_.begin() + (kept - promises_.data()));
  threads_[thread].current.seen.raise(it.location, it.at);
  if (o == order::seq_cst) {
    if (std::max(operations_.at[it.location], fences_.at[it.location]) >= it.at) prune();
    operations_.raise(it.location, it.at);
  }
  std::vector<stored>& stores = locations_[it.location].stores;
  const auto made = std::find_if(stores.begin(), stores.end(), [&](const stored& each) { return each.at == it.at; });
  made->released = message(thread, it.location, made->value, it.at, o, continued).released;
  if (carries_news(it.location, *made)) {
    if (it.relied_on || made->glued) prune();
    for (int reader = 1; reader < max_threads; ++reader) {
      if ((it.readers >> reader & 1) != 0) threads_[reader].acquired.join(made->released);
    }
  }
  tick(thread);
  return it.at;
}

}  // namespace explorer
