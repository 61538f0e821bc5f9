// See long_waits.hpp.
#include "see/long_waits.hpp"

#include <cstdlib>
#include <cstring>

#include "os/heap.hpp"
#include "os/peek.hpp"
#include "see/holders.hpp"
#include "worker/extras.hpp"
#include "worker/glance.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

// The race is meant: what is read counts only if the unit still waits afterwards.
__attribute__((no_sanitize("thread", "address"), noinline)) void copy_plainly(const waiter* from, unsigned char* to) {
  static_assert(sizeof(waiter) % sizeof(std::uint64_t) == 0 && alignof(waiter) >= alignof(std::uint64_t));
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(from);
  for (std::size_t index = 0; index < sizeof(waiter) / sizeof(std::uint64_t); ++index) {
    const std::uint64_t word = words[index];
    std::memcpy(to + index * sizeof word, &word, sizeof word);
  }
}

bool is_off(unit_state state) { return state == unit_state::blocked || state == unit_state::suspended; }

bool stands_as_guest(const unit* one) { return one->join.load(base::relaxed) == join_word::lent; }

bool waits_by(const unit* one, const waiter* record) {
  return glance(one->waiting) == record && is_off(one->state.load(base::relaxed));
}

}  // namespace

void wait_reader::clear() {
  areas_.clear();
  std::free(odd_);
  odd_ = nullptr;
  odd_count_ = odd_room_ = 0;
}

void wait_reader::begin(runtime* rt) {
  rt_ = rt;
  work_ = 0;
  static_cast<void>(areas_.take_note(rt));
  std::memset(seen_, 0, sizeof seen_);
}

void wait_reader::learn_all_areas() {
  while (areas_.take_note(rt_)) continue;
}

bool wait_reader::peek(const void* from, void* to, std::size_t bytes) {
  work_ += work_a_peek;
  return os::peek(from, to, bytes);
}

bool wait_reader::copy(const waiter* record, unsigned char* to) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(record) % alignof(waiter) == 0;
  if (!is_aligned || !areas_.hold(record, sizeof(waiter))) return peek(record, to, sizeof(waiter));
  work_ += work_a_record;
  copy_plainly(record, to);
  return true;
}

bool wait_reader::read(const unit* one, long_wait* out) {
  work_ += work_a_unit;
  if (!is_off(one->state.load(base::relaxed)) || join_word::means_ended(one->join.load(base::relaxed))) return false;
  const waiter* const record = glance(one->waiting);
  alignas(waiter) unsigned char memory[sizeof(waiter)];
  if (record == nullptr || !copy(record, memory)) return false;
  const mem::stack* const stack = glance(one->stack);
  const bool is_borrowing = stands_as_guest(one);
  const auto* copied = reinterpret_cast<const waiter*>(memory);
  if (!waits_by(one, record) || copied->who != one || copied->deadline_ns != forever) return false;
  *out = {.one = one,
          .record = record,
          .object = copied->object,
          .since_ns = copied->since_ns,
          .holder = copied->holder,
          .is_holder_address = copied->is_holder_address != 0,
          .is_join = copied->what == end_of_unit,
          .stack = stack,
          .is_borrowing = is_borrowing};
  return true;
}

// ---- which unit stands where ----

void wait_reader::note_standing(const long_wait& wait) {
  if (wait.stack == nullptr || wait.is_borrowing) return;
  const auto address = reinterpret_cast<std::uintptr_t>(wait.stack);
  if (!areas_.note_standing(address, wait.one)) note_odd(wait);
}

wait_reader::odd_stack* wait_reader::odd_of(const unit* one) {
  work_ += odd_count_ / 16;
  for (std::size_t index = 0; index < odd_count_; ++index) {
    if (odd_[index].one == one) return &odd_[index];
  }
  return nullptr;
}

// False: it cannot be read, or is a slot that will be known later.
bool wait_reader::read_odd(const long_wait& wait, odd_stack* out) {
  alignas(mem::stack) unsigned char memory[sizeof(mem::stack)];
  if (!peek(wait.stack, memory, sizeof memory)) return false;
  const auto* header = reinterpret_cast<const mem::stack*>(memory);
  if (header->origin == mem::stack_origin::slot) return false;
  const auto low = reinterpret_cast<std::uintptr_t>(header->low);
  const std::uintptr_t high = header->is_os_threads() ? low + header->total_bytes : reinterpret_cast<std::uintptr_t>(wait.stack);
  *out = {wait.one, wait.stack, low, high};
  return low < high;
}

void wait_reader::note_odd(const long_wait& wait) {
  odd_stack* known = odd_of(wait.one);
  if (known != nullptr && known->stack == wait.stack) return;
  odd_stack found;
  if (!read_odd(wait, &found)) return;
  if (known == nullptr && odd_count_ == odd_room_) {
    const std::size_t room = odd_room_ == 0 ? 16 : odd_room_ * 2;
    auto* const more = static_cast<odd_stack*>(os::reallocate(odd_, room * sizeof(odd_stack)));
    if (more == nullptr) return;
    odd_ = more;
    odd_room_ = room;
  }
  if (known == nullptr) known = &odd_[odd_count_++];
  *known = found;
}

// A stack on which two units stand, because one of them runs the other in its join, names none. The
// one that runs the other has no record of a wait, so that a search ends there.
const unit* wait_reader::in_slot(std::uintptr_t address) const {
  const unit* one = areas_.standing_at(address);
  if (one == nullptr || stands_as_guest(one)) return nullptr;
  const auto stack = reinterpret_cast<std::uintptr_t>(glance(one->stack));
  return areas_.is_same_slot(address, stack) ? one : nullptr;
}

const unit* wait_reader::unit_at(std::uintptr_t address) {
  if (const unit* one = in_slot(address); one != nullptr) return one;
  const auto low = reinterpret_cast<std::uintptr_t>(rt_->main_low);
  if (const unit* main = main_of(rt_); main != nullptr && address - low < rt_->main_bytes) return main;
  work_ += odd_count_ / 16;
  for (std::size_t index = 0; index < odd_count_; ++index) {
    const odd_stack& each = odd_[index];
    if (address < each.low || address >= each.high) continue;
    if (glance(each.one->stack) == each.stack && !stands_as_guest(each.one)) return each.one;
  }
  return nullptr;
}

// ---- for which unit a unit waits ----

std::uintptr_t wait_reader::holder_in(const base::atomic<std::uintptr_t>* word) {
  holder_seen* known = &seen_[reinterpret_cast<std::uintptr_t>(word) / 64 % most_seen];
  if (known->word == word) return known->value;
  std::uintptr_t value = 0;
  if (!peek(word, &value, sizeof value)) value = 0;
  *known = {word, value};
  return value;
}

const unit* wait_reader::awaited(const long_wait& wait, bool by_numbers) {
  if (wait.is_join) {
    work_ += work_a_record;
    const auto* target = static_cast<const unit*>(wait.object);
    return target == main_of(rt_) || rt_->unit_depot.contains(target) ? target : nullptr;
  }
  if (wait.holder == nullptr || (!wait.is_holder_address && !by_numbers)) return nullptr;
  const std::uintptr_t holder = holder_in(wait.holder);
  if (holder == 0) return nullptr;
  return wait.is_holder_address ? unit_at(holder) : unit_with(rt_, holder);
}

}  // namespace weft::sched
