// See memory.hpp.
#include "explorer/memory.hpp"

#include <algorithm>

#include "explorer/execution.hpp"

namespace explorer {
namespace {

word apply(rmw_kind kind, word old, word operand) {
  switch (kind) {
    case rmw_kind::exchange: return operand;
    case rmw_kind::add: return old + operand;
    case rmw_kind::subtract: return old - operand;
    case rmw_kind::bit_or: return old | operand;
    case rmw_kind::bit_and: return old & operand;
  }
  return old;
}

}  // namespace

// ---- an execution's frame -----------------------------------------------------------------------

void memory::reset(int weak_choices, int promises) {
  weak_left_ = weak_choices;
  promises_left_ = promises;
  promises_.clear();
  open_loads_.clear();
  locations_in_use = 0;
  births_.clear();
  for (thread_state& thread : threads_) thread = {};
  for (int i = 0; i < max_threads; ++i) threads_[i].current.past.at[i] = clock_[i] = 1;
  fences_ = operations_ = light_ = heavy_ = {};
}

void memory::fork(int threads) {
  beginning_ = threads_[0].current;
  for (int i = 1; i <= threads; ++i) {
    const std::uint32_t own = clock_[i];
    threads_[i] = {};
    threads_[i].current = threads_[0].current;
    threads_[i].released = threads_[0].current;  // the start of a thread synchronises with its first action
    threads_[i].current.past.at[i] = own;
  }
  tick(0);
}

void memory::join(int threads) {
  for (int i = 1; i <= threads; ++i) {
    threads_[0].current.join(threads_[i].current);
    tick(i);
  }
}

void memory::tick(int thread) {
  threads_[thread].current.past.at[thread] = ++clock_[thread];
  if (owes()) prune_if_hopeless(thread);
}

// ---- locations ----------------------------------------------------------------------------------

int memory::add_location(const void* address) {
  if (locations_in_use == max_locations) fail("the model is too large", "raise max_locations");
  const int index = locations_in_use++;
  history& place = locations_[index];
  addresses_[index] = address;
  place.alive = true;
  place.born_inside = false;
  place.used = {};
  place.stores.clear();
  return index;
}

void memory::construct(int thread, const void* address) {
  for (int i = 0; i < locations_in_use; ++i) {
    if (addresses_[i] == address) addresses_[i] = nullptr;  // an earlier life of the same memory
  }
  // find() will read what the constructor left in memory, if the atomic is ever used.
  if (thread != 0 || birth_of(address) != nullptr) births_.push_back({address, thread, clock_[thread]});
}

const memory::birth* memory::birth_of(const void* address) const {
  const auto last = std::find_if(births_.rbegin(), births_.rend(), [&](const birth& each) { return each.address == address; });
  return last != births_.rend() ? &*last : nullptr;
}

void memory::destroy(int thread, const void* address) {
  if (thread != 0) births_.push_back({address, none, 0});
  for (int i = 0; i < locations_in_use; ++i) {
    history& place = locations_[i];
    if (addresses_[i] != address || !place.alive) continue;
    place.alive = false;
    for (int other = 0; other < max_threads; ++other) {
      if (!covers(thread, other, place.used.at[other])) {
        fail("race with destruction",
             thread_name(other) + " may still be using an atomic that " + thread_name(thread) + " destroys");
      }
    }
  }
}

int memory::find(const void* address, word initial) {
  for (int i = 0; i < locations_in_use; ++i) {
    if (addresses_[i] == address) return i;
  }
  const int index = add_location(address);
  history& place = locations_[index];
  place.stores.push_back({initial, timestamp_step, false, {}});
  place.stores.back().released.seen.raise(index, timestamp_step);
  if (const birth* begin = birth_of(address); begin != nullptr) {
    place.alive = begin->creator != none;
    place.born_inside = begin->creator != 0;
    place.creator = begin->creator;
    place.created_at = begin->at;
  }
  return index;
}

void memory::touch(int thread, history& place) {
  if (!place.alive) fail("use after destruction", thread_name(thread) + " uses an atomic that was destroyed");
  if (place.born_inside && !covers(thread, place.creator, place.created_at)) {
    fail("use before construction", thread_name(thread) + " uses an atomic whose construction did not happen before");
  }
  place.used.at[thread] = clock_[thread];
}

// ---- operations ---------------------------------------------------------------------------------

timestamp memory::oldest_readable(int thread, int location, order o) const {
  timestamp bound = threads_[thread].current.seen.at[location];
  if (o == order::seq_cst) bound = std::max({bound, fences_.at[location], operations_.at[location]});
  return bound;
}

// The first option is what sequential consistency would give; any other is weak behaviour, of which
// there may be a budget.
int memory::pick(int options) {
  if (options == 1 || weak_left_ == 0) return 0;
  const int taken = path_.choose(options);
  if (taken != 0) --weak_left_;
  return taken;
}

// The stores that thread may read, the newest first; none that is as new as a promise of its own,
// which it could not keep afterwards.
void memory::collect(int thread, int location, order o) {
  const timestamp bound = oldest_readable(thread, location, o);
  const std::vector<stored>& stores = locations_[location].stores;
  candidates_.clear();
  for (std::size_t i = stores.size(); i-- > 0 && stores[i].at >= bound;) {
    if (const promise* own = promise_at(location, stores[i].at); own != nullptr && own->thread == thread) {
      candidates_.clear();
    } else {
      candidates_.push_back(i);
    }
  }
  if (candidates_.empty()) prune();  // it cannot keep its promise any more
}

read_result memory::read_from(int thread, int location, stored& from, order o) {
  thread_state& self = threads_[thread];
  self.current.seen.raise(location, from.at);
  self.acquired.join(from.released);
  if (acquires(o)) self.current.join(from.released);
  if (o == order::seq_cst) operations_.raise(location, from.at);
  promise* promised = promise_at(location, from.at);
  if (promised != nullptr) {
    promised->readers |= 1u << thread;
    promised->relied_on |= acquires(o);
  }
  return {from.value, from.at, from.at != locations_[location].stores.back().at, promised != nullptr};
}

read_result memory::load(int thread, int location, order o, timestamp same_as) {
  touch(thread, locations_[location]);
  collect(thread, location, o);
  std::vector<stored>& stores = locations_[location].stores;
  const auto again = [&](std::size_t i) { return same_as != 0 && stores[i].at == same_as; };
  const auto same = std::find_if(candidates_.begin(), candidates_.end(), again);
  const std::size_t position = same != candidates_.end() ? *same : choose_store(thread, location, o);
  const read_result result = read_from(thread, location, stores[position], o);
  tick(thread);
  return result;
}

memory::stored memory::message(int thread, int location, word value, timestamp at, order o, const stored* continued) {
  const thread_state& self = threads_[thread];
  stored result{value, at, false, releases(o) ? self.current : self.released};
  result.released.seen.raise(location, at);
  if (continued != nullptr) result.released.join(continued->released);
  return result;
}

timestamp memory::time_behind(const std::vector<stored>& stores, std::size_t position) {
  const timestamp before = stores[position].at;
  if (position + 1 == stores.size()) return before + timestamp_step;
  const timestamp at = before + (stores[position + 1].at - before) / 2;
  if (at <= before) fail("the model is too large", "too many stores to one location: raise timestamp_step or lower the bounds");
  return at;
}

timestamp memory::append_after(int thread, int location, std::size_t position, word value, order o, const stored* continued) {
  std::vector<stored>& stores = locations_[location].stores;
  const timestamp at = time_behind(stores, position);
  threads_[thread].current.seen.raise(location, at);
  if (o == order::seq_cst) operations_.raise(location, at);
  const stored made = message(thread, location, value, at, o, continued);
  tell_open_loads(thread, location, made);
  stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(position) + 1, made);
  tick(thread);
  return at;
}

