// See circle_search.hpp.
#include "see/circle_search.hpp"

#include <new>

#include "os/clock.hpp"
#include "os/vm.hpp"
#include "see/report.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

// A younger wait is none of a circle's that was there at the step before.
constexpr std::uint64_t least_age_ns = 20'000'000;

std::uint64_t signature_of(const long_wait& wait) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(wait.one) * odd;
  mixed = (mixed ^ reinterpret_cast<std::uintptr_t>(wait.record)) * odd;
  mixed = (mixed ^ wait.since_ns ^ reinterpret_cast<std::uintptr_t>(wait.object)) * odd;
  return mixed ^ mixed >> 32;
}

bool is_live_fork(const unit* one) {
  return one->has(is_fork) && one->state.load(base::relaxed) != unit_state::free &&
         !join_word::means_ended(one->join.load(base::relaxed));
}

}  // namespace

circle_search* circle_search::make() {
  void* memory = os::reserve(sizeof(circle_search), os::page_bytes());
  return memory != nullptr ? new (memory) circle_search : nullptr;
}

void circle_search::free(circle_search* one) {
  if (one == nullptr) return;
  one->reader_.clear();
  os::release(one, sizeof(circle_search));
}

void circle_search::begin(runtime* rt) {
  rt_ = rt;
  now_ns_ = os::now_ns();
  start_count_ = 0;
  reader_.begin(rt);
}

// ---- the first pass ----

void circle_search::consider(const unit* one, std::size_t number) {
  sees_forks_ = sees_forks_ || is_live_fork(one);
  long_wait wait;
  if (!reader_.read(one, &wait) || !wait.is_for_unit()) return;
  reader_.note_standing(wait);
  const bool is_young = now_ns_ > wait.since_ns && now_ns_ - wait.since_ns < least_age_ns;
  if (!is_young) starts_[start_count_++] = {one, number};
}

// True: that was the end of the round.
bool circle_search::gather(std::uint64_t limit) {
  constexpr std::size_t batch = 64;
  void* blocks[batch];
  while (reader_.work() < limit && start_count_ + batch < most_starts) {
    if (next_ == 0) {
      if (const unit* main = main_of(rt_); main != nullptr) consider(main, 0);
      next_ = 1;
    }
    const std::size_t count = rt_->unit_depot.list(next_ - 1, blocks, batch);
    for (std::size_t index = 0; index < count; ++index, ++next_) consider(static_cast<const unit*>(blocks[index]), next_);
    if (count < batch) return true;
  }
  return false;
}

// ---- the second pass ----

// Follows the waits from `first`: a circle that comes back to it. Unless from_any, it also must
// have the lowest address of the members, so that each circle is found once.
bool circle_search::follow(const unit* first, bool from_any, circle* out) {
  *out = {};
  const unit* one = first;
  do {
    long_wait wait;
    if (out->count == circle::most_members || (one < first && !from_any) || !reader_.read(one, &wait)) return false;
    out->members[out->count++] = one;
    out->signature += signature_of(wait);
    one = reader_.awaited(wait, by_numbers_);
  } while (one != nullptr && one != first);
  return one != nullptr;
}

bool circle_search::is_told(std::uint64_t signature) const {
  for (unsigned index = 0; index < told_count_; ++index) {
    if (told_[index] == signature) return true;
  }
  return false;
}

void circle_search::suspect_circle(const circle& one) {
  if (suspect_count_ == most_suspects || told_count_ == most_told || is_told(one.signature)) return;
  for (unsigned index = 0; index < suspect_count_; ++index) {
    if (suspects_[index].signature == one.signature) return;
  }
  suspects_[suspect_count_++] = {one.members[0], one.signature};
}

// At least one, so that each step gets on. What is left is gathered again.
void circle_search::follow_starts(bool ends_round) {
  for (std::size_t index = 0; index < start_count_; ++index) {
    if (index != 0 && reader_.work() >= most_work) {
      next_ = starts_[index].number;
      return;
    }
    circle found;
    if (follow(starts_[index].one, false, &found)) suspect_circle(found);
  }
  if (!ends_round) return;
  ++rounds_;
  next_ = 0;
  saw_forks_ = sees_forks_;
  sees_forks_ = false;
}

void circle_search::confirm(void (*found)(void* state, const circle& one), void* state) {
  for (unsigned index = 0; index < suspect_count_; ++index) {
    circle again;
    if (!follow(suspects_[index].first, true, &again) || again.signature != suspects_[index].signature) continue;
    told_[told_count_++] = again.signature;
    found(state, again);
    if (told_count_ == most_told) break;
  }
  suspect_count_ = 0;
}

// ---- steps ----

bool circle_search::step(runtime* rt, void (*found)(void* state, const circle& one), void* state) {
  begin(rt);
  const bool is_first = next_ == 0;
  const bool ends_round = gather(most_work / 4 * 3);
  const bool is_whole = is_first && ends_round;
  by_numbers_ = !sees_forks_ && (is_whole || !saw_forks_);
  confirm(found, state);
  follow_starts(ends_round);
  return next_ != 0 || suspect_count_ != 0;
}

void circle_search::search_all(runtime* rt, void (*found)(void* state, const circle& one), void* state) {
  begin(rt);
  reader_.learn_all_areas();
  by_numbers_ = true;
  struct searching {
    circle_search* self;
    void (*found)(void* state, const circle& one);
    void* state;
  } all{this, found, state};
  const auto note = [](void* memory, unit* one) {
    wait_reader* const reader = &static_cast<searching*>(memory)->self->reader_;
    long_wait wait;
    if (reader->read(one, &wait) && wait.is_for_unit()) reader->note_standing(wait);
  };
  const auto follow_one = [](void* memory, unit* one) {
    const auto* to = static_cast<searching*>(memory);
    circle what;
    if (to->self->follow(one, false, &what)) to->found(to->state, what);
  };
  walk_units(rt, note, &all);
  walk_units(rt, follow_one, &all);
}

}  // namespace weft::sched