timestamp memory::store(int thread, int location, word value, order o) {
  touch(thread, locations_[location]);
  collect(thread, location, o);
  std::vector<stored>& stores = locations_[location].stores;
  if (promise* kept = owed(thread, location, value); kept != nullptr && path_.choose(2) == 0) {
    return keep(thread, kept, o, nullptr);
  }
  std::erase_if(candidates_, [&](std::size_t i) { return stores[i].glued; });
  const int chosen = pick(static_cast<int>(candidates_.size()));
  return append_after(thread, location, candidates_[static_cast<std::size_t>(chosen)], value, o, nullptr);
}

// Reads the store at position and follows it at once.
exchange_result memory::replace(int thread, int location, std::size_t position, word desired, order o) {
  std::vector<stored>& stores = locations_[location].stores;
  const read_result read = read_from(thread, location, stores[position], o);
  stores[position].glued = true;
  const stored continued = stores[position];
  promise* kept = owed(thread, location, desired);
  const bool is_next = position + 1 < stores.size() && kept != nullptr && stores[position + 1].at == kept->at;
  const bool keeps = is_next && path_.choose(2) == 0;
  const timestamp at =
      keeps ? keep(thread, kept, o, &continued) : append_after(thread, location, position, desired, o, &continued);
  return {read.value, at, read.stale, read.promise, true, desired};
}

exchange_result memory::exchange(int thread, int location, rmw_kind kind, word operand, word mask, order o) {
  touch(thread, locations_[location]);
  collect(thread, location, o);
  std::vector<stored>& stores = locations_[location].stores;
  std::erase_if(candidates_, [&](std::size_t i) { return stores[i].glued; });
  const std::size_t position = choose_store(thread, location, o);
  return replace(thread, location, position, apply(kind, stores[position].value, operand) & mask, o);
}

exchange_result memory::read_only(int thread, int location, std::size_t position, order o) {
  const read_result read = read_from(thread, location, locations_[location].stores[position], o);
  tick(thread);
  return {read.value, read.at, read.stale, read.promise, false, read.value};
}

exchange_result memory::compare_exchange(int thread, int location, word expected, word desired, order success, order failure,
                                         bool may_fail_spuriously) {
  touch(thread, locations_[location]);
  collect(thread, location, failure);  // a success that the stronger order forbids is taken out below
  std::vector<stored>& stores = locations_[location].stores;
  const timestamp bound = oldest_readable(thread, location, success);
  std::erase_if(candidates_,
                [&](std::size_t i) { return stores[i].value == expected && (stores[i].glued || stores[i].at < bound); });
  if (may_fail_spuriously && pick(2) != 0) return read_only(thread, location, stores.size() - 1, failure);
  const std::size_t position = choose_store(thread, location, failure);
  if (stores[position].value != expected) return read_only(thread, location, position, failure);
  return replace(thread, location, position, desired, success);
}

// ---- fences -------------------------------------------------------------------------------------

void memory::fence(int thread, order o) {
  thread_state& self = threads_[thread];
  if (acquires(o)) {
    self.current.join(self.acquired);
    for (promise& each : promises_) each.relied_on |= (each.readers >> thread & 1) != 0;
  }
  if (o == order::seq_cst) {
    self.current.seen.join(fences_);
    self.current.seen.join(operations_);
    fences_.join(self.current.seen);
  }
  if (releases(o)) self.released = self.current;
  tick(thread);
}

// A pair of light fences does nothing; a heavy and a light one are ordered as two seq_cst fences
// would be (P1202, without the synchronisation through relaxed operations that it would also allow:
// TSan sees none either).
void memory::light_fence(int thread) {
  thread_state& self = threads_[thread];
  self.current.seen.join(heavy_);
  light_.join(self.current.seen);
  tick(thread);
}

void memory::heavy_fence(int thread) {
  view& seen = threads_[thread].current.seen;
  for (const view* other : {&light_, &fences_, &operations_}) seen.join(*other);
  fences_.join(seen);
  heavy_.join(seen);
  tick(thread);
}

// ---- questions ----------------------------------------------------------------------------------

bool memory::has_news(int location, timestamp since, word value) const {
  const std::vector<stored>& stores = locations_[location].stores;
  for (std::size_t i = stores.size(); i-- > 0 && stores[i].at > since;) {
    if (stores[i].value != value) return true;
  }
  return false;
}

}  // namespace explorer
